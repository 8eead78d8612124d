"""`atlas accept` and `atlas diff`: what changed, and saying that it is all right."""

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    app.command("accept")(accept)
    app.command("diff")(diff)


def accept(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[SERVER|SLUG]...", help="Servers or tools to accept.")
    ] = None,
) -> None:
    """Accept what tools say now; without a name, show what is waiting to be accepted.

    The check `texts_as_accepted` warns of a tool whose text changed until it is accepted here.
    """
    from atlas_assets.catalog import drift as known
    from atlas_assets.catalog.visible import difference, visible
    from atlas_assets.storage.layout import read_drift, write_accepted
    from atlas_assets.storage.root import DataRoot

    root = DataRoot.from_environment()
    before = read_drift(root)
    waiting = known.unaccepted(before)
    if not names:
        for change in waiting:
            typer.echo(f"{visible(change.slug)}  {visible(change.place)}")
            typer.echo(f"    {difference(change.before, change.after)}")
        count = len({change.slug for change in waiting})
        typer.echo(f"{count} tools say something else than was accepted" if count else "nothing is waiting")
        return
    after = known.accept(before, names)
    write_accepted(root, after)
    done = {change.slug for change in waiting} - {change.slug for change in known.unaccepted(after)}
    for slug in sorted(done):
        typer.echo(f"accepted {visible(slug)}")
    if not done:
        typer.echo("nothing was waiting there; it stays accepted")


def diff(
    old: Annotated[Path, typer.Argument(help="The earlier graph.json.")],
    new: Annotated[Path, typer.Argument(help="The later graph.json.")],
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 where they differ.")] = False,
) -> None:
    """Show what differs between two graphs: tools, edges, parameters that lost their last producer."""
    from atlas_assets.commands.site import load_graph
    from atlas_assets.graph.diff import diff_graphs

    found = diff_graphs(load_graph(old), load_graph(new))
    for mark, slugs in (("+", found.tools_added), ("-", found.tools_removed)):
        for slug in slugs:
            _line(f"{mark} tool {slug}")
    for slug, fields in found.tools_changed:
        _line(f"~ tool {slug}: {', '.join(fields).replace('_', ' ')}")
    for mark, edges in (("+", found.edges_added), ("-", found.edges_removed)):
        for edge in edges:
            _line(f"{mark} edge {_edge(edge)}")
    for edge, fields in found.edges_changed:
        _line(f"~ edge {_edge(edge)}: {', '.join(fields)}")
    for consumer, parameter, path in found.orphaned:
        _line(f"! {consumer} [{_place(parameter, path)}] lost its last producer")
    if found.same:
        typer.echo("the graphs say the same")
    elif exit_code:
        raise typer.Exit(1)


def _edge(edge: tuple[str, str, str, str]) -> str:
    producer, consumer, parameter, path = edge
    return f"{producer} → {consumer} [{_place(parameter, path)}]"


def _place(parameter: str, path: str) -> str:
    return f"{parameter} {path}" if path else parameter


def _line(text: str) -> None:
    from atlas_assets.catalog.visible import visible

    typer.echo(visible(text))
