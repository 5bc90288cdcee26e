"""Corrections, their verdicts, copies and history (contract, sections 1 and 4).

A :class:`Correction` is one submission; a :class:`Verdict` is the atom, one person's right or
wrong on one item of one run. Both doors of the API write the same rows. A run is named by the id
that its reporter gave it, not by a foreign key: corrections outlive their runs.
"""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import MD5

from corrections.models.classes import JudgeClass
from kindgi.access.models import Project, Row, Tenant
from kindgi.api.times import now
from kindgi.runs.models import RunContent

DECISIONS_KEY = "kindgi:correction"
ANSWER_KEY = "answer"


class Door(models.TextChoices):
    """By which endpoint a correction came in."""

    CORRECTIONS = "corrections"
    JUDGMENTS = "judgments"


class Status(models.TextChoices):
    """Where a correction is in being fixed."""

    OPEN = "open"
    BEING_FIXED = "being-fixed"
    WITH_OWNER = "with-owner"
    FIXED = "fixed"
    WONT_FIX = "wont-fix"
    REMOVED = "removed"


class SortedTo(models.TextChoices):
    """Who works on it."""

    IMPROVE = "improve"
    DEVELOPER = "developer"
    OWNER = "owner"


class MadeBy(models.Model):
    """Who said it: the authenticated caller, and the end user whom an app spoke for."""

    made_by_kind = models.CharField(max_length=7, choices=[("user", "user"), ("service", "service")])
    made_by_id = models.UUIDField()
    participant_id = models.TextField(blank=True)

    class Meta:
        """Abstract."""

        abstract = True


class Correction(Row, MadeBy):
    """One submission about one run; never deleted. ``revision`` counts its changes."""

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="corrections", db_index=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="corrections", db_index=False)
    run_id = models.UUIDField()
    subject_kind = models.CharField(max_length=5, choices=[("agent", "agent"), ("flow", "flow")])
    subject_id = models.CharField(max_length=200)
    subject_version = models.CharField(max_length=100)
    door = models.CharField(max_length=11, choices=Door.choices)
    judge_class = models.ForeignKey(
        JudgeClass, on_delete=models.PROTECT, null=True, related_name="corrections", db_index=False
    )
    restricted = models.BooleanField(default=False, help_text="Its class was restricted when it was made.")

    should_call = models.TextField(null=True)  # noqa: DJ001 - JSON to the letter; absent isn't empty
    args_erased_at = models.DateTimeField(null=True, help_text="Since when the calls listed have lost their args.")
    must_not_call = ArrayField(models.CharField(max_length=200), null=True)
    should_say = models.TextField(null=True)  # noqa: DJ001 - absent isn't empty
    why = models.TextField(null=True)  # noqa: DJ001 - absent isn't empty

    status = models.CharField(max_length=11, choices=Status.choices)
    sorted_to = models.CharField(max_length=9, choices=SortedTo.choices, blank=True)
    sorted_by = models.JSONField(null=True, help_text="{kind: rule} or {kind: user|service, id}.")
    sorted_reason = models.TextField(null=True)  # noqa: DJ001 - absent isn't empty
    sorted_at = models.DateTimeField(null=True)
    link = models.JSONField(null=True)
    fixed_in = models.JSONField(null=True)
    reopened_in = models.JSONField(null=True)
    status_note = models.JSONField(null=True, help_text="{text, by, at}.")

    revision = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField(default=now)
    unregistered_at = models.DateTimeField(null=True)
    superseded_by = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="supersedes", db_index=False
    )

    class Meta:
        """Lists read newest first, in a tenant or a project; a run's are found by its id."""

        ordering: ClassVar[list[str]] = ["-created_at", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=models.Q(status__in=Status.values), name="correction_status_known"),
            models.CheckConstraint(
                condition=models.Q(unregistered_at__isnull=False)
                | (~models.Q(status="removed") & models.Q(superseded_by__isnull=True)),
                name="correction_gone_is_unregistered",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["tenant", "-created_at", "-id"], name="correction_newest_in_tenant"),
            models.Index(fields=["project", "-created_at", "-id"], name="correction_newest_in_project"),
            models.Index(fields=["tenant", "run_id"], name="correction_of_run"),
            models.Index(
                "tenant",
                MD5("participant_id"),
                name="correction_of_participant",
                condition=~models.Q(participant_id=""),
            ),
        ]

    def __str__(self) -> str:
        """Its id."""
        return str(self.pk)

    @property
    def live(self) -> bool:
        """Whether it still counts: neither removed nor superseded."""
        return self.unregistered_at is None


class Verdict(Row, MadeBy):
    """Right or wrong on one item of a run. Live until it is removed or superseded."""

    correction = models.ForeignKey(Correction, on_delete=models.PROTECT, related_name="verdicts")
    tenant_id = models.UUIDField()
    project_id = models.UUIDField()
    run_id = models.UUIDField()
    position = models.PositiveSmallIntegerField(help_text="Its place in the submission.")
    item_key = models.CharField(max_length=200)
    pointer = models.CharField(max_length=500, null=True)  # noqa: DJ001 - "" points at the whole output
    rank = models.BigIntegerField(null=True)
    right = models.BooleanField()
    item_value = models.BinaryField(null=True, help_text="What it pointed at: JSON to the byte, compressed.")
    judge_class = models.ForeignKey(
        JudgeClass, on_delete=models.PROTECT, null=True, related_name="verdicts", db_index=False
    )
    unregistered_at = models.DateTimeField(null=True)
    superseded_by = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="supersedes", db_index=False
    )

    class Meta:
        """At most one live verdict a run, item, caller and participant, whatever races (section 1)."""

        ordering: ClassVar[list[str]] = ["-created_at", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                "tenant_id",
                "run_id",
                "item_key",
                "made_by_kind",
                "made_by_id",
                MD5("participant_id"),
                condition=models.Q(unregistered_at__isnull=True),
                name="verdict_one_live",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["tenant_id", "-created_at", "-id"], name="verdict_newest_in_tenant"),
            models.Index(fields=["project_id", "-created_at", "-id"], name="verdict_newest_in_project"),
        ]

    def __str__(self) -> str:
        """The item, and what was said of it."""
        return f"{self.item_key}: {'right' if self.right else 'wrong'}"


class RunCopy(Row):
    """What the first correction of a run kept of it, so that it outlives the run's retention."""

    tenant_id = models.UUIDField()
    run_id = models.UUIDField()
    correction = models.ForeignKey(Correction, on_delete=models.PROTECT, related_name="+", db_index=False)
    content = models.ForeignKey(RunContent, on_delete=models.PROTECT, null=True, related_name="copies")
    participant_id = models.TextField(blank=True, help_text="The run's: whose words these are, after the run has gone.")

    class Meta:
        """The first correction's, and nobody's after it."""

        verbose_name_plural = "run copies"
        ordering: ClassVar[list[str]] = ["-created_at", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["tenant_id", "run_id"], name="run_copied_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                "tenant_id",
                MD5("participant_id"),
                name="copy_of_participant",
                condition=~models.Q(participant_id=""),
            ),
        ]

    def __str__(self) -> str:
        """Of which run."""
        return str(self.run_id)


class CorrectionChange(Row):
    """One change of a correction: who, when, from, to, why. Numbered without a gap; never changed."""

    correction = models.ForeignKey(Correction, on_delete=models.PROTECT, related_name="changes", db_index=False)
    revision = models.PositiveIntegerField()
    kind = models.CharField(max_length=24)
    by = models.JSONField(help_text="{kind: rule} or {kind: user|service, id}.")
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    why = models.TextField(null=True)  # noqa: DJ001 - absent isn't empty

    class Meta:
        """Once a revision."""

        ordering: ClassVar[list[str]] = ["correction_id", "revision"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["correction", "revision"], name="correction_change_once"),
        ]

    def __str__(self) -> str:
        """What changed."""
        return f"{self.revision} {self.kind}"
