"""SQL says of every run and every rule what memory says."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judging.matching import Matcher
from judging.sampling import PLACES, Sample
from kindgi.access.models import Project
from kindgi.api.times import now
from kindgi.rows import insert
from kindgi.runs.models import Run, RunStatus, Via
from kindgi.sql import fetch
from tests.builders import default_project, make_tenant
from tests.judging.matching_cases import CASES, SOME_ID, agents_run, flows_run, matcher

pytestmark = pytest.mark.django_db

# Few, and each a name of several kinds of things, so that a rule often comes near to a run.
NAMES = ["desk", "intake", "agent.turn", "live", "latest", "1.0.0", "Desk", "e\u0301", "\u00e9", "%s {run}'\\"]
names = st.sampled_from(NAMES)
some_names = st.lists(names, min_size=1, max_size=4)
# Half of what could keep a run from matching isn't there.
changes = st.fixed_dictionaries(
    {},
    optional={
        "run_id": st.uuids(),
        "agent_version": names,
        "agent_via": st.sampled_from(["", *Via.values]),
        "flow_id": names,
        "flow_version": names,
        "status": st.sampled_from(["completed", *RunStatus.values]),
        "dry_run": st.booleans(),
        "parent_run_id": st.sampled_from([None, None, SOME_ID]),
        "replay_of": st.sampled_from([None, None, SOME_ID]),
        "eval_run_id": st.sampled_from(["", "", "eval-1"]),
        "content_erased_at": st.sampled_from([None, None, now()]),
    },
)
runs_of_agents = st.builds(lambda agent, fields: agents_run(agent_id=agent, **fields), names, changes)
runs_of_flows = st.builds(lambda fields: flows_run(**fields), changes)
whens = st.fixed_dictionaries(
    {},
    optional={
        "versions": some_names,
        "status": st.just(["completed"]),
        "includeDryRuns": st.booleans(),
    },
)
subjects: st.SearchStrategy[dict[str, Any]] = (
    st.just({}) | st.fixed_dictionaries({"agentIds": some_names}) | st.fixed_dictionaries({"flowIds": some_names})
)
shares = st.sampled_from([0.05, 0.5, 1.0]) | st.floats(0, 1, exclude_min=True)
rules = st.builds(
    lambda rule_id, sample, subject, when: matcher(rule_id=rule_id, sample=sample, **subject, **when),
    st.uuids(),
    shares,
    subjects,
    whens,
)


@pytest.fixture
def project() -> Project:
    return default_project(make_tenant())


def said_in_sql(
    project: Project, runs: Sequence[Run], conditions: Sequence[tuple[str, list[Any]]]
) -> dict[UUID, list[Any]]:
    """What each of the conditions says of each run, by the run's key, all in one statement."""
    for run in runs:
        run.tenant_id, run.project_id = project.tenant_id, project.pk
    insert(runs)
    statement = "SELECT a_run.id, {} FROM runs_run a_run WHERE a_run.id = ANY(%s)"
    parameters = chain.from_iterable(parameters for _, parameters in conditions)
    rows = fetch(statement.format(", ".join(sql for sql, _ in conditions)), [*parameters, [run.pk for run in runs]])
    return {key: said for key, *said in rows}


def both_ways(rules: Sequence[Matcher]) -> list[tuple[str, list[Any]]]:
    return [condition for rule in rules for condition in (rule.matches_sql("a_run"), rule.takes_sql("a_run"))]


def said_in_memory(runs: Sequence[Run], rules: Sequence[Matcher]) -> dict[UUID, list[bool]]:
    return {run.pk: [way(run) for rule in rules for way in (rule.matches, rule.takes)] for run in runs}


def test_it_says_the_same_of_every_case_by_every_rule(project: Project):
    rules, runs = [matcher(**case.when, sample=0.5) for case in CASES], [case.run for case in CASES]
    assert said_in_sql(project, runs, both_ways(rules)) == said_in_memory(runs, rules)


@given(
    runs=st.lists(runs_of_agents | runs_of_flows, min_size=1, max_size=8, unique_by=lambda run: run.run_id),
    rules=st.lists(rules, min_size=1, max_size=6),
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_says_the_same_of_any_runs_by_any_rules(project: Project, runs: list[Run], rules: list[Matcher]):
    Run.objects.all().delete()
    assert said_in_sql(project, runs, both_ways(rules)) == said_in_memory(runs, rules)


def test_a_share_is_compared_to_the_bit(project: Project):
    run, rule_id = agents_run(run_id=SOME_ID), SOME_ID
    place = Sample(rule_id, 1.0).place(run.run_id)
    rules = [matcher(rule_id=rule_id, sample=(place + more) / PLACES) for more in (-1, 0, 1, 2)]
    assert [rule.takes(run) for rule in rules] == [False, False, True, True]
    assert said_in_sql(project, [run], [rule.takes_sql("a_run") for rule in rules])[run.pk] == [
        False,
        False,
        True,
        True,
    ]
