"""Items that no rule made: answers of a suggested change, for its reviewers, and else like any other item."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import transaction

from corrections.selectors import judge_classes_of_tenant
from improve.selectors.reviewing import suggestions_read
from judging.models import QueueItem, RuleCount
from judging.selectors.queue_waiting import queue_waiting
from judging.services.checking import queue_check
from judging.services.repairing import queue_repair
from kindgi.access.selectors import caller_for_user
from tests.improve.staging import REVIEWER, unforeseen
from tests.support.shops import AGENT, Shop


@pytest.fixture
def sent(fresh: Shop) -> Iterator[str]:
    """A suggested change of which three answers wait to be judged, beside one run that a rule took."""
    rule = {"name": "All", "when": {"agentIds": [AGENT]}, "sample": 1, "enabled": True}
    with unforeseen(fresh) as stage:
        proposal = stage.unjudged(3)
        fresh.editor.ok("POST", f"projects/{fresh.project.pk}/judging-rules", rule)
        fresh.run()
        assert stage.act(proposal, "send") == {"sent": 3}
        yield proposal


def queue(shop: Shop, *rest: str) -> str:
    return "/".join([f"projects/{shop.project.pk}/judging-queue", *rest])


def asked_for(proposal: str) -> list[str]:
    items = QueueItem.objects.filter(asked_for=proposal).order_by("created_at", "pk")
    return [str(run_id) for run_id in items.values_list("run_id", flat=True)]


def waiting(shop: Shop, who: str) -> int:
    """How many items wait for a person, as the console counts them."""
    classes = judge_classes_of_tenant(shop.tenant.pk)
    caller = caller_for_user(shop.person(who))
    asking = suggestions_read(caller=caller, project=None).asking.values()
    asked_for = [pk for ids in asking for pk in ids]
    return queue_waiting(caller=caller, classes=classes, asked_for=asked_for)[shop.project.pk]


def all_is_well(shop: Shop) -> bool:
    with transaction.atomic():
        return str(queue_check(project=shop.project)) == ""


def test_it_is_for_the_reviewers_and_counted_for_them_alone(fresh: Shop, sent: str) -> None:
    fresh.admin.ok("POST", "approvals/reviewers", {"userId": str(fresh.person("editor").pk), "role": "senior"})
    assert [waiting(fresh, who) for who in (REVIEWER, "editor", "editor:2")] == [4, 1, 1], "its drafter is no reviewer"
    for who, total in ((REVIEWER, 4), ("editor", 1), ("editor:2", 1)):
        assert fresh.api(who).ok("GET", f"{queue(fresh)}?forMe=true")["total"] == total
    assert fresh.editor.ok("GET", f"{queue(fresh)}?ruleId={sent}")["total"] == 3


def test_it_is_handed_out_dismissed_put_back_and_closed_like_any_other(fresh: Shop, sent: str) -> None:
    runs, reviewer = asked_for(sent), fresh.api(REVIEWER)
    given = {reviewer.ok("POST", queue(fresh, "next"))["item"]["runId"] for _ in range(4)}
    assert given > set(runs)
    assert fresh.editor.ok("POST", queue(fresh, runs[0], "dismiss"), {"reason": "No."})["state"] == "dismissed"
    assert all_is_well(fresh)
    assert fresh.editor.ok("POST", queue(fresh, runs[0], "reopen"))["state"] == "open"
    fresh.editor.ok("POST", queue(fresh, runs[1], "dismiss"), {})
    fresh.correct(runs[1], by="service")
    assert fresh.editor.ok("POST", queue(fresh, runs[1], "reopen"))["state"] == "judged"
    fresh.correct(runs[0], by="editor:2")
    fresh.admin.ok("POST", f"runs/{runs[2]}/erase", {})
    states = QueueItem.objects.filter(asked_for=sent).values_list("run_id", "state")
    assert {str(run): state for run, state in states} == {runs[0]: "judged", runs[1]: "judged", runs[2]: "erased"}
    assert all_is_well(fresh)


def test_rules_count_none_of_them_and_a_repair_leaves_them(fresh: Shop, sent: str) -> None:
    assert set(RuleCount.objects.values_list("measure", "n")) == {("open", 1)}
    before = list(QueueItem.objects.order_by("pk").values())
    with transaction.atomic():
        queue_repair(project=fresh.project)
    assert list(QueueItem.objects.order_by("pk").values()) == before
    assert all_is_well(fresh)
