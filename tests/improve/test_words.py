"""What is said of suggested changes: the reference's own sentences letter for letter, and each in another language."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from datetime import UTC, datetime
from types import ModuleType

import pytest
from django.utils.functional import Promise

from improve.comparing import WhyNot
from improve.history import Entry, Step
from improve.models import CaseLabel, Finding
from improve.statuses import Status
from improve.words import acting, findings, history, standing
from improve.words.standing import Group
from judging.intervals import Range
from tests.judging.test_words_translated import in_german, marked, name_of, outside_of_messages

SENTENCES: list[ModuleType] = [acting, findings, history, standing]
AT = datetime(2026, 11, 28, tzinfo=UTC)
RANGES = (Range(0.44, 0.72), Range(0.68, 0.9))
WHY = (None, *WhyNot)


def _entries() -> list[Entry]:
    entries = [
        Entry(step, AT, found=found, version=version)
        for step in Step
        for found in (Finding.BETTER, Finding.NOT_BETTER)
        for version in ("", "2.4.0")
    ]
    return entries


SAID: dict[str, Callable[[], list[str]]] = {
    "acting.answers_sent": lambda: [acting.answers_sent(count) for count in (0, 1, 2)],
    "acting.asked_to_go_live": lambda: [acting.asked_to_go_live("Ada")],
    "acting.going_back_does": lambda: [
        acting.going_back_does(agent="desk", before=before, project="shop") for before in ("", "2.4.0")
    ],
    "acting.going_live_does": lambda: [acting.going_live_does(agent="desk", version="2.4.0+change.1", project="shop")],
    "acting.head": lambda: [
        acting.head(status, may_decide=may, may_act=act, live_now=live)
        for status in Status
        for may, act, live in ((True, True, True), (False, True, False), (False, False, True))
    ],
    "acting.runs_instead": lambda: [acting.runs_instead(project="shop", version="2.4.1", changed="2.4.0")],
    "acting.runs_another": lambda: [acting.runs_another("shop")],
    "acting.stands_now": lambda: [acting.stands_now(status, version="2.4.0+change.1") for status in Status],
    "findings.case_result": lambda: [
        findings.case_result(one, problem=why) for one in CaseLabel for why in ("", "Why")
    ],
    "findings.chance": lambda: [findings.chance(one_in) for one_in in (1, 2, 77, 10**9)],
    "findings.changed": lambda: [findings.changed(count) for count in (1, 4)],
    "findings.chart_title": lambda: [
        findings.chart_title(version="2.4.0", baseline=0.59, candidate=0.82, ranges=ranges) for ranges in (None, RANGES)
    ],
    "findings.cancelled": lambda: [findings.cancelled(who, done=3, of=10) for who in ("you", "")],
    "findings.fixed_by_test_run": lambda: [
        findings.fixed_by_test_run(fixed=8, of=of, reopened=again) for of in (1, 10) for again in (0, 1, 2)
    ],
    "findings.found": lambda: [findings.found(one) for one in ("", *Finding)],
    "findings.label": lambda: [findings.label(one) for one in CaseLabel],
    "findings.left_out": lambda: [
        findings.left_out(refused=refused, failed=failed, erased=erased, uncounted=uncounted)
        for refused, failed, erased, uncounted in ((1, 0, 0, 0), (2, 1, 1, 1), (0, 2, 2, 2))
    ],
    "findings.points": lambda: [findings.points(share) for share in (0.01, 0.06)],
    "findings.all_were_wrong": lambda: [findings.all_were_wrong()],
    "findings.repetitions_apart": lambda: [findings.repetitions_apart(0.06)],
    "findings.recorded": lambda: [findings.recorded(versions) for versions in ([], ["2.4.0"], ["1", "2"])],
    "findings.rests_on": lambda: [
        findings.rests_on(cases=cases, repetitions=repetitions, counted=1) for cases, repetitions in ((1, 1), (50, 3))
    ],
    "findings.said_since": lambda: [findings.said_since()],
    "findings.sent": lambda: [findings.sent(count) for count in (1, 4)],
    "findings.split": lambda: [
        findings.split(better=better, worse=worse, why_not=why)
        for better, worse in ((0, 0), (12, 2), (12, 0), (0, 2), (2, 12))
        for why in WHY
    ],
    "findings.why_not": lambda: [
        findings.why_not(why, better=3, worse=1, delta=0.01, spread=0.06)
        for why in (WhyNot.NOTHING, WhyNot.NOT_MORE, WhyNot.SPREAD, WhyNot.UNANSWERED, WhyNot.UNJUDGED)
    ],
    "history.happened": lambda: [history.happened(entry) for entry in _entries()],
    "history.why": lambda: [],
    "standing.answered": lambda: [
        standing.answered(answered=1, of=of, repetitions=repetitions) for of in (1, 60) for repetitions in (1, 2)
    ],
    "standing.group_head": lambda: [standing.group_head(group, 2) for group in Group],
    "standing.group_of": lambda: [],
    "standing.marked_right": lambda: [standing.marked_right(0.82)],
    "standing.means": lambda: [said for status in Status if (said := standing.means(status))],
    "standing.of_test_cases": lambda: [standing.of_test_cases(count) for count in (1, 44)],
    "standing.replayed": lambda: [
        standing.replayed(done=1, of=of, repetitions=repetitions) for of in (1, 60) for repetitions in (1, 2)
    ],
    "standing.stands": lambda: [
        standing.stands(status, version="2.4.0+change.1", live_now=live, cancelled=cancelled)
        for status in Status
        for live in (True, False)
        for cancelled in (True, False)
    ],
}


def test_all_that_is_said_is_looked_at_here():
    functions = {
        f"{name_of(module)}.{name}"
        for module in SENTENCES
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
    }
    assert functions == SAID.keys()


@pytest.mark.parametrize("name", SAID)
def test_a_translation_has_every_word_of_a_sentence(monkeypatch: pytest.MonkeyPatch, name: str):
    with in_german(monkeypatch, marked):
        for said in SAID[name]():
            assert not re.search(r"[^\W\d_]", outside_of_messages(said)), said


@pytest.mark.parametrize("module", SENTENCES, ids=name_of)
def test_a_translation_has_the_sentences_that_never_change(monkeypatch: pytest.MonkeyPatch, module: ModuleType):
    fixed = [value for name, value in vars(module).items() if isinstance(value, (str, Promise)) and name.isupper()]
    with in_german(monkeypatch, marked):
        assert all(outside_of_messages(str(value)) == "" for value in fixed)


def test_the_references_own_words():
    assert standing.group_head(Group.LOOK, 1) == "Need a look (1)"
    assert standing.group_head(Group.EVALUATED, 1) == "Being evaluated (1)"
    assert standing.stands(Status.NOT_BETTER) == "Not better on the test cases"
    assert str(standing.HOLDS) == (
        "Each suggested change's page holds its actions: evaluate, ask to make it live, roll back, withdraw."
    )
    groups = ["To review", "Waiting for a reviewer", "Being evaluated", "Need a look", "Closed"]
    assert [standing.group_head(group, 1).removesuffix(" (1)") for group in Group] == groups


def test_the_designs_own_sentences():
    assert findings.split(better=12, worse=2, why_not=None) == (
        "12 got better and 2 got worse: better by more than chance."
    )
    fewest = "With no real change, a split as one-sided comes up fewer than 1 time in 1,000,000,000."
    assert findings.chance(10**9) == findings.chance(2**70) == fewest
    assert findings.chance(77) == "With no real change, a split as one-sided as this comes up about 1 time in 77."
    assert findings.changed(4) == (
        "4 answers changed to something that nobody has judged: they count in neither share."
    )
    assert standing.answered(answered=12, of=60) == "The agent's replay endpoint answered 12 of 60 cases"
    assert standing.replayed(done=34, of=60) == "34 of 60 test cases replayed"
    assert findings.rests_on(cases=50, repetitions=1, counted=44) == (
        "50 corrected runs replayed once each, 44 of them judged by people"
    )
    assert findings.fixed_by_test_run(fixed=8, of=10) == "8 of 10 corrections are fixed."
    went_back = findings.fixed_by_test_run(fixed=2, of=10, reopened=6)
    assert went_back == "2 of 10 corrections are fixed. 6 that were fixed are open again."
    assert findings.cancelled("you", done=3, of=10) == "You cancelled it after 3 of 10 replays."


GROUPS = """
draft evaluating: being-evaluated being-evaluated
evaluated in-review: to-review waiting-for-a-reviewer
not-better evaluation-failed refused rejected expired superseded: need-a-look need-a-look
promoted rolled-back withdrawn: closed closed
"""


def test_every_status_is_in_its_group_by_whether_who_looks_may_decide():
    told = {}
    for line in GROUPS.strip().splitlines():
        statuses, _, groups = line.partition(": ")
        told.update({status: groups.split() for status in statuses.split()})
    assert told == {
        status.value: [standing.group_of(status, may_decide=may).value for may in (True, False)] for status in Status
    }
