"""``POST /v1/corrections/{id}/unregister``: taken back for ever, by its maker or a project admin; still readable."""

from __future__ import annotations

from typing import Any

import pytest

from corrections.models import Verdict
from kindgi.access.models import Membership
from tests.builders import mint
from tests.support.shops import CheckedApi, Shop


def remove(shop: Shop, made: dict[str, Any], by: str = "editor") -> Any:
    return shop.api(by).post(f"corrections/{made['id']}/unregister")


def test_it_stays_readable_and_counts_no_more(undone: Shop):
    said: dict[str, Any] = {
        "answer": "wrong",
        "why": "w",
        "items": [{"key": "a", "pointer": "/matches/0", "verdict": "right"}],
    }
    made = undone.correct(undone.run(), **said)
    assert remove(undone, made).json() == {"correctionId": made["id"], "unregistered": True}
    read = undone.editor.ok("GET", f"corrections/{made['id']}")
    assert read["status"] == "removed" and read["unregisteredAt"] == read["updatedAt"] > made["updatedAt"]
    assert read["answer"] == "wrong" and read["items"][0]["value"] == {"id": "case-a", "score": 0.9}
    assert read["run"]["output"]["note"] == "text" and "supersededBy" not in read
    assert not Verdict.objects.filter(correction_id=made["id"], unregistered_at=None).exists()
    assert undone.editor.ok("GET", "corrections", query={"runId": made["runId"]})["data"] == []


def test_it_cannot_come_back(undone: Shop):
    made = undone.correct(undone.run())
    remove(undone, made)
    path = f"corrections/{made['id']}"
    for body in ({"status": "open"}, {"sortedTo": "owner"}, {"statusNote": "x"}, {"link": None}):
        assert undone.editor.refused("PATCH", path, body) == (409, "correction-removed")
    assert undone.editor.refused("POST", f"{path}/unregister") == (409, "correction-removed")
    assert len(undone.editor.ok("GET", f"{path}/history")["data"]) == 2


def test_the_same_caller_can_correct_the_run_anew(undone: Shop):
    made = undone.correct(undone.run())
    remove(undone, made)
    again = undone.correct(made["runId"])
    assert [row["id"] for row in undone.editor.ok("GET", "corrections", query={"runId": made["runId"]})["data"]] == [
        again["id"]
    ]


def test_a_superseded_one_cannot_be_removed(undone: Shop):
    made = undone.correct(undone.run())
    undone.correct(made["runId"])
    response = remove(undone, made)
    assert (response.status_code, response.json()["error"]["code"]) == (409, "correction-superseded")


@pytest.mark.parametrize(
    ("by", "status"),
    [
        ("editor", 200),
        ("editor:2", 403),
        ("viewer", 403),
        ("service", 403),
        ("admin", 200),
        ("owner", 200),
        ("tenant-admin", 200),
    ],
)
def test_its_maker_and_admins_of_the_project_may_remove_it(undone: Shop, by: str, status: int):
    made = undone.correct(undone.run())
    response = remove(undone, made, by)
    assert response.status_code == status
    if status == 403:
        assert response.json()["error"]["code"] == "permission-denied"
        assert undone.editor.ok("GET", f"corrections/{made['id']}")["status"] == "fixed"


def test_its_maker_needs_write_access_still(undone: Shop):
    made = undone.correct(undone.run())
    Membership.objects.filter(user=undone.person("editor")).update(role="viewer")
    assert remove(undone, made).status_code == 403
    Membership.objects.filter(user=undone.person("editor")).delete()
    assert remove(undone, made).status_code == 404


def test_a_services_maker_is_its_token(undone: Shop):
    service = undone.person("service")
    one, other = CheckedApi(mint(service).secret), CheckedApi(mint(service).secret)
    made = one.ok("POST", "corrections", {"runId": undone.run(), "answer": "right"})
    assert other.refused("POST", f"corrections/{made['id']}/unregister") == (403, "permission-denied")
    one.ok("POST", f"corrections/{made['id']}/unregister")


def test_it_can_be_removed_after_its_run_was_erased(undone: Shop):
    made = undone.correct(undone.run())
    undone.admin.ok("POST", f"runs/{made['runId']}/erase")
    assert remove(undone, made).status_code == 200


def test_only_its_own_verdicts_go(undone: Shop):
    run_id = undone.run()
    mine, theirs = undone.correct(run_id), undone.correct(run_id, by="editor:2")
    remove(undone, mine)
    assert list(
        Verdict.objects.filter(run_id=run_id, unregistered_at=None).values_list("correction_id", flat=True)
    ) == [Verdict.objects.get(correction_id=theirs["id"]).correction_id]


def test_a_retry_with_its_key_says_the_same(undone: Shop):
    made = undone.correct(undone.run())
    first = undone.editor.post(f"corrections/{made['id']}/unregister", key="k")
    retry = undone.editor.post(f"corrections/{made['id']}/unregister", key="k")
    assert (first.status_code, retry.status_code, retry.content) == (200, 200, first.content)
