from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atlas_assets.catalog.schema import read_tool
from atlas_assets.edges.infer import ALL_LAYERS, infer

TEXTS = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        [
            "",
            " ",
            "_",
            "::",
            "id",
            "Id",
            "GET /",
            "GET /{}",
            "POST /a/{b}/c/{d}",
            "../x",
            "ids_or_ids",
            "or",
            "的ID",
            "<script>",
            "\u202eid",
            "a" * 3000 + "_id",
            "{" * 50,
            "(" * 200,
            "Returns " * 300,
            "use x_y. " * 200,
        ]
    ),
)
SCHEMAS = st.recursive(
    st.one_of(st.none(), st.booleans(), st.just({"type": "string"}), st.builds(lambda t: {"type": t}, TEXTS)),
    lambda inner: st.builds(
        lambda names, values: {
            "type": "object",
            "properties": dict(zip(names, values, strict=False)),
            "required": names,
        },
        st.lists(TEXTS, max_size=3),
        st.lists(inner, max_size=3),
    ),
    max_leaves=6,
)


@st.composite
def hostile_tools(draw):
    tools = {}
    for _ in range(draw(st.integers(1, 5))):
        name = draw(TEXTS.filter(str.strip))
        raw = {
            "name": name,
            "description": draw(TEXTS),
            "inputSchema": draw(SCHEMAS),
            "outputSchema": draw(SCHEMAS),
            "annotations": {"readOnlyHint": draw(st.one_of(st.none(), st.booleans(), st.text(max_size=3)))},
        }
        tools[name] = read_tool("s", raw)
    return list(tools.values())


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(hostile_tools())
def test_no_text_of_a_server_breaks_the_inference(tools):
    found = infer(tools, ALL_LAYERS)
    slugs = {tool.slug for tool in tools}
    parameters = {(tool.slug, p.name) for tool in tools for p in tool.top_parameters}
    for edge in found.edges:
        assert {edge.producer, edge.consumer} <= slugs
        assert edge.producer != edge.consumer
        assert (edge.consumer, edge.consumes) in parameters
        assert 0 <= edge.confidence <= 1
    assert len({edge.key for edge in found.edges}) == len(found.edges)


def test_a_long_description_costs_no_more_than_its_beginning(make_tool):
    long = "List kilns. " + "Use a_b to get the c_id of d. " * 2_000
    tools = [make_tool("list_kilns", long), make_tool("fire", long, required={"kiln_id": long})]
    assert [edge.producer for edge in infer(tools).edges] == ["shop::list_kilns"]
