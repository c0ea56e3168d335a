"""A file that comes from elsewhere is there whole and right, or not at all."""

from __future__ import annotations

import hashlib
import socket

import pytest

from tests.support.file_server import serving
from turnsure.core.errors import BackendUnavailable, InputError
from turnsure.files.arrival import arrivals, file_digest, put_in_place
from turnsure.files.download import RemoteFile, download

CONTENT = b"line of data\n" * 20_000


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server():
    with serving() as running:
        running.files["/set.jsonl"] = CONTENT
        yield running


def remote(url, content=CONTENT):
    digest = hashlib.sha256(content).hexdigest()
    return RemoteFile(name="set.jsonl", url=url, sha256=digest, n_bytes=len(content))


def test_the_first_call_downloads_and_the_second_only_looks(server, tmp_path):
    seen = []
    wanted, folder = remote(server.url("/set.jsonl")), tmp_path / "new" / "folder"
    assert download(wanted, folder, lambda done, whole: seen.append((done, whole)))
    assert (folder / "set.jsonl").read_bytes() == CONTENT
    assert [path.name for path in folder.iterdir()] == ["set.jsonl"]
    assert seen == sorted(seen)
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert len(seen) > 1
    assert not download(wanted, folder)
    assert server.paths == ["/set.jsonl"]


def test_another_file_of_that_name_is_left_alone_and_nothing_is_asked(server, tmp_path):
    (tmp_path / "set.jsonl").write_bytes(b"mine")
    with pytest.raises(InputError) as caught:
        download(remote(server.url("/set.jsonl")), tmp_path)
    assert hashlib.sha256(b"mine").hexdigest() in str(caught.value)
    assert hashlib.sha256(CONTENT).hexdigest() in str(caught.value)
    assert (tmp_path / "set.jsonl").read_bytes() == b"mine"
    assert server.paths == []


def test_a_folder_of_that_name_is_no_file(server, tmp_path):
    (tmp_path / "set.jsonl").mkdir()
    with pytest.raises(InputError, match="not a file"):
        download(remote(server.url("/set.jsonl")), tmp_path)


def test_a_wrong_digest_names_both_and_leaves_nothing(server, tmp_path):
    other = CONTENT[:-2] + b"!\n"
    server.files["/set.jsonl"] = other
    with pytest.raises(BackendUnavailable) as caught:
        download(remote(server.url("/set.jsonl")), tmp_path / "new")
    for content in (CONTENT, other):
        assert hashlib.sha256(content).hexdigest() in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_what_is_too_long_is_not_read_to_its_end(server, tmp_path):
    seen = []
    server.files["/set.jsonl"] = CONTENT * 10
    with pytest.raises(BackendUnavailable, match=f"more than the {len(CONTENT):,} bytes"):
        download(remote(server.url("/set.jsonl")), tmp_path, lambda done, _: seen.append(done))
    assert max(seen) <= len(CONTENT)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("status", "says"), [(404, "HTTP 404 Not Found"), (503, "HTTP 503")])
def test_a_refusal_is_told_with_its_status(server, tmp_path, status, says):
    server.files["/set.jsonl"] = status
    with pytest.raises(BackendUnavailable, match=says) as caught:
        download(remote(server.url("/set.jsonl")), tmp_path)
    assert server.url("/set.jsonl") in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_reply_that_ends_early_is_not_kept(server, tmp_path):
    server.cut.add("/set.jsonl")
    with pytest.raises(BackendUnavailable, match="cannot be fetched"):
        download(remote(server.url("/set.jsonl")), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_says_nothing_is_given_up(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/set.jsonl"
        with pytest.raises(BackendUnavailable, match=r"silent for 0\.05 seconds"):
            download(remote(url), tmp_path, silence=0.05)


def test_without_a_connection_the_way_out_is_named(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(BackendUnavailable, match="connection to the internet"):
        download(remote(f"http://127.0.0.1:{port}/set.jsonl"), tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_of_an_arrival_that_was_broken_off(tmp_path):
    target = tmp_path / "new" / "file"

    def break_off():
        with arrivals(target) as folder:
            (folder / "half").write_bytes(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        break_off()
    assert list(tmp_path.iterdir()) == []


def test_what_was_there_before_an_arrival_stays(tmp_path):
    (tmp_path / "other").write_bytes(b"kept")
    with arrivals(tmp_path / "file") as folder:
        assert folder.parent == tmp_path
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_only_the_expected_file_is_put_in_place(tmp_path):
    target = tmp_path / "file"
    target.write_bytes(b"old")
    arrived = tmp_path / "arrived"
    arrived.write_bytes(b"new")
    digest = hashlib.sha256(b"new").hexdigest()
    assert put_in_place(arrived, target, sha256="0" * 64) == digest == file_digest(arrived)
    assert target.read_bytes() == b"old"
    assert put_in_place(arrived, target, sha256=digest) == digest
    assert target.read_bytes() == b"new"
    assert not arrived.exists()
