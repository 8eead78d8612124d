"""Commands about edges: infer, explain, unresolved, eval. None of them needs Dagster or a model."""

import difflib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from atlas_assets.edges.edge import Slot, edge_row
from atlas_assets.errors import CatalogError, ConfigError, GraphError

if TYPE_CHECKING:
    from atlas_assets.catalog.tool import Tool
    from atlas_assets.edges.evaluate import Score
    from atlas_assets.edges.infer import Inference

Files = Annotated[
    list[Path], typer.Argument(help="Recorded catalogs: tools/list answers, one file a server.")
]
Layers = Annotated[
    str | None,
    typer.Option(
        help="Layers to use, separated by commas: slug, name, output_schema, mention, annotation, local."
    ),
]
Catalogs = Annotated[
    list[Path] | None,
    typer.Option("--catalog", help="A recorded catalog; without one, the built graph is asked."),
]


def register(app: typer.Typer) -> None:
    app.command()(infer)
    app.command()(explain)
    app.command()(unresolved)
    app.command("eval")(evaluate)


def infer(
    files: Files,
    out: Annotated[Path, typer.Option(help="Where the edges go, as JSON.")],
    layers: Layers = None,
    provider: Annotated[
        str | None, typer.Option(help="Who is asked for semantic edges: a provider's name; local by default.")
    ] = None,
) -> None:
    """Find edges among recorded catalogs without Dagster; by rule, without a model, unless one is named."""
    tools, problems = _load(files)
    found = _infer(tools, layers)
    if provider and provider != "local":
        found = _asked(tools, found, provider)
    document = {
        "edges": [edge_row(edge) for edge in found.edges],
        "slots": [slot_row(slot) for slot in found.slots],
    }
    text = json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False) + "\n"
    try:
        out.write_bytes(text.encode("utf-8", errors="backslashreplace"))
    except OSError as error:
        raise ConfigError(
            f"cannot write {str(out)!r}: {error.strerror}; name another file with --out"
        ) from error
    for line in problems:
        typer.echo(line, err=True)
    hidden = sum(edge.hidden for edge in found.edges)
    visible = len(found.edges) - hidden
    typer.echo(f"{len(tools)} tools, {visible} edges, {hidden} hidden ones, {len(found.slots)} slots")


def explain(
    producer: Annotated[str, typer.Argument(metavar="FROM", help="Slug of the producer.")],
    consumer: Annotated[str, typer.Argument(metavar="TO", help="Slug of the consumer.")],
    param: Annotated[str, typer.Argument(metavar="PARAM", help="The parameter of the consumer.")],
    catalog: Catalogs = None,
) -> None:
    """Say why there is an edge between two tools, or why there is none."""
    if catalog:
        tools, _ = _load(catalog)
        found = _infer(tools, None)
        slugs = {tool.slug for tool in tools}
        rows = [edge_row(edge) for edge in found.edges]
        slots = [slot_row(slot) for slot in found.slots]
    else:
        slugs, rows, slots = _built()
    for slug in (producer, consumer):
        if slug not in slugs:
            like = [known for known in sorted(slugs) if known.partition("::")[2] == slug]
            like = like or difflib.get_close_matches(slug, sorted(slugs), 1)
            hint = f"did you mean {like[0]!r}?" if like else "a slug is <server>::<tool>, as in graph.json"
            raise GraphError(f"there is no tool {slug!r}; {hint}")
    into = [row for row in rows if row["to"] == consumer and row["consumes"] == param]
    mine = [slot for slot in slots if slot["consumer"] == consumer and slot["param"] == param]
    if not mine and not into:
        raise GraphError(f"{consumer!r} has no parameter {param!r} that could have an edge")
    for row in into:
        if row["from"] == producer:
            place = _line(f"{param}.{row['path']}" if row["path"] else param)
            hidden = ", hidden" if row["hidden"] else ""
            typer.echo(
                f"{producer} → {consumer} [{place}] {row['type']}, layer {row['layer']}, "
                f"confidence {row['confidence']}{hidden}: {_line(row['reason'])}"
            )
            return
    about = _line(mine[0]["reason"]) if mine else ""
    others = ", ".join(_line(row["from"]) for row in into if not row["hidden"]) or "none"
    typer.echo(f"{producer} → {consumer} [{param}]: no edge. {about} Its producers: {others}.")


def unresolved(
    catalog: Catalogs = None,
    out: Annotated[Path | None, typer.Option(help="Write to a file instead of the screen.")] = None,
    all_slots: Annotated[
        bool, typer.Option("--all", help="Also slots that a person is expected to fill.")
    ] = False,
) -> None:
    """List required parameters without a producer, as an edges.manual.json to complete."""
    if catalog:
        found = _infer(_load(catalog)[0], None)
        rows = [edge_row(edge) for edge in found.edges]
        slots = [slot_row(slot) for slot in found.slots]
    else:
        _, rows, slots = _built()
    filled = {(row["to"], row["consumes"]) for row in rows if not row["hidden"]}
    open_slots = [
        slot
        for slot in slots
        if slot["required"]
        and slot["path"] is None
        and (slot["consumer"], slot["param"]) not in filled
        and (all_slots or slot["class"] == "produced")
    ]
    document = {
        "edges": [
            {"from": "", "to": slot["consumer"], "consumes": slot["param"], "reason": _line(slot["reason"])}
            for slot in open_slots
        ]
    }
    text = json.dumps(document, ensure_ascii=False, indent=1)
    if out is None:
        # what a terminal would obey stays JSON, as escapes
        typer.echo("".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text))
        return
    try:
        out.write_bytes((text + "\n").encode("utf-8", errors="backslashreplace"))
    except OSError as error:
        raise ConfigError(
            f"cannot write {str(out)!r}: {error.strerror}; name another file with --out"
        ) from error
    typer.echo(f"{len(open_slots)} parameters without a producer; fill in `from` and keep what you know")


def evaluate(
    folders: Annotated[
        list[Path], typer.Argument(help="Gold folders: tools.json, gold_edges.csv, slots.csv.")
    ],
    layers: Layers = None,
    by_layer: Annotated[bool, typer.Option("--by-layer", help="Also each layer alone.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score the inferred edges against labelled sets: recall, slot hit, precision, F1."""
    from atlas_assets.edges.evaluate import pool, read_gold, score

    scores: list[Score] = []
    layered: dict[str, list[Score]] = {}
    for folder in folders:
        gold = read_gold(folder)
        found = _infer(gold.tools, layers)
        scores.append(score(gold, found.edges))
        for layer in sorted({edge.layer for edge in found.edges}) if by_layer else ():
            alone = score(gold, [edge for edge in found.edges if edge.layer == layer])
            layered.setdefault(layer, []).append(alone)
    if len(folders) > 1:
        scores.append(pool("pooled", scores))
    scores.extend(pool(f"layer {layer}", layered[layer]) for layer in sorted(layered))
    if as_json:
        typer.echo(json.dumps([_score_row(one) for one in scores], indent=1))
        return
    typer.echo(
        f"{'set':26} {'edges':>6} {'recall':>7} {'precision':>9} {'F1':>6} {'slot hit':>8} {'user/none':>9}"
    )
    for one in scores:
        typer.echo(
            f"{one.name[:26]:26} {one.gold:>6} {_share(one.recall):>7} {_share(one.precision):>9} "
            f"{_share(one.f1):>6} {_share(one.slot_hit):>8} {_share(one.intrusion):>9}"
        )


def _load(files: list[Path]) -> "tuple[tuple[Tool, ...], list[str]]":
    from atlas_assets.catalog.recorded import load_recorded_files

    for path in files:
        if not path.is_file():
            raise CatalogError(f"there is no file {str(path)!r}; give recorded catalogs")
    catalog = load_recorded_files(files)
    lines = [f"{p.server}{'::' + p.tool if p.tool else ''}: {_line(p.reason)}" for p in catalog.problems]
    return catalog.tools, lines


def _infer(tools: "tuple[Tool, ...]", layers: str | None) -> "Inference":
    from atlas_assets.edges.infer import ALL_LAYERS, DEFAULT_LAYERS, infer

    chosen = (
        DEFAULT_LAYERS
        if layers is None
        else tuple(name.strip() for name in layers.split(",") if name.strip())
    )
    unknown = sorted(set(chosen) - set(ALL_LAYERS))
    if unknown:
        raise ConfigError(f"there is no layer {unknown[0]!r}; choose among {', '.join(ALL_LAYERS)}")
    return infer(tools, chosen)


def _asked(tools: "tuple[Tool, ...]", found: "Inference", provider: str) -> "Inference":
    """The direct edges with the semantic ones of a model instead of the built-in provider's."""
    import os

    from atlas_assets.edges.infer import Inference
    from atlas_assets.edges.semantic.choose import choose_provider
    from atlas_assets.edges.semantic.semantic_pass import consumers_of, run_semantic_pass
    from atlas_assets.storage.root import DataRoot

    choice = choose_provider({**os.environ, "LLM_PROVIDER": provider})
    typer.echo(choice.receiver, err=True)
    direct = tuple(edge for edge in found.edges if edge.type == "direct")
    report = run_semantic_pass(
        consumers_of(tools),
        tools=tools,
        direct=direct,
        slots=found.slots,
        root=DataRoot.from_environment(),
        choice=choice,
        on_result=lambda result: (
            typer.echo(f"{result.consumer}: {_line(result.error)}", err=True) if result.error else None
        ),
    )
    semantic = [edge for result in report.results for edge in result.edges]
    return Inference(tuple(sorted([*direct, *semantic], key=lambda edge: edge.key)), found.slots)


def _built() -> "tuple[set[str], list[dict[str, object]], list[dict[str, object]]]":
    """Slugs, edges and slots of the graph that was built last."""
    from atlas_assets.graph.contract import validate_graph
    from atlas_assets.storage.root import DataRoot

    try:
        graph = validate_graph(DataRoot.from_environment().read_json("graph.json"))
    except FileNotFoundError as error:
        raise GraphError(
            "there is no graph yet; run `atlas build`, or name catalogs with --catalog"
        ) from error
    slots = [
        {**slot, "consumer": node["id"], "reason": slot.get("reason", "")}
        for node in graph["nodes"]
        for slot in node["slots"]
    ]
    return {node["id"] for node in graph["nodes"]}, graph["edges"], slots


def slot_row(slot: Slot) -> dict[str, object]:
    """A slot in the form of graph.json, with its consumer and the reason."""
    return {
        "consumer": slot.consumer,
        "param": slot.param,
        "path": slot.path,
        "required": slot.required,
        "class": slot.slot_class,
        "kind": slot.kind,
        "entity": slot.entity,
        "reason": slot.reason,
    }


def _score_row(one: "Score") -> dict[str, object]:
    rounded = {
        name: None if (value := getattr(one, name)) is None else round(value, 3)
        for name in ("recall", "precision", "f1", "slot_hit", "intrusion")
    }
    return {"set": one.name, "edges": one.gold, "slots": one.slots, "predicted": one.counted, **rounded}


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _line(text: object) -> str:
    """One printable line of third-party text."""
    return " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
