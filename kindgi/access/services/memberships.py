"""What changes people's roles in a project (contract, section 9).

Nobody gives or takes a role above their own. What a statement may change is in its condition, so
that a role that rises at the same moment is safe from somebody below it.
"""

from __future__ import annotations

from django.db.models import QuerySet

from kindgi.access import errors
from kindgi.access.callers import Caller
from kindgi.access.models import Membership, Project, User
from kindgi.access.policies import check_administer, check_give_role
from kindgi.access.services.constraints import refusing
from kindgi.api.errors import PermissionDenied


def membership_add(*, caller: Caller, project: Project, user: User, role: str) -> Membership:
    """The person's new role; raises ``PermissionDenied``, :class:`UserNotFound`, :class:`MembershipExists`."""
    check_administer(caller, project.pk)
    check_give_role(caller, project.pk, role)
    if user.tenant_id != project.tenant_id:
        raise errors.UserNotFound
    membership = Membership(project=project, user=user, role=role)
    with refusing({"membership_once": errors.MembershipExists()}):
        membership.save(force_insert=True)
    return membership


def membership_change(*, caller: Caller, membership: Membership, role: str) -> Membership:
    """The membership with its new role; raises ``PermissionDenied``, :class:`MembershipNotFound`."""
    check_administer(caller, membership.project_id)
    check_give_role(caller, membership.project_id, role)
    if not _within_reach(caller, membership).update(role=role):
        raise _out_of_reach(membership)
    membership.role = role
    return membership


def membership_remove(*, caller: Caller, membership: Membership) -> None:
    """Take the role away; raises ``PermissionDenied``, :class:`MembershipNotFound`."""
    check_administer(caller, membership.project_id)
    removed, _ = _within_reach(caller, membership).delete()
    if not removed:
        raise _out_of_reach(membership)


def _within_reach(caller: Caller, membership: Membership) -> QuerySet[Membership]:
    return Membership.objects.filter(pk=membership.pk, role__in=caller.roles_up_to_own(membership.project_id))


def _out_of_reach(membership: Membership) -> Exception:
    if not Membership.objects.filter(pk=membership.pk).exists():
        return errors.MembershipNotFound()
    return PermissionDenied("This person's role in the project is above yours.")
