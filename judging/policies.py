"""Who may do what with rules and the queue (contract, sections 6 and 9)."""

from __future__ import annotations

from judging.models import QueueItem, State
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.access.policies import can_write, check_write


def check_change_rules(caller: Caller, project: Project) -> None:
    """Making, changing and removing rules, and catching them up, take write access; raises ``PermissionDenied``."""
    check_write(caller, project.pk)


def check_change_queue(caller: Caller, project: Project) -> None:
    """Dismissing, reopening and holding take write access, as correcting does; raises ``PermissionDenied``."""
    check_write(caller, project.pk)


def can_dismiss(caller: Caller, item: QueueItem) -> bool:
    """Whether the caller may dismiss the item as it stands."""
    return item.state == State.OPEN and can_write(caller, item.project_id)


def can_reopen(caller: Caller, item: QueueItem) -> bool:
    """Whether the caller may reopen the item as it stands."""
    return item.state == State.DISMISSED and item.gone_at is None and can_write(caller, item.project_id)
