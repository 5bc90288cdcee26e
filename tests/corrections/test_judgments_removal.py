"""``POST /v1/judgments/{id}/unregister``: one verdict taken back, by its maker or a project admin; still readable."""

from __future__ import annotations

from typing import Any

import pytest

from kindgi.access.models import Membership
from kindgi.runs.models import Run
from tests.corrections.judging import judgment
from tests.support.shops import Shop


def judge(shop: Shop, run_id: str, key: str = "answer", *, right: bool = True) -> dict[str, Any]:
    made: dict[str, Any] = shop.editor.ok("POST", "judgments", judgment(run_id, key, right=right))
    return made


def remove(shop: Shop, made: dict[str, Any], by: str = "editor") -> Any:
    return shop.api(by).post(f"judgments/{made['id']}/unregister")


def judged(shop: Shop, run_id: str) -> dict[str, dict[str, Any]]:
    """The run's live judgments by item."""
    return {one["item"]["key"]: one for one in shop.editor.ok("GET", "judgments", query={"runId": run_id})["data"]}


def refusal(shop: Shop, made: dict[str, Any]) -> tuple[int, str]:
    response = remove(shop, made)
    return response.status_code, response.json()["error"]["code"]


def sentence(shop: Shop, made: dict[str, Any]) -> str:
    return str(remove(shop, made).json()["error"]["message"])


def both(shop: Shop) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """A correction of an answer and an item, and its judgments."""
    made = shop.correct(shop.run(), answer="right", items=[{"key": "a", "pointer": "/matches/0", "verdict": "right"}])
    return made, judged(shop, made["runId"])


def test_it_stays_readable_and_counts_no_more(undone: Shop):
    made = judge(undone, undone.run())
    assert remove(undone, made).json() == {"judgmentId": made["id"], "unregistered": True}
    read = undone.editor.ok("GET", f"judgments/{made['id']}")
    assert read.pop("unregisteredAt") > made["createdAt"] and read.pop("run")["output"]["note"] == "text"
    assert read == made and judged(undone, made["runId"]) == {}


def test_with_its_last_judgment_a_correction_is_removed(undone: Shop):
    made, said = both(undone)
    path = f"corrections/{made['id']}"
    remove(undone, said["a"])
    assert undone.editor.ok("GET", path)["status"] == "fixed"
    remove(undone, said["answer"])
    now, history = undone.editor.ok("GET", path), undone.editor.ok("GET", f"{path}/history")["data"]
    assert now["status"] == "removed" and now["unregisteredAt"] == now["updatedAt"] and "fixedIn" not in now
    assert [entry["kind"] for entry in history] == ["removed", "part-removed", "made"]
    assert (history[0]["from"], history[0]["to"]) == (
        {"status": "fixed", "fixedIn": made["fixedIn"]},
        {"status": "removed"},
    )
    assert now["answer"] == "right" and now["items"], "what is gone reads as it was said"


def test_only_its_own_verdict_goes(undone: Shop):
    made, said = both(undone)
    theirs = undone.correct(made["runId"], by="editor:2")
    remove(undone, said["a"])
    found = undone.editor.ok("GET", "judgments", query={"runId": made["runId"]})["data"]
    assert [one["assertedBy"] for one in found] == [theirs["madeBy"], made["madeBy"]]
    assert "items" not in undone.editor.ok("GET", f"corrections/{made['id']}")


def test_a_judgment_that_was_removed_by_itself_cannot_be_again(undone: Shop):
    alone = judge(undone, undone.run())
    remove(undone, alone)
    assert refusal(undone, alone) == (409, "correction-removed")
    made, said = both(undone)
    remove(undone, said["a"])
    assert refusal(undone, said["a"]) == (409, "correction-removed")
    undone.correct(made["runId"])
    assert refusal(undone, said["a"]) == (409, "correction-removed"), "it went before its correction was superseded"


def test_one_that_was_superseded_cannot_be_removed(undone: Shop):
    made, said = both(undone)
    judge(undone, made["runId"], "a")
    assert refusal(undone, said["a"]) == (409, "correction-superseded")
    remove(undone, said["answer"])
    assert refusal(undone, said["a"]) == (409, "correction-superseded"), "whatever became of its correction"
    made, said = both(undone)
    undone.correct(made["runId"])
    for one in said.values():
        assert refusal(undone, one) == (409, "correction-superseded"), one["item"]


def test_a_refusal_says_what_became_of_the_judgment_not_of_its_correction(undone: Shop):
    removed = "The judgment was removed; it can't come back."
    alone = judge(undone, undone.run())
    made, said = both(undone)
    for one in (alone, said["a"]):
        remove(undone, one)
        assert sentence(undone, one) == removed
    undone.editor.ok("POST", f"corrections/{made['id']}/unregister")
    assert sentence(undone, said["answer"]) == removed, "it went with its correction"
    made, said = both(undone)
    judge(undone, made["runId"], "a")
    assert sentence(undone, said["a"]) == "A later judgment replaced this one; take that one back instead."
    undone.correct(made["runId"], items=[{"key": "b", "verdict": "right"}])
    assert sentence(undone, said["answer"]) == "A later correction replaced this one; change that one instead."


def test_those_of_a_removed_correction_cannot_be_removed(undone: Shop):
    made, said = both(undone)
    undone.editor.ok("POST", f"corrections/{made['id']}/unregister")
    for one in said.values():
        assert refusal(undone, one) == (409, "correction-removed")


def test_the_same_item_can_be_judged_anew(undone: Shop):
    first = judge(undone, undone.run())
    remove(undone, first)
    second = judge(undone, first["runId"], right=False)
    assert judged(undone, first["runId"]) == {"answer": second}
    assert "supersededBy" not in undone.editor.ok("GET", f"judgments/{first['id']}")


def test_removing_the_later_one_does_not_bring_the_earlier_back(undone: Shop):
    first = judge(undone, undone.run())
    second = judge(undone, first["runId"], right=False)
    remove(undone, second)
    assert judged(undone, first["runId"]) == {}
    assert undone.editor.ok("GET", f"judgments/{first['id']}")["supersededBy"] == second["id"]


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
@pytest.mark.parametrize("key", ["answer", "a"])
def test_its_maker_and_admins_of_the_project_may_remove_it(undone: Shop, key: str, by: str, status: int):
    made, said = both(undone)
    response = remove(undone, said[key], by)
    assert response.status_code == status
    assert len(judged(undone, made["runId"])) == (1 if status == 200 else 2)
    if status == 403:
        assert response.json()["error"]["code"] == "permission-denied"


def test_its_maker_needs_write_access_still(undone: Shop):
    made = judge(undone, undone.run())
    Membership.objects.filter(user=undone.person("editor")).update(role="viewer")
    assert remove(undone, made).status_code == 403
    Membership.objects.filter(user=undone.person("editor")).delete()
    assert remove(undone, made).status_code == 404


def test_an_admin_who_removes_one_is_in_the_history(undone: Shop):
    made, said = both(undone)
    remove(undone, said["a"], "admin")
    (entry, _) = undone.editor.ok("GET", f"corrections/{made['id']}/history")["data"]
    assert entry["by"] == {"kind": "user", "id": str(undone.person("admin").pk)}


def test_it_can_be_removed_after_its_run_was_erased_or_has_gone(undone: Shop):
    made, said = both(undone)
    undone.admin.ok("POST", f"runs/{made['runId']}/erase")
    assert remove(undone, said["a"]).status_code == 200
    Run.objects.filter(run_id=made["runId"]).delete()
    assert remove(undone, said["answer"]).status_code == 200


def test_a_retry_with_its_key_says_the_same(undone: Shop):
    made = judge(undone, undone.run())
    first, retry = (undone.editor.post(f"judgments/{made['id']}/unregister", key="k") for _ in range(2))
    assert (first.status_code, retry.status_code, retry.content) == (200, 200, first.content)


@pytest.mark.parametrize("count", [2, 50])
def test_it_takes_a_fixed_number_of_statements(undone: Shop, assert_queries: Any, count: int):
    editor = undone.editor
    made = undone.correct(undone.run(), items=[{"key": f"k{n}", "verdict": "right"} for n in range(count)])
    said = list(judged(undone, made["runId"]).values())
    with assert_queries(at_most=11):
        editor.ok("POST", f"judgments/{said[0]['id']}/unregister")
    for one in said[1:-1]:
        remove(undone, one)
    with assert_queries(at_most=11):
        editor.ok("POST", f"judgments/{said[-1]['id']}/unregister")
