"""`atlas cache`: the answers that models were paid for, listed, pruned, and shared."""

from pathlib import Path
from typing import Annotated

import typer

cache = typer.Typer(no_args_is_help=True, help="The kept answers of models: list, prune, export, import.")


def register(app: typer.Typer) -> None:
    app.add_typer(cache, name="cache")


@cache.command("list")
def list_records(
    consumer: Annotated[str, typer.Option(help="Only consumers whose slug contains this.")] = "",
) -> None:
    """One line per consumer and model: answers kept, producers asked about, edges, tokens paid."""
    from atlas_assets.edges.semantic.cleaning import clean_text
    from atlas_assets.edges.semantic.records import RecordStore
    from atlas_assets.edges.semantic.upkeep import holdings
    from atlas_assets.storage.root import DataRoot

    held, damaged = holdings(RecordStore(DataRoot.from_environment()))
    shown = [h for h in held if consumer in h.consumer]
    for h in shown:
        typer.echo(
            f"{clean_text(h.consumer, 200)}  {h.provider} {clean_text(h.model, 80)}  prompt {h.prompt}  "
            f"{_many(h.answers, 'answer')} about {_many(h.producers, 'producer')}, "
            f"{_many(h.claims, 'edge')}, {h.input_tokens:,} + {h.output_tokens:,} tokens"
        )
    tokens = sum(h.input_tokens + h.output_tokens for h in shown)
    consumers = len({h.consumer for h in shown})
    typer.echo(f"{_many(consumers, 'consumer')}, {tokens:,} tokens paid for")
    for name in damaged:
        typer.echo(f"{name} cannot be read; `atlas cache prune` removes it", err=True)


@cache.command("prune")
def prune_records(
    old_prompts: Annotated[
        bool, typer.Option("--old-prompts", help="Also drop answers to other versions of the prompt.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
) -> None:
    """Drop answers that no pass over the last scan can use: consumers gone or changed, damaged files."""
    import os

    from atlas_assets.edges.semantic.cleaning import clean_text
    from atlas_assets.edges.semantic.prompt import load_prompt
    from atlas_assets.edges.semantic.records import RecordStore
    from atlas_assets.edges.semantic.upkeep import prune
    from atlas_assets.errors import StorageError
    from atlas_assets.storage.layout import read_catalog
    from atlas_assets.storage.root import DataRoot

    root = DataRoot.from_environment()
    catalog = read_catalog(root)
    if catalog is None:
        raise StorageError("there is no scan to prune by; run `atlas build` or `atlas scan` first")
    prompt = load_prompt(os.environ).version if old_prompts else None
    pruned = prune(RecordStore(root), catalog.tools, prompt=prompt, dry_run=dry_run)
    for consumer, answers in pruned.answers.items():
        typer.echo(f"{clean_text(consumer, 200)}: {_many(answers, 'answer')}")
    for name in pruned.damaged:
        typer.echo(f"{name}: cannot be read")
    verb = "would go" if dry_run else "gone"
    total = _many(sum(pruned.answers.values()), "answer")
    typer.echo(f"{total} and {_many(len(pruned.damaged), 'damaged file')} {verb}")


@cache.command("export")
def export_bundle(file: Annotated[Path, typer.Argument(help="The file to write.")]) -> None:
    """Write all kept answers into one file, for a team to share. It holds no key and no address."""
    from atlas_assets.edges.semantic.records import RecordStore
    from atlas_assets.edges.semantic.upkeep import export_records
    from atlas_assets.storage.root import DataRoot

    count = export_records(RecordStore(DataRoot.from_environment()), file)
    typer.echo(f"{_many(count, 'consumer')} written to {file}")


@cache.command("import")
def import_bundles(files: Annotated[list[Path], typer.Argument(help="Files that `export` wrote.")]) -> None:
    """Join exported answers with those that are here; nothing is lost on either side."""
    from atlas_assets.edges.semantic.records import RecordStore
    from atlas_assets.edges.semantic.upkeep import import_records
    from atlas_assets.storage.root import DataRoot

    store = RecordStore(DataRoot.from_environment())
    for file in files:
        brought = import_records(store, file)
        refused = f", {brought.refused} unreadable" if brought.refused else ""
        typer.echo(f"{file}: {_many(brought.new, 'new answer')}, {brought.known} known already{refused}")


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
