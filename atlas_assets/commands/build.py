"""`atlas build`: the whole pipeline in this process, on the project's own Dagster instance."""

import logging
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from atlas_assets.catalog.visible import printable

if TYPE_CHECKING:
    from rich.console import Console

    from atlas_assets.defs.build import BuildEvent

_MARKS = {"info": " ", "warning": "!", "error": "✗"}


def register(app: typer.Typer) -> None:
    app.command("build")(build)


def build(
    run_config: Annotated[
        Path | None, typer.Option(help="Rules as Dagster's Launchpad takes them, YAML or JSON.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Scan and say what asking would cost; ask and write nothing.")
    ] = False,
    max_cost: Annotated[
        str | None,
        typer.Option(help="Stop before this is exceeded: dollars (2.50) or tokens (200000tokens)."),
    ] = None,
    providers: Annotated[
        str | None,
        typer.Option(help="Ask each consumer of all of these (anthropic,local); agreement counts."),
    ] = None,
    batch: Annotated[
        bool, typer.Option("--batch", help="Ask through the provider's batch API, at half price, and wait.")
    ] = False,
) -> None:
    """Scan the servers, find the edges, ask the provider, and merge the graph.

    The runs stand in the Dagster UI. Exits with 1 where nothing could be listed or a consumer got no
    answer; what was finished is kept, and the next build goes on from there.
    """
    from rich.console import Console

    from atlas_assets.edges.semantic.choose import chosen_providers

    # The assets read these from the environment alone, as an unattended run does.
    for name, value in (("ATLAS_MAX_COST", max_cost), ("ATLAS_PROVIDERS", providers)):
        if value is not None:
            os.environ[name] = value
    if batch:
        os.environ["ATLAS_BATCH"] = "1"
    config = _read_config(run_config) if run_config else None
    chosen_providers(os.environ)  # a provider that cannot be used is said before servers are started
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    if dry_run:
        _say_cost(console, config, batch=batch)
        return
    with console.status("starting Dagster") as status:
        # Dagster announces its beta APIs as warnings; here they are nobody's to act on.
        warnings.simplefilter("ignore")
        logging.getLogger("dagster").setLevel(logging.CRITICAL)
        from atlas_assets.defs.build import project_instance, run_build

        def show(event: "BuildEvent") -> None:
            status.update(f"{event.stage}")
            console.print(f"{_MARKS[event.level]} {event.stage:<10} {_printable(event.text)}", markup=False)

        with project_instance() as instance:
            result = run_build(instance, run_config=config, on_event=show)
    _summarise()
    if not result.ok:
        raise typer.Exit(1)


def _say_cost(console: "Console", config: Mapping[str, Any] | None, *, batch: bool) -> None:
    """Scan, infer, and print what the pass would ask and cost; nothing is written or asked."""
    from atlas_assets.catalog.config import load_servers, servers_files
    from atlas_assets.catalog.scan import scan_servers
    from atlas_assets.edges.infer import DEFAULT_LAYERS, infer_direct
    from atlas_assets.edges.semantic.semantic_pass import consumers_of, estimate_pass
    from atlas_assets.storage.layout import read_catalog
    from atlas_assets.storage.root import DataRoot

    root = DataRoot.from_environment()
    loaded = load_servers(servers_files(os.environ))
    with console.status("scanning"):
        catalog = scan_servers(loaded.servers, previous=read_catalog(root))
    layers = _layers(config) or DEFAULT_LAYERS
    with console.status("inferring"):
        found = infer_direct(catalog.tools, layers=layers)
        estimate = estimate_pass(
            consumers_of(catalog.tools),
            tools=catalog.tools,
            direct=found.edges,
            slots=found.slots,
            root=root,
            batch=batch,
        )
    for line in estimate.lines():
        typer.echo(_printable(line))


def _layers(config: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The heuristic's layers in a run config, checked as a run would check them; () where it names none."""
    if config is None:
        return ()
    from atlas_assets.defs.build import checked_config
    from atlas_assets.edges.infer import ALL_LAYERS
    from atlas_assets.errors import ConfigError

    rules = checked_config(config).get("heuristic_edges", {}).get("config", {})
    layers = tuple(rules.get("layers", ()))
    for layer in layers:
        if layer not in ALL_LAYERS:
            raise ConfigError(f"{layer!r} is no layer; choose among {', '.join(ALL_LAYERS)}")
    return layers


def _read_config(path: Path) -> dict[str, Any]:
    import yaml

    from atlas_assets.errors import ConfigError

    try:
        value = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read the run config {str(path)!r} ({error.strerror})") from error
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"the run config {str(path)!r} is neither YAML nor JSON; correct it") from error
    if not isinstance(value, dict):
        raise ConfigError(f"the run config {str(path)!r} holds no mapping; copy it from Dagster's Launchpad")
    return value


def _summarise() -> None:
    """Print the graph's figures; nothing where there is no graph yet."""
    from atlas_assets.graph.contract import GRAPH_FILE
    from atlas_assets.storage.root import DataRoot

    root = DataRoot.from_environment()
    if not root.exists(GRAPH_FILE):
        return
    stats = root.read_json(GRAPH_FILE)["stats"]
    typer.echo(
        f"{_count(stats['edges'], 'edge')}: {stats['direct']} direct, {stats['semantic']} semantic, "
        f"{stats['manual']} manual"
    )
    typer.echo(f"{stats['user_supplied']} of {stats['required_params']} required parameters left to a person")
    typer.echo(f"{_count(stats['servers'], 'server')}, {_count(stats['tools'], 'tool')}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _printable(text: str) -> str:
    """One line without control characters, which a terminal would obey."""
    return printable(" ".join(text.split()))
