"""The catalog: every server and tool of one scan, and what was wrong with them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from atlas_assets.catalog.tool import SLUG_SEPARATOR, ServerRecord, Tool
from atlas_assets.errors import ScanError


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that was wrong with what a server said; `tool` is empty where it is the server's own.

    A tool that cannot be used is left out of the catalog and reported as a problem: nothing is
    dropped in silence.
    """

    server: str
    tool: str
    reason: str


@dataclass(frozen=True, slots=True)
class Catalog:
    """Servers sorted by name, tools sorted by slug (each slug once), problems sorted."""

    servers: tuple[ServerRecord, ...] = ()
    tools: tuple[Tool, ...] = ()
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(
        cls,
        servers: Iterable[ServerRecord],
        tools: Iterable[Tool],
        problems: Iterable[Problem] = (),
    ) -> "Catalog":
        """A sorted catalog whose servers count their own tools."""
        kept = tuple(sorted(tools, key=lambda tool: tool.slug))
        counts: dict[str, int] = {}
        for tool in kept:
            counts[tool.server] = counts.get(tool.server, 0) + 1
        return cls(
            servers=tuple(
                replace(server, tools=counts.get(server.name, 0))
                for server in sorted(servers, key=lambda server: server.name)
            ),
            tools=kept,
            problems=tuple(sorted(problems)),
        )

    def of_server(self, name: str) -> tuple[Tool, ...]:
        """The tools of one server, in slug order."""
        return tuple(tool for tool in self.tools if tool.server == name)


def safe_server_name(name: str) -> str:
    """`name` such that `<name>::<tool>` can be split again, and shown: no `::`, no `:` at its end, one line.

    Raises ScanError for a name that is empty.
    """
    text = name.strip().encode("utf-8", errors="replace").decode("utf-8")
    if not text:
        raise ScanError("a server has an empty name; give it one")
    text = "".join(char if char.isprintable() else "_" for char in text).replace(SLUG_SEPARATOR, "__")
    return text if not text.endswith(":") else text[:-1] + "_"


def free_name(name: str, taken: Iterable[str]) -> str:
    """`name`, or the first of `name-2`, `name-3`, … that is not taken."""
    used = set(taken)
    if name not in used:
        return name
    number = 2
    while f"{name}-{number}" in used:
        number += 1
    return f"{name}-{number}"
