"""Recording one server: a `tools/list` dump that a servers file's `file` reads back.

The dump holds what the server said, unaltered but for secrets: every value that its configuration
fills in is replaced by `***` wherever the server repeats it.
"""

from collections.abc import Mapping

from atlas_assets.catalog.expand import prepare
from atlas_assets.catalog.redact import Redactor
from atlas_assets.catalog.scan import scan_one
from atlas_assets.catalog.schema import mended
from atlas_assets.catalog.server import ServerConfig
from atlas_assets.catalog.tool import Json, JsonObject
from atlas_assets.errors import ScanError


def record_server(server: ServerConfig, environ: Mapping[str, str]) -> JsonObject:
    """List a server and give its dump. Raises ScanError where it could not be listed."""
    scanned = scan_one(server, environ=environ)
    if scanned.listing is None:
        raise ScanError(f"server {server.name!r} {scanned.record.reason}")
    redactor = prepare(server, environ).redactor
    said: JsonObject = {
        "server": server.name,
        "initialize": scanned.listing.handshake,
        "tools": scanned.listing.tools,
    }
    said["initialize"] = {**scanned.listing.handshake, "protocolVersion": scanned.listing.protocol}
    cleaned = _without_secrets(mended(said), redactor)
    assert isinstance(cleaned, dict)
    return cleaned


def _without_secrets(value: Json, redactor: Redactor) -> Json:
    """`value` with the known secrets out of every text; URLs are the server's own words and stay."""
    if isinstance(value, str):
        return redactor.secrets_out(value)
    if isinstance(value, list):
        return [_without_secrets(inner, redactor) for inner in value]
    if isinstance(value, dict):
        return {redactor.secrets_out(key): _without_secrets(inner, redactor) for key, inner in value.items()}
    return value
