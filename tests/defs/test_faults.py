"""Bad days of a machine: nothing is lost, the next run heals, and each is one line."""

import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
import pytest

from atlas_assets.defs.build import project_instance, run_build
from atlas_assets.errors import StorageError
from atlas_assets.storage.root import DataRoot
from tests.defs.project import REPOSITORY, Project, tool


def contents(project: Project) -> dict[str, bytes]:
    """Every file of the data folder but what holds a scan's seconds."""
    data = project.home / "data"
    return {
        str(path.relative_to(data)): path.read_bytes()
        for path in sorted(data.rglob("*"))
        if path.is_file() and path.stem != "servers" and not path.name.startswith(".")
    }


@pytest.mark.parametrize(
    "write",
    [
        "tool_catalog/tools.parquet",
        "tool_catalog/servers.json",
        "tool_changes/seen.parquet",
        "heuristic_edges/inputs.parquet",
        "semantic_edges/files.write_file.parquet",
        "graph.json",
        "merged_graph/dropped.json",
    ],
)
def test_a_build_killed_in_any_asset_is_healed_by_the_next(
    project: Project, instance: dg.DagsterInstance, write: str
) -> None:
    killed = subprocess.run(
        [sys.executable, "-m", "tests.defs.kill_at_write", write],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    with project_instance() as stored:
        (dead,) = [r for r in stored.get_runs() if r.status is dg.DagsterRunStatus.STARTED]
        result, _ = project.build(stored)
        assert result.ok, result.errors
        healed = stored.get_run_by_id(dead.run_id)
        assert healed is not None
        assert healed.status is dg.DagsterRunStatus.FAILURE
    after = contents(project)
    for path in (project.home / "data").iterdir():
        if path.is_dir():
            for file in path.rglob("*"):
                file.unlink() if file.is_file() else None
    (project.home / "data" / "graph.json").unlink()
    project.build(instance)
    assert contents(project) == after


@contextmanager
def small_files() -> Iterator[None]:
    """No file may grow beyond 512 bytes, as on a full disk; pytest's own log included, so be brief."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


def test_a_disk_that_is_full_is_one_line_and_leaves_the_old_data(tmp_path: Path) -> None:
    root = DataRoot(str(tmp_path))
    root.write_bytes("a/b.json", b"old")
    refused = r"cannot write 'a/b.json'.*File too large.*free space"
    with small_files(), pytest.raises(StorageError, match=refused):
        root.write_bytes("a/b.json", b"x" * 10_000)
    assert root.read_bytes("a/b.json") == b"old"
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["b.json"]


def test_a_build_on_a_full_disk_ends_in_one_line_and_the_next_heals(
    project: Project, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.build(instance)
    good = contents(project)
    real = DataRoot.write_bytes

    def full(self: DataRoot, path: str, data: bytes, **options: bool) -> None:
        if path == "merged_graph/edges.parquet":
            raise StorageError(
                f"cannot write {path!r} in the data folder: No space left on device; free space"
            )
        real(self, path, data, **options)

    monkeypatch.setattr(DataRoot, "write_bytes", full)
    result, _ = project.build(instance)
    assert [line for line in result.errors if "No space left on device" in line] == list(result.errors)
    assert len(result.errors) == 1
    monkeypatch.setattr(DataRoot, "write_bytes", real)
    assert project.build(instance)[0].ok
    assert contents(project) == good


def test_two_builds_at_once_leave_what_one_leaves(project: Project, instance: dg.DagsterInstance) -> None:
    project.save()
    results = []

    def build() -> None:
        with dg.DagsterInstance.ephemeral() as own:
            results.append(run_build(own))

    threads = [threading.Thread(target=build) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [r.errors for r in results] == [(), ()]
    together = contents(project)
    project.build(instance)
    assert contents(project) == together


@pytest.mark.parametrize(
    "path", ["tool_catalog/tools", "heuristic_edges/edges", "semantic_edges/files.read_file"]
)
def test_a_corrupt_parquet_file_is_read_from_its_json_and_healed(
    project: Project, instance: dg.DagsterInstance, path: str
) -> None:
    project.build(instance)
    good = contents(project)
    project.root.write_bytes(f"{path}.parquet", b"PAR1 no more")
    result, _ = project.build(instance)
    assert result.ok, result.errors
    assert contents(project) == good


def test_a_catalog_damaged_beyond_reading_is_one_line_and_scanned_anew(
    project: Project, instance: dg.DagsterInstance
) -> None:
    project.build(instance)
    good = contents(project)
    for ending in (".parquet", ".json"):
        project.root.write_bytes(f"tool_catalog/tools{ending}", b"no")
    result, events = project.build(instance)
    assert result.ok, result.errors
    (line,) = [e.text for e in events if e.level == "warning"]
    assert "'tool_catalog/tools.parquet' in the data folder is damaged" in line
    assert contents(project) == good


def test_a_half_written_graph_is_replaced_by_the_next_build(
    project: Project, instance: dg.DagsterInstance
) -> None:
    project.build(instance)
    good = project.root.read_bytes("graph.json")
    project.root.write_bytes("graph.json", good[: len(good) // 2])
    assert project.build(instance)[0].ok
    assert project.root.read_bytes("graph.json") == good


def test_a_partition_whose_consumer_is_gone_fails_in_one_line_and_costs_the_others_nothing(
    project: Project, instance: dg.DagsterInstance
) -> None:
    project.servers["files"].append(tool("old_tool", "", {"path": ""}))
    project.build(instance)
    instance.add_dynamic_partitions("consumer", ["files::never_was"])
    from atlas_assets.definitions import defs

    keys = instance.get_dynamic_partitions("consumer")
    done = defs.resolve_implicit_global_asset_job_def().execute_in_process(
        instance=instance,
        asset_selection=[dg.AssetKey("semantic_edges")],
        tags={"dagster/asset_partition_range_start": keys[0], "dagster/asset_partition_range_end": keys[-1]},
        raise_on_error=False,
    )
    assert not done.success
    logged = [e for e in instance.all_logs(done.run_id) if e.level >= 40 and e.dagster_event is None]
    assert "files::never_was: it is in no server's list; scan again" in {e.user_message for e in logged}
    # the next scan retires it
    assert project.build(instance)[0].ok
    assert "files::never_was" not in instance.get_dynamic_partitions("consumer")
