"""Test sets: copies of corrected runs with what people said of them (contract, section 7)."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from kindgi.access.models import Project, Row, Tenant
from kindgi.runs.models import RunContent


class TestSet(Row):
    """Corrected runs of an agent as they stood when it was made; never changed.

    ``version`` counts the agent's test sets in the project from 1. ``truncated`` says that more
    runs matched than a test set holds.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="test_sets", db_index=False)
    agent_id = models.CharField(max_length=200)
    version = models.PositiveIntegerField()
    versions = ArrayField(models.CharField(max_length=100), null=True, help_text="Only runs of these agent versions.")
    since = models.DateTimeField(null=True)
    until = models.DateTimeField(null=True)
    judge_class_ids = ArrayField(models.UUIDField(), null=True, help_text="Only verdicts in these classes count.")
    min_verdicts = models.PositiveIntegerField(default=1)
    experts_only = models.BooleanField(default=False)
    made_by = models.CharField(max_length=80, help_text="user:<id> or service_account:<id>.")
    cases = models.PositiveIntegerField()
    truncated = models.BooleanField(default=False)

    class Meta:
        """A project's, newest first."""

        ordering: ClassVar[list[str]] = ["-created_at", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["project", "agent_id", "version"], name="test_set_version_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["project", "-created_at", "-id"], name="test_set_newest_in_project"),
        ]

    def __str__(self) -> str:
        """Whose, and which."""
        return f"{self.agent_id}, test set {self.version}"


class TestCase(Row):
    """A corrected run in a test set; ``position`` counts from 0, the newest run first.

    ``content`` is the run's own row, which is never changed but by erasure. ``judged`` is what
    people said of the run, JSON, compressed (:mod:`improve.judged`); ``None`` once a person's words
    were erased, from when on the case is left out of evaluations.
    """

    test_set = models.ForeignKey(TestSet, on_delete=models.CASCADE, related_name="its_cases", db_index=False)
    position = models.PositiveIntegerField()
    tenant_id = models.UUIDField()
    run_id = models.UUIDField()
    agent_version = models.CharField(max_length=100)
    completed_at = models.DateTimeField()
    content = models.ForeignKey(RunContent, on_delete=models.PROTECT, null=True, related_name="+")
    judged = models.BinaryField(null=True, editable=False)
    erased_at = models.DateTimeField(null=True)

    class Meta:
        """In a test set's order; each run once."""

        ordering: ClassVar[list[str]] = ["test_set_id", "position"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["test_set", "position"], name="test_case_position_once"),
            models.UniqueConstraint(fields=["test_set", "run_id"], name="test_case_run_once"),
            models.CheckConstraint(
                condition=models.Q(judged__isnull=True) ^ models.Q(erased_at__isnull=True),
                name="test_case_erased_or_not",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["tenant_id", "run_id"], name="test_case_of_run"),
        ]

    def __str__(self) -> str:
        """The run's id."""
        return str(self.run_id)
