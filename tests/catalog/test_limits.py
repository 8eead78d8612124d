"""The bounds of a scan: set by the environment, and documented as they are."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from atlas_assets.catalog.limits import PREFIX, ScanLimits
from atlas_assets.errors import ConfigError

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "servers.md"


def test_every_bound_is_set_by_its_variable() -> None:
    environ = {PREFIX + field.name.upper(): "7" for field in fields(ScanLimits)}
    assert ScanLimits.from_environment(environ) == ScanLimits(*[7] * len(fields(ScanLimits)))
    assert ScanLimits.from_environment({}) == ScanLimits()


@pytest.mark.parametrize(
    ("name", "value"), [("TOOLS", "many"), ("PAGES", "0"), ("PAGES", "2.5"), ("START_SECONDS", "inf")]
)
def test_bound_that_is_none_is_told(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=rf"ATLAS_SCAN_{name}='{value}' is no bound; set a"):
        ScanLimits.from_environment({PREFIX + name: value})


def test_documented_defaults_are_the_real_ones() -> None:
    rows = re.findall(rf"^\| `{PREFIX}(\w+)` \| .* \| (\d+) \|$", DOCUMENT.read_text(encoding="utf-8"), re.M)
    assert {name.lower(): float(value) for name, value in rows} == {
        field.name: field.default for field in fields(ScanLimits)
    }
