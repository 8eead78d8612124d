"""A remote MCP server in plain Python that behaves, or misbehaves, as its arguments say.

`remote_stub.py BEHAVIOUR [ARGUMENT]` prints its port, then serves on 127.0.0.1. `GET /seen` gives
what it was asked, headers included.
"""

import base64
import gzip
import hashlib
import json
import queue
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

BEHAVIOUR = sys.argv[1]
ARGUMENT = sys.argv[2] if len(sys.argv) > 2 else ""
TOOLS = [{"name": "find", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}}]
SEEN: list[dict[str, object]] = []
STREAMS: list["queue.Queue[str]"] = []
CODES: dict[str, str] = {}
TOKENS = {"fresh": "first-token"}


def answer_to(request: dict[str, object]) -> dict[str, object] | None:
    if "id" not in request:
        return None
    head = {"jsonrpc": "2.0", "id": request["id"]}
    if request["method"] == "initialize":
        info = {"name": "remote", "version": "2.0"}
        version = ARGUMENT if ARGUMENT.startswith("20") else "2025-06-18"
        return {**head, "result": {"protocolVersion": version, "capabilities": {}, "serverInfo": info}}
    if request["method"] == "tools/list":
        return {**head, "result": {"tools": TOOLS}}
    return {**head, "error": {"code": -32601, "message": "Method not found"}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def reply(self, status: int, body: bytes = b"", kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def json(self, value: object, status: int = 200) -> None:
        self.reply(status, json.dumps(value).encode())

    @property
    def origin(self) -> str:
        return f"http://{self.headers['Host']}"

    def refused(self) -> bool:
        """Whether a login is missing, and was asked for."""
        if BEHAVIOUR == "forbidden":
            self.reply(403)
        elif BEHAVIOUR == "bearer" and self.headers.get("Authorization") != "Bearer good-token":
            self.reply(401, WWW_Authenticate="Bearer")
        elif BEHAVIOUR == "oauth" and self.headers.get("Authorization") != f"Bearer {TOKENS['fresh']}":
            where = f"{self.origin}/.well-known/oauth-protected-resource"
            self.reply(401, WWW_Authenticate=f'Bearer resource_metadata="{where}"')
        else:
            return False
        return True

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path == "/seen":
            self.json(SEEN)
            return
        SEEN.append({"method": "GET", "path": self.path, "headers": dict(self.headers.items())})
        if BEHAVIOUR == "oauth" and self.oauth_get(url.path, url.query):
            return
        if BEHAVIOUR == "redirect":
            self.reply(307, Location=ARGUMENT)
        elif BEHAVIOUR in ("sse", "sse_elsewhere") and url.path == "/mcp" and not self.refused():
            self.stream()
        else:
            self.reply(405)

    def stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        events: queue.Queue[str] = queue.Queue()
        STREAMS.append(events)
        endpoint = "http://127.0.0.2:9/messages" if BEHAVIOUR == "sse_elsewhere" else "/messages?session=1"
        self.wfile.write(f"event: endpoint\ndata: {endpoint}\n\n".encode())
        self.wfile.flush()
        while True:
            self.wfile.write(f"event: message\ndata: {events.get()}\n\n".encode())
            self.wfile.flush()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        SEEN.append({"method": "POST", "path": self.path, "headers": dict(self.headers.items())})
        if BEHAVIOUR == "oauth" and self.path in ("/register", "/token"):
            self.oauth_post(body)
            return
        if BEHAVIOUR == "redirect":
            self.reply(307, Location=ARGUMENT)
            return
        if BEHAVIOUR == "bearer" and ARGUMENT == "slash" and self.path == "/mcp":
            self.reply(308, Location="/mcp/")
            return
        if self.refused():
            return
        if self.path.startswith("/messages"):
            said = answer_to(json.loads(body))
            if said is not None:
                STREAMS[-1].put(json.dumps(said))
            self.reply(202)
        elif BEHAVIOUR in ("sse", "sse_elsewhere"):
            self.reply(405)
        else:
            self.mcp(json.loads(body))

    def do_DELETE(self) -> None:
        threading.Event().wait()  # a session that is never let go

    def mcp(self, request: dict[str, object]) -> None:
        said = answer_to(request)
        data = json.dumps(said).encode()
        if said is None:
            self.reply(202)
        elif BEHAVIOUR == "hangs":
            threading.Event().wait()
        elif BEHAVIOUR == "html":
            self.reply(200, b"<h1>Welcome</h1>", kind="text/html")
        elif BEHAVIOUR == "broken":
            self.reply(500, b"no")
        elif BEHAVIOUR == "large" and request["method"] == "tools/list":
            self.reply(200, data + b" " * 50_000_000)
        elif BEHAVIOUR == "gzip" and request["method"] == "tools/list":
            self.reply(200, gzip.compress(data), Content_Encoding="gzip")
        elif BEHAVIOUR == "events":
            self.reply(200, b"event: message\ndata: " + data + b"\n\n", kind="text/event-stream")
        elif BEHAVIOUR == "large_event" and request["method"] == "tools/list":
            text = b"event: message\ndata: " + b"x" * 20_000_000 + b"\n\n"
            self.reply(200, text, kind="text/event-stream")
        elif BEHAVIOUR == "keeps_session":
            self.reply(200, data, Mcp_Session_Id="the-session")
        else:
            self.reply(200, data)

    def oauth_get(self, path: str, query: str) -> bool:
        if path.startswith("/.well-known/oauth-protected-resource"):
            self.json({"resource": f"{self.origin}/mcp", "authorization_servers": [self.origin]})
        elif path.startswith("/.well-known/oauth-authorization-server"):
            self.json(
                {
                    "issuer": self.origin,
                    "authorization_endpoint": f"{self.origin}/authorize",
                    "token_endpoint": f"{self.origin}/token",
                    "registration_endpoint": f"{self.origin}/register",
                    "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"],
                }
            )
        elif path == "/authorize":
            asked = {name: values[0] for name, values in parse_qs(query).items()}
            CODES["the-code"] = asked["code_challenge"]
            answer = {"error": "access_denied"} if ARGUMENT == "denies" else {"code": "the-code"}
            back = urlencode({**answer, "state": asked["state"]})
            self.reply(302, Location=f"{asked['redirect_uri']}?{back}")
        else:
            return False
        return True

    def oauth_post(self, body: bytes) -> None:
        if self.path == "/register":
            self.json({**json.loads(body), "client_id": "the-client"}, 201)
            return
        asked = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        if asked["grant_type"] == "refresh_token":
            TOKENS["fresh"] = "second-token"
            good = asked["refresh_token"] == "the-refresh-token"
        else:
            digest = hashlib.sha256(asked["code_verifier"].encode()).digest()
            challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
            good = CODES.get(asked["code"]) == challenge
        if not good:
            self.json({"error": "invalid_grant"}, 400)
            return
        self.json(
            {
                "access_token": TOKENS["fresh"],
                "token_type": "Bearer",
                "expires_in": 3600,
                "refresh_token": "the-refresh-token",
            }
        )


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()
