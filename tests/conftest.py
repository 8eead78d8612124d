"""What every test shares: an environment of its own, and no silent skip in CI."""

import os
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"

# A developer's own keys and folders must not reach a test, nor a test's work a developer's data.
_PREFIXES = ("ATLAS_", "DAGSTER_", "LLM_", "ANTHROPIC_", "OPENAI_", "GEMINI_", "GOOGLE_API", "OPENROUTER_")

_skipped: list[str] = []


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(_PREFIXES):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `../shared` of catalogs and gold sets; the test is skipped where there is none."""
    if not SHARED.is_dir():
        pytest.skip("../shared is not here")
    return SHARED


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and not hasattr(report, "wasxfail"):
        _skipped.append(report.nodeid)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if os.environ.get("CI") and _skipped and exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if os.environ.get("CI") and _skipped:
        terminalreporter.section("skipped in CI, where nothing may be", red=True)
        for name in sorted(_skipped):
            terminalreporter.line(name)
