"""Jobs of replays, of runs that a shop has reported, done in this process."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction

from improve.models import CaseReplay, ReplayJob
from improve.services.jobs import CaseToReplay, job_begin
from improve.services.running import job_turn
from kindgi.runs.models import Run
from tests.support.shops import AGENT, VERSION, Shop

CHANGE = '{"blockId": "routing", "fromVersion": "1", "content": {"values": {"lookupTool": "orders.search"}}}'
BLOCKS = '{"routing": {"values": {"lookupTool": "orders.search"}}}'


def endpoint_path(shop: Shop, *rest: str, agent: str = AGENT) -> str:
    """Of the agent's replay endpoint in the shop's project."""
    return "/".join([f"projects/{shop.project.pk}/agents/{agent}/replay-endpoint", *rest])


def set_endpoint(shop: Shop, url: str) -> str:
    """The secret of the agent's new endpoint; empty where it was moved."""
    made: dict[str, Any] = shop.api("admin").ok("PUT", endpoint_path(shop), {"url": url})
    return str(made.get("secret", ""))


def cases_of(shop: Shop, run_ids: list[str]) -> list[CaseToReplay]:
    """The runs, to be replayed."""
    contents = dict(Run.objects.filter(tenant=shop.tenant).values_list("run_id", "content_id"))
    return [CaseToReplay(UUID(run_id), contents[UUID(run_id)]) for run_id in run_ids]


def begin(shop: Shop, cases: int = 3, *, run_ids: list[str] | None = None, **options: Any) -> ReplayJob:
    """A job of so many new runs, or of those named, which nobody works on yet."""
    if run_ids is None:
        run_ids = [shop.run(input={"message": f"Number {number}"}) for number in range(cases)]
    with transaction.atomic():
        return job_begin(
            project=shop.project,
            agent_id=AGENT,
            cases=cases_of(shop, run_ids),
            asked_by=f"user:{shop.person('editor').pk}",
            **{"version": VERSION, "change": CHANGE, "blocks": BLOCKS, "repetitions": 1, **options},
        )


def work(job: ReplayJob) -> ReplayJob:
    """Do the job, turn after turn, as a worker does; how it stands then."""
    job.refresh_from_db()
    turn: int | None = job.turn
    while turn is not None:
        turn = job_turn(job_id=job.pk, turn=turn)
    job.refresh_from_db()
    return job


def counts(job: ReplayJob) -> tuple[int, int, int, int]:
    """Of how many, answered, refused, failed."""
    return (job.of, job.answered, job.refused, job.failed)


def states(job: ReplayJob) -> list[str]:
    """Of its replays, in order."""
    return [replay.state for replay in CaseReplay.objects.filter(job=job)]
