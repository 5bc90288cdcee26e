"""How much waits for whom, in every project: what "for me" lists have altogether (contract, section 6)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from corrections.selectors import judge_classes_of_tenant
from judging.queue_view import Subject
from judging.selectors.queue_waiting import queue_agents, queue_state_counts, queue_waiting
from kindgi.access.models import Project
from tests.builders import make_caller, make_project, make_user
from tests.judging.queues import change_rule, dismiss, import_runs, old_rule, queue, records, rules_path
from tests.judging.viewing import caller_of, view_of
from tests.support.shops import AGENT, Shop

PEOPLE = ["viewer", "editor", "service", "tenant-admin"]
OTHER = {"agent": {"id": "other", "version": "1.0.0"}}


def waiting(shop: Shop, by: str) -> dict[UUID, int]:
    return queue_waiting(caller=caller_of(shop, by), classes=judge_classes_of_tenant(shop.tenant.pk), asked_for=())


@pytest.fixture
def queued(undone: Shop) -> Shop:
    """A queue in which every state, want and class is: of an own project's class, of a stopped rule, retired ones."""
    home = {"kind": "project", "projectId": str(undone.project.pk)}
    bots = undone.judge_class(assertableBy={"principalKinds": ["service"]})
    peers, retired = undone.judge_class(scope=home), undone.judge_class()
    old_rule(undone, when={"agentIds": [AGENT]}, judgeClassId=bots)
    wanting = old_rule(undone, when={"agentIds": [AGENT]}, judgeClassId=peers)
    stopped = old_rule(undone, when={"agentIds": ["other"]}, judgeClassId=None)
    old_rule(undone, when={"agentIds": ["third"]}, judgeClassId=retired)
    runs = [undone.run() for _ in range(4)] + [undone.run(**OTHER) for _ in range(3)]
    runs.append(undone.run(agent={"id": "third", "version": "1.0.0"}))
    undone.editor.ok("POST", rules_path(undone, stopped["ruleId"], "unregister"))
    undone.admin.ok("POST", f"judge-classes/{retired}/unregister")
    undone.correct(runs[0], by="editor", correctorGroupId=peers)
    undone.correct(runs[1], by="service", correctorGroupId=bots)
    undone.correct(runs[1], by="editor", correctorGroupId=peers)
    undone.correct(runs[4])
    dismiss(undone, runs[2])
    undone.admin.ok("POST", f"runs/{runs[5]}/erase")
    change_rule(undone, wanting, name="Peers")
    return undone


@pytest.mark.parametrize("by", PEOPLE)
def test_as_many_wait_as_the_list_for_me_has(queued: Shop, by: str):
    listed = queue(queued, "forMe=true&limit=0", by=by)["total"]
    assert waiting(queued, by).get(queued.project.pk, 0) == listed
    assert listed == {"viewer": 0, "editor": 2, "service": 3, "tenant-admin": 2}[by]


@pytest.mark.parametrize("by", PEOPLE)
@pytest.mark.parametrize("agent", [None, AGENT, "other", "nothing"])
def test_each_states_counts_are_the_lists_totals(queued: Shop, by: str, agent: str | None):
    view = view_of(queued, by=by, subject=Subject("agent", agent) if agent else None)
    also = f"&agentId={agent}" if agent else ""
    counts = queue_state_counts(view)
    assert list(counts) == ["open", "judged", "dismissed", "erased"]
    for state, counted in counts.items():
        listed = [queue(queued, f"limit=0&state={state}{also}{more}", by=by)["total"] for more in ("&forMe=true", "")]
        assert list(counted) == listed, state


def other_queue(shop: Shop, number: int) -> Project:
    """Another project of the tenant, in which so many runs wait."""
    home = make_project(shop.tenant)
    at = {"projectId": str(home.pk)}
    elsewhere = Shop(shop.tenant, home, dict(shop.people), dict(shop.apis))
    old_rule(elsewhere, by="tenant-admin", when={"agentIds": [AGENT]})
    import_runs(elsewhere, *({**run, **at} for run in records(number)))
    return home


def test_every_project_that_one_may_write_in_is_told_and_no_other(queued: Shop):
    other, empty = other_queue(queued, 2), make_project(queued.tenant)
    rival = Shop.open()
    old_rule(rival)
    rival.run()
    assert waiting(queued, "tenant-admin") == {queued.project.pk: 2, other.pk: 2, empty.pk: 0}
    assert waiting(queued, "editor") == {queued.project.pk: 2}
    assert waiting(queued, "viewer") == {}
    classes = judge_classes_of_tenant(queued.tenant.pk)
    outsider = make_caller(make_user(queued.tenant))
    assert queue_waiting(caller=outsider, classes=classes, asked_for=()) == {}


def test_a_token_for_one_project_is_told_of_that_one(queued: Shop):
    other = other_queue(queued, 1)
    account = queued.person("service")
    classes = judge_classes_of_tenant(queued.tenant.pk)
    for home, told in ((queued.project, {queued.project.pk: 3}), (other, {})):
        assert queue_waiting(caller=make_caller(account, project=home), classes=classes, asked_for=()) == told


@pytest.mark.parametrize(("projects", "classes"), [(1, 1), (4, 12)])
def test_it_takes_one_statement(queued: Shop, assert_queries: Any, projects: int, classes: int):
    for _ in range(projects):
        other_queue(queued, 1)
    for _ in range(classes):
        queued.judge_class()
    caller, known = caller_of(queued, "tenant-admin"), judge_classes_of_tenant(queued.tenant.pk)
    with assert_queries(exact=1):
        assert sum(queue_waiting(caller=caller, classes=known, asked_for=()).values()) == 2 + projects
    with assert_queries(exact=1):
        queue_agents(queued.project)
