"""How a run's live corrections stand together: the least finished one is told (contract, section 4)."""

from __future__ import annotations

from itertools import combinations
from typing import Any
from uuid import UUID, uuid4

import pytest

from corrections.selectors import RunStanding, corrections_standing, judge_classes_of_tenant
from kindgi.access.selectors import caller_for_user
from tests.support.shops import Shop

# From the least finished on; what is recorded as right is fixed at once.
STATUSES = ["open", "with-owner", "being-fixed", "wont-fix", "fixed"]


def standing(shop: Shop, *run_ids: str, by: str = "viewer") -> dict[str, RunStanding]:
    caller = caller_for_user(shop.person(by))
    found = corrections_standing(caller=caller, run_ids=[UUID(run_id) for run_id in run_ids])
    return {str(run_id): one for run_id, one in found.items()}


def corrected(shop: Shop, run_id: str, status: str, *, by: str = "editor", **body: Any) -> str:
    """The id of a correction of the run that stands so."""
    if status == "fixed":
        return str(shop.correct(run_id, by=by, **body)["id"])
    made = shop.correct(run_id, by=by, answer="wrong", shouldSay="Tomorrow.", **body)
    if status != "open":
        shop.api(by).ok("PATCH", f"corrections/{made['id']}", {"status": status})
    return str(made["id"])


@pytest.mark.parametrize("status", STATUSES)
def test_one_correction_stands_as_it_does(undone: Shop, status: str):
    run_id = undone.run()
    corrected(undone, run_id, status)
    assert standing(undone, run_id) == {run_id: RunStanding(status, frozenset({status}), experts=False)}


@pytest.mark.parametrize(("less", "more"), [*combinations(STATUSES, 2)])
def test_of_two_the_least_finished_is_told(undone: Shop, less: str, more: str):
    one, other = undone.run(), undone.run()
    for run_id, statuses in ((one, (less, more)), (other, (more, less))):
        for by, status in zip(("editor", "service"), statuses, strict=True):
            corrected(undone, run_id, status, by=by)
    told = RunStanding(less, frozenset({less, more}), experts=False)
    assert standing(undone, one, other) == {one: told, other: told}


def test_what_was_taken_back_or_superseded_is_not_told(undone: Shop):
    run_id, other = undone.run(), undone.run()
    taken_back = corrected(undone, run_id, "open")
    corrected(undone, other, "open")
    undone.editor.ok("POST", f"corrections/{taken_back}/unregister")
    corrected(undone, other, "fixed")
    assert standing(undone, run_id, other) == {other: RunStanding("fixed", frozenset({"fixed"}), experts=False)}


def test_a_correction_is_ones_own_that_one_made_oneself_and_for_nobody_else(undone: Shop):
    run_id = undone.run()
    corrected(undone, run_id, "open", by="editor:2")
    corrected(undone, run_id, "open", by="editor", participantId="customer-17")
    assert [standing(undone, run_id, by=by)[run_id].own for by in ("editor", "editor:2")] == [False, True]
    corrected(undone, run_id, "fixed", by="editor")
    assert standing(undone, run_id, by="editor")[run_id].own


def test_a_correction_in_a_restricted_class_is_an_experts(undone: Shop):
    run_id, other = undone.run(), undone.run()
    expert = undone.judge_class(assertableBy={"principalKinds": ["user"]})
    corrected(undone, run_id, "open", correctorGroupId=expert)
    corrected(undone, run_id, "fixed", by="service")
    corrected(undone, other, "open", correctorGroupId=undone.judge_class())
    assert {run: one.experts for run, one in standing(undone, run_id, other).items()} == {run_id: True, other: False}


def test_nothing_is_told_of_other_tenants_runs_and_of_unknown_ones(undone: Shop):
    rival = Shop.open()
    theirs = rival.run()
    rival.correct(theirs)
    assert standing(undone, theirs, str(uuid4())) == {}
    assert standing(undone) == {}


@pytest.mark.parametrize("number", [1, 5])
def test_any_number_of_runs_takes_one_statement(undone: Shop, assert_queries: Any, number: int):
    run_ids = [undone.run() for _ in range(number)]
    for run_id in run_ids:
        undone.correct(run_id)
    caller = caller_for_user(undone.person("viewer"))
    with assert_queries(exact=1):
        assert len(corrections_standing(caller=caller, run_ids=[UUID(run_id) for run_id in run_ids])) == number


def test_a_tenants_classes_are_its_own_of_any_project_and_retired_ones_too(undone: Shop, assert_queries: Any):
    Shop.open().judge_class()
    other = undone.other_project()
    scopes = [{"kind": "tenant"}, {"kind": "project", "projectId": str(other.pk)}]
    made = {undone.judge_class(scope=scope) for scope in scopes}
    retired = undone.judge_class()
    undone.admin.ok("POST", f"judge-classes/{retired}/unregister")
    with assert_queries(exact=1):
        classes = judge_classes_of_tenant(undone.tenant.pk)
    assert {str(one.pk) for one in classes} == {*made, retired}
    assert {str(one.pk) for one in classes if one.unregistered_at is not None} == {retired}
