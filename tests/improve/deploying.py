"""An agent whose endpoint is away for a while, and what becomes of the tests of its versions."""

from __future__ import annotations

import socket
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

from improve.models import PinTest
from improve.tasks import resume_jobs
from kindgi.api.times import as_of
from tests.improve.answering import Asked, answer
from tests.improve.replays import work
from tests.improve.staging import CALLED, SETTINGS, SHOULD_CALL, Stage
from tests.support.shops import AGENT

# No semver, so that it is never Latest.
FIXING = "next"


class Deployed:
    """An agent whose ``FIXING`` does what people said, as any version does with a changed block, unless ``down``."""

    down = False

    def __call__(self, connection: socket.socket, asked: Asked, number: int) -> None:
        """Answer a request, or don't."""
        if self.down:
            return connection.sendall(answer({"error": "deploying"}, status="503 Service Unavailable"))
        mode = asked.json.get("blocks", {}).get("manners", SETTINGS)["values"]["mode"]
        right = asked.json["version"] == FIXING or mode == "better"
        calls = SHOULD_CALL if right else CALLED
        return connection.sendall(answer({"output": {"response": {"content": "Done."}}, "calls": calls}))


def set_up(stage: Stage, *, cases: int) -> None:
    """The stage, with ``FIXING`` registered."""
    stage.set_up(cases=cases)
    stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/{FIXING}")


def path(stage: Stage, what: str) -> str:
    """Of something of the agent in the project."""
    return f"projects/{stage.shop.project.pk}/agents/{AGENT}/{what}"


def pin(stage: Stage, version: str = FIXING) -> None:
    """Pin a version."""
    stage.shop.admin.ok("PUT", path(stage, "pin"), {"version": version})


def failed(stage: Stage, deployed: Deployed, version: str = FIXING) -> PinTest:
    """The test of a version that is pinned while the agent is down."""
    deployed.down = True
    pin(stage, version)
    test = fails(newest())
    deployed.down = False
    return test


def fails(test: PinTest) -> PinTest:
    """The test, which is worked on while the agent is down."""
    assert work(test.job).state == "failed"
    return test


def newest() -> PinTest:
    """The test that was begun last."""
    return PinTest.objects.select_related("job").latest("created_at", "pk")


def after(test: PinTest, pause: timedelta) -> AbstractContextManager[None]:
    """The moment when so much time has passed since the test failed."""
    assert test.job.finished_at is not None
    return as_of(test.job.finished_at + pause)


def begun(test: PinTest, pause: timedelta) -> PinTest | None:
    """What the periodic task begins so long after the test failed."""
    with after(test, pause):
        resume_jobs()
    found = newest()
    return None if found.pk == test.pk else found


def statuses(stage: Stage) -> set[str]:
    """Those that corrections stand at."""
    found = stage.shop.editor.ok("GET", f"corrections?agentId={AGENT}&limit=100")["data"]
    return {one["status"] for one in found}


def runs_recorded(stage: Stage) -> list[dict[str, Any]]:
    """Those of the project, newest first."""
    found: list[dict[str, Any]] = stage.shop.editor.ok("GET", f"projects/{stage.shop.project.pk}/test-runs")["data"]
    return found
