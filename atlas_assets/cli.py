"""The `atlas` command. Each group of commands is a module of `atlas_assets.commands`.

Bad input ends with one line on stderr and a non-zero exit, never with a traceback.
"""

import importlib
import os
import pkgutil
import sys
from pathlib import Path

import typer

import atlas_assets.commands as commands
from atlas_assets import __version__
from atlas_assets.catalog.visible import printable
from atlas_assets.errors import AtlasError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="MCP Atlas: which MCP tools must run before which.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"mcp-atlas {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """MCP Atlas: which MCP tools must run before which."""
    settle_home()


def settle_home() -> None:
    """Point `DAGSTER_HOME` at the project where it is not set, so that data and UI are the same.

    The project is the current folder where that holds a `dagster.yaml`, else the one this package is
    installed from. Without it Dagster would throw its history away at exit.
    """
    here = os.environ.get("DAGSTER_HOME")
    if here:
        os.environ["DAGSTER_HOME"] = str(Path(here).absolute())
        return
    for folder in (Path.cwd(), Path(__file__).resolve().parents[1]):
        if (folder / "dagster.yaml").is_file():
            os.environ["DAGSTER_HOME"] = str(folder)
            return


for module in sorted(pkgutil.iter_modules(commands.__path__), key=lambda m: m.name):
    importlib.import_module(f"atlas_assets.commands.{module.name}").register(app)


def main() -> None:
    """Run the command line; an AtlasError becomes one line and exit 1."""
    try:
        app()
    except AtlasError as error:
        # a name in it may be a stranger's: nothing that a terminal would obey
        line = printable(" ".join(str(error).split()))
        typer.echo(f"atlas: {line}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        typer.echo("atlas: stopped; what was finished is kept", err=True)
        sys.exit(130)
