"""What runs by itself: conditions of the assets, the schedule, the sensors.

`ATLAS_AUTOMATION=1` turns on the schedule, the servers-file sensor and the automation sensor
together. Without it a person can switch each on in the UI. Unattended runs obey `ATLAS_MAX_COST`.
"""

import hashlib
import os
from collections.abc import Mapping

import dagster as dg

from atlas_assets.catalog.config import servers_files
from atlas_assets.errors import ConfigError

SWITCH = "ATLAS_AUTOMATION"
CRON = "ATLAS_SCAN_CRON"
ZONE = "ATLAS_TIMEZONE"
DEFAULT_CRON = "0 3 * * *"

EAGER = dg.AutomationCondition.eager().without(~dg.AutomationCondition.any_deps_missing())
"""Whenever something upstream was updated; one missing partition does not hold it up for ever."""

WHERE_THE_QUESTION_CHANGED = dg.AutomationCondition.eager().ignore(
    dg.AssetSelection.assets("tool_catalog", "heuristic_edges")
)
"""Only partitions that `heuristic_edges` reported in `consumer_inputs`, not all after every scan."""


def automation_on(environ: Mapping[str, str]) -> bool:
    """Whether the one variable turns everything on."""
    return environ.get(SWITCH, "").strip().lower() in ("1", "true", "yes", "on")


scan_job = dg.define_asset_job(
    "scan",
    selection=dg.AssetSelection.assets("tool_catalog", "tool_changes"),
    description="List the tools of all servers, and note what changed.",
    executor_def=dg.in_process_executor,
)


def automation(environ: Mapping[str, str]) -> dg.Definitions:
    """The schedule and sensors, on or off as `environ` says."""
    sensor_status = (
        dg.DefaultSensorStatus.RUNNING if automation_on(environ) else dg.DefaultSensorStatus.STOPPED
    )

    @dg.sensor(
        job=scan_job,
        default_status=sensor_status,
        minimum_interval_seconds=30,
        description="Scan when a servers file was edited.",
    )
    def servers_file_edited(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        seen = servers_digest(os.environ)
        if seen == context.cursor:
            return dg.SkipReason("the servers files are as they were")
        first = not context.cursor
        return dg.SensorResult(
            # the first look is where watching begins: what is there was scanned, or will be
            run_requests=[] if first else [dg.RunRequest()],
            skip_reason="watching begins with the servers files as they are" if first else None,
            cursor=seen,
        )

    follow = dg.AutomationConditionSensorDefinition(
        "follow_changes",
        target=dg.AssetSelection.all(),
        default_status=sensor_status,
        minimum_interval_seconds=15,
        description="Bring everything downstream of a scan up to date, and only what changed.",
    )
    return dg.Definitions(
        jobs=[scan_job], schedules=[_schedule(environ)], sensors=[servers_file_edited, follow]
    )


def _schedule(environ: Mapping[str, str]) -> dg.ScheduleDefinition:
    cron = environ.get(CRON, "").strip() or DEFAULT_CRON
    zone = environ.get(ZONE, "").strip() or "UTC"
    on = automation_on(environ)
    try:
        return dg.ScheduleDefinition(
            name="rescan",
            job=scan_job,
            cron_schedule=cron,
            execution_timezone=zone,
            default_status=dg.DefaultScheduleStatus.RUNNING if on else dg.DefaultScheduleStatus.STOPPED,
            description=f"Scan the servers again ({CRON}, {ZONE}).",
        )
    except (dg.DagsterInvalidDefinitionError, dg.DagsterInvalidInvocationError) as error:
        raise ConfigError(
            f"{CRON}={cron!r} or {ZONE}={zone!r} cannot be used; write five cron fields as {DEFAULT_CRON!r}, "
            "and a zone as 'Europe/Berlin'"
        ) from error


def servers_digest(environ: Mapping[str, str]) -> str:
    """A digest of the servers files; a file that is missing or cannot be read counts as empty."""
    digest = hashlib.sha256()
    for path in servers_files(environ):
        digest.update(str(path).encode("utf-8", "surrogateescape") + b"\0")
        try:
            digest.update(path.read_bytes())
        except OSError:
            digest.update(b"\1")
    return digest.hexdigest()[:32]
