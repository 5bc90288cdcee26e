"""Who took runs out of the queue that weren't worth a correction, and who put some back. Knows no database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from kindgi.api.times import wire
from kindgi.demo.companies import TRAVEL, Company
from kindgi.demo.diary import SEED, Told
from kindgi.demo.reviews import Act, writers_of
from kindgi.demo.rules import FIRST_AND_NEWEST_SINCE

_ONE_DISMISSED_IN = 4
_ONE_REOPENED_IN = 6
_ONE_TOO_EARLY_IN = 12

_REASONS = (
    "Small talk, nothing to judge.",
    "The traveller left before it could do anything.",
    "The same as the one before.",
    "Our own test booking.",
    "A spam message.",
    "",
)


@dataclass(frozen=True, slots=True)
class Tending:
    """A run that ``who`` dismissed at ``at``, with a reason or none; or reopened, where ``reason`` is ``None``."""

    at: datetime
    company: Company
    project: str
    who: str
    run_id: str
    reason: str | None


def tended(runs: list[Told], done: list[Act], now: datetime) -> list[Tending]:
    """The queue's tending until ``now``, in order; ``done`` is all that was said of ``runs``, which closes items."""
    rng = Random(f"{SEED} tending")  # noqa: S311 - made-up data, the same each time
    first = {act.run_id: act.at for act in reversed(done)}
    queued_at = now - timedelta(days=FIRST_AND_NEWEST_SINCE)
    queued = [(told, max(told.reported_at, queued_at)) for told in runs if _is_queued(told, queued_at)]
    unsaid = [(told, at) for told, at in queued if told.run_id not in first]
    found = [*_not_worth_it(rng, unsaid), *_too_early(queued, first)]
    return sorted((one for one in found if one.at <= now), key=lambda one: one.at)


def _is_queued(told: Told, made_at: datetime) -> bool:
    """Whether it is an own run of the concierge's first version or its newest, which a rule has all queued.

    But for those that had ended when it was made and were reported later: they are nobody's.
    """
    if datetime.fromisoformat(told.record.get("completedAt", wire(told.at))) <= made_at <= told.reported_at:
        return False
    plan, ran = TRAVEL.agents[0], told.record.get("agent", {})
    is_own = "parentRunId" not in told.record and ran.get("id") == plan.id and told.is_reviewable
    return is_own and ran["version"] in {plan.releases[0].version, plan.releases[-1].version}


def _not_worth_it(rng: Random, unsaid: list[tuple[Told, datetime]]) -> Iterator[Tending]:
    """Runs of which nobody said anything; some were dismissed by mistake."""
    for number, (told, queued_at) in enumerate(unsaid[::_ONE_DISMISSED_IN]):
        one, other = (person.email for person in rng.sample(writers_of(told), k=2))
        at = queued_at + timedelta(hours=rng.lognormvariate(2.5, 0.8))
        yield Tending(at, told.company, told.project, one, told.run_id, rng.choice(_REASONS))
        if number % _ONE_REOPENED_IN == 2:
            yield Tending(at + timedelta(hours=5), told.company, told.project, other, told.run_id, None)


def _too_early(queued: list[tuple[Told, datetime]], first: dict[str, datetime]) -> Iterator[Tending]:
    """Runs that somebody corrected after they had been dismissed: what is said of them counts."""
    hour = timedelta(hours=1)
    later = [(told, at + hour) for told, at in queued if first.get(told.run_id, at) > at + hour]
    for told, at in later[::_ONE_TOO_EARLY_IN]:
        who = writers_of(told)[-1].email
        yield Tending(at, told.company, told.project, who, told.run_id, "Looks fine at a glance.")
