"""Recording a correction: checks in the contract's order, then a handful of statements (sections 1 and 4).

The run's row is locked first, so that what is said of one run is said one after the other; the
database's constraints (one live verdict, one copy) hold whatever forgets to lock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from msgspec import UnsetType

from corrections import errors
from corrections.models import (
    ANSWER_KEY,
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
from corrections.selectors import LiveVerdict, judge_class_of_tenant, live_verdicts
from corrections.submissions import CorrectionBody, Item, calls_text, check_submission
from kindgi.access.callers import Caller
from kindgi.access.policies import check_write
from kindgi.api.errors import BadInput
from kindgi.api.ids import new_id
from kindgi.api.jsontext import Document
from kindgi.api.times import now, wire
from kindgi.rows import Unless, fresh, insert, insert_together
from kindgi.runs.content import pack, unpack
from kindgi.runs.errors import RunErased
from kindgi.runs.models import RunStatus
from kindgi.runs.selectors import RunToCorrect, run_lock_for_correction, run_output
from kindgi.sql import execute, fetch

BY_RULE: dict[str, Any] = {"kind": "rule"}
_CLASS_ERRORS = {
    Door.CORRECTIONS: (errors.CorrectorGroupNotApplicable, errors.CorrectorGroupNotAllowed),
    Door.JUDGMENTS: (errors.JudgeClassNotApplicable, errors.JudgeClassNotAllowed),
}

_SUPERSEDE_VERDICTS = """
UPDATE corrections_verdict AS old SET unregistered_at = %s, superseded_by_id = new.successor_id
FROM (SELECT * FROM unnest(%s::uuid[], %s::uuid[])) AS new(id, successor_id)
WHERE old.id = new.id
"""
_SUPERSEDE_CORRECTIONS = """
UPDATE corrections_correction
SET unregistered_at = greatest(updated_at, %s), updated_at = greatest(updated_at, %s), superseded_by_id = %s,
    revision = revision + 1
WHERE id = ANY(%s)
RETURNING id, revision, updated_at
"""


def by(caller: Caller) -> dict[str, Any]:
    """The caller as ``madeBy`` and the history name them."""
    return {"kind": caller.kind, "id": str(caller.id)}


def correction_record(*, caller: Caller, body: CorrectionBody) -> Correction:
    """Record ``body``, superseding what the same caller said before; with its verdicts prefetched.

    Raises, in the contract's order: ``BadInput`` for its shape, ``RunNotFound``,
    ``PermissionDenied``, ``RunErased``, ``RunNotFinished``, the group's refusals, ``BadInput``
    for an unknown tool, ``ItemNotFound``.
    """
    check_submission(body)
    run = run_lock_for_correction(caller=caller, run_id=body.run_id)
    _check_run(caller, run)
    group = body.corrector_group_id
    judge_class = None if isinstance(group, UnsetType) else class_for(caller, run, group, Door.CORRECTIONS)
    _check_tools(body, run)
    values = _item_values(body, run)
    correction = _correction(caller, body, run, judge_class)
    verdicts = _verdicts(correction, body, values)
    _supersede(caller, correction, verdicts)
    _store(correction, verdicts, run)
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


def _check_tools(body: CorrectionBody, run: RunToCorrect) -> None:
    """A flow's run has no decisions; an agent's has the tools of its version, where these are registered."""
    if body.decisions and not run.agent_id:
        raise BadInput("Only an agent's run has decisions to correct; this is a flow's.")
    if run.tools is None:
        return
    known = {tool["id"] for tool in run.tools}
    named = [call.tool for call in body.should_call or []] + list(body.must_not_call or [])
    for tool in named:
        if tool not in known:
            raise BadInput(f'The judged version has no tool "{tool}".')


def _item_values(body: CorrectionBody, run: RunToCorrect) -> dict[str, bytes | None]:
    """What each item's pointer finds, as it is stored, by the item's key; content is read only for pointers."""
    pointers = {item.key: item.pointer for item in body.items or [] if not isinstance(item.pointer, UnsetType)}
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


def _sort(body: CorrectionBody) -> Sort:
    return sort_at_save(
        participant=not isinstance(body.participant_id, UnsetType),
        decisions_wrong=body.decisions == "wrong",
        other_wrong=body.answer == "wrong" or any(item.verdict == "wrong" for item in body.items or []),
    )


def _correction(caller: Caller, body: CorrectionBody, run: RunToCorrect, judge_class: JudgeClass | None) -> Correction:
    at, sort = now(), _sort(body)
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
        door=Door.CORRECTIONS,
        judge_class_id=judge_class.pk if judge_class else None,
        restricted=judge_class is not None and judge_class.restricted,
        should_call=calls_text(body.should_call) if body.should_call else None,
        must_not_call=body.must_not_call or None,
        should_say=body.should_say if isinstance(body.should_say, str) else None,
        why=body.why if isinstance(body.why, str) else None,
        made_by_kind=caller.kind,
        made_by_id=caller.id,
        participant_id=body.participant_id or "",
        status=sort.status,
        sorted_to=sort.sorted_to or "",
        sorted_by=BY_RULE if sort.sorted_to else None,
        sorted_at=at if sort.sorted_to else None,
        fixed_in={"how": "recorded-right", "at": wire(at)} if sort.recorded_right else None,
    )


def _verdicts(correction: Correction, body: CorrectionBody, values: Mapping[str, bytes | None]) -> list[Verdict]:
    """One verdict for each thing that was said, in the order in which it is read back."""
    said: list[dict[str, Any]] = []
    if body.decisions:
        said.append({"item_key": DECISIONS_KEY, "right": body.decisions == "right"})
    if body.answer:
        said.append({"item_key": ANSWER_KEY, "right": body.answer == "right"})
    said += [_said_of(item, values) for item in body.items or []]
    return [verdict_of(correction, position=position, **one) for position, one in enumerate(said)]


def _said_of(item: Item, values: Mapping[str, bytes | None]) -> dict[str, Any]:
    return {
        "item_key": item.key,
        "right": item.verdict == "right",
        "pointer": None if isinstance(item.pointer, UnsetType) else item.pointer,
        "rank": None if isinstance(item.rank, UnsetType) else item.rank,
        "item_value": values.get(item.key),
    }


def verdict_of(correction: Correction, **said: Any) -> Verdict:
    """A verdict of ``correction``, with what it shares with it."""
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
        **said,
    )


def _supersede(caller: Caller, correction: Correction, verdicts: list[Verdict]) -> None:
    """Take back what the caller said before of what is said now (section 1).

    Through this door: their earlier corrections of the run whole, and any live verdict of theirs
    on an item that is named, whichever door it came in by.
    """
    live = live_verdicts(caller=caller, run_id=correction.run_id, participant_id=correction.participant_id)
    successors = {verdict.item_key: verdict.pk for verdict in verdicts}
    gone = [old for old in live if old.door == Door.CORRECTIONS or old.item_key in successors]
    supersede(caller=caller, correction=correction, live=live, gone=gone, successors=successors)


def supersede(
    *,
    caller: Caller,
    correction: Correction,
    live: list[LiveVerdict],
    gone: list[LiveVerdict],
    successors: Mapping[str, UUID],
) -> None:
    """End the verdicts ``gone``, and every correction that ``live`` shows to have none left.

    What somebody changed while this waited for its row was changed before it: times only move on.
    """
    if not gone:
        return
    at = correction.created_at
    left = {old.correction_id for old in live if old not in gone}
    ended = sorted({old.correction_id for old in gone} - left)
    execute(_SUPERSEDE_VERDICTS, [at, [old.id for old in gone], [successors.get(old.item_key) for old in gone]])
    changed = fetch(_SUPERSEDE_CORRECTIONS, [at, at, correction.pk, ended])
    after = {"supersededBy": str(correction.pk)}
    insert(
        [
            CorrectionChange(
                id=new_id(),
                created_at=updated_at,
                correction_id=pk,
                revision=revision,
                kind="superseded",
                by=by(caller),
                after=after,
            )
            for pk, revision, updated_at in changed
        ]
    )


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
