"""What a worker reads of a job of replays (contract, section 7)."""

from __future__ import annotations

from uuid import UUID

from improve.models import CaseReplay, JobState, ReplayJob, ReplayState


def tenant_replaying(*, job_id: UUID, turn: int) -> UUID | None:
    """Whose job it is; ``None`` where it is over, or another turn was its last."""
    last = ReplayJob.objects.filter(pk=job_id, turn=turn, state=JobState.RUNNING)
    return last.values_list("tenant_id", flat=True).first()


def replay_next(job: ReplayJob) -> CaseReplay | None:
    """The first replay that waits, with its run's input; those of erased runs don't."""
    waiting = job.replays.filter(state=ReplayState.WAITING, erased_at__isnull=True).select_related("content")
    return waiting.defer("content__output", "content__calls").order_by("position", "repetition").first()


def failures_before(replay: CaseReplay, *, limit: int) -> list[CaseReplay]:
    """The replays that failed in a row just before ``replay``, the last first, at most ``limit``."""
    before = CaseReplay.objects.filter(job_id=replay.job_id, position__lte=replay.position)
    over = before.exclude(state=ReplayState.WAITING).order_by("-position", "-repetition")
    failures: list[CaseReplay] = []
    for one in over.only("state", "problem", "detail")[:limit]:
        if one.state != ReplayState.FAILED:
            break
        failures.append(one)
    return failures
