"""Several items are dismissed or reopened at once: what can't be is said, and stops no other (contract, section 6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from judging.models import QueueItem
from judging.services.checking import counts_recounted
from judging.services.items import Several, queue_items_dismiss, queue_items_reopen_each
from kindgi.api.errors import BadInput, PermissionDenied
from tests.judging.queues import dismiss, import_runs, old_rule, queue, records, states
from tests.judging.viewing import caller_of
from tests.support.shops import Shop

Verb = Callable[..., Several]


def dismissing(shop: Shop, run_ids: list[str], *, by: str = "editor", reason: str | None = None) -> Several:
    return queue_items_dismiss(caller=caller_of(shop, by), project=shop.project, run_ids=run_ids, reason=reason)


def reopening(shop: Shop, run_ids: list[str], *, by: str = "editor") -> Several:
    return queue_items_reopen_each(caller=caller_of(shop, by), project=shop.project, run_ids=run_ids)


BOTH = pytest.mark.parametrize("verb", [dismissing, reopening])


def waiting(shop: Shop, number: int) -> list[str]:
    """Runs that wait, oldest first."""
    old_rule(shop)
    import_runs(shop, *(made := records(number)))
    return [run["id"] for run in made]


def done(several: Several) -> list[str]:
    return [str(item.run_id) for item in several.done]


def refused(several: Several) -> list[tuple[str, str]]:
    return [(run_id, why.code) for run_id, why in several.refused]


def check_counts(shop: Shop) -> None:
    """The counts are what the items are."""
    recounted = counts_recounted(shop.project).lanes
    for state in ("open", "judged", "dismissed", "erased"):
        must = sum(n for key, n in recounted.items() if key.state == state)
        assert queue(shop, f"limit=0&state={state}")["total"] == must


def test_those_that_wait_are_dismissed_and_the_others_are_told(undone: Shop):
    first, second, judged, gone = runs = waiting(undone, 4)
    undone.correct(judged)
    dismiss(undone, gone, reason="Before")
    unknown = str(uuid4())
    several = dismissing(undone, [unknown, *reversed(runs), "nothing", first.upper()], reason="Test orders")
    assert done(several) == sorted([first, second])
    assert refused(several) == [
        (unknown, "judging-item-not-found"),
        (gone, "judging-item-not-open"),
        (judged, "judging-item-not-open"),
        ("nothing", "judging-item-not-found"),
    ]
    assert "it is judged" in str(several.refused[2].why) and unknown in str(several.refused[0].why)
    assert states(undone) == {first: "dismissed", second: "dismissed", judged: "judged", gone: "dismissed"}
    told = {str(item.run_id): (item.reason, item.closed_by) for item in QueueItem.objects.filter(state="dismissed")}
    by = f"user:{undone.person('editor').pk}"
    assert told == {first: ("Test orders", by), second: ("Test orders", by), gone: ("Before", by)}
    check_counts(undone)


def test_those_that_are_dismissed_are_reopened_and_the_others_are_told(undone: Shop):
    first, corrected, erased, still = runs = waiting(undone, 4)
    for run_id in (first, corrected, erased):
        dismiss(undone, run_id)
    undone.correct(corrected)
    undone.admin.ok("POST", f"runs/{erased}/erase")
    several = reopening(undone, runs)
    assert done(several) == sorted([first, corrected])
    assert refused(several) == [(erased, "judging-item-not-open"), (still, "judging-item-not-open")]
    assert "gone" in str(several.refused[0].why) and "is open" in str(several.refused[1].why)
    assert states(undone) == {first: "open", corrected: "judged", erased: "dismissed", still: "open"}
    check_counts(undone)


@BOTH
def test_another_projects_items_are_not_found(undone: Shop, verb: Verb):
    (run_id,) = waiting(undone, 1)
    other = undone.other_project()
    admin = caller_of(undone, "tenant-admin")
    several = (
        queue_items_dismiss(caller=admin, project=other, run_ids=[run_id], reason=None)
        if verb is dismissing
        else queue_items_reopen_each(caller=admin, project=other, run_ids=[run_id])
    )
    assert (done(several), refused(several)) == ([], [(run_id, "judging-item-not-found")])
    assert states(undone) == {run_id: "open"}


@BOTH
def test_none_is_no_refusal(undone: Shop, verb: Verb):
    assert verb(undone, []) == Several([], [])


@BOTH
def test_it_needs_write_access(undone: Shop, verb: Verb):
    runs = waiting(undone, 2)
    if verb is reopening:
        dismiss(undone, runs[0])
    before = states(undone)
    with pytest.raises(PermissionDenied):
        verb(undone, runs, by="viewer")
    assert states(undone) == before


@BOTH
def test_more_than_a_page_at_once_is_refused(undone: Shop, verb: Verb):
    assert len(verb(undone, [str(uuid4()) for _ in range(100)]).refused) == 100
    with pytest.raises(BadInput):
        verb(undone, [str(uuid4()) for _ in range(101)])


@BOTH
@pytest.mark.parametrize("number", [1, 20])
def test_any_number_takes_as_many_statements(undone: Shop, assert_queries: Any, verb: Verb, number: int):
    runs = waiting(undone, number)
    if verb is reopening:
        dismissing(undone, runs)
    caller = caller_of(undone, "editor")
    # Which are there, their lock, their entries; the items, the entries and the history are written, the counts.
    # Reopening takes the rules' lock besides.
    with assert_queries(exact=7 if verb is dismissing else 8):
        if verb is dismissing:
            queue_items_dismiss(caller=caller, project=undone.project, run_ids=runs, reason=None)
        else:
            queue_items_reopen_each(caller=caller, project=undone.project, run_ids=runs)
