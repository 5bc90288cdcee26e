"""Catch-ups: rules brought to runs that have ended already (contract, section 6)."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from judging.models.rules import JudgingRule
from kindgi.access.models import Project, Row, Tenant
from kindgi.api.times import now


class CatchUpState(models.TextChoices):
    """Whether it is under way; ``stopped`` when the rule was removed meanwhile."""

    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"


class CatchUp(Row):
    """One catch-up, as a row before it is a task: whatever is killed, it goes on from ``at``.

    It goes through the project's ended top-level runs that aren't replays in the order of
    (completed_at, id), after ``at`` and up to ``until``. ``of`` is how many these were when it was
    asked for, or more where runs are told late; ``done`` how many of them it has gone through.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="catch_ups", db_index=False)
    rule = models.ForeignKey(JudgingRule, on_delete=models.CASCADE, related_name="catch_ups")
    asked_by = models.CharField(max_length=80, help_text="user:<id> or service_account:<id>.")
    key_hash = models.BinaryField(
        null=True, unique=True, editable=False, help_text="Of the Idempotency-Key that it was asked for with."
    )
    last = models.PositiveIntegerField(null=True)
    since = models.DateTimeField(null=True)

    at = models.DateTimeField(help_text="The end of the last run that it has gone through, ...")
    at_id = models.UUIDField(help_text="... and that run, by our id.")
    until = models.DateTimeField()
    until_id = models.UUIDField()
    of = models.PositiveIntegerField()
    done = models.PositiveIntegerField(default=0)

    state = models.CharField(max_length=7, choices=CatchUpState.choices, default=CatchUpState.RUNNING)
    queued = models.PositiveIntegerField(default=0)
    already_queued = models.PositiveIntegerField(default=0)
    already_reviewed = models.PositiveIntegerField(default=0)
    heartbeat_at = models.DateTimeField(default=now)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        """Newest first; those that run are looked for."""

        ordering: ClassVar[list[str]] = ["-created_at", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=models.Q(state__in=CatchUpState.values), name="catch_up_state_known"),
            models.CheckConstraint(
                condition=models.Q(finished_at__isnull=True, state="running")
                | models.Q(finished_at__isnull=False) & ~models.Q(state="running"),
                name="catch_up_finished_when_not_running",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["project", "-created_at", "-id"], name="catch_up_newest_in_project"),
            models.Index(fields=["heartbeat_at"], name="catch_up_running", condition=models.Q(state="running")),
        ]

    def __str__(self) -> str:
        """How far it is."""
        return f"{self.done} of {self.of}"
