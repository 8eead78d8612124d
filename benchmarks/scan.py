"""Scan time of 20 servers against that of the slowest alone, with stub servers that sleep.

    python -m benchmarks.scan

The bound: 1.3 times the slowest alone, plus the CPU that all of them use to start, spread over two
cores. Each stub is a plain Python process that sleeps a fixed time before it answers its handshake,
as a server does that loads its modules or waits for a backend.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

from atlas_assets.catalog.config import ServerConfig
from atlas_assets.catalog.limits import ScanLimits
from atlas_assets.catalog.scan import scan_servers

SLEEPS = [0.25 * number for number in range(1, 21)]  # 0.25 s to 5 s
CORES = 2
STUB = """
import json, sys, time
time.sleep(float(sys.argv[1]))
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    answer = {"jsonrpc": "2.0", "id": request["id"]}
    if request["method"] == "initialize":
        info = {"name": "sleeper", "version": "1"}
        answer["result"] = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": info}
    elif request["method"] == "tools/list":
        schema = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
        answer["result"] = {"tools": [{"name": f"tool_{n}", "inputSchema": schema} for n in range(50)]}
    else:
        answer["error"] = {"code": -32601, "message": "Method not found"}
    print(json.dumps(answer), flush=True)
"""


def timed(servers: list[ServerConfig]) -> tuple[float, float]:
    """Seconds of a scan, and seconds of CPU that its servers used."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    catalog = scan_servers(servers, limits=ScanLimits())
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert [server.status for server in catalog.servers] == ["ok"] * len(servers)
    assert len(catalog.tools) == 50 * len(servers)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "sleeper.py"
        script.write_text(STUB, encoding="utf-8")
        servers = [
            ServerConfig(
                name=f"sleeper-{number:02}",
                command=sys.executable,
                args=(str(script), str(sleep)),
                base=Path(folder),
            )
            for number, sleep in enumerate(SLEEPS)
        ]
        timed(servers[:1])  # imports are not the scan's
        alone, _ = timed(servers[-1:])
        together, cpu = timed(servers)
    bound = 1.3 * alone + cpu / CORES
    print(f"slowest alone {alone:.2f} s, {len(servers)} together {together:.2f} s, their own CPU {cpu:.2f} s")
    print(f"ratio to the slowest alone: {together / alone:.2f}")
    print(f"ratio to the bound of 1.3 x slowest + CPU / {CORES}: {together / bound:.2f} (at most 1)")


if __name__ == "__main__":
    main()
