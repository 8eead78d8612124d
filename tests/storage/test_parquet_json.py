"""Two files a table, on any file system; a damaged one costs nothing."""

import json
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.edge import Edge
from atlas_assets.errors import StorageError
from atlas_assets.storage.parquet_json import read_table, read_tables, write_table, write_tables
from atlas_assets.storage.root import DataRoot
from atlas_assets.storage.tables import EDGES, TOOLS, edges_table, tools_table


def edge(consumer: str) -> Edge:
    return Edge(
        producer="s::list",
        consumer=consumer,
        consumes="id",
        type="direct",
        layer="name",
        provider="heuristic",
        confidence=0.9,
    )


@pytest.fixture(params=["local", "memory"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DataRoot]:
    if request.param == "local":
        yield DataRoot(str(tmp_path / "data"))
    else:
        root = DataRoot(f"memory://{uuid4().hex}")
        yield root
        root.fs.rm(root.path, recursive=True) if root.fs.exists(root.path) else None


def fill(root: DataRoot, names: list[str]) -> None:
    for name in names:
        write_table(root, f"e/{name}", edges_table([edge(name)]), EDGES)


def test_a_table_is_read_back_and_its_json_holds_real_json(root: DataRoot) -> None:
    tool = Tool(server="a", name="b", input_schema={"type": "object"})
    write_table(root, "t/tools", tools_table([tool]), TOOLS)
    assert read_table(root, "t/tools", TOOLS) == tools_table([tool])
    assert json.loads(root.read_bytes("t/tools.json"))[0]["input_schema"] == {"type": "object"}


def test_writing_the_same_again_changes_no_byte(root: DataRoot) -> None:
    fill(root, ["a"])
    before = [root.read_bytes(f"e/a{ending}") for ending in (".parquet", ".json")]
    fill(root, ["a"])
    assert [root.read_bytes(f"e/a{ending}") for ending in (".parquet", ".json")] == before


@pytest.mark.parametrize("count", [0, 1, 2, 300])
def test_any_number_of_tables_is_one_table(root: DataRoot, count: int) -> None:
    names = [f"k{i:03}" for i in range(count)]
    fill(root, names)
    many = read_tables(root, "e", names, EDGES)
    assert many.table.schema == EDGES.schema
    assert many.table["to"].to_pylist() == names
    assert (many.present, many.missing, many.problems) == (tuple(names), (), ())


def test_missing_tables_are_named_and_the_others_read(root: DataRoot) -> None:
    fill(root, ["a", "c"])
    many = read_tables(root, "e", ["a", "b", "c"], EDGES)
    assert many.table["to"].to_pylist() == ["a", "c"]
    assert (many.present, many.missing) == (("a", "c"), ("b",))


def test_tables_that_were_not_asked_for_are_not_read(root: DataRoot) -> None:
    fill(root, ["a", "gone"])
    assert read_tables(root, "e", ["a"], EDGES).table["to"].to_pylist() == ["a"]


@pytest.mark.parametrize("damage", [b"", b"PAR1", b"no parquet at all" * 50])
def test_a_damaged_parquet_file_is_read_from_its_json_and_reported(root: DataRoot, damage: bytes) -> None:
    fill(root, ["a", "b", "c"])
    root.write_bytes("e/b.parquet", damage)
    many = read_tables(root, "e", ["a", "b", "c"], EDGES)
    assert sorted(many.table["to"].to_pylist()) == ["a", "b", "c"]
    assert len(many.problems) == 1
    assert "e/b.parquet" in many.problems[0]
    assert read_table(root, "e/b", EDGES) == edges_table([edge("b")])


def test_where_both_files_are_damaged_one_line_says_so_and_the_others_are_read(root: DataRoot) -> None:
    fill(root, ["a", "b"])
    root.write_bytes("e/b.parquet", b"PAR1")
    root.write_bytes("e/b.json", b'[{"from": "s::li')
    many = read_tables(root, "e", ["a", "b"], EDGES)
    assert many.table["to"].to_pylist() == ["a"]
    assert "remove both and run again" in many.problems[0]
    with pytest.raises(StorageError, match=r"e/b\.parquet"):
        read_table(root, "e/b", EDGES)


def test_a_half_written_json_leaves_the_table_in_force(root: DataRoot) -> None:
    fill(root, ["a"])
    root.write_bytes("e/a.json", b'[{"from"')
    assert read_table(root, "e/a", EDGES) == edges_table([edge("a")])


def test_a_table_that_was_never_written_is_file_not_found(root: DataRoot) -> None:
    with pytest.raises(FileNotFoundError):
        read_table(root, "e/never", EDGES)


def test_a_parquet_file_that_is_a_folder_costs_its_own_rows_at_most(tmp_path: Path) -> None:
    root = DataRoot(str(tmp_path))
    write_table(root, "tools", tools_table([Tool("s", "t")]), TOOLS)
    (tmp_path / "tools.parquet").unlink()
    (tmp_path / "tools.parquet").mkdir()
    assert read_table(root, "tools", TOOLS).num_rows == 1
    (tmp_path / "tools.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(StorageError, match="is damaged, and so is its JSON"):
        read_table(root, "tools", TOOLS)


def test_what_is_kept_of_all_partitions_is_never_believed_over_a_file(root: DataRoot) -> None:
    names = ["a", "b", "c"]
    write_tables(root, "e", {name: edges_table([edge(name)]) for name in names}, EDGES)
    cache = root.read_bytes("cache/partitions/e.arrow")
    assert read_tables(root, "e", names, EDGES).table["to"].to_pylist() == names

    write_table(root, "e/b", edges_table([edge("b"), edge("b2")]), EDGES)
    assert read_tables(root, "e", names, EDGES).table["to"].to_pylist() == ["a", "b", "b2", "c"]
    root.delete("e/a.parquet")
    assert read_tables(root, "e", names, EDGES).table["to"].to_pylist() == ["b", "b2", "c"]
    write_table(root, "e/b", edges_table([]), EDGES)
    assert read_tables(root, "e", ["c", "b"], EDGES).table["to"].to_pylist() == ["c"]

    for damage in (b"", b"no cache", cache[:-20]):
        root.write_bytes("cache/partitions/e.arrow", damage)
        assert read_tables(root, "e", ["c", "b"], EDGES).table["to"].to_pylist() == ["c"]
        # and it was written anew
        assert root.read_bytes("cache/partitions/e.arrow") != damage


def test_a_read_of_kept_partitions_gives_what_reading_each_file_gives(root: DataRoot) -> None:
    names = [f"k{i}" for i in range(30)]
    write_tables(root, "e", {name: edges_table([edge(name), edge(name + "x")]) for name in names}, EDGES)
    kept = read_tables(root, "e", names[::-1], EDGES)
    root.delete("cache/partitions/e.arrow")
    assert read_tables(root, "e", names[::-1], EDGES) == kept
    assert kept.table["to"].to_pylist()[:2] == ["k29", "k29x"]
