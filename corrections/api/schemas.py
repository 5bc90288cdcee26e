"""How corrections and judge classes are sent (contract, sections 4 and 5)."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from msgspec import UNSET, Raw, UnsetType

from corrections.models import ANSWER_KEY, DECISIONS_KEY, Correction, CorrectionChange, JudgeClass, RunCopy, Verdict
from corrections.policies import can_administer_class
from corrections.services.changing import Link
from corrections.services.classes import AgentScope, ProjectScope, Scope, TenantScope
from corrections.services.history import KindOfChange
from corrections.submissions import Verdict as Said
from kindgi.access.callers import Caller
from kindgi.api.operations import Answer, Time
from kindgi.api.times import wire
from kindgi.runs.api.schemas import content_part
from kindgi.runs.content import unpack
from kindgi.runs.records import Calls

StatusName = Literal["open", "being-fixed", "with-owner", "fixed", "wont-fix", "removed"]


class Subject(Answer):
    """What the corrected run ran."""

    kind: Literal["agent", "flow"]
    id: str
    version: str


class MadeBy(Answer):
    """The authenticated caller: a user's id, or for a service its token's."""

    kind: Literal["user", "service"]
    id: UUID


class ByRule(Answer, kw_only=True):
    """Who sorted or changed it: `rule` and `fix-job` have no id."""

    kind: Literal["user", "service", "rule", "fix-job"]
    id: str | UnsetType = UNSET


class Sorted(Answer, kw_only=True):
    """Who sorted it, when and why."""

    by: ByRule
    reason: str | UnsetType = UNSET
    at: Time


class FixedIn(Answer, kw_only=True):
    """What fixed it."""

    version: str | UnsetType = UNSET
    how: Literal["pin", "latest", "recorded-right"]
    by: ByRule | UnsetType = UNSET
    at: Time


class ReopenedIn(Answer, kw_only=True):
    """What got it wrong again."""

    version: str
    how: Literal["pin", "went-back", "unpin", "latest"]
    by: ByRule | UnsetType = UNSET
    at: Time


class StatusNote(Answer):
    """A note beside the status."""

    text: str
    by: ByRule
    at: Time


class ItemAnswer(Answer, kw_only=True):
    """What was said of one item; `value`, to the byte, only with a single correction."""

    key: str
    pointer: str | UnsetType = UNSET
    rank: int | UnsetType = UNSET
    verdict: Said
    value: Raw | UnsetType = UNSET


class CopyAnswer(Answer, kw_only=True):
    """What the first correction of the run kept of it."""

    input: Raw | UnsetType = UNSET
    output: Raw | UnsetType = UNSET
    calls: Calls | UnsetType = UNSET
    subject: Subject
    captured_at: Time


class ListedCallAnswer(Answer):
    """A call that the agent should have made; `{}` matches any arguments."""

    tool: str
    args: dict[str, Any]


class CorrectionAnswer(Answer, kw_only=True):
    """A correction; `run`, the copies, only with a single one."""

    id: UUID
    tenant_id: UUID
    project_id: UUID
    run_id: UUID
    subject: Subject
    decisions: Said | UnsetType = UNSET
    should_call: list[ListedCallAnswer] | UnsetType = UNSET
    must_not_call: list[str] | UnsetType = UNSET
    answer: Said | UnsetType = UNSET
    should_say: str | UnsetType = UNSET
    why: str | UnsetType = UNSET
    items: list[ItemAnswer] | UnsetType = UNSET
    corrector_group_id: UUID | UnsetType = UNSET
    expert: bool | UnsetType = UNSET
    made_by: MadeBy
    participant_id: str | UnsetType = UNSET
    status: StatusName
    sorted_to: Literal["improve", "developer", "owner"] | UnsetType = UNSET
    sorted: Sorted | UnsetType = UNSET
    link: Link | UnsetType = UNSET
    fixed_in: FixedIn | UnsetType = UNSET
    reopened_in: ReopenedIn | UnsetType = UNSET
    status_note: StatusNote | UnsetType = UNSET
    created_at: Time
    updated_at: Time
    unregistered_at: Time | UnsetType = UNSET
    superseded_by: UUID | UnsetType = UNSET
    run: CopyAnswer | UnsetType = UNSET


def correction_answer(correction: Correction, *, copy: RunCopy | None = None) -> CorrectionAnswer:
    """A correction with what still counts of it; one that is gone with all that it said.

    ``copy`` adds the copies and the items' values.
    """
    answer = CorrectionAnswer(
        id=correction.pk,
        tenant_id=correction.tenant_id,
        project_id=correction.project_id,
        run_id=correction.run_id,
        subject=subject_of(correction),
        made_by=MadeBy(correction.made_by_kind, correction.made_by_id),  # type: ignore[arg-type]
        corrector_group_id=correction.judge_class_id or UNSET,
        expert=True if correction.restricted else UNSET,
        participant_id=correction.participant_id or UNSET,
        status=correction.status,  # type: ignore[arg-type]
        created_at=wire(correction.created_at),
        updated_at=wire(correction.updated_at),
        unregistered_at=wire(correction.unregistered_at) if correction.unregistered_at else UNSET,
        superseded_by=correction.superseded_by_id or UNSET,
        why=UNSET if correction.why is None else correction.why,
    )
    _add_said(answer, correction, values=copy is not None)
    _add_standing(answer, correction)
    if copy is not None:
        answer.run = _copy(correction, copy)
    return answer


def subject_of(correction: Correction) -> Subject:
    """What the corrected run ran."""
    return Subject(correction.subject_kind, correction.subject_id, correction.subject_version)  # type: ignore[arg-type]


def _add_said(answer: CorrectionAnswer, correction: Correction, *, values: bool) -> None:
    items: list[ItemAnswer] = []
    for verdict in correction.verdicts.all():
        if correction.live and verdict.unregistered_at is not None:
            continue
        said: Said = "right" if verdict.right else "wrong"
        if verdict.item_key == DECISIONS_KEY:
            answer.decisions = said
            if correction.should_call is not None:
                answer.should_call = Raw(correction.should_call.encode())  # type: ignore[assignment]
            if correction.must_not_call is not None:
                answer.must_not_call = correction.must_not_call
        elif verdict.item_key == ANSWER_KEY:
            answer.answer = said
            answer.should_say = UNSET if correction.should_say is None else correction.should_say
        else:
            items.append(_item(verdict, said, values=values))
    if items:
        answer.items = items


def _add_standing(answer: CorrectionAnswer, correction: Correction) -> None:
    """How it is sorted, and what its status goes with; most of it is stored as it is sent."""
    answer.sorted_to = correction.sorted_to or UNSET  # type: ignore[assignment]
    answer.link = correction.link or UNSET
    answer.fixed_in = correction.fixed_in or UNSET
    answer.reopened_in = correction.reopened_in or UNSET
    answer.status_note = correction.status_note or UNSET
    if correction.sorted_at is not None:
        reason = UNSET if correction.sorted_reason is None else correction.sorted_reason
        answer.sorted = Sorted(by=correction.sorted_by, reason=reason, at=wire(correction.sorted_at))  # type: ignore[arg-type]


def _item(verdict: Verdict, said: Said, *, values: bool) -> ItemAnswer:
    value = unpack(verdict.item_value) if values else None
    return ItemAnswer(
        key=verdict.item_key,
        verdict=said,
        pointer=UNSET if verdict.pointer is None else verdict.pointer,
        rank=UNSET if verdict.rank is None else verdict.rank,
        value=UNSET if value is None else Raw(value),
    )


def _copy(correction: Correction, copy: RunCopy) -> CopyAnswer:
    return CopyAnswer(
        input=content_part(copy.content, "input"),
        output=content_part(copy.content, "output"),
        calls=content_part(copy.content, "calls"),
        subject=subject_of(correction),
        captured_at=wire(copy.created_at),
    )


class ChangeAnswer(Answer, kw_only=True):
    """One change: who, when, from, to, why. `revision` counts a correction's changes from 1."""

    id: UUID
    revision: int
    kind: KindOfChange
    at: Time
    by: ByRule
    from_: dict[str, Any] | UnsetType = UNSET
    to: dict[str, Any]
    why: str | UnsetType = UNSET


def change_answer(change: CorrectionChange) -> ChangeAnswer:
    """A change as it is sent."""
    return ChangeAnswer(
        id=change.pk,
        revision=change.revision,
        kind=change.kind,  # type: ignore[arg-type]
        at=wire(change.created_at),
        by=change.by,
        from_=change.before or UNSET,
        to=change.after,
        why=UNSET if change.why is None else change.why,
    )


class RemovedAnswer(Answer):
    """That a correction was taken back."""

    correction_id: UUID
    unregistered: bool


class AssertableByAnswer(Answer, kw_only=True):
    """Who may give a class; `principalIds` only for the admins of its scope."""

    min_reviewer_role: Literal["standard", "senior", "admin"] | UnsetType = UNSET
    principal_kinds: list[Literal["user", "service"]] | UnsetType = UNSET
    principal_ids: list[str] | UnsetType = UNSET
    principal_count: int | UnsetType = UNSET


class ClassAnswer(Answer, kw_only=True):
    """A judge class; `unregisteredAt` once it was retired."""

    id: UUID
    tenant_id: UUID
    scope: Scope
    name: str
    weight: float
    description: str | UnsetType = UNSET
    assertable_by: AssertableByAnswer | UnsetType = UNSET
    created_at: Time
    updated_at: Time
    unregistered_at: Time | UnsetType = UNSET


class ClassRemovedAnswer(Answer):
    """That a class was retired."""

    judge_class_id: UUID
    unregistered: bool


def class_answer(judge_class: JudgeClass, *, caller: Caller) -> ClassAnswer:
    """A class as the caller may see it."""
    return ClassAnswer(
        id=judge_class.pk,
        tenant_id=judge_class.tenant_id,
        scope=_scope(judge_class),
        name=judge_class.name,
        weight=judge_class.weight,
        description=judge_class.description or UNSET,
        assertable_by=_restriction(judge_class, caller) if judge_class.restricted else UNSET,
        created_at=wire(judge_class.created_at),
        updated_at=wire(judge_class.updated_at),
        unregistered_at=wire(judge_class.unregistered_at) if judge_class.unregistered_at else UNSET,
    )


def _scope(judge_class: JudgeClass) -> Scope:
    if judge_class.project_id is None:
        return TenantScope()
    if not judge_class.agent_id:
        return ProjectScope(str(judge_class.project_id))
    return AgentScope(str(judge_class.project_id), judge_class.agent_id)


def _restriction(judge_class: JudgeClass, caller: Caller) -> AssertableByAnswer:
    ids = judge_class.principal_ids
    return AssertableByAnswer(
        min_reviewer_role=judge_class.min_reviewer_role or UNSET,  # type: ignore[arg-type]
        principal_kinds=judge_class.principal_kinds or UNSET,  # type: ignore[arg-type]
        principal_ids=ids if ids and can_administer_class(caller, judge_class) else UNSET,
        principal_count=len(ids) or UNSET,
    )
