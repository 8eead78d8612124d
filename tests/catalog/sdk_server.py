"""A server made with the MCP SDK: `sdk_server.py stdio|streamable-http|sse [PORT]`."""

import sys

from mcp.server import MCPServer

server = MCPServer("sdk", version="3.1")


@server.tool(title="Add two numbers")
def add(a: int, b: int = 1) -> int:
    """Adds."""
    return a + b


if sys.argv[1] == "stdio":
    server.run("stdio")
else:
    import socket

    import uvicorn

    app = server.streamable_http_app() if sys.argv[1] == "streamable-http" else server.sse_app()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()  # whoever reads the port may connect at once
    print(listener.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets=[listener])
