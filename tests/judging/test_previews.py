"""``GET …/judging-rules/preview``: what a rule would have queued of the last runs (contract, section 6; seed)."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from judging.matching import Matcher, when_of
from kindgi.api.times import as_of, wire
from kindgi.runs.models import Run
from tests.judging.queues import change_rule, import_runs, make_rule, old_rule, queue, records, rules_path
from tests.support.shops import AGENT, Shop

START = datetime(2026, 3, 1, tzinfo=UTC)
UNKNOWN = "018f0000-0000-7000-8000-000000000000"


@dataclass
class Recent:
    """Runs of all kinds, and by brute force what a rule makes of them."""

    shop: Shop
    rules: dict[str, dict[str, Any]] = field(default_factory=dict)

    def report(self) -> None:
        chance = random.Random(6)
        runs: list[dict[str, Any]] = []
        for number, run in enumerate(records(130, agent=None)):
            at = wire(START + timedelta(seconds=chance.randint(0, 40)))
            kind = chance.choice(["agent", "agent", "flow"])
            version = {"version": chance.choice(["1.0.0", "2.0.0"])}
            if kind == "agent":
                subject = {"id": chance.choice([AGENT, "other"]), "via": chance.choice(["live", "explicit"])}
            else:
                subject = {"id": "intake"}
            odd: list[dict[str, Any]] = [{"dryRun": True}, {"parentRunId": UNKNOWN}, {"replayOf": UNKNOWN}]
            more = chance.choice([{}, {}, {}, {}, *odd]) | chance.choice([{}, {}, {}, {"status": "failed"}])
            runs.append({**run, kind: version | subject, "createdAt": at, "completedAt": at, **more})
            if number % 10 == 0:
                runs[-1] |= {"status": "running", "completedAt": None}
        import_runs(self.shop, *({k: v for k, v in run.items() if v is not None} for run in runs))
        for run in runs[5:60:9]:
            self.shop.admin.ok("POST", f"runs/{run['id']}/erase")

    def expected(self, when: dict[str, Any], rule: dict[str, Any] | None, sample: float, last: int) -> dict[str, int]:
        """How many of the last runs there are, and how many of them the rule takes, one by one."""
        ended = [run for run in Run.objects.filter(project=self.shop.project) if run.completed_at is not None]
        ended = [run for run in ended if not (run.parent_run_id or run.replay_of or run.eval_run_id)]
        recent = sorted(ended, key=lambda run: (run.completed_at, run.pk), reverse=True)[:last]
        matcher = Matcher(UUID(rule["ruleId"] if rule else UNKNOWN), when_of(when), sample if rule else 1.0)
        taken = sum(matcher.takes(run) for run in recent)
        return {"considered": len(recent), "matched": taken if rule else round(taken * sample)}

    def preview(self, query: dict[str, Any], by: str = "viewer") -> dict[str, int]:
        answer: dict[str, int] = self.shop.api(by).ok("GET", rules_path(self.shop, "preview"), query=query)
        return answer


@pytest.fixture(scope="module")
def recent(shop: Shop) -> Recent:
    made = Recent(shop)
    made.report()
    made.rules = {
        "all": old_rule(shop, at=START + timedelta(days=1), when={}),
        "some": old_rule(shop, at=START + timedelta(days=1), sample=0.4, maxOpen=1, enabled=False),
    }
    return made


def sent(when: dict[str, Any]) -> dict[str, str]:
    """A rule's ``when`` as a query string has it."""
    return {name: ",".join(value) if isinstance(value, list) else str(value).lower() for name, value in when.items()}


WHENS: list[dict[str, Any]] = [
    {},
    {"agentIds": [AGENT]},
    {"agentIds": [AGENT, "other"], "versions": ["live", "2.0.0"]},
    {"versions": ["live"]},
    {"flowIds": ["intake"]},
    {"flowIds": ["intake", "nothing"], "versions": ["2.0.0"]},
    {"includeDryRuns": True},
    {"includeDryRuns": False, "status": ["completed"]},
    {"agentIds": ["nobody"]},
]


@pytest.mark.parametrize("when", WHENS, ids=str)
@pytest.mark.parametrize("last", [1, 30, 100, 500])
def test_it_counts_what_the_rule_would_have_queued(recent: Recent, when: dict[str, Any], last: int):
    query = sent(when) | {"last": last}
    assert recent.preview(query) == recent.expected(when, None, 1.0, last)
    for rule, sample in (("all", 1.0), ("some", 0.4)):
        rule_id = recent.rules[rule]["ruleId"]
        assert recent.preview(query | {"ruleId": rule_id}) == recent.expected(when, recent.rules[rule], sample, last)


def test_the_runs_have_something_of_everything(recent: Recent):
    """Else the test above would look at nothing."""
    counted = [recent.expected(when, None, 1.0, 500)["matched"] for when in WHENS]
    assert all(counted[:-1]) and counted[-1] == 0
    assert len(set(counted)) >= 6
    assert recent.expected({}, recent.rules["some"], 0.4, 500)["matched"] < counted[0]


@pytest.mark.parametrize("sample", [0.1, 0.5, 0.9, 1])
def test_a_share_that_is_given_goes_before_the_rules_own(recent: Recent, sample: float):
    rule = recent.rules["some"]
    asked = {"sample": sample, "ruleId": rule["ruleId"]}
    assert recent.preview(asked) == recent.expected({}, rule, sample, 100)


@pytest.mark.parametrize("sample", ["0.1", "0.333", "1", "1.0", "1e-1", "5e-324"])
def test_without_a_rule_the_count_is_its_share_of_what_matches(recent: Recent, sample: str):
    assert recent.preview({"sample": sample}) == recent.expected({}, None, float(sample), 100)


def test_a_hundred_runs_are_looked_at_unless_it_says_how_many(recent: Recent):
    assert recent.preview({}) == recent.preview({"last": 100})
    there_are = recent.expected({}, None, 1.0, 500)["considered"]
    assert recent.preview({})["considered"] == min(100, there_are)


def test_it_takes_its_fields_from_the_query_and_not_from_the_rule(undone: Shop, recent: Recent):
    rule = make_rule(undone, when={"agentIds": ["nobody"]})
    assert recent.preview({"ruleId": rule["ruleId"]}, "editor")["matched"] > 0
    asked = {"ruleId": rule["ruleId"], "agentIds": "nobody"}
    assert recent.preview(asked, "editor")["matched"] == 0


def test_a_stopped_rule_is_previewed_too_and_samples_as_ever(undone: Shop, recent: Recent):
    rule = recent.rules["some"]
    before = recent.preview({"ruleId": rule["ruleId"]})
    change_rule(undone, rule, name="Version 2", maxOpen=None)
    undone.editor.ok("POST", rules_path(undone, rule["ruleId"], "unregister"))
    assert recent.preview({"ruleId": rule["ruleId"]}) == before


def test_a_preview_queues_nothing_and_leaves_other_projects_out(undone: Shop, recent: Recent):
    recent.preview({})
    assert queue(undone, "limit=0")["total"] == 0
    other = undone.other_project()
    answer = undone.admin.ok("GET", f"projects/{other.pk}/judging-rules/preview")
    assert answer == {"considered": 0, "matched": 0}


def test_it_takes_the_runs_that_the_rule_then_does(undone: Shop):
    rule = old_rule(undone, sample=0.5)
    with as_of(START + timedelta(days=9)):
        import_runs(undone, *records(30, completedAt=wire(START + timedelta(days=300))))
    asked = {"ruleId": rule["ruleId"], "agentIds": AGENT, "last": 30}
    preview = undone.editor.ok("GET", rules_path(undone, "preview"), query=asked)
    assert preview == {"considered": 30, "matched": queue(undone, f"limit=0&ruleId={rule['ruleId']}")["total"]}


REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("/last", {"last": "0"}),
    ("/last", {"last": "501"}),
    ("/last", {"last": "-1"}),
    ("/last", {"last": "1.0"}),
    ("/last", {"last": "\u0661"}),
    ("/last", {"last": "9" * 40}),
    ("/last", {"last": "many"}),
    ("/sample", {"sample": "0"}),
    ("/sample", {"sample": "1.1"}),
    ("/sample", {"sample": "-0.5"}),
    ("/sample", {"sample": "nan"}),
    ("/sample", {"sample": "inf"}),
    ("/sample", {"sample": "half"}),
    ("/agentIds/1", {"agentIds": "a,"}),
    ("/agentIds/0", {"agentIds": "x" * 201}),
    ("/agentIds", {"agentIds": ",".join("x" * 51)}),
    ("/flowIds", {"flowIds": ",".join("x" * 51)}),
    ("/versions", {"versions": ",".join("x" * 51)}),
    ("/versions/0", {"versions": "x" * 101}),
    ("/status/0", {"status": "failed"}),
    ("/status", {"status": "completed,completed"}),
    ("/includeDryRuns", {"includeDryRuns": "yes"}),
    ("/includeDryRuns", {"includeDryRuns": "True"}),
    ("agentIds and flowIds", {"agentIds": "a", "flowIds": "f"}),
    ("maxOpen", {"maxOpen": "1"}),
    ("name", {"name": "n"}),
    ("limit", {"limit": "5"}),
    ("cursor", {"cursor": "x"}),
    ("agentIds", {"agentIds": ""}),
    ("agentIds", {"agentIds": ["a", "b"]}),
    ("sample", {"sample": ["0.1", "0.2"]}),
]


@pytest.mark.parametrize(("named", "query"), REFUSED, ids=[str(query)[:50] for _, query in REFUSED])
def test_what_it_cannot_read_is_refused_with_the_parameter_named(undone: Shop, named: str, query: dict[str, Any]):
    refused = undone.editor.get(rules_path(undone, "preview"), **query)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "bad-input")
    assert named in refused.json()["error"]["message"]


@pytest.mark.parametrize("rule_id", [UNKNOWN, "nothing"])
def test_a_rule_that_is_not_there_is_not_found(undone: Shop, rule_id: str):
    found = undone.editor.refused("GET", rules_path(undone, "preview"), query={"ruleId": rule_id})
    assert found == (404, "judging-rule-not-found")


@pytest.mark.parametrize("last", [1, 500])
def test_it_takes_as_many_statements_for_any_number_of_runs(recent: Recent, assert_queries: Any, last: int):
    viewer, asked = recent.shop.api("viewer"), {"last": last, "ruleId": recent.rules["some"]["ruleId"]}
    with assert_queries(exact=4):  # the token, the project, the rule, the runs
        viewer.ok("GET", rules_path(recent.shop, "preview"), query=asked)
