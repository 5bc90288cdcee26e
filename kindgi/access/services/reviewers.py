"""What changes the tenant's roster of reviewers (contract, section 9)."""

from __future__ import annotations

from kindgi.access import errors
from kindgi.access.callers import Caller
from kindgi.access.models import Reviewer, User
from kindgi.access.policies import check_tenant_admin
from kindgi.api.times import now


def reviewer_register(
    *, caller: Caller, user: User, role: str, display_name: str | None = None
) -> tuple[Reviewer, bool]:
    """The person's entry, and whether they weren't on the roster before; an entry of theirs is changed.

    ``display_name`` stays as it is when it is ``None``. Raises ``PermissionDenied``, :class:`UserNotFound`.
    """
    check_tenant_admin(caller)
    if user.tenant_id != caller.tenant_id:
        raise errors.UserNotFound
    # Of two at the same moment one makes the row, and the other waits for it and changes it.
    reviewer, is_new = Reviewer.objects.select_for_update().get_or_create(
        tenant_id=caller.tenant_id, user=user, defaults={"role": role, "display_name": display_name or ""}
    )
    if is_new:
        return reviewer, True
    was_off = reviewer.deactivated_at is not None
    reviewer.role, reviewer.deactivated_at = role, None
    if display_name is not None:
        reviewer.display_name = display_name
    reviewer.save(update_fields=["role", "display_name", "deactivated_at"])
    return reviewer, was_off


def reviewer_remove(*, caller: Caller, reviewer: Reviewer) -> None:
    """Take the person off the roster, softly; raises ``PermissionDenied``, :class:`ReviewerNotFound`."""
    check_tenant_admin(caller)
    if not Reviewer.objects.filter(pk=reviewer.pk, deactivated_at__isnull=True).update(deactivated_at=now()):
        raise errors.ReviewerNotFound
