"""Judge classes: made, changed, retired (contract, section 5)."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from django.db import IntegrityError, transaction
from msgspec import UNSET, Meta, Struct, UnsetType

from corrections import errors
from corrections.models import JudgeClass
from corrections.policies import check_administer_class
from corrections.selectors import judge_class_get
from kindgi.access.callers import Caller
from kindgi.access.selectors import project_get
from kindgi.api.errors import BadInput
from kindgi.api.ids import new_id
from kindgi.api.operations import Body
from kindgi.api.times import now

Name = Annotated[str, Meta(min_length=1, max_length=100)]
Description = Annotated[str, Meta(max_length=2000)]
Weight = Annotated[float, Meta(ge=0)]


class TenantScope(Struct, tag_field="kind", tag="tenant", rename="camel", forbid_unknown_fields=True):
    """The whole tenant."""


class ProjectScope(Struct, tag_field="kind", tag="project", rename="camel", forbid_unknown_fields=True):
    """One project."""

    project_id: str


class AgentScope(Struct, tag_field="kind", tag="agent", rename="camel", forbid_unknown_fields=True):
    """One agent in a project."""

    project_id: str
    agent_id: Annotated[str, Meta(min_length=1, max_length=200)]


Scope = TenantScope | ProjectScope | AgentScope


class AssertableBy(Body):
    """Who may give a class: at least one part, and each that is set must hold."""

    min_reviewer_role: Literal["standard", "senior", "admin"] | UnsetType = UNSET
    principal_kinds: Annotated[list[Literal["user", "service"]], Meta(min_length=1, max_length=2)] | UnsetType = UNSET
    principal_ids: (
        Annotated[list[Annotated[str, Meta(min_length=1, max_length=100)]], Meta(min_length=1, max_length=100)]
        | UnsetType
    ) = UNSET


class ClassBody(Body):
    """A new class."""

    scope: Scope
    name: Name
    weight: Weight
    description: Description | UnsetType = UNSET
    assertable_by: AssertableBy | UnsetType = UNSET


class ClassChangeBody(Body):
    """What to change; `assertableBy` replaces the whole restriction, and `null` lifts it."""

    name: Name | UnsetType = UNSET
    weight: Weight | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET
    assertable_by: AssertableBy | UnsetType | None = UNSET


def judge_class_create(*, caller: Caller, body: ClassBody) -> JudgeClass:
    """Make a class; a tenant's needs a tenant admin, others an admin of the project.

    Raises ``ProjectNotFound``, ``PermissionDenied``, ``JudgeClassNameTaken``.
    """
    _check_weight(body.weight)
    at = now()
    judge_class = JudgeClass(
        id=new_id(),
        created_at=at,
        updated_at=at,
        tenant_id=caller.tenant_id,
        name=body.name,
        weight=body.weight,
        description=body.description or "",
    )
    if not isinstance(body.scope, TenantScope):
        judge_class.project = project_get(caller=caller, project_id=body.scope.project_id)
    if isinstance(body.scope, AgentScope):
        judge_class.agent_id = body.scope.agent_id
    check_administer_class(caller, judge_class)
    if not isinstance(body.assertable_by, UnsetType):
        _restrict(judge_class, body.assertable_by)
    _save(judge_class)
    return judge_class


def judge_class_change(*, caller: Caller, judge_class_id: str, body: ClassChangeBody) -> JudgeClass:
    """Change a live class; corrections recorded before keep whether they were restricted.

    Raises ``JudgeClassNotFound``, ``PermissionDenied``, ``JudgeClassUnregistered``, ``JudgeClassNameTaken``.
    """
    judge_class = _locked(caller, judge_class_id)
    if judge_class.unregistered_at is not None:
        raise errors.JudgeClassUnregistered
    if body == ClassChangeBody():
        return judge_class
    if not isinstance(body.weight, UnsetType):
        _check_weight(body.weight)
        judge_class.weight = body.weight
    if not isinstance(body.name, UnsetType):
        judge_class.name = body.name
    if not isinstance(body.description, UnsetType):
        judge_class.description = body.description or ""
    if not isinstance(body.assertable_by, UnsetType):
        _restrict(judge_class, body.assertable_by)
    judge_class.updated_at = now()
    _save(judge_class)
    return judge_class


def judge_class_unregister(*, caller: Caller, judge_class_id: str) -> JudgeClass:
    """Retire a class: it still reads and keeps its weight; no new correction can name it. Again changes nothing."""
    judge_class = _locked(caller, judge_class_id)
    if judge_class.unregistered_at is None:
        judge_class.unregistered_at = judge_class.updated_at = now()
        judge_class.save(update_fields=["unregistered_at", "updated_at"])
    return judge_class


def _locked(caller: Caller, judge_class_id: str) -> JudgeClass:
    seen = judge_class_get(caller=caller, judge_class_id=judge_class_id)
    check_administer_class(caller, seen)
    return JudgeClass.objects.select_for_update(no_key=True).get(pk=seen.pk)


def _check_weight(weight: float) -> None:
    if not math.isfinite(weight):
        raise BadInput("/weight: a weight is a finite number, 0 or more.", details={"path": "/weight"})


def _restrict(judge_class: JudgeClass, restriction: AssertableBy | None) -> None:
    """Replace the whole restriction; ``None`` lifts it."""
    judge_class.min_reviewer_role, judge_class.principal_kinds, judge_class.principal_ids = "", [], []
    if restriction is None:
        return
    judge_class.min_reviewer_role = restriction.min_reviewer_role or ""
    judge_class.principal_kinds = sorted(set(restriction.principal_kinds or []))
    judge_class.principal_ids = list(dict.fromkeys(restriction.principal_ids or []))
    if not judge_class.restricted:
        raise BadInput("assertableBy needs at least one of minReviewerRole, principalKinds and principalIds.")


def _save(judge_class: JudgeClass) -> None:
    """Save; the database holds that a name is unique among its scope's live classes."""
    try:
        with transaction.atomic():
            judge_class.save()
    except IntegrityError:
        raise errors.JudgeClassNameTaken(f'There\'s already a judge class "{judge_class.name}" there.') from None
