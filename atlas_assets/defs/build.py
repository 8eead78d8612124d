"""The whole pipeline in this process, on the project's own Dagster instance.

Three runs, as a person would start them in the UI, so that the UI shows them: the scan with the
heuristics, all partitions in one range, the merge. They share the tag `atlas/build`.
"""

import logging
import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import dagster as dg

from atlas_assets.catalog.catalog import Catalog
from atlas_assets.catalog.tool import ServerRecord
from atlas_assets.definitions import defs
from atlas_assets.defs.dead_runs import end_dead_runs, process_tag
from atlas_assets.defs.partitions import PARTITIONS_NAME, range_tags
from atlas_assets.errors import ConfigError, StorageError
from atlas_assets.storage.layout import read_catalog
from atlas_assets.storage.partition_keys import slug_of
from atlas_assets.storage.root import DataRoot

_QUIET = "telemetry:\n  enabled: false\nnux:\n  enabled: false\n"

BUILD_TAG = "atlas/build"

Level = Literal["info", "warning", "error"]
Stage = Literal["scan", "heuristics", "semantic", "merge"]

_CONFIGURED = frozenset({"heuristic_edges", "merged_graph"})
_DAGSTERS_OWN = ("Dependencies for step ", 'Value "None" returned for ')
"""How lines begin that Dagster logs beside those of the assets: what follows from a failure is no news."""
_LEVELS: dict[int, Level] = {logging.INFO: "info", logging.WARNING: "warning"}


@dataclass(frozen=True)
class BuildEvent:
    """One thing to tell a person: `text` is one line; `level` is `info`, `warning` or `error`."""

    stage: Stage
    level: Level
    text: str


@dataclass(frozen=True)
class BuildResult:
    """How a build ended.

    `servers` and `tools` are those of the catalog. `failed_consumers` are slugs whose partition
    failed in this build and keeps its last good edges. `errors` are one line each. `ok` is true
    where every stage succeeded and there is at least one tool.
    """

    servers: tuple[ServerRecord, ...]
    tools: int
    consumers: int
    failed_consumers: tuple[str, ...]
    errors: tuple[str, ...]
    run_ids: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.errors and self.tools > 0


def project_instance(environ: Mapping[str, str] | None = None) -> dg.DagsterInstance:
    """The instance in `DAGSTER_HOME`, else in the working folder.

    A folder without `dagster.yaml` gets one that sends nothing to anybody. Raises ConfigError where
    the instance cannot be opened.
    """
    env = os.environ if environ is None else environ
    home = Path(env.get("DAGSTER_HOME") or ".").expanduser().absolute()
    try:
        home.mkdir(parents=True, exist_ok=True)
        if not (home / "dagster.yaml").exists():
            (home / "dagster.yaml").write_text(_QUIET, encoding="utf-8")
        return dg.DagsterInstance.from_config(str(home))
    except (OSError, dg.DagsterInvalidConfigError, dg.DagsterInvariantViolationError) as error:
        raise ConfigError(
            f"cannot open the Dagster instance in {str(home)!r} ({type(error).__name__}); "
            "set DAGSTER_HOME to a folder that can be written"
        ) from error


def run_build(
    instance: dg.DagsterInstance,
    *,
    run_config: Mapping[str, Any] | None = None,
    on_event: Callable[[BuildEvent], None] = lambda event: None,
) -> BuildResult:
    """Scan, infer, ask about every consumer, merge.

    `run_config` is what the Launchpad takes: `{"ops": {"merged_graph": {"config": {…}}}}`. A
    consumer that got no answer, and a failed merge, are `errors`; the merge runs in any case. A
    failed scan ends the build. Raises ConfigError for a run config that does not fit.
    """
    configs = checked_config(run_config)
    end_dead_runs(instance)
    run = _Runner(instance, configs, on_event)
    errors: list[str] = []
    failed: tuple[str, ...] = ()
    if not run("scan", ["tool_catalog", "tool_changes"], errors):
        return _result(run, errors, failed, 0)
    heuristics = run("heuristics", ["heuristic_edges"], errors)
    keys = list(instance.get_dynamic_partitions(PARTITIONS_NAME))
    if heuristics and keys and not run("semantic", ["semantic_edges"], errors, range_tags(keys)):
        failed = _failed_consumers(instance, run.run_ids[-1], keys)
    if heuristics:
        run("merge", ["merged_graph"], errors)
    return _result(run, errors, failed, len(keys))


class _Runner:
    """Runs assets in this process and passes on what their bodies log."""

    def __init__(
        self,
        instance: dg.DagsterInstance,
        configs: Mapping[str, Any],
        on_event: Callable[[BuildEvent], None],
    ) -> None:
        self.instance, self.configs, self.on_event = instance, configs, on_event
        self.job = defs.resolve_implicit_global_asset_job_def()
        self.tags = {BUILD_TAG: uuid.uuid4().hex[:12], **process_tag()}
        self.run_ids: list[str] = []

    def __call__(
        self, stage: Stage, assets: list[str], errors: list[str], tags: Mapping[str, str] | None = None
    ) -> bool:
        ops = {name: self.configs[name] for name in assets if name in self.configs}
        run_id = str(uuid.uuid4())
        self.run_ids.append(run_id)
        self.instance.add_event_listener(run_id, lambda entry: self._pass_on(stage, entry))
        result = self.job.execute_in_process(
            # the console would repeat every event of Dagster's
            run_config={"ops": ops, "loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
            instance=self.instance,
            asset_selection=[dg.AssetKey(name) for name in assets],
            tags={**self.tags, **(tags or {})},
            run_id=run_id,
            raise_on_error=False,
        )
        if not result.success:
            errors.append(f"{assets[0]}: {_reason(result)}")
            self.on_event(BuildEvent(stage, "error", errors[-1]))
        return result.success

    def _pass_on(self, stage: Stage, entry: dg.EventLogEntry) -> None:
        level = int(entry.level)
        said_by_dagster = entry.user_message.startswith(_DAGSTERS_OWN)
        if entry.dagster_event is None and level >= logging.INFO and not said_by_dagster:
            self.on_event(BuildEvent(stage, _LEVELS.get(level, "error"), entry.user_message))


def _reason(result: dg.ExecuteInProcessResult) -> str:
    """The one line that the failed step gives."""
    for event in result.all_events:
        if event.is_step_failure:
            data = event.step_failure_data
            if data.user_failure_data and data.user_failure_data.description:
                return data.user_failure_data.description
            if data.error:
                message = " ".join((data.error.cause or data.error).message.split())
                interrupted = message.endswith(dg.DagsterExecutionInterruptedError.__name__)
                return "stopped; what was finished is kept" if interrupted else message
    return "the run ended without saying why; its page in the Dagster UI has the log"


def _failed_consumers(instance: dg.DagsterInstance, run_id: str, keys: Sequence[str]) -> tuple[str, ...]:
    """The slugs of `keys` that the run did not materialize."""
    records = instance.get_records_for_run(run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION).records
    done = {record.partition_key for record in records}
    return tuple(sorted(slug_of(key) for key in keys if key not in done))


def checked_config(run_config: Mapping[str, Any] | None) -> dict[str, Any]:
    """Asset name to its part of the run config."""
    if run_config is None:
        return {}
    ops = run_config.get("ops", {})
    strangers = sorted(set(run_config) - {"ops"})
    if strangers or not isinstance(ops, Mapping):
        raise ConfigError(
            f"run config may hold 'ops' only, not {strangers[:1] or ops!r}; copy it from the Launchpad"
        )
    strangers = sorted(set(ops) - _CONFIGURED)
    if strangers:
        raise ConfigError(
            f"run config names {strangers[0]!r}; only {' and '.join(sorted(_CONFIGURED))} take one"
        )
    try:
        dg.validate_run_config(defs.resolve_implicit_global_asset_job_def(), {"ops": dict(ops)})
    except dg.DagsterInvalidConfigError as error:
        # an error of Dagster's own may carry its stack
        said = " ".join(error.errors[0].message.partition("Stack Trace")[0].split())
        raise ConfigError(f"run config does not fit: {said}") from error
    return dict(ops)


def _result(run: _Runner, errors: Sequence[str], failed: tuple[str, ...], consumers: int) -> BuildResult:
    try:
        catalog = read_catalog(DataRoot.from_environment()) or Catalog()
    except StorageError as error:
        catalog, errors = Catalog(), [*errors, str(error)]
    if not catalog.tools and not errors:
        errors = ["no server could be listed, so there is no tool; the servers' reasons are above"]
    return BuildResult(
        servers=catalog.servers,
        tools=len(catalog.tools),
        consumers=consumers,
        failed_consumers=failed,
        errors=tuple(errors),
        run_ids=tuple(run.run_ids),
    )
