"""The job that prunes the history of runs, so that it does not grow for ever.

A run that holds the latest materialization of an asset or a partition, or the latest result of a
check, stays: with it Dagster would forget that they are there.
"""

import os
import time
from collections.abc import Mapping

import dagster as dg

from atlas_assets.defs.automation import automation_on
from atlas_assets.defs.failures import one_line_failures
from atlas_assets.errors import ConfigError

KEEP_DAYS = "ATLAS_KEEP_RUNS_DAYS"
DEFAULT_DAYS = 30
_DAY = 86_400
_PAGE = 200


def keep_days(environ: Mapping[str, str]) -> float:
    """Days that a run is kept. Raises ConfigError for a variable that is no number of at least 0."""
    wanted = environ.get(KEEP_DAYS, "").strip()
    try:
        days = float(wanted) if wanted else float(DEFAULT_DAYS)
    except ValueError:
        days = -1.0
    if not 0 <= days < 100_000:
        raise ConfigError(f"{KEEP_DAYS}={wanted!r} is no number of days; write one, as {DEFAULT_DAYS}")
    return days


def runs_that_hold_state(instance: dg.DagsterInstance) -> set[str]:
    """The runs without which an asset, a partition or a check would seem never to have run."""
    held: set[str] = set()
    for key in instance.all_asset_keys():
        latest = instance.get_latest_materialization_event(key)
        if latest is not None:
            held.add(latest.run_id)
        ids = instance.get_latest_storage_id_by_partition(key, dg.DagsterEventType.ASSET_MATERIALIZATION)
        wanted = sorted(ids.values())
        for start in range(0, len(wanted), _PAGE):
            chosen = dg.AssetRecordsFilter(asset_key=key, storage_ids=wanted[start : start + _PAGE])
            held.update(r.run_id for r in instance.fetch_materializations(chosen, limit=_PAGE).records)
    return held


def prune_runs(instance: dg.DagsterInstance, older_than: float) -> int:
    """Delete the finished runs created before `older_than` (seconds since 1970) that hold no state.

    Returns how many were deleted.
    """
    held = runs_that_hold_state(instance)
    finished = [
        dg.DagsterRunStatus.SUCCESS,
        dg.DagsterRunStatus.FAILURE,
        dg.DagsterRunStatus.CANCELED,
    ]
    records = instance.get_run_records(dg.RunsFilter(statuses=finished))
    old = [r.dagster_run.run_id for r in records if r.create_timestamp.timestamp() < older_than]
    doomed = [run_id for run_id in old if run_id not in held]
    for run_id in doomed:
        instance.delete_run(run_id)
    return len(doomed)


@dg.op
def delete_old_runs(context: dg.OpExecutionContext) -> None:
    """Delete the runs that are older than `ATLAS_KEEP_RUNS_DAYS` (30) and hold no latest state."""
    with one_line_failures():
        days = keep_days(os.environ)
    count = prune_runs(context.instance, time.time() - days * _DAY)
    context.log.info(f"{count} runs older than {days:g} days deleted")


@dg.job(
    name="prune_history",
    description="Delete old runs; what is materialized stays so.",
    executor_def=dg.in_process_executor,
)
def prune_history() -> None:
    delete_old_runs()


def retention(environ: Mapping[str, str]) -> dg.Definitions:
    """The job and its weekly schedule, on where `ATLAS_AUTOMATION` is."""
    on = automation_on(environ)
    schedule = dg.ScheduleDefinition(
        name="prune_weekly",
        job=prune_history,
        cron_schedule="30 4 * * 0",
        default_status=dg.DefaultScheduleStatus.RUNNING if on else dg.DefaultScheduleStatus.STOPPED,
        description=f"Prune the history of runs ({KEEP_DAYS}, {DEFAULT_DAYS} days).",
    )
    return dg.Definitions(jobs=[prune_history], schedules=[schedule])
