"""The records a catalog is made of: servers, tools, their parameters and output fields.

Shapes follow `tools/list` of the Model Context Protocol
(https://modelcontextprotocol.io/specification, "Tools"). All records are frozen; schemas are kept as
plain JSON values and must not be changed in place.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

from atlas_assets.errors import CatalogError

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
JsonObject = dict[str, Json]

ToolStatus = Literal["ok", "stale", "removed"]
ServerStatus = Literal["ok", "stale", "failed", "needs_auth", "disabled"]

SLUG_SEPARATOR = "::"


def make_slug(server: str, tool: str) -> str:
    """The slug `<server>::<tool>`; a server name never holds the separator, a tool name may."""
    return f"{server}{SLUG_SEPARATOR}{tool}"


def split_slug(slug: str) -> tuple[str, str]:
    """Server and tool of a slug. Raises CatalogError for a text without the separator."""
    server, separator, tool = slug.partition(SLUG_SEPARATOR)
    if not (separator and server and tool):
        raise CatalogError(f"{slug!r} is no slug; write <server>::<tool>")
    return server, tool


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a tool, or one place inside it.

    `path` is None for the whole parameter, else the place inside it (`cluster_id` inside
    `request`, `[].path` inside `files`). `type` is the JSON type for people (`string`,
    `array<string>`, `integer|null`, `any`). `required` is true where this place and everything
    above it must be given. `enum` and `default` hold JSON texts, `default` None where there is none.
    """

    name: str
    path: str | None
    type: str
    required: bool
    description: str = ""
    enum: tuple[str, ...] = ()
    default: str | None = None
    format: str | None = None


@dataclass(frozen=True, slots=True)
class OutputField:
    """One named place in what a tool returns: `path` as in `items[].id`, `type` as in Parameter."""

    path: str
    type: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of one server.

    `slug` is `<server>::<name>` and unique in a catalog. `title` and `description` are empty where
    the server gives none; `output_schema` is None where it gives none. `annotations` are the
    server's hints, evidence and never truth. `parameters` holds every top-level parameter
    (`path` None, in the schema's order) and the places inside them. `outputs` likewise for the
    output schema. `status` is `stale` where the server could not be asked this time.
    """

    server: str
    name: str
    title: str = ""
    description: str = ""
    input_schema: JsonObject = field(default_factory=dict)
    output_schema: JsonObject | None = None
    annotations: JsonObject = field(default_factory=dict)
    parameters: tuple[Parameter, ...] = ()
    outputs: tuple[OutputField, ...] = ()
    status: ToolStatus = "ok"

    @property
    def slug(self) -> str:
        return make_slug(self.server, self.name)

    @property
    def fingerprint(self) -> str:
        """SHA-256 over what the server said of the tool (32 hex digits): content, never order or time."""
        said = {
            "slug": self.slug,
            "title": self.title,
            "description": self.description,
            "input_schema": self.input_schema,
            "output_schema": self.output_schema,
            "annotations": self.annotations,
        }
        text = json.dumps(said, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @property
    def top_parameters(self) -> tuple[Parameter, ...]:
        """The parameters a caller names: those with no `path`."""
        return tuple(p for p in self.parameters if p.path is None)

    @property
    def required_parameters(self) -> tuple[Parameter, ...]:
        """The top-level parameters that must be given."""
        return tuple(p for p in self.parameters if p.path is None and p.required)

    def hint(self, name: str) -> bool | None:
        """An annotation hint (`readOnlyHint`, …), None where absent or not a boolean."""
        value = self.annotations.get(name)
        return value if isinstance(value, bool) else None


@dataclass(frozen=True, slots=True)
class ServerRecord:
    """One server of a scan.

    `name` is the name in the servers file, the server part of its slugs; `title` and `version` are
    what it says of itself. `transport` is `stdio`, `http`, `sse` or `file`; `protocol` the agreed
    protocol version. `tools` counts its tools in the catalog, stale ones included. `seconds` is how
    long the scan took and stays out of everything that must not change with the clock. `reason`
    says, without secrets, why `status` is not `ok`; else it is empty.
    """

    name: str
    title: str = ""
    version: str = ""
    transport: str = "stdio"
    protocol: str = ""
    tools: int = 0
    seconds: float = 0.0
    status: ServerStatus = "ok"
    reason: str = ""


def as_object(value: object) -> JsonObject:
    """`value` as a JSON object, or an empty one where it is something else."""
    return cast(JsonObject, dict(value)) if isinstance(value, Mapping) else {}
