"""What people and services said of the runs, when, and what became of it. Knows no database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any, Literal

from kindgi.demo.companies import APP, CHECKER, COLLEAGUES, END_USERS, EXPERTS, NIGHT_CHECK, Company, Person
from kindgi.demo.diary import SEED, Told
from kindgi.demo.scenes.scene import Flaw, Scene

ERASED = 3


@dataclass(frozen=True, slots=True)
class Act:
    """Something that ``who`` (an email, or a service's name) did about a run at ``at``.

    ``say`` records a correction with ``body``, ``judge`` a judgment, under the class named
    ``group``; ``change`` and ``remove`` are about what somebody, ``whose``, last said of the run,
    ``take-back`` about what they last said of its ``item``; ``erase`` is about the run.
    """

    at: datetime
    company: Company
    who: str
    run_id: str
    kind: Literal["say", "judge", "change", "remove", "take-back", "erase"]
    body: dict[str, Any]
    group: str = ""
    whose: str = ""
    item: str = ""


def acts(runs: list[Told], now: datetime) -> list[Act]:
    """What was done through the corrections' door, and about what came in by it, until ``now``, in order."""
    rng = Random(f"{SEED} reviews")  # noqa: S311 - made-up data, the same each time
    done: list[Act] = []
    flows = _flows_looked_at(runs)
    for told in runs:
        if told.is_reviewable:
            done += _about(rng, told, flows)
    done += _erasures(done, now)
    return sorted((act for act in done if act.at <= now), key=lambda act: act.at)


def _flows_looked_at(runs: list[Told]) -> set[str]:
    """The flows' runs that people look at: some of each company's, whatever hour it is, and too few for a share."""
    flows: dict[str, list[str]] = {}
    for told in runs:
        if told.is_reviewable and told.scene is None:
            flows.setdefault(told.company.slug, []).append(told.run_id)
    return {run_id for ids in flows.values() for run_id in ids[::5]}


def _about(rng: Random, told: Told, flows: set[str]) -> Iterator[Act]:
    if told.scene is None:
        if told.run_id in flows:
            yield from _people(rng, told, None, together=False)
        return
    flaw = told.scene.flaw
    if rng.random() < (0.27 if flaw else 0.07):
        yield from _people(rng, told, flaw)
    if "parentRunId" in told.record:
        return
    if rng.random() < (0.09 if flaw else 0.03) and "participantId" in told.record:
        yield _end_user(rng, told, flaw)
    if rng.random() < 0.05 and told.project == "support" and not told.scene.matches:
        yield _night_check(told, flaw)


def writers_of(told: Told) -> list[Person]:
    """Who may correct the run."""
    return [person for person in told.company.people if person.roles.get(told.project) in {"editor", "admin", "owner"}]


def _people(rng: Random, told: Told, flaw: Flaw | None, *, together: bool = True) -> Iterator[Act]:
    """One to three people, who don't always agree, or one alone; one in twelve thinks again later."""
    writers = writers_of(told)
    weights = [1 if person.roles[told.project] == "owner" else 4 for person in writers]
    first = rng.choices(writers, weights)[0]
    others = [person for person in writers if person is not first]
    more = min(len(others), rng.choices((0, 1, 2), (66, 26, 8))[0]) if together else 0
    for person in [first, *rng.sample(others, k=more)]:
        at = told.reported_at + timedelta(hours=rng.lognormvariate(1.8, 1.1))
        finds = flaw is not None and rng.random() < 0.88
        if rng.random() < 0.08:
            yield _say(rng, told, flaw if not finds else None, person, at)
            at += timedelta(hours=1 + 20 * rng.random())
        said = _say(rng, told, flaw if finds else None, person, at)
        yield said
        yield from _afterwards(rng, told, said, others or writers)


def _say(rng: Random, told: Told, flaw: Flaw | None, person: Person, at: datetime) -> Act:
    group = ""
    if person.reviewer in {"senior", "admin"} and rng.random() < 0.7:
        group = EXPERTS
    elif told.project == "support" and told.company.slug.startswith("meridian") and rng.random() < 0.4:
        group = COLLEAGUES
    body = _wrong(rng, told, flaw) if flaw else _right(rng, told)
    return Act(at, told.company, person.email, told.run_id, "say", body, group)


_LEADS = ("", "", "", "Again: ", "Hm. ", "Clear case: ", "As on Monday: ", "🔎 ")
_TAILS = ("", "", "", "", " Please fix soon.", " Third time this week.", " See the handbook, chapter 4.", " 😬")


def _wrong(rng: Random, told: Told, flaw: Flaw) -> dict[str, Any]:
    """What somebody who found the flaw says."""
    why = rng.choice(_LEADS) + flaw.why + rng.choice(_TAILS)
    if flaw.wrong_places:
        return {"items": _items(told, flaw.wrong_places), "why": why}
    body = {"why": why, **(_decisions(flaw) if flaw.of_decisions else {"decisions": "right"})}
    if flaw.should_say or not flaw.of_decisions:
        body["answer"] = "wrong"
    if flaw.should_say and (not flaw.of_decisions or rng.random() < 0.7):
        body["shouldSay"] = flaw.should_say
    return body


def _decisions(flaw: Flaw) -> dict[str, Any]:
    """The calls that were wrong or missing."""
    body: dict[str, Any] = {"decisions": "wrong"}
    if flaw.should_call:
        body["shouldCall"] = list(flaw.should_call)
    if flaw.must_not_call:
        body["mustNotCall"] = list(flaw.must_not_call)
    return body


def _right(rng: Random, told: Told) -> dict[str, Any]:
    """What somebody who found nothing says."""
    body: dict[str, Any] = {"answer": "right"}
    if told.scene is not None:
        if told.scene.matches and rng.random() < 0.8:
            body = {"items": _items(told, ())}
        elif rng.random() < 0.6:
            body["decisions"] = "right"
        if rng.random() < 0.3:
            body["why"] = told.scene.praise
    return body


def _items(told: Told, wrong: tuple[int, ...]) -> list[dict[str, Any]]:
    assert told.scene is not None  # noqa: S101 - only scenes have matches
    return [
        {**item_of(told.scene, place), "verdict": "wrong" if place in wrong else "right"}
        for place in range(len(told.scene.matches))
    ]


def item_of(scene: Scene, place: int) -> dict[str, Any]:
    """How both doors name a match."""
    match = scene.matches[place]
    return {"key": f"match:{match.get('id') or match['sku']}", "pointer": f"/matches/{place}", "rank": place}


_PULL_REQUEST = "https://git.example/agents/pull/{number}"


def _afterwards(rng: Random, told: Told, said: Act, others: list[Person]) -> Iterator[Act]:
    """What became of a correction: nothing, a status by hand, another desk, or its removal."""
    at = said.at + timedelta(hours=2 + rng.lognormvariate(2.5, 0.8))
    by = rng.choice(others).email
    is_wrong = said.body.get("decisions") == "wrong" or said.body.get("answer") == "wrong" or _any_wrong(said.body)
    kind, body = rng.choices(
        (
            ("nothing", {}),
            ("change", {"status": "being-fixed", "link": {"kind": "pull-request", "url": _PULL_REQUEST}}),
            ("change", {"status": "with-owner", "statusNote": "Is this still our policy? Asked the owner."}),
            ("change", {"sortedTo": "developer", "reason": "The tool's answer is misleading; not the prompt."}),
            ("change", {"status": "wont-fix", "statusNote": "Happens once a year; the fix would cost more."}),
            ("remove", {}),
        ),
        (62, 12, 8, 8, 6, 4) if is_wrong else (97, 0, 0, 0, 0, 3),
    )[0]
    if kind == "change":
        if "link" in body:
            body = {
                **body,
                "link": {"kind": "pull-request", "url": _PULL_REQUEST.format(number=rng.randrange(100, 999))},
            }
        yield Act(at, told.company, by, told.run_id, "change", body, whose=said.who)
    elif kind == "remove":
        yield Act(at, told.company, said.who, told.run_id, "remove", {}, whose=said.who)


def _any_wrong(body: dict[str, Any]) -> bool:
    return any(item["verdict"] == "wrong" for item in body.get("items", []))


_THANKS = ("👍", "Thanks, that helped!", "شكرًا جزيلًا 🙏", "תודה!", "super, danke", "Perfect.", "")
_GRUMBLES = (
    "that's not what I asked",
    "still no answer 😕",
    "لم يساعدني هذا",
    "das stimmt nicht",
    "wrong!!",
    "¿en serio?",
)


def _end_user(rng: Random, told: Told, flaw: Flaw | None) -> Act:
    """What the customer themselves tapped in the app."""
    is_happy = rng.random() < (0.2 if flaw else 0.85)
    why = rng.choice(_THANKS if is_happy else _GRUMBLES)
    body = {"answer": "right" if is_happy else "wrong", "participantId": told.record["participantId"]}
    at = told.reported_at + timedelta(minutes=1 + 8 * rng.random())
    return Act(at, told.company, APP, told.run_id, "say", {**body, "why": why} if why else body, END_USERS)


def _night_check(told: Told, flaw: Flaw | None) -> Act:
    """What the program says in the night after: of decisions only."""
    body: dict[str, Any] = {"decisions": "right"}
    if flaw is not None and flaw.of_decisions:
        body = {**_decisions(flaw), "why": "Doesn't agree with the handbook's table of calls."}
    night = told.reported_at + timedelta(hours=3, minutes=10 + told.at.minute % 20)
    return Act(night, told.company, CHECKER, told.run_id, "say", body, NIGHT_CHECK)


def _erasures(done: list[Act], now: datetime) -> Iterator[Act]:
    """A few people asked for their words to be erased, weeks after somebody had corrected the run."""
    old = [act for act in done if act.kind == "say" and act.group == EXPERTS and act.at < now - timedelta(days=20)]
    for act in old[:: max(1, len(old) // ERASED)][:ERASED]:
        owner = next(person for person in act.company.people if "owner" in person.roles.values())
        yield Act(now - timedelta(days=6, hours=3), act.company, owner.email, act.run_id, "erase", {})
