"""Scans real servers from npm and PyPI and compares them, tool by tool, with their recorded dumps.

    python -m benchmarks.scan_real [--at-once 4] [SERVER…]

Launch commands and dumps are those of `../shared/catalogs`; credentials are dummies. The dumps were
recorded with another client, so that a difference is either the server's own (it lists other tools
under another protocol, on another machine, at another time) or a fault of the scan.
"""

import argparse
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

from atlas_assets.catalog.config import ServerConfig
from atlas_assets.catalog.limits import ScanLimits
from atlas_assets.catalog.recorded import load_recorded
from atlas_assets.catalog.scan import scan_servers
from atlas_assets.catalog.tool import ServerRecord, Tool

CATALOGS = Path(__file__).resolve().parents[2] / "shared" / "catalogs"
CHOSEN = (
    "airbnb", "airtable", "antv-chart", "aws-documentation", "aws-iam", "aws-s3-tables", "brave-search",
    "context7", "currents", "fetch", "git", "git-cyanheads", "github-ref", "google-maps", "hostinger",
    "linear-tacticlaunch", "ms365", "neon", "playwright", "postman", "pubmed", "shortcut",
    "slack-ref", "tavily", "time", "wikipedia",
)  # fmt: skip
DUMMIES = {
    "AWS_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "FASTMCP_LOG_LEVEL": "ERROR",
    "MCP_TRANSPORT_TYPE": "stdio",
    "MCP_MODE": "stdio",
    "LOG_LEVEL": "error",
    "DISABLE_CONSOLE_OUTPUT": "true",
    "ITERABLE_ENABLE_SENDS": "true",
    "ITERABLE_ENABLE_WRITES": "true",
    "ITERABLE_USER_PII": "true",
}


@dataclass(frozen=True)
class Comparison:
    """One server's scan beside its dump: tools only in one of them, and fields that differ."""

    record: ServerRecord
    recorded: int
    same: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    changed: tuple[str, ...]


def config(name: str) -> ServerConfig:
    dump = json.loads((CATALOGS / f"{name}.json").read_bytes())
    command, *args = dump["command"]
    env = []
    for key in dump["env_keys"]:
        plain = "https://127.0.0.1:9" if key.endswith("_URL") else "dummy"
        env.append((key, DUMMIES.get(key, plain)))
    return ServerConfig(name=name, command=command, args=tuple(args), env=tuple(env), base=Path("/tmp"))


def compare(record: ServerRecord, now: dict[str, Tool], then: dict[str, Tool]) -> Comparison:
    fields = ("title", "description", "input_schema", "output_schema", "annotations")
    changed = []
    for name in sorted(now.keys() & then.keys()):
        differ = [field for field in fields if getattr(now[name], field) != getattr(then[name], field)]
        if differ:
            changed.append(f"{name} ({', '.join(differ)})")
    return Comparison(
        record,
        recorded=len(then),
        same=len(now.keys() & then.keys()) - len(changed),
        missing=tuple(sorted(then.keys() - now.keys())),
        extra=tuple(sorted(now.keys() - then.keys())),
        changed=tuple(changed),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("servers", nargs="*")
    parser.add_argument("--at-once", type=int, default=4)
    chosen = parser.parse_args()
    names = chosen.servers or list(CHOSEN)
    started = time.monotonic()
    catalog = scan_servers(
        [config(name) for name in names],
        limits=ScanLimits(start_seconds=400, at_once=chosen.at_once),
        environ=os.environ,
    )
    spent = time.monotonic() - started
    found = []
    for record in catalog.servers:
        then = {tool.name: tool for tool in load_recorded(CATALOGS / f"{record.name}.json").tools}
        found.append(compare(record, {tool.name: tool for tool in catalog.of_server(record.name)}, then))
    print("| server | status | protocol | seconds | tools | recorded | same | missing | extra | changed |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for one in found:
        r = one.record
        differ = f"{len(one.missing)} | {len(one.extra)} | {len(one.changed)}"
        print(
            f"| {r.name} | {r.status} | {r.protocol} | {r.seconds:.1f} | {r.tools} "
            f"| {one.recorded} | {one.same} | {differ} |"
        )
    total, same = sum(one.recorded for one in found), sum(one.same for one in found)
    up = sum(one.record.status == "ok" for one in found)
    print(f"\n{same} of {total} recorded tools are the same in every field; ", end="")
    print(f"{up} of {len(found)} servers listed, {chosen.at_once} at once, in {spent:.0f} s.\n")
    for one in found:
        for kind, listed in (("missing", one.missing), ("extra", one.extra), ("changed", one.changed)):
            if listed:
                more = f" and {len(listed) - 8} more" if len(listed) > 8 else ""
                print(f"- {one.record.name}, {kind}: {', '.join(listed[:8])}{more}")
        if one.record.reason:
            print(f"- {one.record.name}: {one.record.reason}")
    for problem in catalog.problems:
        print(f"- {problem.server} {problem.tool}: {problem.reason}")


if __name__ == "__main__":
    main()
