"""Judge classes: kinds of judges, and how much each counts (contract, section 5)."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MinValueValidator
from django.db import models

from kindgi.access.models import Project, ReviewerRole, Row, Tenant
from kindgi.api.times import now


class JudgeClass(Row):
    """A kind of judge, how much its corrections count, and who may give it.

    The scope is the tenant (no project), a project (no agent) or an agent in a project. It is
    restricted when any of the three last fields is set. ``principal_ids`` are users' ids, or
    service tokens' ids.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="judge_classes")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, null=True, blank=True, related_name="judge_classes")
    agent_id = models.CharField(max_length=200, blank=True)
    name = models.CharField(max_length=100)
    weight = models.FloatField(validators=[MinValueValidator(0.0)])
    description = models.TextField(blank=True, max_length=2000)
    min_reviewer_role = models.CharField(max_length=8, choices=ReviewerRole.choices, blank=True)
    principal_kinds = ArrayField(models.CharField(max_length=7), default=list, blank=True)
    principal_ids = ArrayField(models.CharField(max_length=100), default=list, blank=True)
    updated_at = models.DateTimeField(default=now, editable=False)
    unregistered_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        """A name is unique among its scope's live classes; a weight is finite and not negative."""

        verbose_name_plural = "judge classes"
        ordering: ClassVar[list[str]] = ["-created_at", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["tenant", "project", "agent_id", "name"],
                condition=models.Q(unregistered_at__isnull=True),
                nulls_distinct=False,
                name="judge_class_name_once_in_scope",
            ),
            models.CheckConstraint(
                condition=models.Q(weight__gte=0) & models.Q(weight__lt=float("inf")), name="judge_class_weight_finite"
            ),
            models.CheckConstraint(
                condition=models.Q(agent_id="") | models.Q(project__isnull=False), name="judge_class_agent_in_project"
            ),
        ]

    def __str__(self) -> str:
        """Its name."""
        return self.name

    @property
    def restricted(self) -> bool:
        """Whether it says who may give it."""
        return bool(self.min_reviewer_role or self.principal_kinds or self.principal_ids)
