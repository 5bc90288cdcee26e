"""Who may do what (contract, section 9). Pure: a :class:`Caller` carries all that is needed."""

from __future__ import annotations

from uuid import UUID

from kindgi.access.callers import Caller
from kindgi.access.models import ProjectRole
from kindgi.api.errors import PermissionDenied


def can_read(caller: Caller, project_id: UUID) -> bool:
    """Read a project and what is in it."""
    return caller.role_in(project_id) is not None


def can_write(caller: Caller, project_id: UUID) -> bool:
    """Report and correct runs, change rules, dismiss."""
    return caller.has_role(project_id, ProjectRole.EDITOR)


def can_administer(caller: Caller, project_id: UUID) -> bool:
    """Manage classes, members, erasure and pins of a project."""
    return caller.has_role(project_id, ProjectRole.ADMIN)


def check_write(caller: Caller, project_id: UUID) -> None:
    """Raise :class:`PermissionDenied` unless :func:`can_write`."""
    if not can_write(caller, project_id):
        raise PermissionDenied("This needs write access to the project (editor or above).")


def check_administer(caller: Caller, project_id: UUID) -> None:
    """Raise :class:`PermissionDenied` unless :func:`can_administer`."""
    if not can_administer(caller, project_id):
        raise PermissionDenied("This needs an admin of the project.")


def check_tenant_admin(caller: Caller) -> None:
    """Raise :class:`PermissionDenied` unless the caller administers the tenant."""
    if not caller.administers_tenant:
        raise PermissionDenied("This needs a tenant admin.")


def can_delete_project(caller: Caller, project_id: UUID) -> bool:
    """Delete a project: its owner, or a tenant admin."""
    return caller.has_role(project_id, ProjectRole.OWNER)


def check_delete_project(caller: Caller, project_id: UUID) -> None:
    """Raise :class:`PermissionDenied` unless :func:`can_delete_project`."""
    if not can_delete_project(caller, project_id):
        raise PermissionDenied("This needs the project's owner, or a tenant admin.")


def check_give_role(caller: Caller, project_id: UUID, role: str) -> None:
    """Raise :class:`PermissionDenied` when ``role`` is above the caller's own in the project."""
    if role not in caller.roles_up_to_own(project_id):
        raise PermissionDenied("You can't give a role above your own in the project.")


def can_write_anywhere(caller: Caller) -> bool:
    """Write in at least one project: what registering an agent's version needs."""
    if caller.project_id is not None:
        return can_write(caller, caller.project_id)
    return caller.is_tenant_admin or any(can_write(caller, project_id) for project_id in caller.project_roles)
