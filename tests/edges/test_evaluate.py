import importlib.util
from pathlib import Path

import pytest

from atlas_assets.edges.edge import Edge
from atlas_assets.edges.evaluate import pool, read_gold, score
from atlas_assets.edges.infer import infer
from atlas_assets.errors import CatalogError


def official(shared: Path):
    spec = importlib.util.spec_from_file_location("gold_score", shared / "gold" / "score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.shared
@pytest.mark.parametrize("name", ["mcp_demo", "mcp_git", "tau2_retail", "schemathesis_fixtures"])
def test_scores_are_those_of_the_official_script(shared, name):
    folder = shared / "gold" / name
    gold = read_gold(folder)
    edges = infer(gold.tools).edges
    mine = score(gold, edges)
    predicted = {(e.producer, e.consumer, e.consumes) for e in edges if not e.hidden}
    theirs = official(shared).score(folder, predicted)
    for figure in ("recall", "precision", "slot_hit", "f1"):
        assert round(getattr(mine, figure), 3) == pytest.approx(theirs[figure], abs=0.0015)


def gold_folder(folder: Path) -> Path:
    folder.mkdir()
    (folder / "tools.json").write_text(
        '[{"server": "s", "name": "a"}, {"server": "s", "name": "b"}]', encoding="utf-8"
    )
    (folder / "gold_edges.csv").write_text(
        "producer,consumer,param,kind\ns::a,s::b,x,core\ns::a,s::b,y,ok\ns::a,s::b,,core\n", encoding="utf-8"
    )
    (folder / "slots.csv").write_text(
        "consumer,param,class\ns::b,x,produced\ns::b,y,user\n", encoding="utf-8"
    )
    return folder


def edge(param: str, *, producer: str = "s::a", hidden: bool = False) -> Edge:
    return Edge(
        producer=producer, consumer="s::b", consumes=param, type="direct", layer="name", provider="heuristic",
        confidence=1, hidden=hidden,
    )  # fmt: skip


def test_hidden_edges_and_defensible_ones_do_not_count(tmp_path):
    gold = read_gold(gold_folder(tmp_path / "g"))
    found = score(gold, [edge("x"), edge("y"), edge("x", producer="s::c", hidden=True)])
    assert (found.recall, found.precision, found.slot_hit, found.intrusion) == (1.0, 1.0, 1.0, 0.0)


def test_an_edge_into_a_persons_slot_intrudes(tmp_path):
    gold = read_gold(gold_folder(tmp_path / "g"))
    found = score(gold, [edge("y", producer="s::c")])
    assert (found.recall, found.precision, found.intrusion) == (0.0, 0.0, 1.0)


def test_pooled_scores_count_all_edges_together(tmp_path):
    gold = read_gold(gold_folder(tmp_path / "g"))
    both = pool("both", [score(gold, [edge("x")]), score(gold, [])])
    assert (both.gold, both.recall, both.precision) == (2, 0.5, 1.0)


def test_a_folder_without_gold_is_told_in_one_line(tmp_path):
    with pytest.raises(CatalogError, match=r"gold_edges\.csv"):
        read_gold(tmp_path)
