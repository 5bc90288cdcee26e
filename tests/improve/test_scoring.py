"""What a replay comes to: by hand-made cases for each rule of section 4, and by properties that hold for all."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.judged import Judged, JudgedItem, judged_packed, judged_unpacked
from improve.models import CaseLabel
from improve.scoring import Tally, counted
from tests.improve.scores import Case, call, came_out, said


def of(right: int, total: int) -> Tally:
    return Tally(Fraction(right), Fraction(total))


B, W, S, C = CaseLabel.BETTER, CaseLabel.WORSE, CaseLabel.SAME, CaseLabel.CHANGED
LOOKUP = [call("lookup", order=1)]

DECISIONS: list[tuple[str, list[dict[str, Any]], dict[str, Any], list[dict[str, Any]], CaseLabel]] = [
    ("the calls that people expected", [], {"should_call": LOOKUP}, LOOKUP, B),
    ("1 equals 1.0", [], {"should_call": [call("lookup", order=1.0)]}, LOOKUP, B),
    ("true is not 1", [], {"should_call": [call("lookup", order=True)]}, LOOKUP, S),
    ("{} matches any arguments", [], {"should_call": [call("lookup")]}, LOOKUP, B),
    ("more arguments than were listed don't matter", [], {"should_call": LOOKUP}, [call("lookup", order=1, x=2)], B),
    ("another order of an object's keys is the same", [], {"should_call": [call("a", o={"x": 1, "y": 2})]},
     [call("a", o={"y": 2, "x": 1})], B),
    ("one call more than was listed", [], {"should_call": LOOKUP}, LOOKUP * 2, S),
    ("tools that nobody names aren't compared", [], {"should_call": LOOKUP}, [*LOOKUP, call("mail")], B),
    ("a tool that shouldn't be called isn't", [call("mail")], {"must_not_call": ["mail"]}, LOOKUP, B),
    ("a tool that shouldn't be called still is", [call("mail")], {"must_not_call": ["mail"]}, [call("mail", x=1)], S),
    ("a refused call counts as called", [], {"should_call": LOOKUP}, [{**LOOKUP[0], "refused": True}], B),
    ("matching is by pairs, not by whatever fits first", [], {"should_call": [call("a"), call("a", x=1)]},
     [call("a", x=1), call("a", x=2)], B),
    ("without what was listed nothing is known", [], {}, LOOKUP, C),
    ("nor where the arguments were erased", [], {"should_call": LOOKUP, "erased": True}, LOOKUP, C),
]  # fmt: skip


@pytest.mark.parametrize(
    ("calls", "words", "replayed", "label"), [row[1:] for row in DECISIONS], ids=[r[0] for r in DECISIONS]
)
def test_wrong_decisions_come_out_as_the_check_says(calls: Any, words: Any, replayed: Any, label: CaseLabel) -> None:
    assert came_out(Case(calls=calls).decisions(False, **words).scored(None, replayed)).label == label


def test_right_decisions_stay_right_in_any_order_and_are_changed_by_other_calls() -> None:
    case = Case(calls=[call("a", x=1), call("b")]).decisions(True)
    assert came_out(case.scored(None, [call("b"), call("a", x=1.0)])).label == S
    assert came_out(case.scored(None, [call("a", x=1)])).label == C
    assert came_out(case.scored(None, [call("a", x=2), call("b")])).label == C


def test_no_calls_are_calls_that_were_judged_too() -> None:
    case = Case().decisions(False, should_call=LOOKUP)
    assert came_out(case.scored(None)).label == S
    assert came_out(Case().decisions(True).scored(None)).label == S


def test_the_answer_that_it_should_give_is_right() -> None:
    case = Case(said("Today.")).answer(False, should_say="Tomorrow.")
    assert came_out(case.scored(said("Tomorrow."))).label == B
    assert came_out(case.scored("Tomorrow.")).label == B
    assert came_out(case.scored(said("Today."))).label == S
    assert came_out(case.scored(said("Never."))).label == C


def test_whatever_else_a_turn_says_an_answer_is_its_text() -> None:
    assert came_out(Case(said("Today.")).answer(True).scored({**said("Today."), "model": "another"})).label == S


def ranked(*documents: str) -> dict[str, Any]:
    return {"matches": list(documents)}


def test_an_item_is_what_stands_in_its_place() -> None:
    case = (
        Case(ranked("x", "y")).judge("first", True, pointer="/matches/0").judge("second", False, pointer="/matches/1")
    )
    assert came_out(case.scored(ranked("x", "y"))).label == S
    assert came_out(case.scored(ranked("x", "x"))).label == B, "a value that was marked right elsewhere is right here"
    assert came_out(case.scored(ranked("y", "y"))).label == W, "and one that was marked wrong elsewhere is wrong"
    assert came_out(case.scored(ranked("x", "z"))).label == C
    assert came_out(case.scored(ranked("x"))).label == C
    assert came_out(case.scored(ranked("z", "y"))).label == S, "what is known is compared, where something is wrong"


def test_items_say_nothing_of_items_of_other_lists() -> None:
    two = Case({"priority": 1, "count": 3}).judge("priority", False, pointer="/priority")
    two.judge("count", True, pointer="/count")
    assert [part.candidate for part in two.scored({"priority": 3, "count": 3}).parts] == [None, of(1, 1)]
    lists = Case({"a": [{"x": 1, "y": 2}], "b": [2]}).judge("x", False, pointer="/a/0/x")
    lists.judge("y", True, pointer="/a/0/y").judge("b", True, pointer="/b/0")
    assert lists.scored({"a": [{"x": 2, "y": 2}], "b": [2]}).parts[0].candidate is None
    matches = Case({"m": [{"id": n} for n in range(12)]}).judge("k0", False, pointer="/m/0/id")
    matches.judge("k11", True, pointer="/m/11/id")
    assert matches.scored({"m": [{"id": 11}] * 12}).parts[0].candidate == of(1, 1), "another place of the same list"


def test_a_value_has_the_weight_of_what_it_is_beside() -> None:
    case = Case(ranked("a", "b")).judge("k0", True, 20, pointer="/matches/0").judge("k1", False, pointer="/matches/1")
    found = came_out(case.scored(ranked("b")))
    assert (found.label, found.baseline, found.candidate) == (W, of(20, 20), of(0, 20))
    asked_often = Case("new")
    for right in (True, True, False):
        asked_often.answer(right, 5)
    once = came_out(Case("old").answer(True).scored("new", also=[asked_often.judged]))
    assert (once.label, once.baseline, once.candidate) == (W, of(1, 1), Tally(Fraction(2, 3), Fraction(1)))


@pytest.mark.parametrize("right", [True, False])
def test_the_same_value_is_neither_better_nor_worse_whatever_is_said_of_it_since(right: bool) -> None:
    calls = [call("a")]
    case = Case(said("Hello."), calls).answer(True).decisions(True).decisions(False, should_call=[call("b")])
    since = Case(said("Hello!"), calls).answer(True).decisions(right, 3, should_call=[call("b")]).judged
    found = came_out(case.scored(said("Hello!"), calls, also=[since]))
    assert (found.label, found.baseline, found.candidate) == (S, of(2, 3), of(2, 3))


def test_items_and_answers_say_nothing_of_each_other() -> None:
    case = Case("x").answer(True).judge("item", False, pointer="/a")
    assert came_out(case.scored({"a": "x"})).label == C


def test_an_item_without_a_place_is_about_the_whole_output() -> None:
    case = Case(ranked("x")).judge("list", True)
    assert (came_out(case.scored(ranked("x"))).label, came_out(case.scored(ranked("y"))).label) == (S, C)


def test_judges_who_disagree_count_with_their_weights() -> None:
    case = Case("x").answer(True, 3).answer(False, 1, should_say="y")
    same = came_out(case.scored("x"))
    assert (same.label, same.candidate) == (S, (Fraction(3), Fraction(4)))
    other = came_out(case.scored("y"))
    assert (other.label, other.baseline, other.candidate) == (B, of(3, 4), of(4, 4))


def test_only_experts_count_where_that_is_asked() -> None:
    case = Case("x").answer(True, 5).answer(False, 1, expert=True, should_say="y")
    assert came_out(case.scored("y", experts_only=True)).baseline == of(0, 1)
    nobody = Case("x").answer(True, 5)
    for output, label in (("y", C), ("x", S)):
        found = came_out(nobody.scored(output, experts_only=True))
        assert (found.label, found.is_compared, found.changed_from_right) == (label, False, False)


def test_where_nothing_counts_it_is_the_same_only_if_all_of_it_is() -> None:
    case = Case({"a": 1, "b": 2}).judge("a", True, 0, pointer="/a").judge("b", False, 0, pointer="/b")
    same, other = came_out(case.scored({"a": 1.0, "b": 2})), came_out(case.scored({"a": 1, "b": 3}))
    assert (same.label, other.label, same.is_compared, other.is_compared) == (S, C, False, False)
    some = case.judge("a", True, 1, pointer="/a")
    assert came_out(some.scored({"a": 1, "b": 3})).label == S, "what counts is the same, and the rest says nothing"


def test_what_people_said_since_of_its_answers_counts() -> None:
    case = Case("x", [call("a")]).answer(False, should_say="y").decisions(True)
    assert came_out(case.scored("z", [call("a")])).label == C
    since = Case("z", [call("a")]).answer(True, 2).judged
    found = came_out(case.scored("z", [call("a")], also=[since]))
    assert (found.label, found.baseline, found.candidate) == (B, of(1, 2), of(2, 2))
    better_still = Case("q").answer(False, should_say="z").judged
    assert came_out(case.scored("z", [call("a")], also=[better_still])).label == B


def test_wrong_expectations_are_no_evidence_of_the_calls_they_were_said_of() -> None:
    case = Case(calls=LOOKUP).decisions(False, should_call=LOOKUP)
    assert came_out(case.scored(None, LOOKUP)).candidate == of(0, 1)


weights = st.one_of(st.just(0.0), st.floats(0, 1e9), st.floats(0, 1e308))
values = st.sampled_from(["x", "y", 1, 1.0, True, None, {"a": 1}])


@st.composite
def cases(draw: Any) -> Case:
    case = Case(
        {"a": draw(values), "b": draw(values), **said("x")}, draw(st.lists(st.sampled_from([call("a"), call("b")])))
    )
    for _ in range(draw(st.integers(0, 6))):
        right, weight, expert = draw(st.booleans()), draw(weights), draw(st.booleans())
        way = draw(st.sampled_from(["answer", "decisions", "/a", "/b", "/gone", "whole"]))
        if way == "answer":
            words = {} if right else {"should_say": draw(st.sampled_from(["x", "y"]))}
            case.answer(right, weight, expert=expert, **words)
        elif way == "decisions":
            words = {} if right else {"should_call": [call(draw(st.sampled_from(["a", "b"])))]}
            case.decisions(right, weight, expert=expert, **words)
        else:
            case.judge(way, right, weight, pointer=None if way == "whole" else way, expert=expert)
    return case


replays = st.tuples(
    st.fixed_dictionaries({"a": values, "b": values}), st.lists(st.sampled_from([call("a"), call("b")]))
)


@given(cases(), st.booleans())
def test_a_replay_that_does_what_the_run_did_never_differs_from_it(case: Case, experts_only: bool) -> None:
    scored = case.again(experts_only=experts_only)
    for part in scored.parts:
        if part.pointer != "/gone":
            assert part.same and part.candidate == part.baseline
    found = came_out(scored)
    assert found.label in (S, C) and (found.label == C or found.baseline == found.candidate)


@given(cases(), replays)
def test_a_weight_of_0_never_counts(case: Case, replay: Any) -> None:
    without = Judged(
        [JudgedItem(one.key, kept, one.pointer, one.rank, one.value)
         for one in case.items if (kept := [voice for voice in one.voices if voice.weight])],
        case.said,
    )  # fmt: skip
    assert counted(case.judged, experts_only=False) == without
    found = came_out(case.scored(*replay))
    case.items = without.items
    assert came_out(case.scored(*replay)) == found or not without.items


@given(cases(), replays, st.randoms(use_true_random=False))
def test_the_order_of_verdicts_and_items_says_nothing(case: Case, replay: Any, random: Random) -> None:
    found = came_out(case.scored(*replay))
    for item in case.items:
        random.shuffle(item.voices)
    random.shuffle(case.items)
    assert came_out(case.scored(*replay)) == found


@given(cases(), replays, st.lists(cases(), max_size=3))
def test_both_sides_have_the_same_weights_and_the_same_value_the_same_evidence(
    case: Case, replay: Any, since: list[Case]
) -> None:
    counts = [counted(one.judged, experts_only=False) for one in since]
    for part in case.scored(*replay, also=counts).parts:
        assert part.candidate is None or part.candidate.total == part.baseline.total
        assert not part.same or part.candidate == part.baseline


@given(cases(), replays)
def test_no_share_is_more_than_all_or_less_than_nothing(case: Case, replay: Any) -> None:
    found = came_out(case.scored(*replay))
    for tally in (found.baseline, found.candidate):
        assert 0 <= tally.right <= tally.total


@given(cases())
def test_what_was_said_is_kept_as_it_was(case: Case) -> None:
    assert judged_unpacked(judged_packed(case.judged)) == case.judged
