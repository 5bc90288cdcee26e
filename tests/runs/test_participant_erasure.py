"""``POST /v1/projects/{projectId}/participants/{participantId}/erase``: the address, the receipt and the runs."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx
import pytest

from corrections.services import erasure as corrections_erasure
from kindgi.runs.models import RunStatus
from kindgi.runs.services import erasure
from tests.support.plans import grow, plan_of
from tests.support.servers import ServedProject
from tests.support.shops import Shop, completed

NOTHING = {"runs": 0, "corrections": 0, "copies": 0, "replays": 0}
IDS = [
    "user-17",
    "org/17/user/4",
    "a/erase",
    "/",
    "..",
    "é ü 漢字 🎈",
    "50%25?#&=+;",
    "two\nlines\r\n",
    " ",
    "x" * 10_000,
]


def address(shop: Shop, participant_id: str) -> str:
    return f"projects/{shop.project.pk}/participants/{quote(participant_id, safe='')}/erase"


@pytest.mark.parametrize("participant_id", IDS, ids=lambda text: repr(text[:20]))
def test_an_id_may_be_any_text(undone: Shop, participant_id: str):
    run_id = undone.run(participantId=participant_id)
    other = undone.run(participantId=participant_id + "x")
    receipt = undone.admin.ok("POST", address(undone, participant_id))
    assert receipt.keys() == {"projectId", "participantId", "erasedAt", "erased"}
    assert receipt["participantId"] == participant_id and receipt["erased"] == {**NOTHING, "runs": 1}
    run = undone.admin.ok("GET", f"runs/{run_id}")
    assert "output" not in run and "contentErasedAt" in run
    assert "output" in undone.admin.ok("GET", f"runs/{other}")


@pytest.mark.parametrize("participant_id", ["org/17", "é 漢", "x" * 10_000])
def test_an_id_arrives_whole_through_the_web_server(served: ServedProject, participant_id: str):
    shop = Shop.open()
    shop.run(participantId=participant_id)
    answer = httpx.post(
        f"{served.url}/v1/{address(shop, participant_id)}",
        headers={"Authorization": f"Bearer {shop.admin.secret}"},
        timeout=30,
    )
    assert answer.status_code == 200, answer.text
    assert answer.json()["participantId"] == participant_id and answer.json()["erased"]["runs"] == 1


def test_a_run_of_any_status_goes_as_an_erased_run_does(undone: Shop):
    runs = [undone.run(participantId="p", status=status, failureMessage="w", output="w") for status in RunStatus.values]
    one_by_one = undone.run(participantId="q", failureMessage="w")
    assert undone.admin.ok("POST", address(undone, "p"))["erased"] == {**NOTHING, "runs": len(runs)}
    expected = undone.admin.ok("POST", f"runs/{one_by_one}/erase")
    for run_id in runs:
        run = undone.admin.ok("GET", f"runs/{run_id}", query={"include": "input,calls"})
        assert run["contentErasedAt"] == run["updatedAt"]
        assert run.keys() | {"completedAt"} == expected.keys()


def test_a_second_time_takes_nothing_and_changes_nothing(undone: Shop):
    run_id = undone.run(participantId="p")
    first = undone.admin.ok("POST", address(undone, "p"))
    before = undone.admin.ok("GET", f"runs/{run_id}")
    second = undone.admin.ok("POST", address(undone, "p"))
    assert second["erased"] == NOTHING and second["erasedAt"] >= first["erasedAt"]
    assert undone.admin.ok("GET", f"runs/{run_id}") == before


def test_a_retry_with_the_key_gets_the_receipt_again(undone: Shop):
    undone.run(participantId="p")
    first = undone.admin.post(address(undone, "p"), key="k")
    again = undone.admin.post(address(undone, "p"), key="k")
    assert again.headers["X-Idempotent-Replay"] == "true" and again.content == first.content


def test_an_id_that_nobody_has_takes_nothing_and_nobody_means_nobody(undone: Shop):
    run_id = undone.run()
    assert undone.admin.ok("POST", address(undone, "unknown"))["erased"] == NOTHING
    assert undone.admin.refused("POST", f"projects/{undone.project.pk}/participants//erase") == (404, "route-not-found")
    assert "output" in undone.admin.ok("GET", f"runs/{run_id}")


def test_more_runs_than_a_batch_are_all_erased(undone: Shop, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(erasure, "BATCH", 3)
    records = [{"id": str(uuid4()), **completed(participantId="p")} for _ in range(10)]
    undone.admin.ok("POST", "runs/import", records)
    assert undone.admin.ok("POST", address(undone, "p"))["erased"]["runs"] == 10


@pytest.fixture
def grown(undone: Shop) -> None:
    """Many runs, each of its own participant, with a correction and a copy of each."""
    undone.correct(undone.run(participantId="p"))
    grow("runs_runcontent")
    grow("runs_run", run_id="gen_random_uuid()", content_id="gen_random_uuid()", participant_id="'p' || n")
    grow("corrections_correction", run_id="gen_random_uuid()", participant_id="'p' || n")
    grow(
        "corrections_runcopy",
        run_id="gen_random_uuid()",
        correction_id="gen_random_uuid()",
        content_id="gen_random_uuid()",
        participant_id="'p' || n",
    )


@pytest.mark.usefixtures("grown")
@pytest.mark.parametrize(
    ("index", "statement", "parameters"),
    [
        ("run_of_participant", erasure._RUN_IDS, [uuid4(), "p", "p"]),
        ("copy_of_participant", corrections_erasure._COPIED_OF_PARTICIPANT, [uuid4(), "p", "p", uuid4()]),
        ("correction_of_participant", corrections_erasure._CORRECTED_FOR_PARTICIPANT, [uuid4(), "p", "p", uuid4()]),
        (
            "correction_of_participant",
            corrections_erasure._LOCK_OF_PARTICIPANT,
            [uuid4(), "p", "p", uuid4(), uuid4(), [uuid4()]],
        ),
    ],
    ids=["runs", "copies", "corrections", "locks"],
)
def test_they_are_found_by_the_index_of_the_digest(index: str, statement: str, parameters: list[Any]):
    assert f" {index} " in (plan := plan_of(statement, parameters)) and "Seq Scan" not in plan, plan
