"""Recording one server: a `tools/list` dump that a servers file's `file` reads back.

The dump holds what the server said, unaltered but for secrets of its configuration, which a scan
replaces by `***` wherever the server repeats them.
"""

from collections.abc import Mapping

from atlas_assets.catalog.scan import scan_one
from atlas_assets.catalog.schema import mended
from atlas_assets.catalog.server import ServerConfig
from atlas_assets.catalog.tool import JsonObject, as_object
from atlas_assets.errors import ScanError


def record_server(server: ServerConfig, environ: Mapping[str, str]) -> JsonObject:
    """List a server and give its dump. Raises ScanError where it could not be listed."""
    scanned = scan_one(server, environ=environ)
    if scanned.listing is None:
        raise ScanError(f"server {server.name!r} {scanned.record.reason}")
    said: JsonObject = {
        "server": server.name,
        "initialize": {**scanned.listing.handshake, "protocolVersion": scanned.listing.protocol},
        "tools": scanned.listing.tools,
    }
    try:
        return as_object(mended(said))
    except RecursionError as error:
        raise ScanError(f"server {server.name!r} lists a tool that is nested too deep to record") from error
