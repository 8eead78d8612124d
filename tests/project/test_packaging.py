"""What is shipped: pinned, hashed, with no address or machine path in it, and what may import what."""

import ast
import json
import re
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
LOCKS = ("requirements.lock", "requirements-dev.lock")


def requirements(lock: str) -> list[str]:
    text = (PROJECT / lock).read_text(encoding="utf-8").replace("\\\n", " ")
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def tracked_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, check=True, encoding="utf-8"
    ).stdout
    return [PROJECT / name for name in listed.split("\0") if name]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_is_pinned_exactly_and_hashed(lock):
    for line in requirements(lock):
        assert re.match(r"^[a-z0-9._-]+(\[[a-z0-9, _-]+\])?==\S+", line), line
        assert "--hash=sha256:" in line, line


@pytest.mark.parametrize("lock", [*LOCKS, "viewer/package-lock.json"])
def test_no_lock_names_an_index_or_a_download_address(lock):
    text = (PROJECT / lock).read_text(encoding="utf-8")
    assert not re.search(r"--(extra-)?index-url|--find-links|--trusted-host", text)
    if lock.endswith(".json"):
        packages = json.loads(text)["packages"]
        assert [name for name, package in packages.items() if "resolved" in package] == []
        assert all("integrity" in package for name, package in packages.items() if name)
    else:
        assert "://" not in text


def test_what_a_demo_installs_is_locked_to_the_versions_that_are_tested():
    tested = {line.split(";")[0].split("--hash")[0].strip() for line in requirements("requirements-dev.lock")}
    assert {
        line.split(";")[0].split("--hash")[0].strip() for line in requirements("requirements.lock")
    } <= tested


def test_code_that_thinks_never_imports_dagster():
    rooms = ("catalog", "edges", "graph", "storage", "serve")
    offenders = []
    for room in rooms:
        for path in (PROJECT / "atlas_assets" / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                # the IO manager is Dagster's own door into storage
                if path.name != "io_manager.py" and any(n.split(".")[0] == "dagster" for n in names):
                    offenders.append(str(path.relative_to(PROJECT)))
    assert offenders == []


def test_no_machine_path_is_committed():
    forbidden = re.compile(rb"/(?:root|work|home/[a-z]+)/[a-z.]")
    named = [
        str(path.relative_to(PROJECT))
        for path in tracked_files()
        if path.is_file() and path.suffix not in (".png", ".lock") and forbidden.search(path.read_bytes())
    ]
    assert named == []
