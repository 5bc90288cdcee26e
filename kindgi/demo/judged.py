"""What came in verdict by verdict, through the judgments' door: one yes or no at a time. Knows no database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from typing import Any

from kindgi.demo.companies import APP, CHECKER, END_USERS, EXPERTS, NIGHT_CHECK, TASTERS, TRAVEL, Person
from kindgi.demo.diary import SEED, Told
from kindgi.demo.reviews import Act, acts, item_of, writers_of
from kindgi.demo.rules import FIRST_AND_NEWEST_SINCE
from kindgi.demo.scenes.scene import Scene

DECISIONS, ANSWER = "kindgi:correction", "answer"
# The first place of a ranking, whatever stands there: that another match belongs there can be said as well.
TOP_PICK = "top-pick"

_ONE_TOP_PICK_IN = 2
_ONE_DECISION_IN = 10
_ONE_TAKEN_BACK_IN = 6
_ONE_SECOND_THOUGHT_IN = 6
_ONE_FITS_AFTER_ALL_IN = 3
# The shares of the answers that are looked at, of those without and with a flaw: of the old ones, where somebody
# had complained.
_LOOKS_AT_FIRST, _LOOKS_AT_NEWEST = (0.04, 0.55), (0.4, 0.4)

_FITS = ("Just what I was looking for.", "Yes, this one.", "Tapped “looks good”.", "👍", "")
_DOES_NOT_FIT = ("Not what I asked for.", "Tapped “not for me”.", "Why this one??", "👎")


def done_about(runs: list[Told], now: datetime) -> list[Act]:
    """All that people and services did about ``runs`` until ``now``, through both doors, in order."""
    said = acts(runs, now)
    return sorted([*said, *judgments(runs, said, now)], key=lambda act: act.at)


def judgments(runs: list[Told], said: list[Act], now: datetime) -> list[Act]:
    """The judgments of ``runs`` until ``now``, in order; ``said`` is what was said of them otherwise."""
    erased = {act.run_id for act in said if act.kind == "erase"}
    open_runs = [told for told in runs if told.is_reviewable and told.scene and told.run_id not in erased]
    done = [*_of_matches(open_runs), *_of_top_picks(open_runs), *_of_answers(open_runs)]
    done += _of_decisions(open_runs, said)
    done += _of_releases(open_runs, said, now)
    done += _second_thoughts([act for act in said if act.run_id not in erased])
    return sorted((act for act in done if act.at <= now), key=lambda act: act.at)


def _of_matches(runs: list[Told]) -> Iterator[Act]:
    """What customers tapped beside single matches in the app: some think again, some tapped the wrong one."""
    rng = Random(f"{SEED} matches")  # noqa: S311 - made-up data, the same each time
    count = 0
    for told in runs:
        if rng.random() >= 0.028 or not told.scene or not told.scene.matches:
            continue
        for place in rng.sample(range(len(told.scene.matches)), k=rng.randrange(1, 3)):
            act = _tapped(rng, told, told.scene, place)
            yield act
            count += 1
            later = act.at + timedelta(minutes=2 + 20 * rng.random())
            if count % _ONE_TAKEN_BACK_IN == 3:
                yield replace(act, at=later, kind="take-back", body={}, whose=APP, item=act.body["item"]["key"])
            elif count % _ONE_TAKEN_BACK_IN == 5:
                other = {"yes": "no", "no": "yes"}[act.body["verdict"]]
                yield replace(act, at=later, body={**act.body, "verdict": other, "reason": "Changed my mind."})


def _tapped(rng: Random, told: Told, scene: Scene, place: int) -> Act:
    wrong = scene.flaw is not None and place in scene.flaw.wrong_places
    fits = wrong == (rng.random() < 0.1)
    reason = rng.choice(_FITS if fits else _DOES_NOT_FIT)
    body = _verdict(item_of(scene, place), fits, reason)
    if "participantId" in told.record:
        body["participantId"] = told.record["participantId"]
    return Act(_soon(rng, told), told.company, APP, told.run_id, "judge", body, END_USERS)


def _of_top_picks(runs: list[Told]) -> Iterator[Act]:
    """Where the first match was wrong, the app says so, and somebody who knows says which belongs there."""
    rng = Random(f"{SEED} top picks")  # noqa: S311
    flawed = [(told, told.scene) for told in runs if told.scene and told.scene.flaw and _first_right(told.scene)]
    for number, (told, scene) in enumerate(flawed):
        if number % _ONE_TOP_PICK_IN:
            continue
        better = _first_right(scene)
        no = _verdict({"key": TOP_PICK, "pointer": "/matches/0", "rank": 0}, False, "Nobody took the first one.")
        yes = _verdict(
            {"key": TOP_PICK, "pointer": f"/matches/{better}", "rank": better}, True, "This one belongs at the top."
        )
        at, person = _soon(rng, told), rng.choice(writers_of(told))
        yield Act(at, told.company, APP, told.run_id, "judge", no, END_USERS)
        at += timedelta(hours=1 + rng.lognormvariate(1.5, 0.8))
        yield Act(at, told.company, person.email, told.run_id, "judge", yes, _group(person, told))


def _first_right(scene: Scene) -> int:
    """The place of the first match that fits, behind one that doesn't; 0 where the first one fits."""
    wrong = scene.flaw.wrong_places if scene.flaw else ()
    return next((place for place in range(len(scene.matches)) if place not in wrong), 0)


def _group(person: Person, told: Told) -> str:
    """Under which class somebody judges a run."""
    if told.project == "trip-planning" and person.reviewer:
        return TASTERS
    return EXPERTS if person.reviewer in {"senior", "admin"} else ""


def _of_answers(runs: list[Told]) -> Iterator[Act]:
    """Whether the answers say what the tools had said: a program's opinion, of the answer as a whole or its text."""
    rng = Random(f"{SEED} answers")  # noqa: S311
    for told in runs:
        if rng.random() >= 0.018 or told.project != "support" or not told.scene or told.scene.matches:
            continue
        if "agent" not in told.record:
            continue
        flaw = told.scene.flaw
        agrees = flaw is None or not flaw.should_say
        item = {"key": ANSWER, "pointer": "/response/content"} if rng.random() < 0.5 else {"key": ANSWER}
        reason = "Agrees with what the tools said." if agrees else "Says something else than the tools did."
        night = told.reported_at + timedelta(hours=4, minutes=rng.randrange(50))
        body = _verdict(item, agrees, reason)
        yield Act(night, told.company, CHECKER, told.run_id, "judge", body, NIGHT_CHECK)


def _of_decisions(runs: list[Told], said: list[Act]) -> Iterator[Act]:
    """Experts who say no more than which calls there should have been, of runs that they hadn't corrected."""
    rng = Random(f"{SEED} decisions")  # noqa: S311
    spoke = {(act.run_id, act.who) for act in said}
    flawed = [told for told in runs if told.scene and told.scene.flaw and told.scene.flaw.of_decisions]
    for told in flawed[::_ONE_DECISION_IN]:
        experts = [
            person
            for person in writers_of(told)
            if person.reviewer in {"senior", "admin"} and (told.run_id, person.email) not in spoke
        ]
        flaw = told.scene.flaw if told.scene else None
        if experts and flaw:
            expected = {"calls": list(flaw.should_call), "notCalled": list(flaw.must_not_call)}
            body = {**_verdict({"key": DECISIONS}, False, flaw.why), "correction": expected}
            at = told.reported_at + timedelta(hours=rng.lognormvariate(1.8, 1.0))
            yield Act(at, told.company, rng.choice(experts).email, told.run_id, "judge", body, EXPERTS)


def _of_releases(runs: list[Told], said: list[Act], now: datetime) -> Iterator[Act]:
    """Experts who compared the concierge's first version with its newest, once both were in the queue."""
    rng = Random(f"{SEED} releases")  # noqa: S311
    plan, spoken_of = TRAVEL.agents[0], {act.run_id for act in said}
    looks = {plan.releases[0].version: _LOOKS_AT_FIRST, plan.releases[-1].version: _LOOKS_AT_NEWEST}
    queued_at = now - timedelta(days=FIRST_AND_NEWEST_SINCE)
    for told in runs:
        ran, flaw = told.record.get("agent", {}), told.scene.flaw if told.scene else None
        if ran.get("id") != plan.id or ran["version"] not in looks or "parentRunId" in told.record:
            continue
        if rng.random() < looks[ran["version"]][flaw is not None] and told.run_id not in spoken_of:
            person = rng.choice([person for person in writers_of(told) if person.reviewer in {"senior", "admin"}])
            at = max(told.reported_at, queued_at) + timedelta(hours=rng.lognormvariate(2.5, 0.9))
            body = _verdict({"key": ANSWER}, flaw is None, flaw.why if flaw else "")
            yield Act(at, told.company, person.email, told.run_id, "judge", body, EXPERTS)


def _second_thoughts(said: list[Act]) -> Iterator[Act]:
    """People who looked again, and replace one thing of what they had said of a run, or take it back."""
    rng = Random(f"{SEED} second thoughts")  # noqa: S311
    about = Counter((act.run_id, act.whose or act.who) for act in said)
    once = [act for act in said if act.kind == "say" and "@" in act.who and about[act.run_id, act.who] == 1]
    ranked = [act for act in once if len(act.body.get("items", [])) > 1]
    one_wrong = [act for act in ranked if len(_wrong_items(act)) == 1]
    both_wrong = [act for act in once if act.body.get("decisions") == act.body.get("answer") == "wrong"]
    taken_back = [act for act in ranked if act not in one_wrong][::_ONE_SECOND_THOUGHT_IN]
    for act in [*one_wrong[::_ONE_FITS_AFTER_ALL_IN], *both_wrong[::_ONE_SECOND_THOUGHT_IN], *taken_back]:
        at = act.at + timedelta(hours=2 + 40 * rng.random())
        if act in taken_back:
            item = rng.choice(act.body["items"])["key"]
            yield replace(act, at=at, kind="take-back", body={}, group="", whose=act.who, item=item)
        else:
            yield replace(act, at=at, kind="judge", body=_thought_again(act))


def _thought_again(act: Act) -> dict[str, Any]:
    """Yes to one thing that they had found wrong."""
    for item in _wrong_items(act):
        return _verdict({name: item[name] for name in ("key", "pointer", "rank")}, True, "Looked again: it does fit.")
    return _verdict({"key": ANSWER}, True, "On second thoughts the answer was fine; only the calls weren't.")


def _wrong_items(act: Act) -> list[dict[str, Any]]:
    return [item for item in act.body.get("items", []) if item["verdict"] == "wrong"]


def _verdict(item: dict[str, Any], fits: bool, reason: str) -> dict[str, Any]:
    body: dict[str, Any] = {"item": item, "verdict": "yes" if fits else "no"}
    return {**body, "reason": reason} if reason else body


def _soon(rng: Random, told: Told) -> datetime:
    return told.reported_at + timedelta(minutes=1 + 8 * rng.random())
