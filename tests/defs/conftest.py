"""A project in a temporary folder, and its Dagster instance."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from atlas_assets.defs.build import project_instance
from tests.defs.project import FILES, REPOSITORY, TRACKER, Project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    monkeypatch.setenv("LLM_PROVIDER", "local")
    shutil.copy(REPOSITORY / "dagster.yaml", tmp_path)
    made = Project(tmp_path, {"tracker": list(TRACKER), "files": list(FILES)})
    made.save()
    return made


@pytest.fixture
def instance(project: Project) -> Iterator[dg.DagsterInstance]:
    """An instance in memory: what is tested is the same, without a file to sync for every event."""
    with dg.DagsterInstance.ephemeral() as opened:
        yield opened


@pytest.fixture
def stored_instance(project: Project) -> Iterator[dg.DagsterInstance]:
    """The project's own instance, in its folder."""
    with project_instance() as opened:
        yield opened
