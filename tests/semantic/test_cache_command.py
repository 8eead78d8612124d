import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from atlas_assets.cli import app
from atlas_assets.edges.semantic.records import Asked, RecordStore
from atlas_assets.edges.semantic.reply import Claim
from atlas_assets.edges.semantic.upkeep import import_records, prune
from atlas_assets.errors import StorageError
from atlas_assets.storage.root import DataRoot
from tests.semantic.tools_for_tests import library, make_tool

LEND, FIND = "library::lend_book", "library::find_books"
PRINTS = {t.slug: t.fingerprint[:16] for t in library()}


def answer(consumer: str, model: str = "m", prompt: str = "1-a", fingerprint: str = "") -> Asked:
    return Asked(
        kind="full", provider="openai", model=model, prompt=prompt,
        consumer_fingerprint=fingerprint or PRINTS[consumer], producers=PRINTS,
        claims=(Claim(FIND, "book_id", reason="r"),), input_tokens=1200, output_tokens=50,
    )  # fmt: skip


def atlas(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["cache", *arguments])


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RecordStore:
    monkeypatch.setenv("ATLAS_DATA", str(tmp_path / "data"))
    filled = RecordStore(DataRoot(str(tmp_path / "data")))
    filled.add(LEND, answer(LEND))
    filled.add(LEND, answer(LEND, model="other"))
    filled.add(FIND, answer(FIND))
    return filled


def test_list_says_what_was_asked_and_paid(store: RecordStore) -> None:
    lines = atlas("list").output.splitlines()
    assert lines[0] == (
        "library::find_books  openai m  prompt 1-a  1 answer about 4 producers, 1 edge, 1,200 + 50 tokens"
    )
    assert lines[-1] == "2 consumers, 3,750 tokens paid for"
    assert len(lines) == 4
    assert atlas("list", "--consumer", "lend").output.splitlines()[-1] == "1 consumer, 2,500 tokens paid for"


def test_an_empty_data_folder_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATLAS_DATA", str(tmp_path / "nothing"))
    assert atlas("list").output == "0 consumers, 0 tokens paid for\n"


def test_prune_drops_what_no_pass_can_use(store: RecordStore) -> None:
    store.add("gone::tool", answer(LEND, fingerprint="f"))
    store.add(FIND, answer(FIND, fingerprint="before it changed"))
    store.root.write_bytes("cache/semantic/broken.json", b"{")
    would = prune(store, library(), dry_run=True)
    assert prune(store, library()) == would
    assert (dict(would.answers), would.damaged) == ({FIND: 1, "gone::tool": 1}, ("broken.json",))
    assert len(store.read(LEND).asked) == 2
    assert [name for name, _ in store.all()] == ["library.find_books.json", "library.lend_book.json"]


def test_prune_can_drop_other_prompts_too(store: RecordStore) -> None:
    assert dict(prune(store, library(), prompt="2-b").answers) == {FIND: 1, LEND: 2}
    assert list(store.all()) == []


def test_prune_needs_a_scan_to_go_by(store: RecordStore) -> None:
    result = atlas("prune")
    assert isinstance(result.exception, StorageError)
    assert "there is no scan to prune by" in str(result.exception)


def test_what_one_member_paid_for_another_imports(store: RecordStore, tmp_path: Path) -> None:
    bundle = tmp_path / "team.json"
    assert atlas("export", str(bundle)).output == f"2 consumers written to {bundle}\n"
    other = RecordStore(DataRoot(str(tmp_path / "other")))
    other.add(LEND, answer(LEND, model="mine"))
    brought = import_records(other, bundle)
    assert (brought.new, brought.known, brought.refused) == (3, 0, 0)
    assert {a.model for a in other.read(LEND).asked} == {"m", "other", "mine"}
    assert import_records(other, bundle).known == 3
    assert atlas("import", str(bundle)).output == f"{bundle}: 0 new answers, 3 known already\n"


def test_a_bundle_with_damage_brings_the_rest_and_says_so(store: RecordStore, tmp_path: Path) -> None:
    bundle = tmp_path / "team.json"
    atlas("export", str(bundle))
    value = json.loads(bundle.read_text(encoding="utf-8"))
    value["records"][0]["asked"][0]["edges"] = "many"
    value["records"].append(7)
    bundle.write_text(json.dumps(value), encoding="utf-8")
    brought = import_records(RecordStore(DataRoot(str(tmp_path / "other"))), bundle)
    assert (brought.new, brought.refused) == (2, 2)


@pytest.mark.parametrize(
    ("content", "line"), [(None, "cannot read"), ("{", "is damaged"), ("[]", "holds no records")]
)
def test_a_file_that_is_no_bundle_is_one_line(
    content: str | None, line: str, store: RecordStore, tmp_path: Path
) -> None:
    file = tmp_path / "x.json"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    with pytest.raises(StorageError, match=line):
        import_records(store, file)


def test_a_terminal_is_safe_from_a_slug(store: RecordStore) -> None:
    evil = make_tool("evil::\x1b[2Jx", required=("id",))
    store.add(evil.slug, answer(LEND))
    assert "\x1b" not in atlas("list").output
