"""What changes projects (contract, section 9)."""

from __future__ import annotations

from typing import TypedDict, Unpack

import psycopg
from django.db import IntegrityError, connection, transaction

from kindgi.access import errors
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.access.policies import check_administer, check_delete_project, check_tenant_admin
from kindgi.access.selectors import content_relations, project_holds_content
from kindgi.access.services.constraints import refusing
from kindgi.api.errors import ApiError, LockTimeout
from kindgi.api.times import now


class ProjectChanges(TypedDict, total=False):
    """What may change of a project; ``retention_days`` is in days, ``None`` keeps runs for ever."""

    name: str
    slug: str
    description: str
    blind: bool
    retention_days: int | None


def project_create(*, caller: Caller, name: str, slug: str, description: str = "") -> Project:
    """The new project in the caller's tenant; raises ``PermissionDenied``, :class:`ProjectSlugTaken`."""
    check_tenant_admin(caller)
    at = now()
    project = Project(
        tenant_id=caller.tenant_id, name=name, slug=slug, description=description, created_at=at, updated_at=at
    )
    with refusing(_slug_taken(slug)):
        project.save(force_insert=True)
    return project


def project_update(*, caller: Caller, project: Project, **changes: Unpack[ProjectChanges]) -> Project:
    """The project as it is now; raises ``PermissionDenied``, :class:`ProjectSlugTaken`, :class:`ProjectNotFound`."""
    check_administer(caller, project.pk)
    if not changes:
        return project
    written = {**changes, "updated_at": now()}
    with refusing(_slug_taken(changes.get("slug", ""))):
        if not Project.objects.filter(pk=project.pk).update(**written):
            raise errors.ProjectNotFound
    for name, value in written.items():
        setattr(project, name, value)
    return project


def project_delete(*, caller: Caller, project: Project) -> None:
    """Delete an empty project with its memberships, grants, narrowed tokens and classes.

    Raises ``PermissionDenied``, :class:`ProjectIsDefault`, and :class:`ProjectNotEmpty` when it
    holds runs, one that is recorded at the same moment included: what refers to the project is
    checked before this returns, under the lock that the deletion took on its row. A run that is
    recorded later waits for that lock, and then finds no project.
    """
    check_delete_project(caller, project.pk)
    if project.is_default:
        raise errors.ProjectIsDefault
    if project_holds_content(project):
        raise errors.ProjectNotEmpty
    try:
        with transaction.atomic():
            _, deleted = project.delete()
            connection.check_constraints()
    except IntegrityError as broken:
        raise _still_referred_to(broken) from None
    if not deleted.get(Project._meta.label):
        raise errors.ProjectNotFound


def _slug_taken(slug: str) -> dict[str, ApiError]:
    taken = errors.ProjectSlugTaken(f"Another project has the slug {slug!r}.", details={"slug": slug})
    return {"project_slug_once_in_tenant": taken}


def _still_referred_to(broken: IntegrityError) -> ApiError:
    """What holds the project: content that came at the same moment, or something else that was given to it."""
    cause = broken.__cause__
    tables = {relation.related_model._meta.db_table for relation in content_relations()}
    if isinstance(cause, psycopg.Error) and cause.diag.table_name not in tables:
        return LockTimeout(retry_after=1)
    return errors.ProjectNotEmpty()
