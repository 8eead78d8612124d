import asyncio
from decimal import Decimal
from pathlib import Path

import pytest

from atlas_assets.edges.semantic.batch import read_jobs
from atlas_assets.edges.semantic.batch_pass import run_batch_pass
from atlas_assets.edges.semantic.money import Limit, Tokens, price, read_limit
from atlas_assets.edges.semantic.result import PassReport
from atlas_assets.edges.semantic.semantic_pass import PassInputs, consumers_of, run_semantic_pass
from atlas_assets.errors import ConfigError
from atlas_assets.storage.root import DataRoot
from tests.semantic.model_server import ModelServer, Protocol, Seen, model_server
from tests.semantic.tools_for_tests import QUICK, all_text, claim, library

LEND, FIND = "library::lend_book", "library::find_books"
MODELS = {"anthropic": "claude-haiku-4-5", "openai": "gpt-5-mini"}

each_protocol = pytest.mark.parametrize("protocol", ["anthropic", "openai"])


@pytest.fixture(autouse=True)
def openai_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server of one's own has no batches, and the test server is one: here it passes for OpenAI's."""
    from atlas_assets.edges.semantic.choose import ProviderChoice

    monkeypatch.setattr(ProviderChoice, "own_server", property(lambda self: False))


def brain(seen: Seen) -> list[dict[str, str]]:
    return [claim(FIND, "book_id")] if seen.consumer == LEND else [claim("library::list_shelves", "shelf_id")]


async def no_sleep(seconds: float) -> None:
    assert seconds > 0


def inputs(server: ModelServer, protocol: Protocol, folder: Path) -> PassInputs:
    tools = library()
    environ = {**server.environ(protocol), "LLM_MODEL": MODELS[protocol]}
    return PassInputs.of(
        consumers_of(tools), tools, (), (), DataRoot(str(folder)), None, environ, QUICK
    )  # fmt: skip


def run(
    server: ModelServer,
    protocol: Protocol,
    folder: Path,
    *,
    polls: int | None = None,
    limit: Limit | None = None,
) -> PassReport:
    return asyncio.run(run_batch_pass(inputs(server, protocol, folder), limit, polls=polls, sleep=no_sleep))


@each_protocol
def test_submitted_waited_for_and_collected_at_half_price(protocol: Protocol, tmp_path: Path) -> None:
    with model_server(brain, batch_polls=3) as server:
        report = run(server, protocol, tmp_path)
        again = run(server, protocol, tmp_path)
        ordinary = run_semantic_pass(
            consumers_of(library()), tools=library(), direct=(), slots=(), root=DataRoot(str(tmp_path)),
            environ={**server.environ(protocol), "LLM_MODEL": MODELS[protocol]}, limits=QUICK,
        )  # fmt: skip
    assert {(e.producer, e.consumer) for e in report.edges} == {(FIND, LEND), ("library::list_shelves", FIND)}
    assert report.failed == ()
    assert (server.batched, server.requests) == (2, 0)
    choice = inputs(server, protocol, tmp_path).choice
    full = sum(
        (
            price(
                choice,
                report.model,
                Tokens(r.input_tokens, r.output_tokens, r.cached_tokens, r.written_tokens),
            )
            or Decimal(0)
        )
        for r in report.results
    )
    assert report.cost == full / 2 > 0
    assert [r.cached for r in report.results] == [False, False]
    assert [r.cached for r in again.results] == [True, True]
    assert ordinary.edges == report.edges
    assert ordinary.requests == 0


@each_protocol
def test_a_run_that_ended_while_it_waited_is_taken_up_by_the_next(protocol: Protocol, tmp_path: Path) -> None:
    with model_server(brain, batch_polls=5) as server:
        first = run(server, protocol, tmp_path, polls=2)
        assert [("waits in batch" in (r.error or "")) for r in first.results] == [True, True]
        assert len(read_jobs(DataRoot(str(tmp_path)))) == 1
        second = run(server, protocol, tmp_path)
    assert second.failed == ()
    assert server.batched == 2, "nothing was submitted twice"
    assert read_jobs(DataRoot(str(tmp_path))) == []


@each_protocol
def test_a_crash_right_after_submitting_is_healed(protocol: Protocol, tmp_path: Path) -> None:
    class Killed(BaseException):
        pass

    with model_server(brain) as server:
        from atlas_assets.edges.semantic import batch

        written = batch.write_job

        def die_once_submitted(root: DataRoot, job: batch.Job) -> None:
            if job.batch_id:
                raise Killed
            written(root, job)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(batch, "write_job", die_once_submitted)
            with pytest.raises(Killed):
                run(server, protocol, tmp_path)
        assert server.batched == 2
        assert [job.batch_id for job in read_jobs(DataRoot(str(tmp_path)))] == [""]
        report = run(server, protocol, tmp_path)
    assert server.batched == 2
    assert report.failed == ()


@each_protocol
def test_a_batch_written_down_but_never_submitted_is_submitted_anew(
    protocol: Protocol, tmp_path: Path
) -> None:
    with model_server(brain, batch_faults=["500"] * 9) as server:
        first = run(server, protocol, tmp_path)
        assert "had an error of its own (500)" in first.stopped
        assert len(first.failed) == 2
        server.batch_faults.clear()
        second = run(server, protocol, tmp_path)
    assert second.failed == ()
    assert server.batched == 2


@each_protocol
def test_one_failed_question_costs_the_others_nothing(protocol: Protocol, tmp_path: Path) -> None:
    with model_server(brain, faults={LEND: ["500"]}) as server:
        report = run(server, protocol, tmp_path)
        again = run(server, protocol, tmp_path)
    assert [r.consumer for r in report.failed] == [LEND]
    assert [(e.producer, e.consumer) for e in report.edges] == [("library::list_shelves", FIND)]
    assert again.failed == ()
    assert server.batched == 3


@each_protocol
def test_an_unusable_answer_is_that_consumers_error_and_still_paid_for(
    protocol: Protocol, tmp_path: Path
) -> None:
    with model_server(brain, faults={LEND: ["refusal"]}) as server:
        report = run(server, protocol, tmp_path)
    assert "gave no usable answer" in (report.failed[0].error or "")
    assert report.cost is not None
    assert report.cost > 0


@each_protocol
def test_a_batch_that_the_provider_has_forgotten_is_asked_again_next_time(
    protocol: Protocol, tmp_path: Path
) -> None:
    with model_server(brain, batch_polls=99) as server:
        run(server, protocol, tmp_path, polls=1)
        server.batches.clear()
        lost = run(server, protocol, tmp_path)
        assert all("ended without its answer" in (r.error or "") for r in lost.results)
        server.batch_polls = 0
        assert run(server, protocol, tmp_path).failed == ()


@each_protocol
def test_a_limit_binds_what_is_submitted(protocol: Protocol, tmp_path: Path) -> None:
    with model_server(brain) as server:
        report = run(server, protocol, tmp_path, limit=read_limit("0", {}))
    assert server.batched == 0
    assert "could exceed the limit" in report.stopped
    assert all((r.error or "").startswith("not asked: ") for r in report.results)


@each_protocol
def test_no_key_and_no_address_is_written_down(protocol: Protocol, tmp_path: Path) -> None:
    with model_server(brain, batch_polls=9) as server:
        run(server, protocol, tmp_path, polls=1)
        text = all_text(tmp_path)
    assert "sk-test-secret" not in text
    assert "127.0.0.1" not in text


def test_a_provider_without_batches_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gemini at .* has no batches; leave --batch out"):
        run_semantic_pass(
            consumers_of(library()), tools=library(), direct=(), slots=(), root=DataRoot(str(tmp_path)),
            environ={"GEMINI_API_KEY": "k"}, batch=True,
        )  # fmt: skip
