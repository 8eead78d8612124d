"""Small catalogs that several semantic tests share."""

from pathlib import Path

from atlas_assets.catalog.schema import read_tool
from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.edge import Edge
from atlas_assets.edges.semantic.client import CallLimits

QUICK = CallLimits(in_flight=4, deadline=20.0, retries=2)


def make_tool(slug: str, description: str = "", required: tuple[str, ...] = (), **schema: object) -> Tool:
    server, _, name = slug.partition("::")
    properties = {r: {"type": "string", "description": f"the {r}"} for r in required}
    raw = {
        "name": name,
        "description": description,
        "inputSchema": {"type": "object", "properties": properties, "required": list(required)} | schema,
    }
    return read_tool(server, raw)


def library() -> tuple[Tool, ...]:
    """A small library: shelves and books to list, a loan that needs both, a tool that takes nothing."""
    return (
        make_tool("library::list_shelves", "List all shelves with their ids."),
        make_tool("library::find_books", "Find books on a shelf.", ("shelf_id",)),
        make_tool("library::lend_book", "Lend a book to a reader.", ("book_id", "reader_id")),
        make_tool("people::list_readers", "List the readers of a library."),
    )


def found_edge(producer: str, consumer: str, consumes: str) -> Edge:
    return Edge(
        producer=producer,
        consumer=consumer,
        consumes=consumes,
        type="direct",
        layer="name",
        provider="heuristic",
        confidence=0.8,
        reason="the names agree.",
    )


def claim(producer: str, consumes: str, **more: str) -> dict[str, str]:
    return {"from": producer, "consumes": consumes, **more}


def all_text(folder: Path) -> str:
    """Every byte that was written below a folder."""
    return "".join(p.read_text(encoding="utf-8") for p in sorted(folder.rglob("*")) if p.is_file())
