"""Tools and catalogs for the edge tests."""

from collections.abc import Callable
from pathlib import Path

import pytest

from atlas_assets.catalog.schema import read_tool
from atlas_assets.catalog.tool import Tool

SHARED = Path(__file__).resolve().parents[2].parent / "shared"

MakeTool = Callable[..., Tool]


@pytest.fixture
def make_tool() -> MakeTool:
    """Make a tool of server "shop" from its name, description and parameters."""

    def make(
        name: str,
        description: str = "",
        *,
        server: str = "shop",
        required: dict[str, object] | None = None,
        optional: dict[str, object] | None = None,
        outputs: dict[str, object] | None = None,
        annotations: dict[str, object] | None = None,
    ) -> Tool:
        def schema(value: object) -> object:
            return {"type": "string", "description": value} if isinstance(value, str) else value

        properties = {key: schema(value) for key, value in {**(required or {}), **(optional or {})}.items()}
        raw: dict[str, object] = {
            "name": name,
            "description": description,
            "inputSchema": {"type": "object", "properties": properties, "required": list(required or {})},
            "annotations": annotations or {},
        }
        if outputs is not None:
            raw["outputSchema"] = {"type": "object", "properties": outputs}
        return read_tool(server, raw)

    return make


@pytest.fixture
def shared() -> Path:
    if not SHARED.is_dir():
        pytest.skip("../shared is not there")
    return SHARED
