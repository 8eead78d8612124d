import json
import sys

import pytest

from atlas_assets.cli import main


@pytest.fixture
def catalog(tmp_path):
    def tool(name, **properties):
        schema = {"type": "object", "properties": properties, "required": list(properties)}
        return {"name": name, "description": f"{name} \x1b[31mred", "inputSchema": schema}

    text = {"type": "string"}
    tools = [tool("list_kilns"), tool("fire_kiln", kiln_id=text), tool("paint", cart_id=text, colour=text)]
    file = tmp_path / "pottery.json"
    file.write_text(json.dumps({"server": "pottery", "tools": tools}), encoding="utf-8")
    return file


@pytest.fixture
def atlas(monkeypatch, capsys):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["atlas", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as stopped:
            code = stopped.code or 0
        out, err = capsys.readouterr()
        return code, out, err

    return run


def test_infer_writes_edges_that_anyone_can_score(atlas, catalog, tmp_path):
    out = tmp_path / "edges.json"
    code, said, _ = atlas("infer", catalog, "--out", out)
    assert code == 0
    assert said.startswith("3 tools, 1 edges")
    edges = json.loads(out.read_text(encoding="utf-8"))["edges"]
    assert [(e["from"], e["to"], e["consumes"]) for e in edges] == [
        ("pottery::list_kilns", "pottery::fire_kiln", "kiln_id")
    ]
    first = out.read_bytes()
    atlas("infer", catalog, "--out", out)
    assert out.read_bytes() == first


def test_infer_takes_layers(atlas, catalog, tmp_path):
    code, said, _ = atlas("infer", catalog, "--out", tmp_path / "e.json", "--layers", "mention")
    assert (code, said.split(",")[1]) == (0, " 0 edges")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["infer", "no-such-file", "--out", "x"], "no-such-file"),
        (["infer", "CATALOG", "--out", "/no/such/folder/x"], "/no/such/folder/x"),
        (["infer", "CATALOG", "--out", "x", "--layers", "tarot"], "tarot"),
        (["eval", "no-such-folder"], "no-such-folder"),
        (["explain", "a::b", "pottery::paint", "cart_id", "--catalog", "CATALOG"], "a::b"),
        (["explain", "pottery::paint", "pottery::fire_kiln", "moon", "--catalog", "CATALOG"], "moon"),
    ],
)
def test_bad_input_ends_with_one_line(atlas, catalog, arguments, said):
    code, out, err = atlas(*(catalog if a == "CATALOG" else a for a in arguments))
    assert code == 1
    assert out == ""
    assert err.startswith("atlas: ")
    assert err.count("\n") == 1
    assert said in err


def test_explain_says_why_there_is_an_edge_and_why_there_is_none(atlas, catalog):
    code, out, _ = atlas(
        "explain", "pottery::list_kilns", "pottery::fire_kiln", "kiln_id", "--catalog", catalog
    )
    assert code == 0
    assert "'kiln'" in out
    assert "layer name" in out
    code, out, _ = atlas("explain", "pottery::list_kilns", "pottery::paint", "cart_id", "--catalog", catalog)
    assert code == 0
    assert "no edge" in out
    assert "Its producers: none" in out


def test_explain_without_a_graph_says_what_to_do(atlas, monkeypatch, tmp_path):
    monkeypatch.setenv("ATLAS_DATA", str(tmp_path))
    code, _, err = atlas("explain", "a::b", "c::d", "e")
    assert code == 1
    assert "atlas build" in err


def test_unresolved_lists_slots_in_the_form_of_manual_edges(atlas, catalog):
    code, out, _ = atlas("unresolved", "--catalog", catalog)
    assert code == 0
    edges = json.loads(out)["edges"]
    assert [(e["from"], e["to"], e["consumes"]) for e in edges] == [("", "pottery::paint", "cart_id")]
    assert "colour" in atlas("unresolved", "--catalog", catalog, "--all")[1]


def test_eval_scores_a_gold_folder(atlas, catalog, tmp_path):
    folder = tmp_path / "gold"
    folder.mkdir()
    tools = json.loads(catalog.read_text(encoding="utf-8"))["tools"]
    flat = [{"server": "pottery", **tool} for tool in tools]
    (folder / "tools.json").write_text(json.dumps(flat), encoding="utf-8")
    (folder / "gold_edges.csv").write_text(
        "producer,consumer,param,kind\n"
        "pottery::list_kilns,pottery::fire_kiln,kiln_id,core\n"
        "pottery::list_kilns,pottery::paint,cart_id,core\n",
        encoding="utf-8",
    )
    (folder / "slots.csv").write_text(
        "consumer,param,class\npottery::fire_kiln,kiln_id,produced\npottery::paint,cart_id,produced\n",
        encoding="utf-8",
    )
    code, out, _ = atlas("eval", folder, "--json", "--by-layer")
    assert code == 0
    rows = {row["set"]: row for row in json.loads(out)}
    assert rows["gold"] == {
        "set": "gold", "edges": 2, "slots": 2, "predicted": 1,
        "recall": 0.5, "precision": 1.0, "f1": 0.667, "slot_hit": 0.5, "intrusion": None,
    }  # fmt: skip
    assert rows["layer name"]["recall"] == 0.5
