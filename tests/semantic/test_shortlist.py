import random

import pytest

from atlas_assets.edges.semantic.choose import choose_provider
from atlas_assets.edges.semantic.shortlist import CANDIDATES, Shortlists, prompt_budget
from atlas_assets.errors import ConfigError
from tests.semantic.tools_for_tests import found_edge, library, make_tool


def town(servers: int = 12, tools: int = 30):
    """Many servers of one shape each about its own things, and one lister of files."""
    made = [make_tool("disk::list_directory", "List the files in a folder of this machine.")]
    for s in range(servers):
        for t in range(tools // 2):
            made.append(make_tool(f"s{s}::list_thing{t}s", f"List all thing{t}s with their ids. " * 3))
            made.append(make_tool(f"s{s}::open_thing{t}", f"Open a thing{t}. " * 3, (f"thing{t}_id",)))
        made.append(make_tool(f"s{s}::load_file", "Load a file.", ("file_path",)))
    return tuple(made)


def big_server(tools: int = 300):
    made = []
    for t in range(tools // 2):
        made.append(make_tool(f"big::list_widget{t}s", f"List all widget{t}s with their ids."))
        made.append(make_tool(f"big::open_widget{t}", f"Open a widget{t}.", (f"widget{t}_id",)))
    return tuple(made)


def by_slug(tools, slug):
    return next(t for t in tools if t.slug == slug)


def test_a_catalog_within_the_budget_is_shown_whole() -> None:
    lists = Shortlists(library(), 24_000)
    assert lists.shown(library()[1]) == tuple(sorted(library(), key=lambda t: t.slug))


def test_beyond_the_budget_consumers_of_one_server_share_one_list() -> None:
    tools = town()
    lists = Shortlists(tools, 9_000)
    first, second = (lists.shown(by_slug(tools, f"s3::open_thing{t}")) for t in (1, 7))
    assert first is second
    assert len(first) <= CANDIDATES < len(tools)
    assert {t.slug for t in tools if t.server == "s3"} <= {t.slug for t in first}


def test_room_is_left_for_what_crosses_servers() -> None:
    tools = town()
    shown = Shortlists(tools, 9_000).shown(by_slug(tools, "s3::load_file"))
    assert "disk::list_directory" in {t.slug for t in shown}


def test_no_list_exceeds_the_token_budget() -> None:
    tools = town()
    lists = Shortlists(tools, 5_000)
    shown = lists.shown(by_slug(tools, "s3::open_thing1"))
    assert 0 < sum(len(lists.line(t)) for t in shown) / 3.6 < 5_000


def test_on_a_server_too_large_for_one_list_each_part_has_what_its_consumers_want() -> None:
    tools = big_server()
    lists = Shortlists(tools, 8_000)
    wanted = [t for t in tools if t.required_parameters]
    hits = 0
    for consumer in wanted:
        producer = consumer.slug.replace("open_", "list_") + "s"
        hits += producer in {t.slug for t in lists.shown(consumer)}
    assert hits == len(wanted)
    lists_made = {tuple(t.slug for t in lists.shown(c)) for c in wanted}
    assert 1 < len(lists_made) <= len(wanted) / 20


def test_the_order_of_tools_changes_nothing() -> None:
    tools = town()
    shuffled = list(tools)
    random.Random(7).shuffle(shuffled)
    for slug in ("s3::load_file", "s11::open_thing4"):
        one = Shortlists(tools, 9_000).shown(by_slug(tools, slug))
        other = Shortlists(shuffled, 9_000).shown(by_slug(tools, slug))
        assert one == other


def test_an_edge_found_by_rule_has_its_producer_on_the_list() -> None:
    tools = (*town(), make_tool("odd::zygote", "Qwerty."))
    edge = found_edge("odd::zygote", "s3::open_thing1", "thing1_id")
    consumer = by_slug(tools, "s3::open_thing1")
    assert "odd::zygote" not in {t.slug for t in Shortlists(tools, 9_000).shown(consumer)}
    assert "odd::zygote" in {t.slug for t in Shortlists(tools, 9_000, [edge]).shown(consumer)}


def test_the_ranker_sees_candidates_where_words_or_roles_say_so() -> None:
    tools = town()
    lists = Shortlists(tools, 9_000)
    consumer = by_slug(tools, "s3::open_thing1")
    assert lists.likely(consumer, by_slug(tools, "s3::list_thing1s"))
    assert not lists.likely(consumer, by_slug(tools, "s4::list_thing7s"))
    assert not lists.likely(consumer, by_slug(tools, "disk::list_directory"))
    assert lists.likely(by_slug(tools, "s3::load_file"), by_slug(tools, "disk::list_directory"))


@pytest.mark.parametrize(
    ("environ", "tokens"),
    [
        ({"ANTHROPIC_API_KEY": "k"}, 24_000),
        ({"OPENROUTER_API_KEY": "k"}, 16_000),
        ({"OPENAI_BASE_URL": "http://localhost:11434/v1"}, 8_000),
        ({"ANTHROPIC_API_KEY": "k", "ATLAS_PROMPT_TOKENS": "50000"}, 50_000),
    ],
)
def test_the_budget_is_stated_per_provider_and_can_be_set(environ: dict[str, str], tokens: int) -> None:
    assert prompt_budget(choose_provider(environ), environ) == tokens


def test_a_budget_that_is_none_is_one_line() -> None:
    environ = {"ANTHROPIC_API_KEY": "k", "ATLAS_PROMPT_TOKENS": "lots"}
    with pytest.raises(ConfigError, match="ATLAS_PROMPT_TOKENS='lots' is no number"):
        prompt_budget(choose_provider(environ), environ)
