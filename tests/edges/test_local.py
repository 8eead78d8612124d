from atlas_assets.edges.infer import infer, infer_direct
from atlas_assets.edges.semantic.local import local_edges


def visible(*tools):
    return {
        (e.producer, e.consumer.split("::")[1], e.consumes) for e in infer(list(tools)).edges if not e.hidden
    }


def disk(make_tool):
    return [
        make_tool("list_directory", "List the files in a directory.", server="disk", required={"path": ""}),
        make_tool("read_file", "Read the text of a file.", server="disk", required={"path": ""}),
        make_tool("write_file", "Write text to a file.", server="disk", required={"path": "", "content": ""}),
    ]


def test_paths_come_from_what_lists_files(make_tool):
    found = visible(*disk(make_tool))
    assert ("disk::list_directory", "read_file", "path") in found
    assert ("disk::read_file", "write_file", "path") not in found


def test_text_and_pages_of_other_servers_are_content_to_write(make_tool):
    web = make_tool(
        "grab",
        "Fetch a page from the web.",
        server="web",
        required={"url": {"type": "string", "format": "uri"}},
    )
    found = visible(*disk(make_tool), web)
    assert ("disk::read_file", "write_file", "content") in found
    assert ("web::grab", "write_file", "content") in found


def test_local_paths_cross_servers_and_remote_ones_do_not(make_tool):
    found = visible(
        *disk(make_tool),
        make_tool("trim_picture", required={"file_path": ""}),
        make_tool("trim_object", required={"bucket_id": "", "file_path": ""}),
    )
    assert ("disk::list_directory", "trim_picture", "file_path") in found
    assert ("disk::list_directory", "trim_object", "file_path") not in found


def test_each_store_has_its_own_listers(make_tool):
    found = visible(
        make_tool("list_attic_files", "List files in the attic.", required={"path": ""}),
        make_tool("list_cellar_files", "List files in the cellar.", required={"path": ""}),
        make_tool("burn_attic_file", required={"path": ""}),
    )
    assert ("shop::list_attic_files", "burn_attic_file", "path") in found
    assert ("shop::list_cellar_files", "burn_attic_file", "path") not in found


def test_a_path_of_its_own_kind_comes_from_what_returns_it(make_tool):
    found = visible(
        *disk(make_tool),
        make_tool("get_kiln_path", server="disk"),
        make_tool("open_kiln", server="disk", required={"kilnPath": ""}),
    )
    assert ("disk::get_kiln_path", "open_kiln", "kilnPath") in found
    assert ("disk::list_directory", "open_kiln", "kilnPath") not in found


def test_a_session_comes_from_the_login_of_its_service(make_tool):
    found = visible(
        make_tool("lumber_login"),
        make_tool("copper_login"),
        make_tool("lumber_order", required={"session_id": ""}),
    )
    assert ("shop::lumber_login", "lumber_order", "session_id") in found
    assert ("shop::copper_login", "lumber_order", "session_id") not in found


def test_positions_are_read_off_an_outline(make_tool):
    found = visible(
        make_tool("get_loom_outline", "Get the outline of the loom: every thread with its place."),
        make_tool("dye_thread", required={"thread_index": {"type": "integer"}}),
    )
    assert ("shop::get_loom_outline", "dye_thread", "thread_index") in found


def test_a_reference_comes_from_the_tool_that_shows_it(make_tool):
    found = visible(
        make_tool("take_snapshot", "Capture a snapshot of the loom."),
        make_tool("pull", required={"target": "Exact thread reference from the loom snapshot"}),
    )
    assert ("shop::take_snapshot", "pull", "target") in found


def test_queries_use_the_names_that_schema_listers_return(make_tool):
    found = visible(make_tool("list_tables"), make_tool("run_statement", required={"sql": "The SQL to run"}))
    assert ("shop::list_tables", "run_statement", "sql") in found


def test_local_edges_leave_out_what_is_found_already_and_what_is_not_asked(make_tool):
    tools = disk(make_tool)
    direct = infer_direct(tools)
    found = local_edges(tools, direct=direct.edges, slots=direct.slots)
    assert set(found) == {"disk::read_file", "disk::write_file"}
    edge = found["disk::read_file"][0]
    assert (edge.type, edge.layer, edge.provider) == ("semantic", "local", "local")
    assert local_edges(tools, direct=found["disk::read_file"], slots=direct.slots).keys() == {
        "disk::write_file"
    }
    assert not local_edges(tools, direct=direct.edges, slots=())
