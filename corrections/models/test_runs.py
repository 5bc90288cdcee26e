"""What versions did on corrected runs, and what became of the corrections (contract, section 4)."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from corrections.models.corrections import Correction
from kindgi.access.models import Project, Row, Tenant


class How(models.TextChoices):
    """How the project came to run the version."""

    PIN = "pin"
    WENT_BACK = "went-back"
    UNPIN = "unpin"
    LATEST = "latest"


class Outcome(models.TextChoices):
    """How a replay came out for a correction: ``changed`` needs a person, ``unchecked`` was not shown."""

    RIGHT = "right"
    WRONG = "wrong"
    CHANGED = "changed"
    UNCHECKED = "unchecked"


class TestRun(Row):
    """A version of an agent, replayed on corrected runs; never changed.

    ``counts`` and ``expert_counts`` are ``{corrections, right, wrong, changed, unchecked, fixed,
    reopened}``, over all that were checked and over the experts' among them.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="test_runs", db_index=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="test_runs", db_index=False)
    agent_id = models.CharField(max_length=200)
    version = models.CharField(max_length=100)
    how = models.CharField(max_length=9, choices=How.choices)
    experts_only = models.BooleanField(default=False)
    made_by_kind = models.CharField(max_length=7, choices=[("user", "user"), ("service", "service")])
    made_by_id = models.UUIDField()
    replays = models.PositiveIntegerField(help_text="How many were sent.")
    uncorrected = models.PositiveIntegerField(help_text="... of them of runs without a correction that was checked.")
    counts = models.JSONField()
    expert_counts = models.JSONField()

    class Meta:
        """A project's, newest first."""

        ordering: ClassVar[list[str]] = ["-created_at", "-id"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["project", "-created_at", "-id"], name="test_run_newest_in_project"),
        ]

    def __str__(self) -> str:
        """What was tried."""
        return f"{self.agent_id} {self.version}"


class Replay(Row):
    """What the version did on one run: JSON to the byte, compressed. Erased with the run."""

    test_run = models.ForeignKey(TestRun, on_delete=models.CASCADE, related_name="replayed", db_index=False)
    tenant_id = models.UUIDField()
    run_id = models.UUIDField()
    calls = models.BinaryField(null=True, editable=False)
    output = models.BinaryField(null=True, editable=False)

    class Meta:
        """Once a run."""

        ordering: ClassVar[list[str]] = ["-created_at", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["test_run", "run_id"], name="replay_once_in_test_run"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["tenant_id", "run_id"], name="replay_of_run"),
        ]

    def __str__(self) -> str:
        """Of which run."""
        return str(self.run_id)


class TestResult(Row):
    """How a replay came out for one correction, and what that did to it; never changed.

    ``parts`` says it thing by thing: ``{decisions?, answer?, items?: [{key, outcome}]}``.
    """

    test_run = models.ForeignKey(TestRun, on_delete=models.CASCADE, related_name="results", db_index=False)
    correction = models.ForeignKey(Correction, on_delete=models.PROTECT, related_name="test_results")
    run_id = models.UUIDField()
    expert = models.BooleanField()
    outcome = models.CharField(max_length=9, choices=Outcome.choices)
    parts = models.JSONField()
    status_before = models.CharField(max_length=11)
    status_after = models.CharField(max_length=11)

    class Meta:
        """Once a correction; read newest first in a test run."""

        ordering: ClassVar[list[str]] = ["-created_at", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["test_run", "correction"], name="test_result_once"),
            models.CheckConstraint(condition=models.Q(outcome__in=Outcome.values), name="test_result_known"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["test_run", "-created_at", "-id"], name="test_result_newest"),
        ]

    def __str__(self) -> str:
        """How it came out."""
        return self.outcome
