"""Each provider's protocol through its real SDK, against a server with scripted faults."""

from pathlib import Path

import pytest

from atlas_assets.edges.semantic.client import CallLimits
from atlas_assets.edges.semantic.result import PassReport
from atlas_assets.edges.semantic.semantic_pass import consumers_of, run_semantic_pass
from atlas_assets.storage.root import DataRoot
from tests.semantic.model_server import Fault, ModelServer, Protocol, Seen, model_server
from tests.semantic.tools_for_tests import QUICK, all_text, claim, library

PROTOCOLS: tuple[Protocol, ...] = ("anthropic", "openai", "gemini", "openrouter")
LEND, FIND = "library::lend_book", "library::find_books"
KEY = "sk-test-secret-000"

each_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)


def brain(seen: Seen) -> list[dict[str, str]]:
    return {
        LEND: [claim(FIND, "book_id"), claim("people::list_readers", "reader_id", confidence="medium")],
        FIND: [claim("library::list_shelves", "shelf_id", produces="id")],
    }.get(seen.consumer, [])


def run(
    server: ModelServer, protocol: Protocol, folder: Path, limits: CallLimits = QUICK, **more: str
) -> PassReport:
    tools = library()
    environ = {**server.environ(protocol, KEY), "LLM_MODEL": "test-model", **more}
    return run_semantic_pass(
        consumers_of(tools),
        tools=tools,
        direct=(),
        slots=(),
        root=DataRoot(str(folder)),
        environ=environ,
        limits=limits,
    )


def triples(report: PassReport) -> list[tuple[str, str, str, float]]:
    return [(e.producer, e.consumer, e.consumes, e.confidence) for e in report.edges]


WHOLE = [
    ("library::list_shelves", FIND, "shelf_id", 0.9),
    (FIND, LEND, "book_id", 0.9),
    ("people::list_readers", LEND, "reader_id", 0.7),
]


@each_protocol
def test_the_edges_arrive_and_a_second_run_asks_nothing(protocol: Protocol, tmp_path: Path) -> None:
    with model_server(brain) as server:
        first = run(server, protocol, tmp_path)
        asked = server.requests
        second = run(server, protocol, tmp_path)
    assert triples(first) == WHOLE == triples(second)
    assert (first.provider, first.model, first.failed) == (protocol, "test-model", ())
    assert first.requests == asked == 2
    assert second.requests == 0
    assert server.requests == 2
    assert all(r.cached for r in second.results)


@each_protocol
def test_the_key_is_sent_to_its_own_server_and_written_nowhere(protocol: Protocol, tmp_path: Path) -> None:
    with model_server(brain, faults={LEND: ["500"] * 9}) as server:
        report = run(server, protocol, tmp_path)
        headers = server.seen[0].headers
    assert KEY in (headers.get("x-api-key"), headers.get("authorization", "").removeprefix("Bearer "))
    assert KEY not in all_text(tmp_path) + repr(report)


@each_protocol
def test_structured_output_is_asked_for_by_the_providers_own_means(
    protocol: Protocol, tmp_path: Path
) -> None:
    with model_server(brain) as server:
        run(server, protocol, tmp_path)
        body = server.seen[0].body
    schema = (
        body["output_config"]["format"]["schema"]
        if protocol == "anthropic"
        else body["response_format"]["json_schema"]["schema"]
    )
    assert schema["properties"]["edges"]["items"]["required"][:2] == ["from", "consumes"]
    assert "temperature" not in body


@each_protocol
def test_a_model_without_that_means_is_asked_without_it_and_not_twice(
    protocol: Protocol, tmp_path: Path
) -> None:
    with model_server(brain, faults={"*": ["400 format"] * 9}) as server:
        report = run(server, protocol, tmp_path)
    assert triples(report) == WHOLE
    refused = 1 if protocol == "anthropic" else 2
    assert server.requests == refused + 2


@each_protocol
@pytest.mark.parametrize("fault", ["prose", "fenced", "bare list"])
def test_untidy_answers_are_read_without_asking_again(
    protocol: Protocol, fault: Fault, tmp_path: Path
) -> None:
    with model_server(brain, faults={"*": [fault] * 9}) as server:
        report = run(server, protocol, tmp_path)
    assert triples(report) == WHOLE
    assert server.requests == 2


@each_protocol
def test_an_empty_list_is_an_answer(protocol: Protocol, tmp_path: Path) -> None:
    with model_server(brain, faults={LEND: ["empty list"]}) as server:
        report = run(server, protocol, tmp_path)
    assert report.failed == ()
    assert triples(report) == WHOLE[:1]


@each_protocol
def test_invented_slugs_and_the_consumer_itself_are_rejected_with_reasons(
    protocol: Protocol, tmp_path: Path
) -> None:
    with model_server(brain, faults={LEND: ["invented"]}) as server:
        report = run(server, protocol, tmp_path)
    assert triples(report) == WHOLE
    refused = {(r.producer, r.reason) for result in report.results for r in result.rejected}
    assert refused == {
        ("nowhere::invented_tool", "no such tool in the catalog"),
        (LEND, "the consumer itself"),
    }
    assert sum(report.rejected_by_reason().values()) == 2


@each_protocol
@pytest.mark.parametrize("fault", ["cut", "cut early", "broken", "refusal"])
def test_an_unusable_answer_is_asked_for_once_more(protocol: Protocol, fault: Fault, tmp_path: Path) -> None:
    with model_server(brain, faults={LEND: [fault]}) as server:
        report = run(server, protocol, tmp_path)
        repair = [s for s in server.seen if s.turns == 3]
    assert triples(report) == WHOLE
    assert server.requests == 3
    assert [s.consumer for s in repair] == [LEND]
    assert any("asked again" in note for r in report.results for note in r.notes)


@each_protocol
def test_an_answer_that_stays_cut_gives_its_whole_edges(protocol: Protocol, tmp_path: Path) -> None:
    with model_server(brain, faults={LEND: ["cut", "cut"]}) as server:
        report = run(server, protocol, tmp_path)
    assert triples(report) == WHOLE[:2]
    assert report.failed == ()
    assert any("its whole edges are used" in note for r in report.results for note in r.notes)


@each_protocol
def test_no_usable_answer_twice_is_one_consumers_error(protocol: Protocol, tmp_path: Path) -> None:
    with model_server(brain, faults={LEND: ["refusal", "broken"]}) as server:
        report = run(server, protocol, tmp_path)
        again = run(server, protocol, tmp_path)
    assert [(r.consumer, (r.error or "")[:40]) for r in report.failed] == [
        (LEND, f"{protocol} gave no usable answer, not even when"[:40])
    ]
    assert triples(report) == WHOLE[:1]
    assert triples(again) == WHOLE, "a failure is not kept: the next run asks again"


@pytest.mark.parametrize("protocol", ["anthropic", "openai", "gemini"])
@pytest.mark.parametrize("fault", ["429", "500", "529", "drop"])
def test_a_passing_fault_is_retried_by_the_sdk(protocol: Protocol, fault: Fault, tmp_path: Path) -> None:
    with model_server(brain, faults={LEND: [fault]}) as server:
        report = run(server, protocol, tmp_path)
    assert triples(report) == WHOLE
    assert server.requests == 3 == report.requests


@pytest.mark.parametrize("protocol", ["anthropic", "openai", "gemini"])
@pytest.mark.parametrize(
    ("fault", "line"),
    [
        ("429", "limits requests (429)"),
        ("500", "had an error of its own (500)"),
        ("drop", "cannot reach"),
        ("400", "did not accept the request (400)"),
        ("redirect", "did not accept the request (307)"),
        ("not json", "sent what its SDK cannot read"),
        ("html", "sent what its SDK cannot read"),
    ],
)
def test_a_lasting_fault_of_one_consumer_costs_the_others_nothing(
    protocol: Protocol, fault: Fault, line: str, tmp_path: Path
) -> None:
    with model_server(brain, faults={LEND: [fault] * 9}) as server:
        report = run(server, protocol, tmp_path, CallLimits(in_flight=4, deadline=20.0, retries=1))
    assert [r.consumer for r in report.failed] == [LEND]
    error = report.failed[0].error or ""
    assert line in error
    assert "Traceback" not in error
    assert "\n" not in error
    assert KEY not in error
    assert triples(report) == WHOLE[:1]


@each_protocol
def test_a_hang_ends_at_the_deadline_and_costs_the_others_nothing(protocol: Protocol, tmp_path: Path) -> None:
    with model_server(brain, faults={LEND: ["hang"] * 9}) as server:
        report = run(server, protocol, tmp_path, CallLimits(in_flight=4, deadline=1.0, retries=0))
    assert [(r.consumer, "did not answer within 1 s" in (r.error or "")) for r in report.failed] == [
        (LEND, True)
    ]
    assert triples(report) == WHOLE[:1]


@each_protocol
@pytest.mark.parametrize(
    ("fault", "line"), [("401", "refused the key (401)"), ("402", "wants payment (402)")]
)
def test_a_refused_key_stops_the_run_after_one_request(
    protocol: Protocol, fault: Fault, line: str, tmp_path: Path
) -> None:
    with model_server(brain, faults={"*": [fault] * 9}) as server:
        report = run(server, protocol, tmp_path)
    assert server.requests == 1
    assert [r.error is not None for r in report.results] == [True, True]
    assert line in report.stopped
    assert KEY not in repr(report)


def test_a_refused_key_names_its_variable(tmp_path: Path) -> None:
    with model_server(brain, faults={"*": ["401"] * 9}) as server:
        report = run(server, "gemini", tmp_path)
    assert report.stopped.endswith("check GEMINI_API_KEY")


def test_retry_after_holds_the_other_questions_back(tmp_path: Path) -> None:
    with model_server(brain, faults={FIND: ["429"]}) as server:
        report = run(server, "anthropic", tmp_path)
    assert triples(report) == WHOLE


def test_a_server_of_ones_own_needs_no_key_and_is_asked_for_its_model(tmp_path: Path) -> None:
    tools = library()
    with model_server(brain, models=("llama-of-mine", "another")) as server:
        environ = {"OPENAI_BASE_URL": server.base_url("openai")}
        reports = [
            run_semantic_pass(
                consumers_of(tools),
                tools=tools,
                direct=(),
                slots=(),
                root=DataRoot(str(tmp_path)),
                environ=environ,
                limits=QUICK,
            )
            for _ in range(2)
        ]
    assert [r.model for r in reports] == ["llama-of-mine"] * 2
    assert [r.requests for r in reports] == [2, 0]
    assert {s.model for s in server.seen} == {"llama-of-mine"}
    assert "max_tokens" in server.seen[0].body


def test_openai_settings_of_the_process_do_not_reach_other_providers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-private")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-private")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Team: private-team\nAuthorization: Bearer sk-other")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai-private")
    with model_server(brain) as server:
        run(server, "openrouter", tmp_path, LLM_PROVIDER="openrouter")
        sent = repr(dict(server.seen[0].headers))
    assert "private" not in sent
    assert "sk-other" not in sent
    assert KEY in sent


class TestOpenRouterFallsBack:
    MODELS = "first/a:free,second/b:free,third/c:free"

    @pytest.mark.parametrize("fault", ["404", "429", "500", "empty", "other shape", "html"])
    def test_to_the_next_model_and_remembers_which_are_down(self, fault: Fault, tmp_path: Path) -> None:
        with model_server(brain, model_faults={"first/a:free": fault}) as server:
            report = run(server, "openrouter", tmp_path, LLM_MODEL=self.MODELS)
            again = run(server, "openrouter", tmp_path, LLM_MODEL=self.MODELS)
        assert triples(report) == WHOLE == triples(again)
        assert [s.model for s in server.seen].count("first/a:free") == 1
        assert {r.model for r in report.results} == {"second/b:free"}
        assert again.requests == 0, "what the second model answered is kept as well"

    def test_and_says_so_when_none_answers(self, tmp_path: Path) -> None:
        faults = dict.fromkeys(self.MODELS.split(","), "429")
        with model_server(brain, model_faults=faults) as server:
            report = run(server, "openrouter", tmp_path, LLM_MODEL=self.MODELS)
        assert "none of openrouter's 3 models answered" in report.stopped
        assert server.requests == 3
        assert len(report.failed) == 2

    def test_but_not_for_a_refused_key(self, tmp_path: Path) -> None:
        with model_server(brain, faults={"*": ["401"] * 9}) as server:
            report = run(server, "openrouter", tmp_path, LLM_MODEL=self.MODELS)
        assert server.requests == 1
        assert "refused the key" in report.stopped


def test_prompts_are_byte_stable_share_their_prefix_and_are_cached_by_anthropic(tmp_path: Path) -> None:
    with model_server(brain) as server:
        run(server, "anthropic", tmp_path / "a")
        run(server, "openai", tmp_path / "b")
    one, two, three, four = server.seen
    assert one.rules + one.shared == two.rules + two.shared
    by_consumer = {(s.protocol, s.consumer): s for s in (one, two, three, four)}
    for consumer in (LEND, FIND):
        assert by_consumer["anthropic", consumer].user.split() == by_consumer["openai", consumer].user.split()
    blocks = one.body["messages"][0]["content"]
    assert [b.get("cache_control") for b in blocks] == [{"type": "ephemeral"}, None]
    assert blocks[0]["text"].rstrip().endswith("</catalog>")
