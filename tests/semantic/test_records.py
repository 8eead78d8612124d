import json
import multiprocessing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atlas_assets.edges.semantic.records import (
    Asked,
    Record,
    RecordStore,
    json_of,
    record_of,
    record_path,
)
from atlas_assets.edges.semantic.reply import Check, Claim
from atlas_assets.storage.root import DataRoot

ASKED = Asked(
    kind="full",
    provider="openai",
    model="m",
    prompt="1-abc",
    consumer_fingerprint="f0",
    producers={"a::b": "f1"},
    ranker="r1",
    claims=(Claim("a::b", "id", "", 0.9, "id", "It returns it."),),
    checks=(Check("a::c", "id", True, "No."),),
    input_tokens=10,
    cached_tokens=4,
    written_tokens=1,
    output_tokens=3,
    notes=("asked again",),
)


def asked(number: int) -> Asked:
    return replace(ASKED, producers={f"s::t{number}": "f"})


def test_a_record_reads_back_as_it_was_written(tmp_path: Path) -> None:
    store = RecordStore(DataRoot(str(tmp_path)))
    none = Asked(
        kind="none",
        provider="openai",
        model="m",
        prompt="1-abc",
        consumer_fingerprint="f0",
        producers={"a::c": "f2"},
        ranker="r1",
    )
    store.add("x::y", ASKED)
    store.add("x::y", none)
    assert store.read("x::y") == Record("x::y").joined([none, ASKED])
    assert len(store.read("x::y").asked) == 2


def test_it_is_one_readable_json_file_a_consumer(tmp_path: Path) -> None:
    store = RecordStore(DataRoot(str(tmp_path)))
    store.add("x::y/../z", asked(1))
    store.add("x::y/../z", asked(2))
    files = sorted((tmp_path / "cache/semantic").glob("*.json"))
    assert len(files) == 1
    value = json.loads(files[0].read_text(encoding="utf-8"))
    assert value["consumer"] == "x::y/../z"
    assert value["asked"][0]["edges"][0]["reason"] == "It returns it."


def test_the_same_answers_in_any_order_are_the_same_bytes(tmp_path: Path) -> None:
    one, other = DataRoot(str(tmp_path / "1")), DataRoot(str(tmp_path / "2"))
    for number in (1, 2, 3):
        RecordStore(one).add("x::y", asked(number))
        RecordStore(other).add("x::y", asked(4 - number))
    assert one.read_bytes(record_path("x::y")) == other.read_bytes(record_path("x::y"))


@given(st.lists(st.integers(0, 6)), st.lists(st.integers(0, 6)), st.lists(st.integers(0, 6)))
def test_joining_is_a_union(a: list[int], b: list[int], c: list[int]) -> None:
    one, two, three = (Record("x::y").joined(asked(n) for n in numbers) for numbers in (a, b, c))
    assert one.joined(two.asked) == two.joined(one.asked)
    assert one.joined(two.asked).joined(three.asked) == one.joined(two.joined(three.asked).asked)
    assert one.joined(one.asked) == one


def test_what_is_stored_already_stays(tmp_path: Path) -> None:
    store = RecordStore(DataRoot(str(tmp_path)))
    store.add("x::y", ASKED)
    store.add("x::y", replace(ASKED, claims=()))
    assert store.read("x::y").asked == (ASKED,)


@pytest.mark.parametrize(
    "damaged", [b"", b"{", b"[]", b'{"format": 99}', b"\xff\xfe", b'{"format": 1, "asked": 3}']
)
def test_a_damaged_file_counts_as_none_and_is_replaced(damaged: bytes, tmp_path: Path) -> None:
    root = DataRoot(str(tmp_path))
    store = RecordStore(root)
    root.write_bytes(record_path("x::y"), damaged)
    assert store.read("x::y") == Record("x::y")
    store.add("x::y", ASKED)
    assert store.read("x::y").asked == (ASKED,)


def test_one_damaged_answer_costs_only_itself() -> None:
    value = json_of(Record("x::y").joined([asked(1), asked(2)]))
    asked_list = value["asked"]
    assert isinstance(asked_list, list)
    asked_list[0] = {"kind": "full", "edges": "all of them"}
    read = record_of(value)
    assert read is not None
    assert len(read.asked) == 1


def _write(folder: str, numbers: list[int]) -> None:
    store = RecordStore(DataRoot(folder))
    for number in numbers:
        store.add("x::y", asked(number))


def test_several_writers_lose_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [
        context.Process(target=_write, args=(str(tmp_path), list(range(start, 60, 3)))) for start in range(3)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [w.exitcode for w in writers] == [0, 0, 0]
    assert len(RecordStore(DataRoot(str(tmp_path))).read("x::y").asked) == 60


def test_records_live_on_any_file_system() -> None:
    store = RecordStore(DataRoot("memory://records-test"))
    store.add("x::y", ASKED)
    assert [name for name, _ in store.all()] == ["x.y.json"]
    store.replace(Record("x::y"))
    assert list(store.all()) == []
