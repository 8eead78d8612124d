import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atlas_assets.edges.semantic.reply import Reply, ReplyError, read_reply

EDGE = {"from": "a::b", "consumes": "id", "confidence": "high", "path": "", "produces": "id", "reason": "r"}
ANSWER = json.dumps({"edges": [EDGE], "checked": []})


@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        f"Sure! {{not json}} here it is: {ANSWER} Hope that helps [really].",
        f"```json\n{ANSWER}\n```",
        f"```\n{json.dumps([EDGE])}\n```",
        json.dumps({"edges": []}) + "\nno wait\n" + ANSWER,
        json.dumps({"result": "see below"}) + ANSWER,
    ],
)
def test_the_edges_are_found_in_whatever_surrounds_them(text: str) -> None:
    reply = read_reply(text)
    assert [(c.producer, c.consumes, c.confidence, c.produces) for c in reply.claims] == [
        ("a::b", "id", 0.9, "id")
    ]
    assert not reply.cut


def test_an_empty_list_is_an_answer() -> None:
    assert read_reply('{"edges": [], "checked": []}').claims == ()
    assert read_reply("[]").claims == ()


def test_a_cut_answer_gives_its_whole_edges_and_says_that_it_was_cut() -> None:
    text = json.dumps({"edges": [EDGE, {**EDGE, "from": "a::c"}]})[:-30]
    reply = read_reply(text)
    assert [c.producer for c in reply.claims] == ["a::b"]
    assert reply.cut


@pytest.mark.parametrize(
    "text", ["", "   ", "I cannot.", '{"edges": [{"from" "x"}]', '{"nodes": []}', "[1, 2]"]
)
def test_what_holds_no_edges_is_an_error_that_says_why(text: str) -> None:
    with pytest.raises(ReplyError):
        read_reply(text)


@pytest.mark.parametrize(
    ("said", "number"),
    [("high", 0.9), ("Medium", 0.7), ("low", 0.5), (0.83, 0.83), ("0.4", 0.4), (7, 1.0), (-1, 0.5),
     ("certainly", 0.5), (None, 0.5), (True, 0.5), ("nan", 0.5)],
)  # fmt: skip
def test_confidence_may_be_a_word_or_a_number(said: object, number: float) -> None:
    reply = read_reply(json.dumps({"edges": [{**EDGE, "confidence": said}]}))
    assert reply.claims[0].confidence == number


def test_entries_that_are_no_edges_are_counted_and_cost_the_others_nothing() -> None:
    reply = read_reply(json.dumps({"edges": [EDGE, {"from": 3}, "x", None]}))
    assert len(reply.claims) == 1
    assert reply.unreadable == 3


def test_a_word_on_a_found_edge_is_read() -> None:
    checked = {"from": "a::b", "consumes": "id", "verdict": "doubt", "reason": "another id"}
    reply = read_reply(json.dumps({"edges": [], "checked": [checked, {**checked, "verdict": "maybe"}]}))
    assert [(c.producer, c.doubted, c.reason) for c in reply.checks] == [("a::b", True, "another id")]


def test_hidden_characters_do_not_survive_in_a_reason() -> None:
    reply = read_reply(json.dumps({"edges": [{**EDGE, "reason": "it\u202e re\u200bturns\nit"}]}))
    assert reply.claims[0].reason == "it returns it"


@given(st.text(max_size=300))
def test_no_text_does_more_than_raise_a_reply_error(text: str) -> None:
    with contextlib.suppress(ReplyError):
        assert isinstance(read_reply(text), Reply)


def test_deeply_nested_json_is_no_crash() -> None:
    with pytest.raises(ReplyError):
        read_reply("[" * 50_000)
