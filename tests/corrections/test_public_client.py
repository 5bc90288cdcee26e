"""The public Python client judges runs here as it does elsewhere: what its users' programs do works unchanged."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kindgi.settings.environment import VAR_DIR
from tests.support.commands import essentials
from tests.support.servers import ServedProject
from tests.support.shops import AGENT, OUTPUT, VERSION, Shop

CLIENT = "kindgi==0.1.10"
PROGRAM = Path(__file__).parents[1] / "support" / "public_client.py"
WAITING = 300


@pytest.fixture(scope="session")
def client_python() -> Path:
    """A Python that has the client, kept between runs; the client's name is the project's, so it needs its own."""
    folder = VAR_DIR / "client-venv"
    made = folder / CLIENT
    with one_at_a_time(VAR_DIR / "client-venv.lock"):
        if not made.exists():
            shutil.rmtree(folder, ignore_errors=True)
            problem = install(folder)
            if problem is not None:
                assert os.environ.get("CI") != "true", problem
                pytest.skip(f"The public client can't be installed: {problem[-300:]}")
            made.touch()
    return folder / "bin" / "python"


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def install(folder: Path) -> str | None:
    """Make the environment, with uv where that is there; what went wrong, if anything."""
    uv = shutil.which("uv", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    venv.create(folder, with_pip=uv is None)
    python = str(folder / "bin" / "python")
    tool = [python, "-m", "pip", "install"] if uv is None else [uv, "pip", "install", "--python", python]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    try:
        done = subprocess.run(
            [*tool, "--quiet", CLIENT], env=environment, capture_output=True, text=True, timeout=WAITING, check=False
        )
    except subprocess.TimeoutExpired:
        return f"Not there after {WAITING} s."
    return None if done.returncode == 0 else done.stderr


@pytest.fixture(params=["Kindgi", "AsyncKindgi"])
def saw(request: pytest.FixtureRequest, client_python: Path, served: ServedProject, tmp_path: Path) -> dict[str, Any]:
    """What the program saw, with the ids of the run and of who judged."""
    shop = Shop.open()
    run_id, waiting_id = shop.run(), shop.run(status="suspended", output=None)
    tokens = [str(shop.api(name).secret) for name in ("service", "viewer")]
    done = subprocess.run(
        [str(client_python), "-I", "-W", "error", str(PROGRAM), request.param, served.url, *tokens, run_id, waiting_id],
        cwd=tmp_path,
        env=essentials(),
        capture_output=True,
        text=True,
        timeout=WAITING,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {**json.loads(done.stdout), "run": run_id, "waiting": waiting_id, "shop": shop}


def test_what_its_users_programs_do_works(saw: dict[str, Any]):
    check_what_was_judged(saw)
    check_pages(saw)
    answer, gone, left, unregistered = saw["removed"]
    assert answer == {"judgmentId": gone, "unregistered": True} and (left, unregistered) == (0, True)
    check_refusals(saw)


def check_what_was_judged(saw: dict[str, Any]) -> None:
    made, read = saw["made"], saw["read"]
    assert made["item"] == {"key": "answer", "pointer": "/response/content"}
    assert (made["runId"], made["verdict"], made["reason"]) == (saw["run"], "yes", "Right")
    assert made["subject"] == {"kind": "agent", "id": AGENT, "version": VERSION}
    assert made["assertedBy"]["kind"] == "service" and saw["again"] == made["id"], "a retry with its key"
    assert read["itemValue"] == "Your parcel is on its way." and read["run"]["output"] == OUTPUT
    assert (read["supersededBy"], "unregisteredAt" in read) == (saw["later"], True)


def check_pages(saw: dict[str, Any]) -> None:
    found = [(one["item"]["key"], one.get("participantId"), one["verdict"]) for one in saw["paged"]]
    assert found == [
        ("kindgi:correction", None, "no"),
        ("a", "u2", "yes"),
        ("a", "u1", "yes"),
        ("answer", None, "no"),
    ]
    expected = {"calls": [{"tool": "shop.refund", "args": {"id": 1}}], "notCalled": ["shop.mail"]}
    assert saw["paged"][0]["correction"] == expected and saw["no"] == ["kindgi:correction", "answer"]


def check_refusals(saw: dict[str, Any]) -> None:
    kinds = [(kind, code) for kind, code, _ in saw["refused"]]
    assert kinds == [
        ("ConflictError", "run-not-finished"),
        ("NotFoundError", "run-not-found"),
        ("InvalidRequestError", "item-not-found"),
        ("InvalidRequestError", "bad-input"),
        ("InvalidRequestError", "bad-input"),
        ("InvalidRequestError", "judge-class-not-applicable"),
        ("AuthError", "permission-denied"),
        ("NotFoundError", "judgment-not-found"),
    ]
    sentences = [message for *_, message in saw["refused"]]
    assert sentences[0] == f'Run "{saw["waiting"]}" has no output to judge yet (status suspended).'
    assert sentences[2] == f'Nothing at "/no/such" in run "{saw["run"]}"\'s output.'
    assert sentences[4] == "correction needs at least one of calls or notCalled."


def test_it_reads_a_judgment_of_an_erased_run_too(client_python: Path, served: ServedProject, tmp_path: Path):
    shop = Shop.open()
    run_id = shop.run()
    body = {"runId": run_id, "item": {"key": "answer", "pointer": ""}, "verdict": "yes", "reason": "r"}
    made = shop.editor.ok("POST", "judgments", body)
    shop.admin.ok("POST", f"runs/{run_id}/erase")
    program = (
        "import sys; from kindgi.client import Kindgi; client = Kindgi(sys.argv[1], token=sys.argv[2]); "
        "read = client.judgments.get(sys.argv[3]); print(read.id, read.run.output, read.reason); client.close()"
    )
    done = subprocess.run(
        [str(client_python), "-I", "-c", program, served.url, str(shop.editor.secret), made["id"]],
        cwd=tmp_path, env=essentials(), capture_output=True, text=True, timeout=WAITING, check=False,
    )  # fmt: skip
    assert done.stdout == f"{made['id']} None None\n", done.stderr
