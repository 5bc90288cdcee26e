"""The sentences about rules, their changes and their catch-ups: the reference's own to the letter."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.words import catch_ups, rules
from judging.words.rules import Change, RuleSaid, RunsTaken

PERSON = "user:11111111-2222-4333-8444-555555555555"
FOUR = ["Airline desk", "Retail desk", "Telecom desk", "Telecom ticket worker"]
RULE = RuleSaid(
    name="Echo half", runs=RunsTaken(agents=["Dev-Echo Agent"]), sample=0.5, max_open=5, wants=None, enabled=True
)

WHICH: list[tuple[RunsTaken, str]] = [
    (RunsTaken(agents=["Dev-Echo Agent"]), "Completed runs of Dev-Echo Agent"),
    (RunsTaken(flows=["refund", "return"]), "Completed runs of refund and return"),
    (
        RunsTaken(agents=FOUR),
        "Completed runs of Airline desk, Retail desk, Telecom desk and Telecom ticket worker",
    ),
    (RunsTaken(), "Completed runs of any agent or flow"),
    (RunsTaken(agents=["Retail desk"], versions=["live"]), "Completed runs of Retail desk, the live version"),
    (RunsTaken(agents=["A", "B"], versions=["live"]), "Completed runs of A and B, their live versions"),
    (RunsTaken(versions=["live"]), "Completed runs of any agent or flow, the live version"),
    (
        RunsTaken(agents=["Retail desk"], versions=["2.2.1"], dry_runs=True),
        "Completed runs of Retail desk 2.2.1, dry runs too",
    ),
    (RunsTaken(agents=["A"], versions=["2.2.1", "2.2.0"]), "Completed runs of A, versions 2.2.1 and 2.2.0"),
    (RunsTaken(agents=["A", "B"], versions=["1.0"]), "Completed runs of A and B, version 1.0"),
    (RunsTaken(versions=["1.0"]), "Completed runs of any agent or flow, version 1.0"),
    (RunsTaken(agents=["A"], versions=["live", "1.0"]), "Completed runs of A, live or version 1.0"),
    (RunsTaken(agents=["A"], versions=["1.0", "live", "1.1"]), "Completed runs of A, live or versions 1.0 and 1.1"),
    (RunsTaken(agents=["100%(d)s"]), "Completed runs of 100%(d)s"),
    (RunsTaken(dry_runs=True), "Completed runs of any agent or flow, dry runs too"),
]


@pytest.mark.parametrize(("runs", "said"), WHICH, ids=[said for _, said in WHICH])
def test_which_runs(runs: RunsTaken, said: str):
    assert rules.which_runs(runs) == said


BRIEF: list[tuple[RunsTaken, str]] = [
    (RunsTaken(agents=FOUR), "Completed runs of 4 agents"),
    (RunsTaken(flows=FOUR, versions=["live"]), "Completed runs of 4 flows, their live versions"),
    (RunsTaken(agents=["A", "B", "C"]), "Completed runs of A, B and C"),
]


@pytest.mark.parametrize(("runs", "said"), BRIEF)
def test_which_runs_in_brief(runs: RunsTaken, said: str):
    assert rules.which_runs_in_brief(runs) == said


TAKES: list[tuple[float, str]] = [
    (1.0, "Takes every matching run"),
    (0.1, "Takes 1 in 10"),
    (0.05, "Takes 1 in 20"),
    (0.5, "Takes 1 in 2"),
    (0.001, "Takes 1 in 1,000"),
    (1 / 3, "Takes 1 in 3"),
    (0.333, "Takes 33.3%"),
    (0.3, "Takes 30%"),
    (0.07, "Takes 7%"),
    (0.99999, "Takes 99.999%"),
    (0.00003, "Takes 0.003%"),
    (5e-324, "Takes fewer than 1 in 1,000,000,000"),
]


@pytest.mark.parametrize(("sample", "said"), TAKES)
def test_how_many_runs(sample: float, said: str):
    assert rules.takes(sample) == said


@given(st.floats(1e-9, 1, exclude_max=True) | st.integers(2, 10**9).map(lambda runs: 1 / runs))
def test_the_share_said_is_the_share_taken(sample: float):
    said = rules.share_taken(sample)
    if said.startswith("1 in "):
        assert 1 / int(said.removeprefix("1 in ").replace(",", "")) == sample
    else:
        assert float(Decimal(said.removesuffix("%")) / 100) == sample


def test_what_a_rule_wants():
    said = [rules.wants(name) for name in ("expert", None, "bot")]
    assert said == ["An expert correction", "Any correction", "A bot correction"]


def test_a_rules_cap_and_what_it_has_open():
    assert [rules.cap(max_open) for max_open in (None, 5, 1, 1000)] == [
        "No cap",
        "No new items while 5 are open",
        "No new items while 1 is open",
        "No new items while 1,000 are open",
    ]
    assert [rules.open_now(count) for count in (3, 1, 0)] == ["3 open", "1 open", "None open"]


@pytest.mark.parametrize(
    ("open_items", "max_open", "said"),
    [
        (10, 10, "Full: adds nothing until one is corrected"),
        (12, 10, "Full: adds nothing until fewer than 10 are open"),
        (2, 1, "Full: adds nothing until none is open"),
    ],
)
def test_a_full_rule_says_what_it_waits_for(open_items: int, max_open: int, said: str):
    assert rules.full(open_items=open_items, max_open=max_open) == said


CHANGES: list[tuple[dict[str, Any], list[str]]] = [
    (
        {"max_open": None, "wants": "expert"},
        ["Cap: No new items while 5 are open → No cap", "Wants: any correction → an expert correction"],
    ),
    ({"sample": 0.1, "name": "Echo tenth"}, ["Name: Echo half → Echo tenth", "Takes: 1 in 2 → 1 in 10"]),
    (
        {"runs": RunsTaken(agents=["Dev-Echo Agent"], versions=["live"])},
        ["Runs: Completed runs of Dev-Echo Agent → Completed runs of Dev-Echo Agent, the live version"],
    ),
    ({"enabled": False}, ["Turned off"]),
    ({}, ["Nothing changed"]),
]


@pytest.mark.parametrize(("changed", "said"), CHANGES)
def test_what_a_version_changed(changed: dict[str, Any], said: list[str]):
    assert [change.text for change in rules.version_changes(RULE, replace(RULE, **changed))] == said


def test_a_change_has_its_parts_for_a_page_to_mark():
    assert rules.version_changes(RULE, replace(RULE, max_open=20)) == [
        Change(
            "Cap: No new items while 5 are open → No new items while 20 are open",
            setting="Cap",
            before="No new items while 5 are open",
            after="No new items while 20 are open",
        )
    ]


def test_the_first_version_created_the_rule():
    assert rules.version_changes(None, RULE) == [Change("Created")]


def test_a_rule_is_turned_on_again():
    assert rules.version_changes(replace(RULE, enabled=False), RULE) == [Change("Turned on")]


@pytest.mark.parametrize(
    ("actor", "name", "me", "said"),
    [
        (PERSON, None, None, "a person (11111111…)"),
        (PERSON, "Mara Lindqvist", None, "Mara Lindqvist"),
        (PERSON, "Mara Lindqvist", PERSON, "you"),
        ("service_account:22222222-2222-4333-8444-555555555555", None, PERSON, "a service (22222222…)"),
    ],
)
def test_who_did_it(actor: str, name: str | None, me: str | None, said: str):
    assert rules.who(actor, name=name, me=me) == said


def test_a_version_in_the_history():
    head = rules.version_head(version=2, by="a person (11111111…)", at="24 Oct 2026, 9 PM EDT")
    assert head == "Version 2 · a person (11111111…) · 24 Oct 2026, 9 PM EDT"


def test_a_rule_over_its_trend():
    runs = RunsTaken(agents=["Retail desk"], versions=["live"])
    said = rules.rule_in_brief(rule_version=3, runs=runs, judge_class="expert")
    assert said == "Rule version 3 · Completed runs of Retail desk, the live version · Wants an expert correction"


def test_the_rules_are_counted_and_previewed():
    assert [rules.rule_count(count) for count in (5, 1, 0)] == ["5 rules.", "1 rule.", "0 rules."]
    assert rules.preview(queued=11, last=100) == "Would have queued 11 of the last 100 runs."
    assert rules.preview(queued=1, last=1) == "Would have queued 1 of the last run."


COUNTS = catch_ups.caught_up(queued=2, already_queued=5, already_reviewed=31)
AMONG: list[tuple[int, int | None, str | None, str]] = [
    (38, 200, None, "38 matches among the last 200 runs."),
    (1, 1, None, "1 match among the last run."),
    (38, None, "24 Oct", "38 matches among the runs completed since 24 Oct."),
    (38, 1000, "24 Oct", "38 matches among the last 1,000 runs completed since 24 Oct."),
]


@pytest.mark.parametrize(("matches", "last", "since", "said"), AMONG)
def test_what_a_catch_up_found(matches: int, last: int | None, since: str | None, said: str):
    counts = "2 queued, 5 already queued, 31 already reviewed"
    assert counts == COUNTS
    assert catch_ups.caught_up_among(COUNTS, matches=matches, last=last, since=since) == f"{counts}: {said}"


def test_how_far_a_catch_up_is():
    counts = catch_ups.caught_up(queued=52, already_queued=9, already_reviewed=14)
    assert catch_ups.catching_up(counts, done=640, of=1000) == (
        "640 of 1,000 looked at: 52 queued, 9 already queued, 14 already reviewed so far"
    )


def test_what_no_rule_takes():
    assert str(rules.RULES_TAKE) == (
        "A rule matches an agent's or a flow's own runs, not an agent's turns as a flow's step. Replays never match."
    )
