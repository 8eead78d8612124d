"""A static server for the exported viewer, on this machine only.

It binds 127.0.0.1, answers GET and HEAD for files of one folder, and refuses a Host header that is
not its own address, so that a web page elsewhere cannot read the graph through a rebound name.
"""

import re
import sys
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from atlas_assets.errors import ConfigError, StorageError

HOST = "127.0.0.1"
_OWN_HOST = re.compile(r"(127\.0\.0\.1|localhost)(:\d{1,5})?")


class SiteHandler(SimpleHTTPRequestHandler):
    """Files of one folder, with headers that keep the page to itself."""

    server_version = "mcp-atlas"
    sys_version = ""

    def send_head(self) -> Any:
        if not _OWN_HOST.fullmatch(self.headers.get("Host") or ""):
            self.send_error(HTTPStatus.FORBIDDEN, "this viewer answers on 127.0.0.1 only")
            return None
        if "\0" in unquote(self.path):  # no path of a file, and open() would raise
            self.send_error(HTTPStatus.NOT_FOUND, "no such file")
            return None
        if not Path(self.translate_path(self.path)).resolve().is_relative_to(Path(self.directory).resolve()):
            self.send_error(HTTPStatus.NOT_FOUND, "no such file")  # a link out of the folder
            return None
        return super().send_head()

    def list_directory(self, path: Any) -> None:
        self.send_error(HTTPStatus.NOT_FOUND, "no such file")
        return None

    def end_headers(self) -> None:
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: a request line is a stranger's text."""


class SiteServer(ThreadingHTTPServer):
    """Serves one folder; a browser that goes away in the middle is no news."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def site_server(folder: Path, port: int = 0) -> SiteServer:
    """A server of `folder`, bound and not yet serving; port 0 picks a free one.

    Raises StorageError where there is no exported viewer, ConfigError where the port is taken.
    """
    if not (folder / "index.html").is_file():
        raise StorageError(f"no exported viewer in {str(folder)!r}; run `atlas export --site {folder}` first")
    try:
        return SiteServer((HOST, port), partial(SiteHandler, directory=str(folder)))
    except (OSError, OverflowError) as error:
        raise ConfigError(f"cannot listen on {HOST}:{port} ({error}); choose another --port") from error
