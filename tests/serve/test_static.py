"""The viewer's server: this folder, this machine, nothing else."""

import http.client
import threading

import pytest

from atlas_assets.errors import ConfigError, StorageError
from atlas_assets.serve.static import site_server


@pytest.fixture
def server(tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("<p>map</p>", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("no", encoding="utf-8")
    with site_server(site) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def ask(server, path, host=None):
    connection = http.client.HTTPConnection(*server.server_address[:2], timeout=10)
    connection.request("GET", path, headers={} if host is None else {"Host": host})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def test_it_serves_the_page_on_loopback(server):
    assert server.server_address[0] == "127.0.0.1"
    response, body = ask(server, "/")
    assert (response.status, body) == (200, b"<p>map</p>")
    assert response.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:80@evil.example", "127.0.0.1.evil.example", ""])
def test_a_rebound_name_is_refused(server, host):
    assert ask(server, "/", host=host)[0].status == 403


def test_a_link_out_of_the_folder_is_not_followed(server, tmp_path):
    (tmp_path / "site" / "out.txt").symlink_to(tmp_path / "secret.txt")
    assert ask(server, "/out.txt")[0].status == 404


@pytest.mark.parametrize("path", ["/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/%00"])
def test_nothing_outside_the_folder_is_served(server, path):
    assert ask(server, path)[0].status == 404


def test_a_browser_that_goes_away_is_no_news(server, capfd):
    for error in (BrokenPipeError(), ConnectionResetError()):
        try:
            raise error
        except OSError:
            server.handle_error(None, ("127.0.0.1", 1))
    assert capfd.readouterr() == ("", "")


def test_a_missing_export_and_a_taken_port_say_what_to_do(tmp_path, server):
    with pytest.raises(StorageError, match="atlas export"):
        site_server(tmp_path / "none")
    (tmp_path / "index.html").touch()
    with pytest.raises(ConfigError, match="--port"):
        site_server(tmp_path, server.server_address[1])
