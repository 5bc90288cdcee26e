"""What the demonstration's test runs say: made from what people said is right, the same each time, and in order."""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import cache

import pytest

from corrections.decision_check import Expected, calls_of, check
from corrections.grading import Output
from kindgi.demo.companies import COMPANIES
from kindgi.demo.history import history
from kindgi.demo.judged import DECISIONS, TOP_PICK, done_about
from kindgi.demo.replays import played
from kindgi.demo.scenes.planning import TOO_MUCH
from kindgi.demo.trials import course_of, switches, trials

NOW = datetime(2030, 5, 17, 11, 30, tzinfo=UTC)
PLANS = {plan.id: plan for company in COMPANIES for plan in company.agents}


@cache
def story(now):
    runs = history(now)
    done = done_about(runs, now)
    return runs, done, trials(runs, done, now)


def flawed_scenes():
    found = [told.scene for told in story(NOW)[0] if told.scene is not None and told.scene.flaw is not None]
    assert len(found) > 200
    return found


def calls_made(scene):
    return calls_of(json.dumps(scene.calls()).encode())


def answer_of(scene):
    return json.loads(Output(json.dumps(scene.output()).encode()).answer)


def test_the_same_now_gives_the_same_judgments_and_test_runs():
    (_, first, first_tried), (_, second, second_tried) = story(NOW), story.__wrapped__(NOW)
    assert first == second and first is not second
    assert [(trial.at, trial.body()) for trial in first_tried] == [(trial.at, trial.body()) for trial in second_tried]


@pytest.mark.parametrize(
    ("agent_id", "expected"),
    [
        (
            "meridian.concierge",
            ["1.1.0 latest", "1.2.0 latest", "2.0.0 latest", "1.2.0 went-back", "2.0.0 unpin"],
        ),
        ("meridian.trip-matcher", ["1.0.0 latest", "1.0.0 pin", "1.1.0 pin"]),
        ("acorn.orders", ["3.1.0 latest", "3.2.0 latest"]),
        ("acorn.product-finder", ["1.1.0 latest", "2.0.0 latest", "1.1.0 went-back"]),
    ],
)
def test_a_project_comes_to_run_a_version_by_latest_a_pin_a_step_back_or_an_unpin(agent_id, expected):
    assert [f"{switch.version} {switch.how}" for switch in switches(PLANS[agent_id])] == expected


def test_at_any_hour_and_day_test_runs_follow_the_release_and_what_was_said_and_none_is_in_the_future():
    for hours in (0, 9, 24 * 3, 24 * 250):
        now = NOW + timedelta(hours=hours)
        _, done, tried = story(now)
        assert done == sorted(done, key=lambda act: act.at) and done[-1].at <= now
        first = {act.run_id: act.at for act in reversed(done) if act.kind in {"say", "judge"}}
        assert tried == sorted(tried, key=lambda trial: trial.at) and tried[-1].at <= now
        for trial in tried:
            released = next(release for release in trial.plan.releases if release.version == trial.version)
            assert now - timedelta(days=released.days_ago) < trial.at
            runs = [replay["runId"] for replay in trial.replays]
            assert len(runs) == len(set(runs)) > 10
            assert all(first[run_id] < trial.at for run_id in runs)


def test_a_version_calls_only_tools_that_it_has():
    for trial in story(NOW)[2]:
        tools = {tool["id"] for tool in trial.plan.tools_of(trial.version)}
        assert {call["tool"] for replay in trial.replays for call in replay["calls"]} <= tools


def test_a_mended_run_passes_what_a_reviewer_says_and_as_it_was_it_does_not():
    for scene in flawed_scenes():
        flaw, mended = scene.flaw, played(scene, "mended")
        expected = Expected.of(should_call=json.dumps(flaw.should_call), must_not_call=flaw.must_not_call)
        assert check(expected, calls_made(mended)).passed
        if flaw.of_decisions:
            assert not check(expected, calls_made(played(scene, "as-it-was"))).passed
        assert answer_of(played(scene, "as-it-was")) == scene.answer
        if flaw.wrong_places:
            kept = [match for place, match in enumerate(scene.matches) if place not in flaw.wrong_places]
            assert kept and list(mended.matches) == kept and str(len(kept)) in answer_of(mended)
        elif TOO_MUCH not in scene.answer and flaw.should_say:
            assert answer_of(mended) == flaw.should_say


def test_a_refund_of_the_right_amount_is_told_as_such():
    amounts: Counter[bool] = Counter()
    for scene in flawed_scenes():
        for call in scene.flaw.should_call:
            if call["tool"] == "acorn.orders.refund":
                mended = played(scene, "mended")
                assert f"€{call['args']['amount']:.2f}" in mended.answer
                assert mended.steps[-1].args["reason"] == "changed mind"
                amounts[scene.answer == mended.answer] += 1
    assert amounts[False] > 5 and not amounts[True]


def test_in_other_words_the_calls_are_right_and_the_answer_is_another():
    for scene in flawed_scenes():
        reworded, mended = played(scene, "reworded"), played(scene, "mended")
        assert reworded.calls() == mended.calls()
        assert answer_of(reworded) not in {answer_of(mended), scene.answer}
        assert not any(match in scene.matches for match in reworded.matches)


def test_a_later_version_mends_most_and_an_earlier_one_little():
    plan = PLANS["meridian.concierge"]
    later = Counter(course_of(plan, "1.0.0", tried, number) for tried in ("1.1.0", "2.0.0") for number in range(60))
    same = Counter(course_of(plan, "1.2.0", "1.2.0", number) for number in range(60))
    earlier = Counter(course_of(plan, "2.0.0", "1.2.0", number) for number in range(60))
    assert later["mended"] > 80 and later["as-it-was"] and later["reworded"]
    assert not same["mended"] and same["as-it-was"] > same["reworded"] > 0
    assert earlier["as-it-was"] > earlier["mended"] > 0


def test_a_top_pick_is_judged_by_two_and_the_right_one_comes_first_in_a_mended_run():
    runs, done, _ = story(NOW)
    by_id = {told.run_id: told for told in runs}
    picks = [act for act in done if act.kind == "judge" and act.body["item"]["key"] == TOP_PICK]
    right = [act for act in picks if act.body["verdict"] == "yes"]
    assert len(right) > 20 and Counter(act.body["verdict"] for act in picks)["no"] >= len(right)
    for act in right:
        scene = by_id[act.run_id].scene
        assert scene is not None
        assert played(scene, "mended").matches[0] == scene.matches[act.body["item"]["rank"]]


def test_nobody_judges_what_was_erased_or_says_decisions_twice_through_the_judgments_door():
    _, done, _ = story(NOW)
    erased = {act.run_id: act.at for act in done if act.kind == "erase"}
    judged = [act for act in done if act.kind in {"judge", "take-back"}]
    assert len(erased) == 3 and not erased.keys() & {act.run_id for act in judged}
    decisions = [(act.run_id, act.who) for act in judged if act.body and act.body["item"]["key"] == DECISIONS]
    said = {(act.run_id, act.who) for act in done if act.kind == "say"}
    assert len(decisions) == len(set(decisions)) > 3 and not said.intersection(decisions)
