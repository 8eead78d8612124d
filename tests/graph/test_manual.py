"""Edges that a person asserts."""

import pytest

from atlas_assets.errors import StorageError
from atlas_assets.graph.manual import read_manual
from atlas_assets.storage.root import DataRoot


@pytest.fixture
def root(tmp_path):
    return DataRoot(str(tmp_path))


def test_no_file_means_no_edges(root):
    assert read_manual(root).edges == ()


def test_entries_become_manual_edges_of_full_confidence(root):
    root.write_json(
        "edges.manual.json", {"edges": [{"from": "a::x", "to": "b::y", "consumes": "id", "why": "?"}]}
    )
    (edge,) = read_manual(root).edges
    assert (edge.key, edge.type, edge.confidence, edge.provider) == (
        ("a::x", "b::y", "id", ""),
        "manual",
        1.0,
        "person",
    )


def test_a_bad_entry_is_reported_with_its_number_and_the_others_count(root):
    good = {"from": "a::x", "to": "b::y", "consumes": "id"}
    bad = [{**good, "from": "ax"}, {**good, "confidence": 3}, {"from": "a::x"}, "text"]
    root.write_json("edges.manual.json", [*bad, good])
    manual = read_manual(root)
    assert len(manual.edges) == 1
    assert [line.split(": ")[1] for line in manual.problems] == ["entry 1", "entry 2", "entry 3", "entry 4"]


@pytest.mark.parametrize("text", [b"{", b'{"edges": 3}', b"3", b"\xff", b"[" * 100_000])
def test_a_file_that_is_no_list_of_edges_is_refused_in_one_line(root, text):
    root.write_bytes("edges.manual.json", text)
    with pytest.raises(StorageError, match=r"edges\.manual\.json"):
        read_manual(root)


def test_a_folder_in_its_place_is_named_with_the_reason(root, tmp_path):
    (tmp_path / "edges.manual.json").mkdir()
    with pytest.raises(StorageError, match=r"cannot read 'edges\.manual\.json'.*Is a directory"):
        read_manual(root)
