"""Recording what somebody says: checks in the contract's order, then a handful of statements (sections 1 and 4).

The run's row is locked first, so that what is said of one run is said one after the other; the
database's constraints (one live verdict, one copy) hold whatever forgets to lock.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from corrections import errors, hooks
from corrections.models import (
    DECISIONS_KEY,
    Correction,
    CorrectionChange,
    Door,
    JudgeClass,
    RunCopy,
    SortedTo,
    Status,
    Verdict,
)
from corrections.policies import class_refusal
from corrections.said import Said, Thing
from corrections.selectors import judge_class_of_tenant, live_verdicts
from corrections.services.superseding import supersede
from corrections.submissions import CorrectionBody, correction_said
from kindgi.access.callers import Caller
from kindgi.access.policies import check_write
from kindgi.api.errors import BadInput
from kindgi.api.ids import new_id
from kindgi.api.jsontext import Document
from kindgi.api.times import now, wire
from kindgi.rows import Unless, fresh, insert_together
from kindgi.runs.content import pack, unpack
from kindgi.runs.errors import RunErased
from kindgi.runs.models import RunStatus
from kindgi.runs.selectors import RunToCorrect, run_lock_for_correction, run_output

BY_RULE: dict[str, Any] = {"kind": "rule"}
_CLASS_ERRORS = {
    Door.CORRECTIONS: (errors.CorrectorGroupNotApplicable, errors.CorrectorGroupNotAllowed),
    Door.JUDGMENTS: (errors.JudgeClassNotApplicable, errors.JudgeClassNotAllowed),
}


def correction_record(*, caller: Caller, body: CorrectionBody) -> Correction:
    """Record ``body`` as :func:`said_record` does; raises ``BadInput`` for its shape, and what that raises."""
    return said_record(caller=caller, said=correction_said(body))


def said_record(*, caller: Caller, said: Said) -> Correction:
    """Record what was said, superseding what the same caller said before; with its verdicts prefetched.

    Tells ``hooks.run_corrected``.

    Raises, in the contract's order: ``RunNotFound``, ``PermissionDenied``, ``RunErased``,
    ``RunNotFinished``, the class's refusals at the door, ``BadInput`` for an unknown tool,
    ``ItemNotFound``.
    """
    run = run_lock_for_correction(caller=caller, run_id=said.run_id)
    _check_run(caller, run)
    judge_class = None if said.class_id is None else class_for(caller, run, said.class_id, said.door)
    _check_tools(said, run)
    values = _item_values(said, run)
    correction = _correction(caller, said, run, judge_class)
    verdicts = [
        _verdict(correction, position, thing, values.get(thing.key)) for position, thing in enumerate(said.things)
    ]
    _supersede(caller, correction, verdicts)
    _store(correction, verdicts, run)
    hooks.run_corrected([hooks.CorrectedRun(caller.tenant_id, run.run_id, caller.actor)])
    return correction


def _check_run(caller: Caller, run: RunToCorrect) -> None:
    check_write(caller, run.project_id)
    if run.is_erased:
        raise RunErased(f'The content of run "{run.run_id}" was erased; there\'s nothing to correct.')
    if run.status != RunStatus.COMPLETED:
        raise errors.RunNotFinished(run.run_id, run.status)


def class_for(caller: Caller, run: RunToCorrect, judge_class_id: str, door: Door) -> JudgeClass:
    """The class, once it applies to the run and the caller may give it; raises the door's refusals."""
    not_applicable, not_allowed = _CLASS_ERRORS[door]
    judge_class = judge_class_of_tenant(tenant_id=caller.tenant_id, judge_class_id=judge_class_id)
    if judge_class is None or not _applies(judge_class, run):
        raise not_applicable(f'"{judge_class_id}" doesn\'t apply to run "{run.run_id}".')
    if judge_class.unregistered_at is not None:
        raise not_applicable(f'"{judge_class.name}" was removed; no new correction can name it.')
    refusal = class_refusal(caller, judge_class)
    if refusal is not None:
        raise not_allowed(refusal)
    return judge_class


def _applies(judge_class: JudgeClass, run: RunToCorrect) -> bool:
    if judge_class.project_id is None:
        return True
    return judge_class.project_id == run.project_id and judge_class.agent_id in ("", run.agent_id)


def _check_tools(said: Said, run: RunToCorrect) -> None:
    """A flow's run has no decisions; an agent's has the tools of its version, where these are registered."""
    if said.about_decisions and not run.agent_id:
        raise BadInput("Only an agent's run has decisions to correct; this is a flow's.")
    if run.tools is None:
        return
    known = {tool["id"] for tool in run.tools}
    for tool in said.tools:
        if tool not in known:
            raise BadInput(f'The judged version has no tool "{tool}".')


def _item_values(said: Said, run: RunToCorrect) -> dict[str, bytes | None]:
    """What each item's pointer finds, as it is stored, by the item's key; content is read only for pointers.

    The decisions are about the whole run, whatever their pointer: no value is kept of them.
    """
    pointers = {
        thing.key: thing.pointer for thing in said.things if thing.pointer is not None and thing.key != DECISIONS_KEY
    }
    if not pointers:
        return {}
    text = unpack(run_output(run.content_id))
    document = Document(text) if text is not None else None
    values: dict[str, bytes | None] = {}
    for key, pointer in pointers.items():
        found = document.find(pointer) if document else None
        if found is None:
            raise errors.ItemNotFound(pointer, run.run_id)
        values[key] = pack(found)
    return values


@dataclass(frozen=True, slots=True)
class Sort:
    """Where a correction stands when it is saved (section 4: the first match wins)."""

    status: Status
    sorted_to: SortedTo | None = None
    recorded_right: bool = False


def sort_at_save(*, participant: bool, decisions_wrong: bool, other_wrong: bool) -> Sort:
    """Sort what was said: for an end user; decisions wrong; answer or an item wrong; nothing wrong."""
    if participant:
        return Sort(Status.OPEN)
    if decisions_wrong:
        return Sort(Status.WITH_OWNER, SortedTo.OWNER)
    if other_wrong:
        return Sort(Status.OPEN, SortedTo.IMPROVE)
    return Sort(Status.FIXED, recorded_right=True)


def _correction(caller: Caller, said: Said, run: RunToCorrect, judge_class: JudgeClass | None) -> Correction:
    at = now()
    return fresh(
        Correction,
        id=new_id(),
        created_at=at,
        updated_at=at,
        tenant_id=caller.tenant_id,
        project_id=run.project_id,
        run_id=run.run_id,
        subject_kind="agent" if run.agent_id else "flow",
        subject_id=run.agent_id or run.flow_id,
        subject_version=run.agent_version if run.agent_id else run.flow_version,
        door=said.door,
        judge_class_id=judge_class.pk if judge_class else None,
        restricted=judge_class is not None and judge_class.restricted,
        should_call=said.should_call,
        must_not_call=said.must_not_call,
        should_say=said.should_say,
        why=said.why,
        made_by_kind=caller.kind,
        made_by_id=caller.id,
        participant_id=said.participant_id,
        **_sorted(said, at),
    )


def _sorted(said: Said, at: datetime) -> dict[str, Any]:
    """Where a correction of what was said stands at first, as its row has it."""
    sort = sort_at_save(
        participant=bool(said.participant_id), decisions_wrong=said.decisions_wrong, other_wrong=said.other_wrong
    )
    return {
        "status": sort.status,
        "sorted_to": sort.sorted_to or "",
        "sorted_by": BY_RULE if sort.sorted_to else None,
        "sorted_at": at if sort.sorted_to else None,
        "fixed_in": {"how": "recorded-right", "at": wire(at)} if sort.recorded_right else None,
    }


def _verdict(correction: Correction, position: int, thing: Thing, value: bytes | None) -> Verdict:
    """One of the correction's verdicts, with what it shares with it."""
    return fresh(
        Verdict,
        id=new_id(),
        created_at=correction.created_at,
        correction_id=correction.pk,
        tenant_id=correction.tenant_id,
        project_id=correction.project_id,
        run_id=correction.run_id,
        judge_class_id=correction.judge_class_id,
        made_by_kind=correction.made_by_kind,
        made_by_id=correction.made_by_id,
        participant_id=correction.participant_id,
        position=position,
        item_key=thing.key,
        right=thing.right,
        pointer=thing.pointer,
        rank=thing.rank,
        item_value=value,
    )


def _supersede(caller: Caller, correction: Correction, verdicts: list[Verdict]) -> None:
    """Take back what the caller said before of what is said now (section 1).

    Any live verdict of theirs on an item that is named, whichever door it came in by; and through
    the corrections' door their earlier corrections of the run whole.
    """
    live = live_verdicts(caller=caller, run_id=correction.run_id, participant_id=correction.participant_id)
    successors = {verdict.item_key: verdict.pk for verdict in verdicts}
    gone = [old for old in live if old.item_key in successors or correction.door == old.door == Door.CORRECTIONS]
    supersede(caller=caller, correction=correction, live=live, gone=gone, successors=successors)


def _store(correction: Correction, verdicts: list[Verdict], run: RunToCorrect) -> None:
    """Insert the correction, its verdicts, its history's first entry, and the copy unless there is one.

    One statement: these are most of what a correction writes.
    """
    copy = fresh(
        RunCopy,
        id=new_id(),
        created_at=correction.created_at,
        tenant_id=correction.tenant_id,
        run_id=correction.run_id,
        correction_id=correction.pk,
        content_id=run.content_id,
        participant_id=run.participant_id,
    )
    insert_together([correction], verdicts, [_made(correction)], Unless([copy]))
    correction._prefetched_objects_cache = {"verdicts": verdicts}  # type: ignore[attr-defined]


def _made(correction: Correction) -> CorrectionChange:
    after: dict[str, Any] = {"status": correction.status}
    if correction.sorted_to:
        after["sortedTo"] = correction.sorted_to
    return fresh(
        CorrectionChange,
        id=new_id(),
        created_at=correction.created_at,
        correction_id=correction.pk,
        revision=correction.revision,
        kind="made",
        by={"kind": correction.made_by_kind, "id": str(correction.made_by_id)},
        after=after,
    )
