"""`atlas export` and `atlas serve`: the viewer as files, and on this machine's browser."""

import os
from pathlib import Path
from typing import Annotated

import typer

DEFAULT_SITE = Path("site")


def register(app: typer.Typer) -> None:
    app.command("export")(export)
    app.command("serve")(serve)


def export(
    site: Annotated[Path, typer.Option(help="The folder to write, for any static host.")] = DEFAULT_SITE,
    single_file: Annotated[
        Path | None, typer.Option(help="Write one HTML file with everything inside, instead of the folder.")
    ] = None,
    graph: Annotated[Path | None, typer.Option(help="Another graph.json than the data folder's.")] = None,
) -> None:
    """Write the viewer with the graph: a folder, or one file, that opens by double-click."""
    from atlas_assets.graph.site import export_single_file, export_site, site_meta
    from atlas_assets.storage.root import DataRoot

    loaded = load_graph(graph)
    # another graph's day is not that of the data folder's catalog
    root = DataRoot(str(graph.absolute().parent)) if graph else DataRoot.from_environment()
    meta = site_meta(root, os.environ)
    if single_file:
        page = export_single_file(loaded, single_file, meta=meta)
    else:
        page = export_site(loaded, site, meta=meta)
    typer.echo(f"The viewer is in {single_file or site}; open {page.absolute().as_uri()}")


def serve(
    site: Annotated[Path, typer.Option(help="The exported folder.")] = DEFAULT_SITE,
    port: Annotated[int, typer.Option(help="The port; 0 picks a free one.")] = 8765,
) -> None:
    """Serve the exported viewer on 127.0.0.1 until Ctrl-C."""
    from atlas_assets.serve.static import HOST, site_server

    with site_server(site, port) as server:
        typer.echo(f"The viewer is at http://{HOST}:{server.server_address[1]}/ (Ctrl-C ends it)")
        server.serve_forever()


def load_graph(path: Path | None) -> dict[str, object]:
    """The graph of the data folder, or of a file; raises GraphError or StorageError with the cure."""
    from atlas_assets.errors import StorageError
    from atlas_assets.graph.contract import GRAPH_FILE, validate_graph
    from atlas_assets.storage.root import DataRoot

    root = DataRoot(str(path.absolute().parent)) if path else DataRoot.from_environment()
    name = path.name if path else GRAPH_FILE
    try:
        return validate_graph(root.read_json(name))
    except StorageError as error:
        if path is None or root.local is None or not root.exists(name):
            raise
        # a file that a person named is theirs: no advice to remove it
        raise StorageError(f"{str(path)!r} is no graph.json; name a file that `atlas build` wrote") from error
    except FileNotFoundError as error:
        raise StorageError(
            f"there is no {name}; run `atlas build` first, or name a file with --graph"
        ) from error
