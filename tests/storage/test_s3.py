"""The data root on a real S3 protocol: a moto server on loopback, through s3fs."""

from collections.abc import Iterator

import boto3
import pytest
from moto.server import ThreadedMotoServer

from atlas_assets.edges.edge import Edge
from atlas_assets.storage.parquet_json import read_table, read_tables, write_table
from atlas_assets.storage.root import DataRoot
from atlas_assets.storage.tables import EDGES, edges_table

# botocore and moto use what the standard library has marked for removal
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def edge(consumer: str) -> Edge:
    return Edge(
        producer="s::list",
        consumer=consumer,
        consumes="id",
        type="direct",
        layer="name",
        provider="heuristic",
        confidence=0.9,
    )


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch) -> Iterator[DataRoot]:
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    boto3.client("s3").create_bucket(Bucket="atlas")
    monkeypatch.setenv("ATLAS_DATA", "s3://atlas/team")
    opened = DataRoot.from_environment()
    yield opened
    opened.fs.clear_instance_cache()
    server.stop()


def test_tables_partitions_and_faults_are_the_same_on_s3(root: DataRoot) -> None:
    assert root.local is None
    assert read_tables(root, "e", [], EDGES).table.num_rows == 0
    names = [f"k{i:02}" for i in range(12)]
    for name in names:
        write_table(root, f"e/{name}", edges_table([edge(name)]), EDGES)
    before = root.read_bytes("e/k00.parquet")
    write_table(root, "e/k00", edges_table([edge("k00")]), EDGES)
    assert root.read_bytes("e/k00.parquet") == before
    assert read_table(root, "e/k01", EDGES) == edges_table([edge("k01")])

    many = read_tables(root, "e", [*names, "never"], EDGES)
    assert many.table["to"].to_pylist() == names
    assert many.missing == ("never",)

    root.delete("e/k03.parquet")
    root.write_bytes("e/k05.parquet", b"damaged")
    many = read_tables(root, "e", names, EDGES)
    assert many.missing == ("k03",)
    assert sorted(many.table["to"].to_pylist()) == [n for n in names if n != "k03"]
    assert "e/k05.parquet" in many.problems[0]


def test_another_writer_s_partition_is_seen_at_once(root: DataRoot) -> None:
    write_table(root, "e/a", edges_table([edge("a")]), EDGES)
    assert read_tables(root, "e", ["a", "b"], EDGES).missing == ("b",)
    boto3.client("s3").copy_object(
        Bucket="atlas", CopySource="atlas/team/e/a.parquet", Key="team/e/b.parquet"
    )
    assert read_tables(root, "e", ["a", "b"], EDGES).missing == ()
