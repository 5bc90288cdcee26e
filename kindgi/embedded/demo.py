"""What a demonstration consists of, apart from its data: the record for programs and the text for people."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from subprocess import DEVNULL
from typing import Any, TypedDict

from django.conf import settings
from django.utils.module_loading import import_string

from kindgi.embedded.processes import Child, spawn
from kindgi.settings.environment import Mode
from kindgi.settings.replays import LOOPBACK, allowed_networks


class DemoUser(TypedDict, total=False):
    email: str
    password: str
    role: str
    projectId: str


class DemoData(TypedDict, total=False):
    """What the loader returns; ``exampleRunId``, ``toDecide``, a page, and ``decides`` are for the text alone."""

    adminToken: str
    projects: list[dict[str, str]]
    users: list[DemoUser]
    exampleRunId: str
    toDecide: str
    decides: str


_TOLD = frozenset({"exampleRunId", "toDecide", "decides"})


@contextmanager
def this_machine_allowed() -> Iterator[None]:
    """For the time of the block replay endpoints on this machine may be asked, by all that is started in it too."""
    name = "REPLAY_ALLOWED_NETWORKS"
    set_before, allowed_before = os.environ.get(name), settings.REPLAY_ALLOWED_NETWORKS
    os.environ[name] = ",".join(LOOPBACK)
    settings.REPLAY_ALLOWED_NETWORKS = allowed_networks(Mode.DEVELOPMENT)
    try:
        yield
    finally:
        settings.REPLAY_ALLOWED_NETWORKS = allowed_before
        del os.environ[name]
        if set_before is not None:
            os.environ[name] = set_before


@contextmanager
def replayed() -> Iterator[None]:
    """The agent whose changes are suggested can be replayed for the time of the block."""
    endpoint = import_module("kindgi.demo.endpoint") if find_spec("kindgi.demo") else None
    taken = endpoint.taken_up() if endpoint else None
    if endpoint is None or taken is None:
        yield
        return
    port, secret = taken
    child = Child(spawn(endpoint.command(port), environment={"REPLAY_SECRET": secret}, says=DEVNULL))
    try:
        yield
    finally:
        child.stop()


def load(*, empty: bool) -> DemoData:
    """Fill the database, unless it is full already, and return what there is to sign in with."""
    if find_spec("kindgi.demo") is None:
        return {"adminToken": "", "projects": [], "users": []}
    data: DemoData = import_string("kindgi.demo.data.load")(empty=empty)
    return data


@contextmanager
def alone() -> Iterator[None]:
    """Two demonstrations that start at once prepare the database one after the other."""
    settings.VAR_DIR.mkdir(exist_ok=True)
    with (settings.VAR_DIR / "demo.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def write_record(*, url: str, data: DemoData) -> Path:
    """Write ``var/demo.json``, which holds secrets: nobody else may read it, at no moment."""
    path: Path = settings.VAR_DIR / "demo.json"
    draft = path.with_suffix(f".{os.getpid()}")
    record = {"url": url, **{key: value for key, value in data.items() if key not in _TOLD}}
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(record, file, indent=2)
    draft.replace(path)
    return path


def describe(*, url: str, data: DemoData) -> str:
    """The text that tells a person where to go and what to try."""
    lines = ["", f"Kindgi Quality is at {url}", ""]
    lines += ["Sign in as", *(_user_line(user) for user in data["users"]), ""] if data["users"] else []
    if data["adminToken"]:
        lines += [f"Admin token: {data['adminToken']}", ""]
    if run_id := data.get("exampleRunId"):
        lines += ["Record a correction:", _curl(url=url, token=data["adminToken"], run_id=run_id), ""]
    if path := data.get("toDecide"):
        lines += [
            f"A suggested change waits for a decision. Sign in as {data['decides']}, and go to",
            f"  {url}{path}",
            "",
        ]
    return "\n".join([*lines, "Ctrl-C stops it."])


def _user_line(user: DemoUser) -> str:
    return f"  {user['email']:<32} {user['password']:<24} {user['role']}"


def _curl(*, url: str, token: str, run_id: str) -> str:
    body: dict[str, Any] = {"runId": run_id, "answer": "wrong", "why": "It misses the point."}
    return (
        f"  curl {url}/v1/corrections \\\n"
        f"    -H 'Authorization: Bearer {token}' -H 'Content-Type: application/json' \\\n"
        f"    -H 'Idempotency-Key: first-try' -d '{json.dumps(body)}'"
    )
