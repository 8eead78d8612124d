"""`atlas doctor`: what may keep a build from working here, each with its cure."""

import os
import warnings
from pathlib import Path
from typing import Annotated

import typer

_MARKS = {"ok": "✓", "note": "·", "bad": "✗"}


def register(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def doctor(
    servers: Annotated[
        list[Path] | None, typer.Option("--servers", help="A servers file; may be given several times.")
    ] = None,
) -> None:
    """Check runtimes, servers files, each server's handshake, provider keys, data folder and Dagster.

    Exits with 1 if anything is wrong.
    """
    from atlas_assets.catalog.doctor import examine
    from atlas_assets.catalog.visible import printable

    warnings.simplefilter("ignore")  # Dagster announces its beta APIs
    wrong = 0
    for check in examine(os.environ, servers, _count_runs):
        typer.echo(f"{_MARKS[check.verdict]} {check.area:<9}{check.name}: {printable(check.detail)}")
        if check.verdict == "bad":
            wrong += 1
        if check.cure:
            typer.echo(f"  {'':<9}→ {printable(check.cure)}")
    typer.echo(f"{wrong} of these need a cure" if wrong else "All well.")
    if wrong:
        raise typer.Exit(1)


def _count_runs(home: Path) -> int:
    import dagster

    with dagster.DagsterInstance.from_config(str(home)) as instance:
        return instance.get_runs_count()
