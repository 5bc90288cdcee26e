"""The demonstration's rules and who tends the queue: the same each time, in order, and by people who may."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest

from kindgi.demo.companies import COMPANIES, TRAVEL
from kindgi.demo.history import history
from kindgi.demo.judged import done_about
from kindgi.demo.reviews import writers_of
from kindgi.demo.rules import FIRST_AND_NEWEST_SINCE, RULE_STEPS
from kindgi.demo.tending import tended

NOW = datetime(2030, 5, 17, 11, 30, tzinfo=UTC)


@cache
def story(now):
    runs = history(now)
    done = done_about(runs, now)
    return runs, done, tended(runs, done, now)


def test_every_step_is_by_somebody_who_may_write_there_and_after_what_it_needs():
    made = {}
    for step in sorted(RULE_STEPS, key=lambda step: -step.days_ago):
        person = next(person for person in step.company.people if person.email == step.who)
        assert person.roles[step.project] in {"editor", "admin", "owner"}
        assert (step.kind == "make") == ((step.project, step.company.slug, step.name) not in made)
        made[step.project, step.company.slug, step.name] = step
        assert not step.wants or step.wants in {plan.name for plan in step.company.classes if not plan.retired}
    projects = {(company.slug, plan.slug) for company in COMPANIES for plan in company.projects}
    assert {(slug, project) for project, slug, _ in made} == projects


def test_the_two_versions_that_a_rule_compares_are_out_when_it_is_made():
    first, newest = TRAVEL.agents[0].releases[0], TRAVEL.agents[0].releases[-1]
    (made,) = [step for step in RULE_STEPS if step.name == "First and newest" and step.kind == "make"]
    assert made.body["when"]["versions"] == [first.version, newest.version]
    assert newest.days_ago > made.days_ago == FIRST_AND_NEWEST_SINCE


def test_the_same_now_gives_the_same_tending():
    assert story(NOW)[2] == story.__wrapped__(NOW)[2]


@pytest.mark.parametrize("hours", [0, 9, 24 * 3, 24 * 250])
def test_at_any_hour_and_day_dismissals_follow_the_queueing_and_nothing_is_in_the_future(hours):
    now = NOW + timedelta(hours=hours)
    runs, done, tendings = story(now)
    by_id = {told.run_id: told for told in runs}
    first = {act.run_id: act.at for act in reversed(done)}
    stands: dict[Any, str] = {}
    assert tendings == sorted(tendings, key=lambda one: one.at) and tendings[-1].at <= now
    for one in tendings:
        told = by_id[one.run_id]
        assert one.at > max(told.reported_at, now - timedelta(days=FIRST_AND_NEWEST_SINCE))
        assert one.who in {person.email for person in writers_of(told)}
        assert one.at < first.get(one.run_id, now), "nobody dismisses what has left the queue"
        assert (one.reason is None) == (stands.get(one.run_id) == "dismissed")
        stands[one.run_id] = "open" if one.reason is None else "dismissed"
    assert set(Counter(stands.values())) == {"open", "dismissed"} and Counter(stands.values())["dismissed"] > 10
    assert any(one.run_id in first for one in tendings), "some are corrected all the same"
