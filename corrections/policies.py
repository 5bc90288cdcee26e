"""Who may give a judge class, and who may change a correction (contract, sections 5 and 9)."""

from __future__ import annotations

from corrections.models import Correction, JudgeClass
from kindgi.access.callers import REVIEWER_RANK, Caller
from kindgi.access.policies import can_administer, can_write
from kindgi.api.errors import PermissionDenied

_KINDS = {"user": "people", "service": "services"}


def class_refusal(caller: Caller, judge_class: JudgeClass) -> str | None:
    """Why the caller may not give the class, as a sentence, or ``None``: each part that is set must hold."""
    name, least = judge_class.name, judge_class.min_reviewer_role
    if least and (caller.reviewer_role is None or REVIEWER_RANK[caller.reviewer_role] < REVIEWER_RANK[least]):
        have = f"you are {caller.reviewer_role}" if caller.reviewer_role else "you aren't on the roster of reviewers"
        return f'"{name}" may be given only by a reviewer of role {least} or above, and {have}.'
    if judge_class.principal_kinds and caller.kind not in judge_class.principal_kinds:
        kinds = " and ".join(_KINDS[kind] for kind in judge_class.principal_kinds)
        return f'"{name}" may be given only by {kinds}.'
    if judge_class.principal_ids and str(caller.id) not in map(str.lower, judge_class.principal_ids):
        return f'"{name}" names who may give it, and you aren\'t among them.'
    return None


def can_administer_class(caller: Caller, judge_class: JudgeClass) -> bool:
    """Whether the caller is an admin of the class's scope."""
    if judge_class.project_id is None:
        return caller.administers_tenant
    return can_administer(caller, judge_class.project_id)


def check_administer_class(caller: Caller, judge_class: JudgeClass) -> None:
    """Raise :class:`PermissionDenied` unless :func:`can_administer_class`."""
    if not can_administer_class(caller, judge_class):
        of = "the tenant" if judge_class.project_id is None else "the project"
        raise PermissionDenied(f"This needs an admin of {of}.")


def is_made_by(caller: Caller, correction: Correction) -> bool:
    """Whether the caller made the correction."""
    return (correction.made_by_kind, correction.made_by_id) == (caller.kind, caller.id)


def check_remove(caller: Caller, correction: Correction) -> None:
    """Who made a correction may remove it, with write access; so may an admin of the project."""
    if can_administer(caller, correction.project_id):
        return
    if not (is_made_by(caller, correction) and can_write(caller, correction.project_id)):
        raise PermissionDenied("Only who made a correction, or an admin of the project, may remove it.")
