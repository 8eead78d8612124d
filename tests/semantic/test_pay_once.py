"""What is asked again when something changes, and what is not."""

import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.semantic import shortlist
from atlas_assets.edges.semantic.records import RecordStore
from atlas_assets.edges.semantic.result import PassReport
from atlas_assets.edges.semantic.semantic_pass import consumers_of, run_semantic_pass
from atlas_assets.storage.root import DataRoot
from tests.semantic.model_server import ModelServer, Seen, model_server
from tests.semantic.tools_for_tests import QUICK, claim, library, make_tool

LEND, FIND = "library::lend_book", "library::find_books"


def brain(seen: Seen) -> list[dict[str, str]]:
    """Says of every producer shown what it would say, whichever others are shown beside it."""
    wanted = {
        (LEND, FIND): "book_id",
        (LEND, "people::list_readers"): "reader_id",
        (LEND, "library::search_books"): "book_id",
        (FIND, "library::list_shelves"): "shelf_id",
    }
    return [
        claim(producer, param)
        for (consumer, producer), param in wanted.items()
        if consumer == seen.consumer and producer in seen.producers
    ]


def ask(server: ModelServer, folder: Path, tools: tuple[Tool, ...], **more: str) -> PassReport:
    return run_semantic_pass(
        consumers_of(tools), tools=tools, direct=(), slots=(), root=DataRoot(str(folder)), limits=QUICK,
        environ={**server.environ("openai"), "LLM_MODEL": "m", **more},
    )  # fmt: skip


def new_questions(server: ModelServer) -> list[tuple[str, tuple[str, ...]]]:
    """Consumer and shown producers of the questions since the last look, sorted."""
    seen = [(s.consumer, s.producers) for s in server.seen]
    server.seen.clear()
    return sorted(seen)


def pairs(report: PassReport) -> set[tuple[str, str]]:
    return {(e.producer, e.consumer) for e in report.edges}


ADDED = make_tool("library::search_books", "Search books by title.", ("title",))


@pytest.fixture
def asked(tmp_path: Path):
    with model_server(brain) as server:
        ask(server, tmp_path, library())
        server.seen.clear()
        yield server


def test_a_new_tool_is_asked_about_in_short_and_itself_in_full(asked: ModelServer, tmp_path: Path) -> None:
    tools = (*library(), ADDED)
    report = ask(asked, tmp_path, tools)
    questions = dict(new_questions(asked))
    assert questions[ADDED.slug] == tuple(sorted(t.slug for t in tools))
    assert questions[LEND] == (ADDED.slug,)
    assert (ADDED.slug, LEND) in pairs(report)
    assert (FIND, LEND) in pairs(report), "what was answered before still counts"
    assert ask(asked, tmp_path, tools).requests == 0


def test_a_new_tool_in_which_the_ranker_sees_nothing_is_recorded_and_not_asked_about(
    asked: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unrelated = make_tool("motor::restart_engine", "Restarts an engine.")
    tools = (*library(), unrelated)
    assert ask(asked, tmp_path, tools).requests == 0
    kinds = [a.kind for a in RecordStore(DataRoot(str(tmp_path))).read(LEND).asked]
    assert sorted(kinds) == ["full", "none"]
    # a ranker that sees a candidate in it is a new version, and asks
    monkeypatch.setattr(shortlist, "ranker_version", lambda: "another")
    monkeypatch.setattr(shortlist.Shortlists, "likely", lambda *_: True)
    ask(asked, tmp_path, tools)
    assert new_questions(asked) == [(FIND, (unrelated.slug,)), (LEND, (unrelated.slug,))]


def test_a_removed_tool_costs_nothing_and_its_edges_go(asked: ModelServer, tmp_path: Path) -> None:
    tools = tuple(t for t in library() if t.slug != "people::list_readers")
    report = ask(asked, tmp_path, tools)
    assert report.requests == 0
    assert pairs(report) == {(FIND, LEND), ("library::list_shelves", FIND)}
    assert report.rejected_by_reason() == {}
    back = ask(asked, tmp_path, library())
    assert back.requests == 0
    assert ("people::list_readers", LEND) in pairs(back)


def test_a_tool_marked_as_removed_is_no_producer(asked: ModelServer, tmp_path: Path) -> None:
    tools = tuple(replace(t, status="removed") if t.server == "people" else t for t in library())
    assert ("people::list_readers", LEND) not in pairs(ask(asked, tmp_path, tools))


def test_a_changed_producer_is_asked_about_anew_and_alone(asked: ModelServer, tmp_path: Path) -> None:
    changed = make_tool("people::list_readers", "List the readers who may lend a book, with their ids.")
    tools = (*(t for t in library() if t.slug != changed.slug), changed)
    report = ask(asked, tmp_path, tools)
    assert new_questions(asked) == [(LEND, (changed.slug,))]
    assert (changed.slug, LEND) in pairs(report)


def test_a_changed_consumer_is_asked_in_full(asked: ModelServer, tmp_path: Path) -> None:
    changed = make_tool(LEND, "Lend a book to a reader, for weeks.", ("book_id", "reader_id"))
    tools = (*(t for t in library() if t.slug != LEND), changed)
    ask(asked, tmp_path, tools)
    questions = dict(new_questions(asked))
    assert questions[LEND] == tuple(sorted(t.slug for t in tools))


def test_another_model_or_prompt_is_asked_anew_and_both_answers_are_kept(
    asked: ModelServer, tmp_path: Path
) -> None:
    ask(asked, tmp_path, library(), LLM_MODEL="other")
    assert len(new_questions(asked)) == 2
    prompt = tmp_path / "prompt.md"
    prompt.write_text("# Rules\nShort.\n# Catalog\nC\n# Consumer\nK\n# Repair\nR\n", encoding="utf-8")
    ask(asked, tmp_path, library(), ATLAS_PROMPT=str(prompt))
    assert len(new_questions(asked)) == 2
    assert len(RecordStore(DataRoot(str(tmp_path))).read(LEND).asked) == 3
    assert ask(asked, tmp_path, library()).requests == 0


def test_an_edge_found_by_rule_later_is_no_new_question(asked: ModelServer, tmp_path: Path) -> None:
    from tests.semantic.tools_for_tests import found_edge

    found = found_edge(FIND, LEND, "book_id")
    report = run_semantic_pass(
        consumers_of(library()), tools=library(), direct=[found], slots=(), root=DataRoot(str(tmp_path)),
        limits=QUICK, environ={**asked.environ("openai"), "LLM_MODEL": "m"},
    )  # fmt: skip
    assert report.requests == 0
    assert (FIND, LEND) not in pairs(report)
    assert report.rejected_by_reason() == {"repeats an edge found already": 1}


def test_order_of_tools_and_consumers_changes_nothing(asked: ModelServer, tmp_path: Path) -> None:
    assert ask(asked, tmp_path, library()[::-1]).requests == 0


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no kill -9 on this system")
def test_killed_in_the_middle_no_stored_reply_is_asked_for_again(tmp_path: Path) -> None:
    tools_code = textwrap.dedent("""
        import sys
        from atlas_assets.edges.semantic.client import CallLimits
        from atlas_assets.edges.semantic.semantic_pass import consumers_of, run_semantic_pass
        from atlas_assets.storage.root import DataRoot
        from tests.semantic.tools_for_tests import make_tool

        tools = tuple(make_tool(f"s::t{i:03}", required=("x",)) for i in range(200))
        report = run_semantic_pass(
            consumers_of(tools), tools=tools, direct=(), slots=(), root=DataRoot(sys.argv[1]),
            limits=CallLimits(in_flight=10, deadline=30.0, retries=0),
            environ={"OPENAI_BASE_URL": sys.argv[2], "LLM_MODEL": "m"},
        )
        print(len(report.failed), report.requests)
    """)
    command = [sys.executable, "-c", tools_code, str(tmp_path / "data")]
    repository = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": str(repository)}

    with model_server() as server:
        command.append(server.base_url("openai"))
        process = subprocess.Popen(command, env=environment)

        def kill_in_the_middle(seen: Seen) -> None:
            if server.requests == 100:
                os.kill(process.pid, signal.SIGKILL)

        server.on_request = kill_in_the_middle
        process.wait(60)
        assert process.returncode == -signal.SIGKILL
        asked_before = {s.consumer for s in server.seen}
        stored = {r.consumer for _, r in RecordStore(DataRoot(str(tmp_path / "data"))).all() if r is not None}
        server.on_request = None
        server.seen.clear()
        again = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        asked_again = [s.consumer for s in server.seen]
    assert again.stdout.split()[0] == "0"
    assert len(stored) >= 80
    assert not stored & set(asked_again)
    assert len(asked_again) == 200 - len(stored)
    assert len(set(asked_again) & asked_before) <= 10, "at most what was in flight is repeated"
