"""A project in a temporary folder: its Dagster instance, its data, two recorded servers."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg

from atlas_assets.defs.build import BuildEvent, BuildResult, run_build
from atlas_assets.storage.root import DataRoot

REPOSITORY = Path(__file__).resolve().parents[2]


def tool(name: str, description: str, required: dict[str, str], **more: Any) -> dict[str, Any]:
    """One entry of a `tools/list` answer; `required` is parameter to description."""
    return {
        "name": name,
        "description": description,
        "inputSchema": {
            "type": "object",
            "properties": {p: {"type": "string", "description": text} for p, text in required.items()},
            "required": list(required),
        },
        **more,
    }


TRACKER = [
    tool("list_issues", "List issues with their ids", {}),
    tool("get_issue", "Get one issue", {"issue_id": "The issue's id"}),
    tool("close_issue", "Close an issue", {"issue_id": "The issue's id"}),
]
FILES = [
    tool("list_directory", "List a folder's files", {"path": "Folder path"}),
    tool("read_file", "Read a file", {"path": "File path"}),
    tool("write_file", "Write a file", {"path": "File path", "content": "Text to write"}),
]


@dataclass
class Project:
    """A temporary project; `servers` is name to `tools/list` entries and may be changed between scans."""

    home: Path
    servers: dict[str, list[dict[str, Any]]]

    def save(self) -> None:
        """Write the servers file and the dumps it names."""
        data = self.home / "data"
        data.mkdir(exist_ok=True)
        for name, tools in self.servers.items():
            dump = {"server": name, "tools": tools}
            (data / f"{name}.dump.json").write_text(json.dumps(dump), encoding="utf-8")
        config = {"mcpServers": {name: {"file": f"{name}.dump.json"} for name in self.servers}}
        (data / "servers.json").write_text(json.dumps(config), encoding="utf-8")

    @property
    def root(self) -> DataRoot:
        return DataRoot.from_environment()

    def graph(self) -> dict[str, Any]:
        return dict(self.root.read_json("graph.json"))

    def build(self, instance: dg.DagsterInstance, **options: Any) -> tuple[BuildResult, list[BuildEvent]]:
        self.save()
        events: list[BuildEvent] = []
        return run_build(instance, on_event=events.append, **options), events
