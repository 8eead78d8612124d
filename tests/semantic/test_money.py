from decimal import Decimal
from pathlib import Path

import pytest

from atlas_assets.edges.semantic.choose import ProviderChoice, choose_provider
from atlas_assets.edges.semantic.client import CallLimits
from atlas_assets.edges.semantic.money import Limit, Tokens, price, read_limit
from atlas_assets.edges.semantic.result import PassReport
from atlas_assets.edges.semantic.semantic_pass import consumers_of, estimate_pass, run_semantic_pass
from atlas_assets.errors import ConfigError
from atlas_assets.storage.root import DataRoot
from tests.semantic.model_server import ModelServer, Protocol, model_server
from tests.semantic.tools_for_tests import library, make_tool

SMALL = CallLimits(in_flight=4, deadline=20.0, retries=0, output_tokens=400)
MANY = tuple(make_tool(f"s::t{i:02}", "Does a thing. " * 20, required=("x",)) for i in range(20))


def environ(server: ModelServer, protocol: Protocol, model: str, **more: str) -> dict[str, str]:
    return {**server.environ(protocol), "LLM_MODEL": model, **more}


def run(
    server: ModelServer, folder: Path, protocol: Protocol = "anthropic", model: str = "claude-haiku-4-5",
    max_cost: str | None = None, **more: str,
) -> PassReport:  # fmt: skip
    return run_semantic_pass(
        consumers_of(MANY), tools=MANY, direct=(), slots=(), root=DataRoot(str(folder)), limits=SMALL,
        environ=environ(server, protocol, model, **more), max_cost=max_cost,
    )  # fmt: skip


def test_prices_are_those_of_genai_prices_with_the_cache_counted() -> None:
    choice = choose_provider({"ANTHROPIC_API_KEY": "k"})
    plain = price(choice, "claude-haiku-4-5", Tokens(1_000_000, 100_000))
    cached = price(choice, "claude-haiku-4-5", Tokens(1_000_000, 100_000, cached=1_000_000))
    assert plain is not None
    assert cached is not None
    assert plain > cached > 0


@pytest.mark.parametrize(
    ("choice", "model", "cost"),
    [
        (ProviderChoice("local"), "rules", Decimal(0)),
        (ProviderChoice("openrouter", ("a/b:free",), "https://openrouter.ai/api/v1"), "a/b:free", Decimal(0)),
        (ProviderChoice("openai", ("m",), "http://localhost:11434/v1"), "gpt-5-mini", None),
        (ProviderChoice("anthropic", ("m",), "https://api.anthropic.com"), "never-heard-of", None),
    ],
)
def test_free_models_cost_nothing_and_what_is_unknown_has_no_price(
    choice: ProviderChoice, model: str, cost: Decimal | None
) -> None:
    assert price(choice, model, Tokens(1000, 1000)) == cost


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("2.50", Limit(Decimal("2.50"))),
        ("$3", Limit(Decimal(3))),
        ("0", Limit(Decimal(0))),
        ("200_000 tokens", Limit(Decimal(200_000), tokens=True)),
    ],
)
def test_a_limit_is_dollars_or_tokens(text: str, limit: Limit) -> None:
    assert read_limit(text, {}) == limit
    assert read_limit(None, {"ATLAS_MAX_COST": text}) == limit


@pytest.mark.parametrize("text", ["much", "-1", "1e9", "5 euros", "nan"])
def test_a_limit_that_is_none_is_one_line(text: str) -> None:
    with pytest.raises(ConfigError, match="is no limit; write dollars"):
        read_limit(text, {})


def test_an_option_wins_over_the_variable() -> None:
    assert read_limit("1", {"ATLAS_MAX_COST": "9"}) == Limit(Decimal(1))


def test_a_dry_run_says_calls_tokens_cache_and_price_and_asks_nothing(tmp_path: Path) -> None:
    with model_server() as server:
        options = {"tools": MANY, "direct": (), "slots": (), "root": DataRoot(str(tmp_path)),
                   "environ": environ(server, "anthropic", "claude-haiku-4-5")}  # fmt: skip
        before = estimate_pass(consumers_of(MANY), **options)
        assert server.requests == 0
        report = run(server, tmp_path)
        after = estimate_pass(consumers_of(MANY), **options)
    assert (before.calls, before.full) == (20, 20)
    assert before.cost is not None
    assert report.cost is not None
    assert after.calls == 0
    assert after.cost == 0
    assert "20 calls to anthropic claude-haiku-4-5: 20 in full" in "\n".join(before.lines())
    # within a third of what a server counts that takes four characters for a token
    assert report.input_tokens * 2 / 3 < before.input_tokens < report.input_tokens * 4 / 3
    assert 0.5 < before.cached_share < 1


def test_a_batch_is_estimated_at_half_price_without_the_prompt_cache(tmp_path: Path) -> None:
    options = {"tools": library(), "direct": (), "slots": (), "root": DataRoot(str(tmp_path)),
               "environ": {"ANTHROPIC_API_KEY": "k", "LLM_MODEL": "claude-haiku-4-5"}}  # fmt: skip
    batch = estimate_pass(consumers_of(library()), batch=True, **options)
    plain = estimate_pass(consumers_of(library()), **options)
    assert batch.cost is not None
    assert plain.cost is not None
    assert batch.cached_tokens == 0
    assert batch.cost == price(
        choose_provider({"ANTHROPIC_API_KEY": "k"}),
        "claude-haiku-4-5",
        Tokens(plain.input_tokens, plain.output_tokens),
    ) * Decimal("0.5")  # type: ignore[operator]


def test_an_unknown_price_is_said_to_be_unknown(tmp_path: Path) -> None:
    estimate = estimate_pass(
        consumers_of(library()), tools=library(), direct=(), slots=(), root=DataRoot(str(tmp_path)),
        environ={"OPENAI_BASE_URL": "http://localhost:1/v1", "LLM_MODEL": "mine"},
    )  # fmt: skip
    assert "Price: unknown." in estimate.lines()


@pytest.mark.parametrize("limit", ["0.01", "0.015"])
def test_a_limit_is_never_exceeded_and_what_was_paid_for_is_kept(limit: str, tmp_path: Path) -> None:
    with model_server() as server:
        first = run(server, tmp_path, max_cost=limit)
        answered = [r.consumer for r in first.results if r.error is None]
        second = run(server, tmp_path)
    assert first.cost is not None
    assert first.cost <= Decimal(limit)
    assert 0 < len(answered) < 20
    assert first.stopped.startswith("the next call could exceed the limit of ")
    assert {r.consumer for r in second.results if r.cached} == set(answered)
    assert second.failed == ()
    assert server.requests == 20


def test_a_limit_of_nothing_asks_nothing_but_records_still_answer(tmp_path: Path) -> None:
    with model_server() as server:
        assert run(server, tmp_path, max_cost="0").requests == 0
        run(server, tmp_path)
        third = run(server, tmp_path, max_cost="0")
    assert third.failed == ()
    assert third.requests == 0


def test_without_a_price_the_limit_counts_tokens(tmp_path: Path) -> None:
    with model_server() as server:
        report = run(server, tmp_path, "openai", "mine", max_cost="12000")
    assert 0 < report.input_tokens + report.output_tokens <= 12_000
    assert "12,000 tokens" in report.stopped
    assert report.cost is None


def test_the_variable_binds_runs_that_nobody_watches(tmp_path: Path) -> None:
    with model_server() as server:
        report = run(server, tmp_path, ATLAS_MAX_COST="5000 tokens")
    assert report.input_tokens + report.output_tokens <= 5_000
    assert report.stopped


def test_a_call_given_up_counts_against_the_limit_for_it_may_be_billed(tmp_path: Path) -> None:
    hung = {"*": ["hang"] * 99}
    limits = CallLimits(in_flight=1, deadline=0.3, retries=0, output_tokens=400)
    with model_server(faults=hung) as server:
        report = run_semantic_pass(
            consumers_of(MANY), tools=MANY, direct=(), slots=(), root=DataRoot(str(tmp_path)), limits=limits,
            environ=environ(server, "openai", "mine"), max_cost="9000",
        )  # fmt: skip
    assert server.requests == 2
    assert "exceed the limit" in report.stopped
