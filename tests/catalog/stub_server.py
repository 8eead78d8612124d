"""A stdio MCP server in plain Python that behaves, or misbehaves, as its first argument says.

Its second argument marks its processes, so that a test can see whether any is left.
"""

import json
import os
import signal
import subprocess
import sys

BEHAVIOUR, MARK = sys.argv[1], sys.argv[2]
METHODS: list[object] = []
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


def tool(name: object, **more: object) -> dict[str, object]:
    return {"name": name, "description": "Reads a file.", "inputSchema": SCHEMA, **more}


def odd_tools() -> list[object]:
    properties = {f"field_{n}": {"type": "string", "description": "x" * 60} for n in range(900)}
    recursive = {"properties": {"n": {"$ref": "#/$defs/n"}}}
    return [
        {"name": "no_schema"},
        tool("null_schema", inputSchema=None),
        tool("list_schema", inputSchema=[1, 2]),
        tool("true_required", inputSchema={"required": True, "properties": {"id": {"required": True}}}),
        tool("no_type", inputSchema={"properties": {"id": {}}, "required": ["id", "missing"]}),
        tool("bad_annotation", annotations={"readOnlyHint": "perhaps", "title": 7}),
        tool("text_annotations", annotations="read only"),
        tool("large_schema", inputSchema={"type": "object", "properties": properties}),
        tool("long_description", description="x" * 18_000),
        tool("numeric_description", description=5),
        tool("twice", description="the first"),
        tool("twice", description="the second"),
        *(tool(name) for name in ("a/b", "a.b", "a:b", "a::b", "..", "two words", "größe", "n" * 500)),
        tool("\ud800half"),
        tool("recursive", inputSchema={"$ref": "#/$defs/n", "$defs": {"n": recursive}}),
        tool(""),
        tool(None),
        {"description": "no name"},
        "not an object",
        None,
    ]


TOOLS: dict[str, list[object]] = {
    "odd_tools": odd_tools(),
    "no_tools": [],
    "many_tools": [tool(f"t{n}") for n in range(60)],
}


def send(message: object) -> None:
    send_bytes(json.dumps(message).encode() + b"\n")


def send_bytes(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def hang() -> None:
    while True:
        signal.pause()


def child(*, session: bool) -> None:
    """A process that would live on, holding our pipes."""
    code = "import signal, sys; sys.stdout.write(''); signal.pause()"
    subprocess.Popen([sys.executable, "-S", "-c", code, MARK], start_new_session=session)


def orphan() -> None:
    """A process in a session of its own that has nothing of our environment."""
    code = "import signal, sys; signal.pause()"
    subprocess.Popen([sys.executable, "-S", "-c", code, MARK], start_new_session=True, env={})


def answer(request: dict[str, object], result: object) -> None:
    identity = str(request["id"]) if BEHAVIOUR == "text_ids" else request["id"]
    if BEHAVIOUR == "out_of_order":
        assert isinstance(identity, int)
        for other in (identity + 1, identity - 1, "x", None):
            send({"jsonrpc": "2.0", "id": other, "result": {"tools": [tool("wrong")]}})
        send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}})
        send({"jsonrpc": "2.0", "id": 77, "method": "ping"})
    if BEHAVIOUR == "noisy":
        send_bytes(b'Listening\xff\xfe on stdio\n\n[1, 2]\n{"level": "info", "id": 1}\n{broken\n\xc3\x28\n')
    send({"jsonrpc": "2.0", "id": identity, "result": result})
    if BEHAVIOUR == "answers_twice":
        send({"jsonrpc": "2.0", "id": identity, "result": {"tools": [tool("second")]}})


def refuse(request: dict[str, object], code: int, message: str) -> None:
    send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}})


def handle(request: dict[str, object]) -> None:
    method = request.get("method")
    METHODS.append(method)
    if "id" not in request or method is None:
        return
    if method == "initialize":
        if BEHAVIOUR == "hangs_before":
            hang()
        info = {"name": "stub", "version": "1.2.3"}
        version = BEHAVIOUR if BEHAVIOUR.startswith("20") else "2025-06-18"
        answer(request, {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info})
    elif method == "tools/list":
        list_tools(request)
    elif BEHAVIOUR == "exits_on_unknown":
        sys.exit(f"unknown method {method}")
    else:
        send(
            {"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": "Method not found"}}
        )


def list_tools(request: dict[str, object]) -> None:
    params = request.get("params")
    cursor = params.get("cursor") if isinstance(params, dict) else None
    if BEHAVIOUR.startswith("hangs_during"):
        if len(sys.argv) > 3:
            with open(sys.argv[3], "w", encoding="utf-8") as reached:
                reached.write("listing")
        hang()
    if BEHAVIOUR == "exits_during":
        print("Error: the backend is gone", file=sys.stderr)
        sys.exit(4)
    if BEHAVIOUR == "fifty_megabytes":
        send_bytes(b'{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"' + b"x" * 50_000_000 + b'"}]}}\n')
        return
    if BEHAVIOUR in ("nested_message", "long_number"):
        listed = "[" * 100_000 + "]" * 100_000
        if BEHAVIOUR == "long_number":
            listed = '{"name":"read_file","inputSchema":{"properties":{"n":{"maximum":' + "9" * 5_000 + "}}}}"
        line = '{"jsonrpc":"2.0","id":' + json.dumps(request["id"]) + ',"result":{"tools":[' + listed + "]}}"
        send_bytes(line.encode() + b"\n")
        return
    if BEHAVIOUR == "no_list":
        answer(request, {"tools": "none today"})
        return
    if BEHAVIOUR == "refuses_list":
        send(
            {
                "jsonrpc": "2.0",
                "id": request["id"],
                "error": {"code": -32000, "message": "set STUB_TOKEN first"},
            }
        )
        return
    if BEHAVIOUR in ("pages", "endless", "repeats"):
        number = int(cursor or 0)
        following = 1 if BEHAVIOUR == "repeats" else number + 1
        last = BEHAVIOUR == "pages" and number == 3
        page = {"tools": [tool(f"page_{number}")], "nextCursor": None if last else str(following)}
        answer(request, page)
        return
    if BEHAVIOUR == "bad_cursor":
        answer(request, {"tools": [tool("read_file")], "nextCursor": {"page": 2}})
        return
    if BEHAVIOUR == "too_deep":
        deep = '{"items":' * 900 + "{}" + "}" * 900
        tools = f'[{json.dumps(tool("read_file"))},{{"name":"deep","inputSchema":{deep}}}]'
        send_bytes(f'{{"jsonrpc":"2.0","id":{request["id"]},"result":{{"tools":{tools}}}}}\n'.encode())
        return
    if BEHAVIOUR == "tells_methods":
        answer(request, {"tools": [tool(method) for method in METHODS]})
        return
    if BEHAVIOUR == "tells_environment":
        answer(request, {"tools": [tool(name, description=value) for name, value in os.environ.items()]})
        return
    answer(request, {"tools": TOOLS.get(BEHAVIOUR, [tool("read_file")])})
    if BEHAVIOUR == "hangs_after":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        hang()


def main() -> None:
    if BEHAVIOUR == "exits_at_once":
        print("Error: STUB_TOKEN is required", file=sys.stderr)
        print("    at Object.<anonymous> (/srv/index.js:3:9)", file=sys.stderr)
        sys.exit(3)
    if BEHAVIOUR == "exits_leaving_child":
        child(session=False)
        sys.exit(3)
    if BEHAVIOUR == "leaves_stranger":
        orphan()
    if BEHAVIOUR == "floods_stdout":
        while True:
            send_bytes(b"again and again\n" * 4_000)
    if BEHAVIOUR == "leaves_children":
        child(session=False)
        child(session=True)
    if BEHAVIOUR == "tells_secret":
        sys.exit(f"Error: cannot log in with {os.environ['STUB_TOKEN']} at https://me:pw@example.org/x?key=1")
    if BEHAVIOUR == "flood":
        line = b"a line of log that says nothing much, again and again\n" * 1_000
        for _ in range(200_000_000 // len(line)):
            sys.stderr.buffer.write(line)
        sys.stderr.buffer.write(b"the last line\n")
        sys.stderr.buffer.flush()
    for line in sys.stdin:
        handle(json.loads(line))
    if BEHAVIOUR == "ignores_stdin":
        hang()


main()
