"""The embedded PostgreSQL starts when needed, stops with its last user, and survives being killed at any point."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from django.conf import settings

from kindgi.embedded import programs
from kindgi.embedded.programs import EmbeddedPostgresError
from kindgi.embedded.server import PORT, Server

USE_UNTIL_KILLED = """
import sys, time
from pathlib import Path
from kindgi.embedded.server import Server
Server(Path(sys.argv[1]), durable=False).acquire()
print("in use", flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="kindgi-test-") as folder:
        yield Server(Path(folder), durable=False)


@pytest.fixture(autouse=True)
def _released(server: Server) -> Iterator[None]:
    yield
    server.release()


def answers(server: Server) -> bool:
    with server.connect(server.database) as connection:
        return connection.execute("SELECT 1").fetchone() == (1,)


def postmaster(server: Server) -> psutil.Process:
    return psutil.Process(int((server.data / "postmaster.pid").read_text().split()[0]))


def running(server: Server) -> bool:
    return (server.data / "postmaster.pid").exists()


def other_user(server: Server) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", USE_UNTIL_KILLED, str(server.root)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=settings.BASE_DIR)
    assert process.stdout is not None and process.stdout.readline() == "in use\n"
    process.stdout.close()
    return process


def kill9(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()


def test_it_keeps_its_data_and_stops_when_its_only_user_leaves(server):
    server.acquire()
    with server.connect(server.database) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (n int)")
    server.release()
    assert not running(server)
    server.acquire()
    with server.connect(server.database) as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchone() is not None


def test_it_stays_up_while_another_process_uses_it(server):
    other = other_user(server)
    server.acquire()
    server.release()
    assert running(server) and answers(server)
    kill9(other)
    assert running(server)  # nobody was left to stop it ...
    server.acquire()
    server.release()
    assert not running(server)  # ... and a killed user does not count any more


def test_it_starts_again_after_its_own_kill_9(server):
    server.acquire()
    postmaster(server).kill()
    server.ensure_running()
    assert answers(server)


def test_it_starts_after_a_kill_9_of_everything(server):
    other = other_user(server)
    first = postmaster(server)
    first.kill()
    kill9(other)
    server.acquire()
    assert answers(server) and postmaster(server).pid != first.pid


@pytest.mark.parametrize("lock_file", ["data/postmaster.pid", f"socket/.s.PGSQL.{PORT}.lock"])
def test_it_starts_although_a_stale_lock_names_a_process_that_lives(server, lock_file):
    server.acquire()
    postmaster(server).kill()
    stranger = subprocess.Popen(["sleep", "600"], user=programs.server_uid(), cwd="/")
    path = server.root / lock_file
    path.write_text(path.read_text().replace(path.read_text().split()[0], str(stranger.pid), 1))
    server.ensure_running()
    assert answers(server) and stranger.poll() is None
    stranger.kill()
    stranger.wait()


def test_it_starts_although_the_pid_file_was_cut_short(server):
    server.acquire()
    postmaster(server).kill()
    (server.data / "postmaster.pid").write_text("")
    server.ensure_running()
    assert answers(server)


def test_an_initialisation_that_was_killed_half_way_is_begun_again():
    with tempfile.TemporaryDirectory(prefix="kindgi-test-") as folder:
        server = Server(Path(folder), durable=False)
        (server.root / "data.partial").mkdir()
        (server.root / "data.partial" / "PG_VERSION").write_text("18\n")
        server.acquire()
        assert answers(server)
        server.release()


def test_a_folder_too_deep_for_a_socket_gets_its_socket_elsewhere():
    server = Server(Path("/srv") / ("deep/" * 30), durable=False)
    assert len(os.fsencode(server.socket_dir)) < 80
    assert server.socket_dir != Server(Path("/srv/other") / ("deep/" * 30)).socket_dir


def test_data_of_another_version_is_refused_with_a_sentence():
    with tempfile.TemporaryDirectory(prefix="kindgi-test-") as folder:
        server = Server(Path(folder))
        server.data.mkdir()
        (server.data / "PG_VERSION").write_text("14\n")
        with pytest.raises(EmbeddedPostgresError, match="was made by PostgreSQL 14, but this is 18: move"):
            server.acquire()


def test_only_the_owner_may_connect(server):
    server.acquire()
    socket = server.socket_dir / f".s.PGSQL.{PORT}"
    assert socket.stat().st_mode & 0o077 == 0 and socket.stat().st_uid == programs.server_uid()


def test_ctrl_c_in_the_terminal_does_not_reach_it(server):
    server.acquire()
    assert os.getpgid(postmaster(server).pid) != os.getpgid(0)
