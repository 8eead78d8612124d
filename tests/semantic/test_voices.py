from pathlib import Path

from atlas_assets.edges.infer import infer_direct
from atlas_assets.edges.semantic.choose import choose_providers
from atlas_assets.edges.semantic.result import PassReport
from atlas_assets.edges.semantic.semantic_pass import consumers_of, estimate_pass, run_semantic_pass
from atlas_assets.edges.semantic.voices import run_voices
from atlas_assets.storage.root import DataRoot
from tests.semantic.model_server import ModelServer, Seen, model_server
from tests.semantic.tools_for_tests import QUICK, claim, found_edge, library, make_tool

LEND, FIND = "library::lend_book", "library::find_books"


def run(names: str, servers: dict[str, ModelServer], folder: Path, tools=None, **more) -> PassReport:
    tools = library() if tools is None else tools
    environ: dict[str, str] = {}
    for protocol, server in servers.items():
        environ |= server.environ(protocol)  # type: ignore[arg-type]
    options = {"direct": (), "slots": (), **more}
    return run_voices(
        choose_providers(names, environ), consumers_of(tools), tools=tools, root=DataRoot(str(folder)),
        environ=environ, limits=QUICK, **options,
    )  # fmt: skip


def one(seen: Seen) -> list[dict[str, str]]:
    return (
        [claim(FIND, "book_id", confidence="medium", reason="It finds books.")]
        if seen.consumer == LEND
        else []
    )


def other(seen: Seen) -> list[dict[str, str]]:
    if seen.consumer != LEND:
        return []
    return [claim(FIND, "book_id", confidence="low"), claim("people::list_readers", "reader_id")]


def test_agreement_raises_confidence_and_edges_carry_who_said_what(tmp_path: Path) -> None:
    with model_server(one) as a, model_server(other) as b:
        report = run("anthropic,openai=m", {"anthropic": a, "openai": b}, tmp_path)
    books, readers = report.edges
    assert (books.provider, books.confidence) == ("anthropic + openai", 0.85)
    assert books.reason == "anthropic: It finds books."
    assert (readers.provider, readers.confidence) == ("openai", 0.9)
    assert (report.provider, report.requests) == ("anthropic + openai", 4)


def test_both_are_kept_and_a_second_run_asks_neither(tmp_path: Path) -> None:
    with model_server(one) as a, model_server(other) as b:
        first = run("anthropic,openai=m", {"anthropic": a, "openai": b}, tmp_path)
        second = run("anthropic,openai=m", {"anthropic": a, "openai": b}, tmp_path)
    assert second.requests == 0
    assert second.edges == first.edges
    assert len(list((tmp_path / "cache/semantic").glob("*.json"))) == 2


def test_local_may_be_one_of_the_voices(tmp_path: Path) -> None:
    tools = (
        make_tool("files::list_directory", "List the files in a folder."),
        make_tool("files::read_file", "Read the contents of a file.", ("path",)),
    )
    direct = infer_direct(tools)
    with model_server(lambda seen: [claim("files::list_directory", "path", confidence="medium")]) as a:
        report = run(
            "anthropic,local", {"anthropic": a}, tmp_path, tools, direct=direct.edges, slots=direct.slots
        )
    assert [(e.producer, e.provider) for e in report.edges] == [
        ("files::list_directory", "anthropic + local")
    ]
    assert report.edges[0].confidence > 0.7


def test_one_silent_voice_is_a_note_and_two_are_an_error(tmp_path: Path) -> None:
    with model_server(one) as a, model_server(faults={"*": ["401"] * 99}) as b:
        report = run("anthropic,openai=m", {"anthropic": a, "openai": b}, tmp_path)
        assert report.failed == ()
        assert any(n.startswith("openai did not answer: ") for n in report.results[1].notes)
        assert "refused the key" in report.stopped
    with model_server(faults={"*": ["401"] * 99}) as a, model_server(faults={"*": ["401"] * 99}) as b:
        report = run("anthropic,openai=m", {"anthropic": a, "openai": b}, tmp_path / "2")
        assert len(report.failed) == 2


def test_a_doubt_stands_only_where_no_voice_confirms(tmp_path: Path) -> None:
    found = [found_edge(FIND, LEND, "book_id"), found_edge("people::list_readers", LEND, "reader_id")]

    def word(producer: str, consumes: str, verdict: str) -> dict[str, str]:
        return {"from": producer, "consumes": consumes, "verdict": verdict, "reason": "so"}

    sceptic = [word(FIND, "book_id", "doubt"), word("people::list_readers", "reader_id", "doubt")]
    friend = [word(FIND, "book_id", "confirm"), word("people::list_readers", "reader_id", "doubt")]
    with model_server(lambda seen: sceptic) as a, model_server(lambda seen: friend) as b:
        report = run("anthropic,openai=m", {"anthropic": a, "openai": b}, tmp_path, direct=found)
    result = next(r for r in report.results if r.consumer == LEND)
    assert [(d.producer, d.provider) for d in result.doubts] == [
        ("people::list_readers", "anthropic + openai")
    ]
    assert result.confirmed == ((FIND, "book_id"),)


def test_one_limit_holds_for_both(tmp_path: Path) -> None:
    with model_server(one) as a, model_server(other) as b:
        report = run(
            "openai=m,openrouter=x/y", {"openai": a, "openrouter": b}, tmp_path, max_cost="10000 tokens"
        )
    assert report.input_tokens + report.output_tokens <= 10_000
    assert report.stopped


def test_the_environment_alone_can_ask_for_two_and_a_dry_run_covers_both(tmp_path: Path) -> None:
    with model_server(one) as a, model_server(other) as b:
        environ = {
            **a.environ("anthropic"), **b.environ("openai"), "ATLAS_PROVIDERS": "anthropic, openai=m, local",
        }  # fmt: skip
        options = {"tools": library(), "direct": (), "slots": (), "root": DataRoot(str(tmp_path))}
        estimate = estimate_pass(consumers_of(library()), environ=environ, **options)
        report = run_semantic_pass(consumers_of(library()), environ=environ, limits=QUICK, **options)
    assert (estimate.provider, estimate.calls) == ("anthropic + openai + local", 4)
    assert estimate.cost is None, "the price of one of them is unknown"
    assert report.provider == "anthropic + openai + local"
    assert (a.requests, b.requests) == (2, 2)
