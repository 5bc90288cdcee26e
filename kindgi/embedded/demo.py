"""What a demonstration consists of, apart from its data: the record for programs and the text for people."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypedDict

from django.conf import settings
from django.utils.module_loading import import_string


class DemoUser(TypedDict, total=False):
    email: str
    password: str
    role: str
    projectId: str


class DemoData(TypedDict, total=False):
    """What the loader returns; ``exampleRunId`` is for the text alone."""

    adminToken: str
    projects: list[dict[str, str]]
    users: list[DemoUser]
    exampleRunId: str


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
    record = {"url": url, **{key: value for key, value in data.items() if key != "exampleRunId"}}
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
