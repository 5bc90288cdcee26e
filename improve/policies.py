"""Who may do what with suggested changes, test sets and replay endpoints (contract, sections 7 and 9). Pure."""

from __future__ import annotations

from improve.models import Promotion, Proposal
from improve.statuses import Action
from kindgi.access.callers import Caller
from kindgi.access.policies import can_administer, can_write
from kindgi.api.errors import PermissionDenied


def can_decide(caller: Caller, proposal: Proposal, promotion: Promotion | None) -> bool:
    """Whether the caller may decide: a person and reviewer who writes there, and neither drafted nor asked for it.

    Never a service account: whoever drafted the change could make one that reviews.
    """
    asked = promotion is not None and caller.actor == promotion.requested_by
    return caller.kind == "user" and is_reviewer(caller, proposal) and not asked


def may_review(caller: Caller) -> bool:
    """Whether the caller is on the roster of reviewers, without whom nothing is reviewed."""
    return caller.reviewer_role is not None


def is_reviewer(caller: Caller, proposal: Proposal) -> bool:
    """Whether the caller is one of the suggested change's reviewers: on the roster, who didn't draft it."""
    writes = can_write(caller, proposal.project_id)
    return writes and may_review(caller) and caller.actor != proposal.drafted_by


def can_roll_back(caller: Caller, proposal: Proposal) -> bool:
    """Whether the caller may go back to what was pinned before: a reviewer, or who may pin anyway."""
    reviews = can_write(caller, proposal.project_id) and may_review(caller)
    return reviews or can_administer(caller, proposal.project_id)


def may(caller: Caller, action: Action, proposal: Proposal, promotion: Promotion | None) -> bool:
    """Whether the caller may do ``action``, were it legal; ``promotion`` is the latest."""
    if action == Action.DECIDE:
        return can_decide(caller, proposal, promotion)
    if action == Action.ROLLBACK:
        return can_roll_back(caller, proposal)
    return can_write(caller, proposal.project_id)


def check_may(caller: Caller, action: Action, proposal: Proposal, promotion: Promotion | None) -> None:
    """Raise :class:`PermissionDenied` unless :func:`may`, saying who may."""
    if may(caller, action, proposal, promotion):
        return
    if action == Action.DECIDE and caller.kind != "user":
        raise PermissionDenied("A person decides about suggested changes: service accounts don't, whatever their role.")
    if action == Action.DECIDE:
        raise PermissionDenied("This needs a reviewer of the project who neither drafted the change nor asked for it.")
    if action == Action.ROLLBACK:
        raise PermissionDenied("This needs a reviewer of the project, or an admin of it.")
    raise PermissionDenied("This needs write access to the project (editor or above).")
