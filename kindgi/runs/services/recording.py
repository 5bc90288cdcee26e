"""Recording runs: one by one or 1,000 at once, by the same few statements (contract, section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, cast
from uuid import UUID, uuid4

from django.db import transaction
from msgspec import UNSET, Raw, UnsetType

from kindgi.access.callers import Caller
from kindgi.access.errors import ProjectNotFound
from kindgi.access.policies import can_read, can_write
from kindgi.access.selectors import project_default_id, projects_readable
from kindgi.api.errors import ApiError, LockTimeout, PermissionDenied
from kindgi.api.ids import new_id, parse_id
from kindgi.api.times import now
from kindgi.rows import fresh, insert, update
from kindgi.runs import errors, hooks
from kindgi.runs.content import pack
from kindgi.runs.hooks import GoneRun
from kindgi.runs.models import AGENT_FLOW_ID, AGENT_FLOW_VERSION, FINAL, Run, RunContent
from kindgi.runs.records import AgentRef, FlowRef, RunBody, instant

Outcome = Literal["created", "updated", "unchanged"]

_ROUNDS = 50  # in each round but the last somebody else has got on
_CONTENT = ("input", "output", "calls")
_MOVING = (
    "status", "created_at", "updated_at", "completed_at", "dry_run", "failure_message", "content_id", "agent_via",
    "conversation_id", "parent_run_id", "replay_of", "eval_run_id", "participant_id",
)  # fmt: skip
_MERGE_CONTENT = "ON CONFLICT (id) DO UPDATE SET " + ", ".join(
    f"{name} = coalesce(EXCLUDED.{name}, runs_runcontent.{name})" for name in _CONTENT
)
_INSERT_RUN = "ON CONFLICT (tenant_id, run_id) DO NOTHING RETURNING run_id"


@dataclass(slots=True, eq=False)
class Report:
    """One run as reported: who it is, what is said of it, and what became of that."""

    run_id: UUID
    body: RunBody
    project_id: UUID | None = None
    run: Run | None = None
    outcome: Outcome | None = None
    refused: ApiError | None = None

    @property
    def waits(self) -> bool:
        """Whether nothing has become of it yet."""
        return self.outcome is None and self.refused is None


def runs_record(*, caller: Caller, reports: Sequence[Report], default_project_id: UUID | None = None) -> None:
    """Record each report in turn; what became of it is set on it.

    ``default_project_id`` is for reports that name no project, in place of the caller's default.

    A fixed number of statements for any number of reports, unless two requests report a run at
    the same moment. Requests never wait for each other in a ring: rows are locked in the order of
    their ids, then made in that order, and a round in which somebody else made one first is
    undone, with its locks, before the next. Tells ``hooks.run_ended``.
    """
    _find_projects(caller, reports, default_project_id)
    ended: list[Run] = []
    for _ in range(_ROUNDS):
        waiting = [report for report in reports if report.waits]
        if not waiting:
            break
        try:
            with transaction.atomic(savepoint=len(waiting) > 1):
                ended += _record_round(caller, waiting)
        except _OvertakenError:
            for report in waiting:
                report.run = report.outcome = report.refused = None
    for report in reports:
        if report.waits:
            report.refused = LockTimeout(retry_after=1)
    hooks.run_ended(ended)


class _OvertakenError(Exception):
    """Somebody else has just made one of the runs that this request was about to make."""


def _record_round(caller: Caller, waiting: list[Report]) -> list[Run]:
    """Move the rows that there are by all their reports; make the ones that there aren't by their first.

    The runs that ended by this. Raises :class:`_OvertakenError` where there are several reports:
    a single one, which holds nothing meanwhile, simply waits for the next round.
    """
    ended: list[Run] = []
    locked = _lock(caller, {report.run_id for report in waiting})
    moved = [report for report in waiting if _move(caller, report, locked.get(report.run_id), ended)]
    _save_moved(moved)
    made_all = _create(caller, [report for report in waiting if report.run_id not in locked], ended)
    if not made_all and len(waiting) > 1:
        raise _OvertakenError
    return ended


def _lock(caller: Caller, run_ids: Iterable[UUID]) -> dict[UUID, Run]:
    rows = Run.objects.filter(tenant_id=caller.tenant_id, run_id__in=list(run_ids))
    return {run.run_id: run for run in rows.order_by("run_id").select_for_update(no_key=True)}


def _move(caller: Caller, report: Report, run: Run | None, ended: list[Run]) -> bool:
    """Apply a report to the row that there is; whether the row changed."""
    if run is None:
        return False
    report.run = run
    report.refused = _refusal(caller, report, run)
    if report.refused is None and run.status in FINAL:
        report.outcome = "unchanged"
    if not report.waits:
        return False
    _apply(run, report.body)
    report.outcome = "updated"
    if run.status in FINAL:
        ended.append(run)
    return True


def _refusal(caller: Caller, report: Report, run: Run) -> ApiError | None:
    """Why the report can't be recorded, or ``None``."""
    if not can_read(caller, run.project_id):
        return errors.RunNotFound(run.run_id)
    if not can_write(caller, run.project_id):
        return PermissionDenied("This needs write access to the run's project (editor or above).")
    if run.status in FINAL and report.body.status != run.status:
        return errors.RunAlreadyTerminal(f'Run "{run.run_id}" has already ended as {run.status}.')
    if not _same_identity(run, report):
        return errors.RunIdentityMismatch(
            f'Run "{run.run_id}" was recorded for another project, agent, flow or participant; these don\'t change.'
        )
    return None


def _same_identity(run: Run, report: Report) -> bool:
    agent, flow = report.body.agent, report.body.flow
    if not isinstance(report.body.project_id, UnsetType) and report.project_id != run.project_id:
        return False
    if run.participant_id and report.body.participant_id not in (UNSET, run.participant_id):
        return False  # whose words it holds must stay known
    if isinstance(agent, AgentRef):
        return (run.agent_id, run.agent_version) == (agent.id, agent.version)
    return isinstance(flow, FlowRef) and not run.agent_id and (run.flow_id, run.flow_version) == (flow.id, flow.version)


def _apply(run: Run, body: RunBody) -> None:
    """Set on ``run`` whatever ``body`` says; what it leaves out stays."""
    at = now()
    run.status, run.updated_at = body.status, at
    run.created_at = instant(body.created_at) or run.created_at
    if body.status in FINAL:
        run.completed_at = instant(body.completed_at) or at
    for name in ("dry_run", "parent_run_id", "replay_of", "eval_run_id", "participant_id"):
        value = getattr(body, name)
        if not isinstance(value, UnsetType):
            setattr(run, name, value)
    if isinstance(body.agent, AgentRef):
        _apply_agent(run, body.agent)
    if run.content_erased_at is None and not isinstance(body.failure_message, UnsetType):
        run.failure_message = body.failure_message


def _apply_agent(run: Run, agent: AgentRef) -> None:
    if not isinstance(agent.via, UnsetType):
        run.agent_via = agent.via
    if not isinstance(agent.conversation_id, UnsetType):
        run.conversation_id = agent.conversation_id
    run.conversation_id = run.conversation_id or str(uuid4())


def _content(body: RunBody) -> dict[str, bytes]:
    """The parts of content that ``body`` has, as they are stored."""
    sent = ((name, getattr(body, name)) for name in _CONTENT)
    return {name: packed for name, raw in sent if isinstance(raw, Raw) and (packed := pack(bytes(raw))) is not None}


def _save_moved(moved: list[Report]) -> None:
    """Write the rows that moved, and their content: of several reports of a run the last word on each part."""
    runs: dict[UUID, Run] = {}
    contents: dict[UUID, RunContent] = {}
    for report in moved:
        run = report.run
        if run is None:
            continue
        runs[run.pk] = run
        for name, packed in ({} if run.content_erased_at else _content(report.body)).items():
            run.content_id = run.content_id or new_id()
            setattr(contents.setdefault(run.content_id, RunContent(id=run.content_id)), name, packed)
    insert(list(contents.values()), suffix=_MERGE_CONTENT)
    update(list(runs.values()), _MOVING)


def _create(caller: Caller, missing: list[Report], ended: list[Run]) -> bool:
    """Insert the runs that nobody has reported yet; whether nobody inserted one of them meanwhile."""
    allowed = [report for report in missing if _may_create(caller, report)]
    _refuse_gone(caller, allowed)
    first: dict[UUID, Report] = {}
    for report in allowed:
        if report.refused is None:
            first.setdefault(report.run_id, report)
    made = {run_id: _new(caller, first[run_id]) for run_id in sorted(first)}
    inserted = {run_id for (run_id,) in insert([run for run, _ in made.values()], suffix=_INSERT_RUN)}
    contents: list[RunContent] = []
    for run_id, report in first.items():
        run, content = made[run_id]
        if run_id not in inserted:
            continue
        report.run, report.outcome = run, "created"
        if content is not None:
            contents.append(content)
        if run.status in FINAL:
            ended.append(run)
    insert(contents)
    return len(inserted) == len(made)


def _refuse_gone(caller: Caller, missing: Sequence[Report]) -> None:
    """Refuse reports of runs that retention has deleted and of which the apps above keep something.

    Their ids stand for what was said of them, which another run of the same id would take over.
    """
    kept = hooks.gone_run_projects([GoneRun(caller.tenant_id, run_id) for run_id in {one.run_id for one in missing}])
    # Of a run that another has made a moment ago they may keep something already: it isn't gone.
    there = _there(caller, kept) if kept else set()
    for report in missing:
        if report.run_id not in kept or report.run_id in there:
            continue
        report.refused = errors.RunNotFound(report.run_id)
        if can_read(caller, kept[report.run_id]):
            report.refused = errors.RunAlreadyTerminal(
                f'Run "{report.run_id}" has ended and was deleted since; what was said of it stays, so its id is taken.'
            )


def _there(caller: Caller, run_ids: Iterable[UUID]) -> set[UUID]:
    """Those of the public ids that are runs' by now."""
    runs = Run.objects.filter(tenant_id=caller.tenant_id, run_id__in=list(run_ids))
    return set(runs.values_list("run_id", flat=True))


def _find_projects(caller: Caller, reports: Iterable[Report], default: UUID | None) -> None:
    """Set each report's project: the one that it names, else the default; one statement for each kind."""
    named: dict[Report, UUID | None] = {}
    for report in reports:
        if isinstance(report.body.project_id, str):
            named[report] = parse_id(report.body.project_id)
    wanted = [project_id for project_id in named.values() if project_id is not None]
    readable = set(projects_readable(caller).filter(pk__in=wanted).values_list("pk", flat=True)) if wanted else set()
    if default is None and any(report not in named for report in reports):
        default = project_default_id(caller)
    for report in reports:
        report.project_id = named.get(report, default)
        if report in named and report.project_id not in readable:
            report.refused = ProjectNotFound()


def _may_create(caller: Caller, report: Report) -> bool:
    if report.project_id is None:
        report.refused = ProjectNotFound("The tenant has no default project that you may read; name a projectId.")
    elif not can_write(caller, report.project_id):
        report.refused = PermissionDenied("This needs write access to the project (editor or above).")
    return report.refused is None


def _new(caller: Caller, report: Report) -> tuple[Run, RunContent | None]:
    """The rows of a run that is reported for the first time."""
    body, flow = report.body, report.body.flow
    content = _content(body)
    run = fresh(
        Run,
        id=new_id(),
        tenant_id=caller.tenant_id,
        project_id=cast("UUID", report.project_id),  # without one it isn't made
        run_id=report.run_id,
        content_id=new_id() if content else None,
        flow_id=flow.id if isinstance(flow, FlowRef) else AGENT_FLOW_ID,
        flow_version=flow.version if isinstance(flow, FlowRef) else AGENT_FLOW_VERSION,
    )
    if isinstance(body.agent, AgentRef):
        run.agent_id, run.agent_version = body.agent.id, body.agent.version
    run.created_at = instant(body.created_at) or instant(body.completed_at) or now()
    _apply(run, body)
    return run, fresh(RunContent, id=run.content_id, **content) if content else None
