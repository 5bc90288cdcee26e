"""The public Python client suggests changes here as it does elsewhere: every answer is one that it knows."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from improve.statuses import Status
from tests.corrections.test_public_client import WAITING, client_python
from tests.improve.staging import FROM, REVIEWER, staged
from tests.support.commands import essentials
from tests.support.servers import ServedProject
from tests.support.shops import AGENT, Shop

__all__ = ["client_python"]
PROGRAM = Path(__file__).parents[1] / "support" / "suggesting_client.py"


def test_what_its_users_programs_do_with_suggested_changes_works(
    client_python: Path, served: ServedProject, tmp_path: Path
):
    shop = Shop.open()
    with staged(shop) as stage:
        order = [*(status for status in Status if status != Status.PROMOTED), Status.PROMOTED]
        at = {status.value: stage.at(status) for status in order}
        asked = {
            "at": at,
            "project": str(shop.project.pk),
            "test_set": stage.test_set,
            "body": {
                "agent_id": AGENT,
                "from_version": FROM,
                "scope": {"kind": "project", "projectId": str(shop.project.pk)},
                "tier": "settings-block",
                "change": {"blockId": "manners", "content": {"values": {"mode": "client"}}},
                "hypothesis": "It helps.",
            },
        }
        done = subprocess.run(
            [str(client_python), "-I", "-W", "error", str(PROGRAM), served.url, str(shop.api(REVIEWER).secret)],
            input=json.dumps(asked),
            cwd=tmp_path,
            env=essentials(),
            capture_output=True,
            text=True,
            timeout=WAITING,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    saw = json.loads(done.stdout)
    assert saw["made"]["status"] == "draft" and saw["again"] == saw["made"]["id"]
    assert saw["listed"] == {pk: status for status, pk in at.items()} | {saw["made"]["id"]: "draft"}
    assert saw["types"] == ["LiveScopeProject"]
    assert saw["in-review"] == [at["in-review"]]
    assert {status: one["status"] for status, one in saw["read"].items()} == {status: status for status in at}
    assert saw["read"]["promoted"]["promotion"]["liveNow"] is True
    assert saw["read"]["evaluated"]["evaluation"]["better"] is True
    asked_too_late = "superseded"  # another one went live first
    assert (saw["evaluate"], saw["rescore"], saw["request"]) == ("evaluating", "not-better", asked_too_late)
    assert saw["rollback"]["by"] == f"user:{shop.person(REVIEWER).pk}"
    assert saw["withdraw"]["reason"] == "No."
    assert saw["refused"] == [
        ["ConflictError", "proposal-wrong-status"],
        ["NotFoundError", "proposal-not-found"],
        ["NotFoundError", "agent-not-found"],
    ]
