"""Every command and file that the README names is there."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from atlas_assets.cli import app

PROJECT = Path(__file__).resolve().parents[2]
README = (PROJECT / "README.md").read_text(encoding="utf-8")
CODE = [
    line for block in re.findall(r"^```\w*\n(.*?)^```", README, re.M | re.S) for line in block.splitlines()
]
COMMANDS = sorted({line.split("#")[0].strip() for line in CODE if ".venv/bin/atlas" in line})
TARGETS = sorted(set(re.findall(r"^(?:\S+=\S+ )*make ([a-z-]+)", "\n".join(CODE), re.M)))


def test_the_readme_names_commands_and_targets():
    assert COMMANDS
    assert {"demo", "test"} <= set(TARGETS)


@pytest.mark.parametrize("target", TARGETS)
def test_each_make_target_of_the_readme_exists(target):
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{target}:", makefile, re.M)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_atlas_command_of_the_readme_is_known_with_its_options(command):
    words = shlex.split(command)
    words = words[words.index(".venv/bin/atlas") + 1 :]
    result = CliRunner().invoke(app, [words[0], "--help"])
    assert result.exit_code == 0, result.output
    for option in (w for w in words if w.startswith("--")):
        assert option in result.output


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((?!https?:)([^)#]+)\)", README))))
def test_each_local_link_of_the_readme_leads_somewhere(link):
    assert (PROJECT / link).exists()
