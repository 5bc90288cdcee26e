"""Bringing a rule to runs that have ended already: asked for, and done in batches (contract, section 6).

What is done is in the row, with the batch that did it: whoever is killed in the middle has done a
batch whole or not at all, and any worker goes on from there. Two workers at one catch-up take turns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from corrections.selectors import live_tallies
from judging import errors
from judging.lanes import Counts, Taken
from judging.models import CatchUp, CatchUpState, JudgingRule, SkippedRun, State
from judging.policies import check_change_rules
from judging.selectors.catch_up import Candidate, candidates_after, window_of
from judging.selectors.rules import matcher_of, rule_get
from judging.services.counting import counts_add
from judging.services.locking import rules_read_lock
from judging.services.queueing import LockedItem, NewItem, items_add, items_lock, skipped_counts
from judging.submissions import QueueRecentBody, check_queue_recent
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.api.errors import IdempotencyKeyBodyMismatch
from kindgi.api.idempotency import KEPT
from kindgi.api.ids import new_id
from kindgi.api.times import now
from kindgi.rows import fresh
from kindgi.runs.models import Run
from kindgi.sql import fetch

BATCH = 500
# A batch takes a fraction of a second. Whose last was longer ago has lost its worker, or its message.
STALE = timedelta(seconds=10)

_LOCK_RUNS = "SELECT * FROM runs_run WHERE id = ANY(%s) ORDER BY run_id FOR NO KEY UPDATE"
_UNSKIP = """
DELETE FROM judging_skippedrun WHERE rule_id = %s AND run_id = ANY(%s)
RETURNING rule_version, agent_version, created_at
"""


def catch_up_begin(
    *, caller: Caller, project: Project, rule_id: str, body: QueueRecentBody, key_hash: bytes | None = None
) -> CatchUp:
    """A new catch-up of a rule that wasn't removed, for a worker to do; needs write access.

    With the Idempotency-Key of an earlier one it is that one, whatever became of the request that
    asked for it, or of the rule. Raises :class:`JudgingRuleNotFound`, ``PermissionDenied``,
    ``BadInput``, ``IdempotencyKeyBodyMismatch``.
    """
    rule = rule_get(project=project, rule_id=rule_id)
    check_change_rules(caller, project)
    since, last = check_queue_recent(body), body.last if isinstance(body.last, int) else None
    if key_hash is not None and (asked := _asked_before(key_hash)) is not None:
        return _the_same(asked, last=last, since=since)
    if rule.unregistered_at is not None:
        raise errors.JudgingRuleNotFound("The judging rule was removed; it queues nothing more.")
    window, at = window_of(project=project, last=last, since=since), now()
    return _save_once(
        CatchUp(
            id=new_id(),
            created_at=at,
            tenant_id=project.tenant_id,
            project=project,
            rule=rule,
            asked_by=caller.actor,
            key_hash=key_hash,
            last=last,
            since=since,
            heartbeat_at=at,
            state=CatchUpState.RUNNING if window.of else CatchUpState.DONE,
            finished_at=None if window.of else at,
            **window._asdict(),
        )
    )


def _asked_before(key_hash: bytes) -> CatchUp | None:
    """The catch-up of an Idempotency-Key that is still kept. One of a key that was given up makes room."""
    asked = CatchUp.objects.filter(key_hash=key_hash)
    asked.filter(created_at__lte=now() - KEPT).update(key_hash=None)
    return asked.first()


def _the_same(asked: CatchUp, *, last: int | None, since: datetime | None) -> CatchUp:
    """The catch-up, if that is what is asked for again."""
    if (asked.last, asked.since) != (last, since):
        raise IdempotencyKeyBodyMismatch
    return asked


def _save_once(job: CatchUp) -> CatchUp:
    """Write a new catch-up; where another request has written one with its key meanwhile, it is that one.

    Until the request's own transaction begins, nothing but time keeps another from taking its key over.
    """
    CatchUp.objects.bulk_create([job], ignore_conflicts=True)
    if job.key_hash is None:
        return job
    return _the_same(CatchUp.objects.get(key_hash=job.key_hash), last=job.last, since=job.since)


def catch_up_run(*, catch_up_id: UUID, go_on: Callable[[], bool] = lambda: True) -> None:
    """Do batches, each in a transaction of its own, while there are any and ``go_on()``. Call outside of one."""
    more = True
    while more and go_on():
        with transaction.atomic():
            more = catch_up_step(catch_up_id=catch_up_id)


def catch_up_step(*, catch_up_id: UUID) -> bool:
    """Do one batch of up to ``BATCH`` runs, in the caller's transaction; whether there may be more to do.

    Nothing where another works on it at this moment, or it is finished.
    """
    running = CatchUp.objects.filter(pk=catch_up_id, state=CatchUpState.RUNNING)
    job = running.select_for_update(skip_locked=True, no_key=True, of=("self",)).select_related("rule").first()
    if job is None:
        return False
    batch = candidates_after(job, limit=BATCH)
    runs = _lock([one.id for one in batch if one.taken])
    rules_read_lock([job.project_id])
    version = job.rule.version
    rule = JudgingRule.objects.get(pk=job.rule_id)
    if rule.unregistered_at is not None:
        _finish(job, CatchUpState.STOPPED)
    elif rule.version == version:
        _queue(job, rule, batch, runs)
    return job.state == CatchUpState.RUNNING


def catch_ups_stale() -> list[UUID]:
    """The catch-ups that nobody seems to work on, which the caller takes up; they won't be found again at once."""
    stale = CatchUp.objects.filter(state=CatchUpState.RUNNING, heartbeat_at__lte=now() - STALE)
    found = list(stale.select_for_update(skip_locked=True, no_key=True).values_list("pk", flat=True))
    CatchUp.objects.filter(pk__in=found).update(heartbeat_at=now())
    return found


def _lock(pks: list[UUID]) -> dict[UUID, Run]:
    """Lock the runs that are still there, in the order of their ids; by our id."""
    return {run.pk: run for run in Run.objects.raw(_LOCK_RUNS, [pks])} if pks else {}


@dataclass(slots=True)
class _Sorted:
    """The matches of a batch, three ways."""

    new: list[NewItem]
    joined: list[LockedItem]
    already_queued: int = 0
    already_reviewed: int = 0


def _queue(job: CatchUp, rule: JudgingRule, batch: list[Candidate], runs: dict[UUID, Run]) -> None:
    """Queue those of the batch that are to be, and move on past it."""
    # Erased since they were found, some may match no more.
    matcher = matcher_of(rule)
    matches = [run for one in batch if (run := runs.get(one.id)) is not None and matcher.takes(run)]
    at = now()
    found = _sort(job, rule, matches, taken=Taken(rule.pk, rule.version, at))
    _unskip(rule, [one.run.run_id for one in found.new] + [locked.item.run_id for locked in found.joined])
    for locked in found.joined:
        locked.judge(at)
    items_add(found.new, at=at, changed=found.joined)
    job.queued += len(found.new) + len(found.joined)
    job.already_queued += found.already_queued
    job.already_reviewed += found.already_reviewed
    job.done += len(batch)
    job.of = max(job.of, job.done)  # runs may be told late, in the midst of those that are still to come
    if batch:
        job.at, job.at_id = batch[-1].completed_at, batch[-1].id
    _finish(job, CatchUpState.RUNNING if len(batch) == BATCH else CatchUpState.DONE)


def _sort(job: CatchUp, rule: JudgingRule, matches: list[Run], *, taken: Taken) -> _Sorted:
    run_ids = [run.run_id for run in matches]
    items = {locked.item.run_id: locked for locked in items_lock(tenant_id=job.tenant_id, run_ids=run_ids)}
    said = live_tallies(tenant_id=job.tenant_id, run_ids=[run_id for run_id in run_ids if run_id not in items])
    found = _Sorted([], [])
    for run in matches:
        locked = items.get(run.run_id)
        if locked is None and run.run_id not in said:
            found.new.append(NewItem(run, (taken,), {rule.pk: rule.judge_class_id}))
        elif locked is None or locked.item.state != State.OPEN:
            found.already_reviewed += 1
        elif rule.pk in locked.wants:
            found.already_queued += 1
        else:
            locked.taken.append(taken)
            locked.wants[rule.pk] = rule.judge_class_id
            found.joined.append(locked)
    return found


def _unskip(rule: JudgingRule, run_ids: list[UUID]) -> None:
    """Of runs that are queued after all, the cap keeps none out any more."""
    counts = Counts()
    for version, agent_version, at in fetch(_UNSKIP, [rule.pk, run_ids]) if run_ids else []:
        values = {"rule_version": version, "agent_version": agent_version, "created_at": at}
        counts.take(skipped_counts(fresh(SkippedRun, rule_id=rule.pk, **values)))
    counts_add(counts)


def _finish(job: CatchUp, state: CatchUpState) -> None:
    """Write what a batch came to."""
    job.state, job.heartbeat_at = state, now()
    job.finished_at = None if state == CatchUpState.RUNNING else job.heartbeat_at
    job.save()
