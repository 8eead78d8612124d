import json
from dataclasses import replace
from pathlib import Path

import pytest

from atlas_assets.catalog.recorded import load_recorded
from atlas_assets.edges.semantic.check import mark_doubted
from atlas_assets.edges.semantic.result import ConsumerResult, PassReport
from atlas_assets.edges.semantic.semantic_pass import call_limits, consumers_of, run_semantic_pass
from atlas_assets.errors import ConfigError
from atlas_assets.storage.root import DataRoot
from tests.semantic.model_server import Brain, ModelServer, model_server, reply_server
from tests.semantic.tools_for_tests import QUICK, claim, found_edge, library, make_tool

LEND, FIND = "library::lend_book", "library::find_books"


def ask(server: ModelServer, folder: Path, tools=None, **more) -> PassReport:
    tools = library() if tools is None else tools
    options = {"direct": (), "slots": (), "limits": QUICK, **more}
    return run_semantic_pass(
        options.pop("consumers", consumers_of(tools)),
        tools=tools,
        root=DataRoot(str(folder)),
        environ={**server.environ("openai"), "LLM_MODEL": "m"},
        **options,
    )


def always(*claims: dict[str, str]) -> Brain:
    return lambda seen: [c for c in claims if c.get("for", seen.consumer) == seen.consumer]


def test_consumers_are_the_tools_with_parameters_sorted() -> None:
    gone = replace(make_tool("a::gone", required=("x",)), status="removed")
    assert consumers_of((*library(), gone)) == (FIND, LEND)


class TestEveryClaimIsChecked:
    @pytest.mark.parametrize(
        ("claimed", "reason"),
        [
            (claim("nobody::knows", "book_id"), "no such tool in the catalog"),
            (claim(LEND, "book_id"), "the consumer itself"),
            (claim(FIND, "isbn"), "no such parameter of the consumer"),
            (claim(FIND, "book_id", path="deep.inside"), "no such place inside the parameter"),
            (claim("people::list_readers", "reader_id"), "repeats an edge found already"),
        ],
    )
    def test_and_refused_with_its_reason(self, claimed: dict[str, str], reason: str, tmp_path: Path) -> None:
        found = found_edge("people::list_readers", LEND, "reader_id")
        with model_server(always(claimed)) as server:
            report = ask(server, tmp_path, direct=[found], consumers=[LEND])
        assert report.edges == ()
        assert [r.reason for r in report.results[0].rejected] == [reason]

    def test_a_repeat_within_the_answer_counts_once(self, tmp_path: Path) -> None:
        twice = claim(FIND, "book_id")
        with model_server(always(twice, twice)) as server:
            report = ask(server, tmp_path, consumers=[LEND])
        assert len(report.edges) == 1
        assert report.rejected_by_reason() == {"repeats another edge of the answer": 1}

    def test_optional_parameters_only_where_none_is_required(self, tmp_path: Path) -> None:
        properties = {"a": {"type": "string"}, "b": {"type": "string"}}
        some = make_tool("s::some", properties=properties, required=["a"])
        free = make_tool("s::free", properties=properties)
        tools = (*library(), some, free)
        with model_server(always(claim(FIND, "b"))) as server:
            report = ask(server, tmp_path, tools, consumers=["s::some", "s::free"])
        assert [(e.consumer, e.consumes, e.required) for e in report.edges] == [("s::free", "b", False)]
        assert report.rejected_by_reason() == {"a parameter that is not required": 1}

    def test_a_place_inside_a_parameter_may_be_named_either_way(self, tmp_path: Path) -> None:
        wrapper = {"type": "object", "properties": {"book_id": {"type": "string"}}, "required": ["book_id"]}
        wrapped = make_tool("w::lend", properties={"request": wrapper}, required=["request"])
        claims = always(
            claim(FIND, "request", path="book_id"), claim("library::list_shelves", "request.book_id")
        )
        with model_server(claims) as server:
            report = ask(server, tmp_path, (*library(), wrapped), consumers=["w::lend"])
        assert [(e.producer, e.consumes, e.path) for e in report.edges] == [
            (FIND, "request", "book_id"),
            ("library::list_shelves", "request", "book_id"),
        ]

    def test_an_edge_says_who_why_and_what_carries_the_value(self, tmp_path: Path) -> None:
        said = claim(FIND, "book_id", confidence="medium", produces="books[].id", reason="It finds books.")
        with model_server(always(said)) as server:
            edge = ask(server, tmp_path, consumers=[LEND]).edges[0]
        assert (edge.type, edge.layer, edge.provider, edge.confidence) == ("semantic", "model", "openai", 0.7)
        assert (edge.produces, edge.reason, edge.required) == ("books[].id", "It finds books.", True)


def test_a_doubted_edge_is_kept_and_marked_with_the_models_reason(tmp_path: Path) -> None:
    found = [found_edge(FIND, LEND, "book_id"), found_edge("people::list_readers", LEND, "reader_id")]
    word = {"from": FIND, "consumes": "book_id", "verdict": "doubt", "reason": "it finds shelves"}
    other = {"from": "people::list_readers", "consumes": "reader_id", "verdict": "confirm", "reason": ""}
    with model_server(lambda seen: [word, other]) as server:
        report = ask(server, tmp_path, direct=found, consumers=[LEND])
    result = report.results[0]
    assert [(d.producer, d.consumes, d.reason) for d in result.doubts] == [
        (FIND, "book_id", "it finds shelves")
    ]
    assert result.confirmed == (("people::list_readers", "reader_id"),)
    doubted, kept = mark_doubted(found, result.doubts)
    assert (doubted.type, doubted.confidence) == ("direct", 0.4)
    assert doubted.reason == "the names agree. Doubted by openai: it finds shelves"
    assert kept == found[1]


def test_results_come_sorted_and_each_is_heard_of_once(tmp_path: Path) -> None:
    heard: list[ConsumerResult] = []
    with model_server() as server:
        report = ask(server, tmp_path, consumers=[LEND, "gone::tool", FIND, LEND], on_result=heard.append)
    assert [r.consumer for r in report.results] == ["gone::tool", FIND, LEND]
    assert sorted(r.consumer for r in heard) == ["gone::tool", FIND, LEND]
    assert report.results[0].error == "it is in no server's list; scan again"


def test_the_first_question_goes_alone_and_the_rest_within_the_limit(tmp_path: Path) -> None:
    tools = tuple(make_tool(f"s::t{i:02}", required=("x",)) for i in range(30))
    answered_before: list[int] = []
    with model_server(gate=QUICK.in_flight) as server:
        server.on_request = lambda seen: answered_before.append(server.answered)
        ask(server, tmp_path, tools)
    assert answered_before[1] == 1, "the second question waited for the first answer"
    assert server.open_most == QUICK.in_flight


def test_tokens_are_the_servers_own_count(tmp_path: Path) -> None:
    with model_server(always(claim(FIND, "book_id"))) as server:
        report = ask(server, tmp_path)
    assert (report.input_tokens, report.output_tokens) == (server.input_tokens, server.output_tokens)
    assert report.input_tokens > 0


@pytest.mark.parametrize(
    ("name", "value"), [("ATLAS_IN_FLIGHT", "0"), ("ATLAS_IN_FLIGHT", "2.5"), ("ATLAS_CALL_SECONDS", "soon")]
)
def test_a_limit_that_is_no_number_is_one_line(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=f"{name}='{value}' is no positive number"):
        call_limits({name: value})


@pytest.mark.shared
class TestParityWithTheFirstAtlas:
    def test_filesystem_and_fetch_give_44_semantic_edges(self, shared: Path, tmp_path: Path) -> None:
        tools = load_recorded(shared / "gold/mcp_demo/tools.json").tools
        with reply_server(shared / "reference/replies.json") as server:
            report = ask(server, tmp_path, tools)
        assert len(tools) == 15
        assert len(report.edges) == 44
        assert report.failed == ()

    def test_every_reply_is_accepted_as_it_stands(self, shared: Path, tmp_path: Path) -> None:
        replies = json.loads((shared / "reference/replies.json").read_text(encoding="utf-8"))
        tools = load_recorded(shared / "gold/mcp_demo/tools.json").tools
        with reply_server(shared / "reference/replies.json") as server:
            report = ask(server, tmp_path, tools)
        words = {"high": 0.9, "medium": 0.7, "low": 0.5}
        for result in report.results:
            said = {
                (e["from"], e["consumes"], words[e["confidence"]]) for e in replies.get(result.consumer, [])
            }
            assert {(e.producer, e.consumes, e.confidence) for e in result.edges} == said
