"""Schemathesis 4's dependency inference beside ours, on the same labelled sets in the same run.

    python -m venv ENV && ENV/bin/pip install "schemathesis>=4.32,<5"      (the `bench` group)
    python benchmarks/peers.py --peer ENV/bin/python [GOLD_ROOT]

Tools become OpenAPI operations. REST-named tools keep method and path. Others get a kind
encoding: the object that our own reading of the name finds as the path, required identifiers
as path parameters, the rest as body, the real output schema as response. (A kinder one yet was reported
to bring mcp_linear to recall .52 at precision .94.) Processor seconds for 5,000
operations are of the inference alone on both sides; ours includes reading names and prose.
"""

import argparse
import json
import re
import subprocess
import time
from dataclasses import replace
from itertools import product
from pathlib import Path
from string import ascii_lowercase

from atlas_assets.catalog.tool import JsonObject, Tool
from atlas_assets.edges.edge import Edge
from atlas_assets.edges.evaluate import Gold, read_gold, score
from atlas_assets.edges.infer import infer
from atlas_assets.edges.names import REST_NAME
from atlas_assets.edges.producers import Signature, read_signatures

SETS = ("schemathesis_fixtures", "restbench_tmdb", "mcp_linear")
OPERATIONS = 5_000


def path_of(signature: Signature) -> tuple[str, str]:
    """Method and path of a tool."""
    tool = signature.tool
    rest = REST_NAME.fullmatch(tool.name)
    if rest:
        return rest.group(1).lower(), rest.group(2)
    method = {"many": "get", "find": "get", "one": "get", "make": "post"}.get(signature.verb_class, "put")
    noun = "-".join(signature.noun) or tool.name
    keys = [p.name for p in tool.required_parameters if p.name.lower().endswith("id")]
    return method, f"/{noun}s" + "".join(f"/{{{key}}}" for key in keys)


def openapi(tools: list[Tool]) -> JsonObject:
    """One server's tools as an OpenAPI document."""
    paths: dict[str, dict[str, object]] = {}
    for signature in read_signatures(tools):
        tool = signature.tool
        method, path = path_of(signature)
        if method in paths.get(path, {}):
            path = f"{path}/{tool.name}"
        inside = re.findall(r"\{([^}]+)\}", path)
        properties = tool.input_schema.get("properties")
        declared = properties if isinstance(properties, dict) else {}
        parameters = [
            {"name": name, "in": "path", "required": True, "schema": declared.get(name) or {"type": "string"}}
            for name in inside
        ]
        others = {name: value for name, value in declared.items() if name not in inside}
        required = [p.name for p in tool.required_parameters if p.name in others]
        operation: dict[str, object] = {"operationId": tool.slug, "parameters": parameters}
        if method == "get":
            parameters.extend(
                {"name": name, "in": "query", "required": name in required, "schema": value or {}}
                for name, value in others.items()
            )
        elif others:
            body = {"type": "object", "properties": others, "required": required}
            operation["requestBody"] = {"content": {"application/json": {"schema": body}}, "required": True}
        response: dict[str, object] = {"description": "OK"}
        if tool.output_schema:
            response["content"] = {"application/json": {"schema": tool.output_schema}}
        operation["responses"] = {"200": response}
        paths.setdefault(path, {})[method] = operation
    return {"openapi": "3.0.2", "info": {"title": "peer", "version": "1"}, "paths": paths}  # type: ignore[dict-item]


def by_server(tools: tuple[Tool, ...]) -> list[list[Tool]]:
    servers: dict[str, list[Tool]] = {}
    for tool in tools:
        servers.setdefault(tool.server, []).append(tool)
    return list(servers.values())


def ask(peer: Path, documents: list[JsonObject]) -> tuple[list[tuple[str, str, str]], float]:
    helper = Path(__file__).with_name("peers_schemathesis.py")
    answer = subprocess.run(
        [str(peer), str(helper)],
        input=json.dumps({"documents": documents}),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    told = json.loads(answer.stdout)
    return [(a, b, c) for links in told["links"] for a, b, c in links], told["seconds"]


def as_edges(links: list[tuple[str, str, str]]) -> list[Edge]:
    return [
        Edge(
            producer=a,
            consumer=b,
            consumes=c.split("/")[0],
            type="direct",
            layer="peer",
            provider="peer",
            confidence=1,
        )
        for a, b, c in links
    ]


def many_operations(gold: Gold) -> list[Tool]:
    """The set's tools again and again, each time with other resource names, on one server."""
    found: list[Tool] = []
    for letters in product(ascii_lowercase, repeat=3):
        mark = "".join(letters)
        for tool in gold.tools:
            name = re.sub(r"(?<=/)([a-z_]+)", rf"\1{mark}", tool.name)
            found.append(replace(tool, name=name))
        if len(found) >= OPERATIONS:
            return found[:OPERATIONS]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root", type=Path, nargs="?", default=Path(__file__).parents[2] / "shared" / "gold")
    parser.add_argument("--peer", type=Path, required=True, help="python of an environment with schemathesis")
    options = parser.parse_args()
    print(f"{'set':24} {'':13} recall precision   F1  slot hit")
    for name in SETS:
        gold = read_gold(options.root / name)
        documents = [openapi(tools) for tools in by_server(gold.tools)]
        links, _ = ask(options.peer, documents)
        for who, edges in (("ours", infer(gold.tools).edges), ("schemathesis", tuple(as_edges(links)))):
            found = score(gold, edges)
            shares = (found.recall or 0, found.precision or 0, found.f1, found.slot_hit or 0)
            print(f"{name:24} {who:13} " + "  ".join(f"{share:>6.2f}" for share in shares))
    tools = many_operations(read_gold(options.root / "restbench_tmdb"))
    _, theirs = ask(options.peer, [openapi(tools)])
    start = time.process_time()
    infer(tools)
    ours = time.process_time() - start
    times = ours / theirs
    print(f"{len(tools)} operations: ours {ours:.1f} s, theirs {theirs:.1f} s: {times:.2f} times (≤ 1.5)")


if __name__ == "__main__":
    main()
