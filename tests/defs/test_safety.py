"""A web page that a person opens can send mutations to the webserver: this is all it can say."""

import dagster as dg
import pytest

from atlas_assets.definitions import defs
from tests.defs.project import REPOSITORY


def config_fields(config_type: object) -> set[str]:
    """Every field name that a config type takes, at any depth."""
    found: set[str] = set()
    for name, field in (getattr(config_type, "fields", None) or {}).items():
        found |= {name} | config_fields(field.config_type)
    inner = getattr(config_type, "inner_type", None)
    return found | (config_fields(inner) if inner is not None else set())


def test_run_config_carries_rules_only() -> None:
    takes: dict[str, set[str]] = {}
    for job in defs.resolve_all_job_defs():
        for node in job.graph.node_dict.values():
            for op in node.definition.iterate_op_defs():
                fields = config_fields(op.config_schema.as_field().config_type)
                if fields:
                    takes[op.name] = fields
    assert takes == {
        "heuristic_edges": {"layers"},
        "merged_graph": {"mutation_verbs", "use_annotations", "drop_same_identifier"},
    }


def test_no_resource_takes_config() -> None:
    for name, resource in defs.resolve_implicit_global_asset_job_def().resource_defs.items():
        fields = config_fields(resource.config_schema.as_field().config_type)
        assert fields == set(), name


def test_a_field_that_is_not_declared_is_refused() -> None:
    job = defs.resolve_implicit_global_asset_job_def()
    forged = {"ops": {"merged_graph": {"config": {"mutation_verbs": ["list"], "url": "http://evil"}}}}
    with pytest.raises(dg.DagsterInvalidConfigError, match="url"):
        dg.validate_run_config(job, forged)


def test_the_webserver_is_started_on_this_machine_only() -> None:
    recipes = [line for line in (REPOSITORY / "Makefile").read_text().splitlines() if "dagster dev" in line]
    assert recipes
    assert all("--host 127.0.0.1" in line for line in recipes)
