"""Which runs a rule is about, and what its `when` may be."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import msgspec
import pytest

from judging.matching import When, check_when, when_of, when_stored
from kindgi.api.errors import BadInput
from kindgi.api.jsontext import decode
from tests.judging.matching_cases import CASES, agents_run, flows_run, matcher


@pytest.mark.parametrize(("when", "run", "matches"), [case[1:] for case in CASES], ids=[case.name for case in CASES])
def test_a_rule_is_about_a_run_or_is_not(when: dict[str, Any], run: Any, matches: bool):
    assert matcher(**when).matches(run) is matches
    assert matcher(**when).takes(run) is matches, "a rule without a smaller share takes all that it is about"


def test_there_are_cases_of_either_kind_for_each_field():
    for field in msgspec.structs.fields(When):
        assert {case.matches for case in CASES if field.encode_name in case.when} == {True, False}, field.name


def test_each_of_several_rules_decides_by_itself():
    rules = {
        "everything": matcher(),
        "desk": matcher(agentIds=["desk"]),
        "mail": matcher(agentIds=["mail"]),
        "intake": matcher(flowIds=["intake"]),
        "live": matcher(versions=["live"]),
        "dry": matcher(includeDryRuns=True),
    }

    def taken_by(run: Any) -> set[str]:
        return {name for name, rule in rules.items() if rule.takes(run)}

    assert taken_by(agents_run()) == {"everything", "desk", "live", "dry"}
    assert taken_by(agents_run(agent_id="mail", agent_via="latest")) == {"everything", "mail", "dry"}
    assert taken_by(flows_run()) == {"everything", "intake", "dry"}
    assert taken_by(flows_run(dry_run=True)) == {"dry"}
    assert taken_by(agents_run(status="failed")) == set()


def test_a_rule_takes_its_share_of_what_it_is_about_and_of_nothing_else():
    rule = matcher(agentIds=["desk"], sample=0.5)
    runs = [agents_run(run_id=UUID(int=number)) for number in range(400)]
    taken = {run.run_id for run in runs if rule.takes(run)}
    assert 150 < len(taken) < 250
    assert all(rule.matches(run) for run in runs)
    others = [agents_run(run_id=run_id, agent_id="mail") for run_id in taken]
    assert not any(rule.takes(run) for run in others)


REFUSED: list[tuple[str, Any, str]] = [
    ("no object", [], "`object`"),
    ("an unknown field", {"agents": ["desk"]}, "agents"),
    ("null", {"agentIds": None}, "/agentIds"),
    ("an agent that is no list", {"agentIds": "desk"}, "/agentIds"),
    ("no agents", {"agentIds": []}, "/agentIds"),
    ("51 agents", {"agentIds": ["desk"] * 51}, "/agentIds"),
    ("an empty agent id", {"agentIds": ["desk", ""]}, "/agentIds/1"),
    ("a long agent id", {"agentIds": ["d" * 201]}, "/agentIds/0"),
    ("a NUL in an agent id", {"agentIds": ["d\0"]}, "/agentIds/0"),
    ("no flows", {"flowIds": []}, "/flowIds"),
    ("51 flows", {"flowIds": ["intake"] * 51}, "/flowIds"),
    ("a flow id that is a number", {"flowIds": [1]}, "/flowIds/0"),
    ("a long flow id", {"flowIds": ["d" * 201]}, "/flowIds/0"),
    ("no versions", {"versions": []}, "/versions"),
    ("51 versions", {"versions": ["1"] * 51}, "/versions"),
    ("an empty version", {"versions": [""]}, "/versions/0"),
    ("a long version", {"versions": ["1" * 101]}, "/versions/0"),
    ("no status", {"status": []}, "/status"),
    ("another status", {"status": ["failed"]}, "/status/0"),
    ("a status that is no list", {"status": "completed"}, "/status"),
    ("a further status", {"status": ["completed", "failed"]}, "/status"),
    ("dry runs that are no yes or no", {"includeDryRuns": 1}, "/includeDryRuns"),
]


@pytest.mark.parametrize(("when", "named"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_a_when_of_another_shape_is_refused_by_name(when: Any, named: str):
    with pytest.raises(BadInput, match=named):
        decode(json.dumps(when).encode(), When)


def test_agents_and_flows_cannot_be_named_both():
    with pytest.raises(BadInput, match="agentIds and flowIds"):
        check_when(when_of({"agentIds": ["desk"], "flowIds": ["intake"]}))


@pytest.mark.parametrize(
    "when",
    [
        {},
        {"agentIds": ["desk", "a" * 200, "desk"]},
        {"agentIds": [f"agent-{number}" for number in range(50)]},
        {"flowIds": ["triage", "intake"], "versions": ["live", "1" * 100, "0.9.0"]},
        {"agentIds": ["desk"], "status": ["completed"], "includeDryRuns": False},
        {"includeDryRuns": True},
    ],
)
def test_what_was_given_is_stored_as_it_was_given(when: dict[str, Any]):
    given = decode(json.dumps(when).encode(), When)
    check_when(given)
    assert when_stored(given) == when
    assert list(when_stored(given)) == [
        field.encode_name for field in msgspec.structs.fields(When) if field.encode_name in when
    ]
    assert when_of(when_stored(given)) == given
