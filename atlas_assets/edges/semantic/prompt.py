"""The question that a model is asked about one consumer.

Three parts, from what is shared to what is not, so that a provider's prompt cache pays: the rules
(the same for every question), the catalog (the same bytes for all consumers that share a list of
producers), the consumer with its line `CONSUMER: <slug>`. The words are in `prompt.md`, which
`ATLAS_PROMPT` replaces. Servers' text stands in JSON strings, one tool a line, with `<` escaped: it can
neither end its block nor begin a line of its own.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from atlas_assets.catalog.tool import Parameter, Tool
from atlas_assets.edges.edge import Edge, Slot
from atlas_assets.edges.semantic.cleaning import clean_text
from atlas_assets.errors import ConfigError

SECTIONS = ("Rules", "Catalog", "Consumer", "Repair")

DESCRIPTION_LIMIT = 320
CONSUMER_DESCRIPTION_LIMIT = 900
PARAMETER_LIMIT = 240
NAME_LIMIT = 200
SHOWN_REQUIRED = 12
SHOWN_OUTPUTS = 24
SHOWN_PARAMETERS = 40
SHOWN_ENUM = 12
SHOWN_FOUND = 40
"""Caps that keep one drowning tool from crowding out the others."""

CHARACTERS_PER_TOKEN = 3.6
"""Measured on catalogs of JSON lines with today's tokenizers; estimates only, bills are what counts."""


LineOf = Callable[[Tool], str]


@dataclass(frozen=True, slots=True)
class PromptText:
    """The words of the prompt; `version` is the file's own and a hash of its text."""

    version: str
    rules: str
    catalog: str
    consumer: str
    repair: str


@dataclass(frozen=True, slots=True)
class Question:
    """One prompt, ready to be sent: `shared` is the cacheable part of the user's message."""

    consumer: str
    rules: str
    shared: str
    own: str

    @property
    def tokens(self) -> int:
        """Estimated input tokens."""
        return count_tokens(self.rules) + self.own_tokens + count_tokens(self.shared)

    @property
    def own_tokens(self) -> int:
        """Estimated input tokens of the part that no other consumer shares."""
        return count_tokens(self.own)


def count_tokens(text: str) -> int:
    """Estimated tokens of `text`."""
    return math.ceil(len(text.encode("utf-8", errors="replace")) / CHARACTERS_PER_TOKEN)


def load_prompt(environ: Mapping[str, str]) -> PromptText:
    """The prompt's words: the file that `ATLAS_PROMPT` names, else the built-in one.

    Raises ConfigError for a file that cannot be read or lacks a section.
    """
    place = environ.get("ATLAS_PROMPT", "").strip()
    if not place:
        return _built_in()
    try:
        text = Path(place).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"ATLAS_PROMPT: cannot read {place!r} ({type(error).__name__}); name a UTF-8 text file"
        ) from error
    return parse_prompt(text, place)


@cache
def _built_in() -> PromptText:
    text = files("atlas_assets.edges.semantic").joinpath("prompt.md").read_text(encoding="utf-8")
    return parse_prompt(text, "prompt.md")


def parse_prompt(text: str, name: str) -> PromptText:
    """The sections of a prompt file. Raises ConfigError where one is missing or empty."""
    label = "custom"
    found: dict[str, list[str]] = {}
    section = ""
    for line in text.splitlines():
        if line.startswith("version:") and not section:
            label = clean_text(line.removeprefix("version:"), 40) or label
        elif line.startswith("# ") and line[2:].strip() in SECTIONS:
            section = line[2:].strip()
            found[section] = []
        elif section:
            found[section].append(line)
    bodies = {key: "\n".join(lines).strip() for key, lines in found.items()}
    missing = [s for s in SECTIONS if not bodies.get(s)]
    if missing:
        raise ConfigError(f"the prompt file {name!r} has no section '# {missing[0]}'; copy the built-in one")
    digest = hashlib.sha256(json.dumps(bodies, sort_keys=True).encode()).hexdigest()[:8]
    return PromptText(
        f"{label}-{digest}", bodies["Rules"], bodies["Catalog"], bodies["Consumer"], bodies["Repair"]
    )


def catalog_block(producers: Iterable[Tool], text: PromptText, line_of: LineOf | None = None) -> str:
    """The producers as one block, sorted by slug: the same tools give the same bytes.

    `line_of` looks up lines that were made already; without it they are made.
    """
    lines = ((line_of or producer_line)(tool) for tool in sorted(producers, key=lambda t: t.slug))
    return "\n".join((text.catalog, "<catalog>", *lines, "</catalog>")) + "\n"


def ask_about(
    consumer: Tool, *, shared: str, found: Sequence[Edge], slots: Sequence[Slot], text: PromptText
) -> Question:
    """The question about `consumer` behind a catalog block; `found` and `slots` are its own."""
    own = [text.consumer, "<consumer>", consumer_line(consumer, slots), "</consumer>", "<found>"]
    own += [_found_line(edge) for edge in sorted(found, key=lambda e: e.key)[:SHOWN_FOUND]]
    own += ["</found>", f"CONSUMER: {one_line(consumer.slug)}"]
    return Question(consumer.slug, text.rules, shared, "\n".join(own))


def one_line(slug: str) -> str:
    """The slug as it stands, or as JSON where a strange character could break its line."""
    harmless = "<" not in slug and clean_text(slug, len(slug) + 1) == slug
    return slug if harmless else _dump(slug)[1:-1]


def producer_line(tool: Tool, offers: Sequence[str] = ()) -> str:
    """One tool of the catalog as a line of JSON: what it does, requires and returns.

    `offers` are the resources that the rules see in its name and description, shown where no output
    field says more.
    """
    said: dict[str, object] = {"tool": one_line(tool.slug)}
    described = clean_text(tool.description or tool.title, DESCRIPTION_LIMIT)
    if described:
        said["does"] = described
    required = [_short(p) for p in tool.required_parameters[:SHOWN_REQUIRED]]
    if required:
        said["requires"] = required
    returns = [clean_text(o.path, NAME_LIMIT) for o in tool.outputs[:SHOWN_OUTPUTS]]
    if returns:
        said["returns"] = returns
    elif offers:
        said["offers"] = [clean_text(offer, NAME_LIMIT) for offer in offers]
    if tool.hint("readOnlyHint") is False and tool.hint("destructiveHint"):
        said["destructive"] = True
    return _dump(said)


def consumer_line(tool: Tool, slots: Sequence[Slot]) -> str:
    """The consumer as a line of JSON: its parameters to fill, with what the rules know of each."""
    known = {(slot.param, slot.path): slot for slot in slots}
    wanted = {p.name for p in fillable(tool)}
    fill = [
        _parameter(p, known.get((p.name, p.path)))
        for p in [p for p in tool.parameters if p.name in wanted][:SHOWN_PARAMETERS]
    ]
    return _dump(
        {
            "tool": one_line(tool.slug),
            "does": clean_text(tool.description or tool.title, CONSUMER_DESCRIPTION_LIMIT),
            "fill": fill,
        }
    )


def fillable(tool: Tool) -> tuple[Parameter, ...]:
    """The parameters an edge may fill: the required ones; all, where the tool requires none."""
    return tool.required_parameters or tool.top_parameters


def _short(parameter: Parameter) -> str:
    return clean_text(f"{parameter.name}: {parameter.type}", NAME_LIMIT)


def _parameter(parameter: Parameter, slot: Slot | None) -> dict[str, object]:
    said: dict[str, object] = {"name": clean_text(parameter.name, NAME_LIMIT)}
    if parameter.path is not None:
        said["path"] = clean_text(parameter.path, NAME_LIMIT)
    said["type"] = clean_text(parameter.type, NAME_LIMIT)
    said["required"] = parameter.required
    if parameter.description:
        said["means"] = clean_text(parameter.description, PARAMETER_LIMIT)
    if parameter.enum:
        said["one of"] = [clean_text(value, 60) for value in parameter.enum[:SHOWN_ENUM]]
    if parameter.format:
        said["format"] = clean_text(parameter.format, 60)
    if slot is not None:
        about = " ".join(w for w in (slot.slot_class, slot.kind, slot.entity) if w)
        said["rules say"] = clean_text(about, NAME_LIMIT)
    return said


def _found_line(edge: Edge) -> str:
    said: dict[str, object] = {
        "from": one_line(edge.producer),
        "consumes": clean_text(edge.consumes, NAME_LIMIT),
    }
    if edge.path is not None:
        said["path"] = clean_text(edge.path, NAME_LIMIT)
    said["confidence"] = round(edge.confidence, 2)
    if edge.reason:
        said["because"] = clean_text(edge.reason, 160)
    return _dump(said)


def _dump(value: object) -> str:
    # "<" is escaped so that no text can open or close a block
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
