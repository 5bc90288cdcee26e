"""The runs that runtimes report (contract, section 3).

A run's row holds what lists read. Its content (input, output, calls) is kept apart, compressed
and to the byte, in :class:`RunContent`, which no list touches.
"""

from __future__ import annotations

from typing import ClassVar
from uuid import UUID

from django.db import models
from django.db.models.functions import MD5

from kindgi.access.models import Project, Row, Tenant
from kindgi.api.times import now

AGENT_FLOW_ID = "agent.turn"
AGENT_FLOW_VERSION = "1.0.0"


class RunStatus(models.TextChoices):
    """How far a run is; the last three are final."""

    PENDING = "pending"
    RUNNING = "running"
    SUSPENDED = "suspended"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


FINAL = frozenset({RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED})


class Via(models.TextChoices):
    """Why that version of the agent ran."""

    LIVE = "live"
    LATEST = "latest"
    EXPLICIT = "explicit"
    CONVERSATION = "conversation"
    FLOW_PIN = "flow-pin"


class RunContent(Row):
    """What was said in a run: JSON texts to the byte, each compressed by itself.

    It is changed only while its run goes on. Once the run has ended it is never changed again but
    by erasure, so that whoever must keep a copy of it (a correction) keeps this row, and an
    output of any size is copied at no cost.
    """

    input = models.BinaryField(null=True, editable=False)
    output = models.BinaryField(null=True, editable=False)
    calls = models.BinaryField(null=True, editable=False)

    def __str__(self) -> str:
        """Its id; what it holds is nobody's label."""
        return str(self.pk)


class Run(Row):
    """A run of an agent or a flow, as its runtime reported it.

    ``id`` is ours; ``run_id`` is the reporter's, unique in its tenant, and the one that is shown.
    ``created_at`` is when the run was created by what its reporter says.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="runs", db_index=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="runs", db_index=False)
    run_id = models.UUIDField()
    content = models.OneToOneField(RunContent, on_delete=models.PROTECT, null=True, related_name="run", editable=False)

    flow_id = models.CharField(max_length=200)
    flow_version = models.CharField(max_length=100)
    agent_id = models.CharField(max_length=200, blank=True, help_text="Empty for a flow's run.")
    agent_version = models.CharField(max_length=100, blank=True)
    agent_via = models.CharField(max_length=12, blank=True, choices=Via.choices)
    conversation_id = models.CharField(max_length=200, blank=True)

    status = models.CharField(max_length=9, choices=RunStatus.choices)
    dry_run = models.BooleanField(default=False)
    completed_at = models.DateTimeField(null=True, blank=True)
    updated_at = models.DateTimeField(default=now, editable=False)
    failure_message = models.TextField(null=True, blank=True)  # noqa: DJ001 - absent isn't empty
    parent_run_id = models.UUIDField(null=True, blank=True)
    replay_of = models.UUIDField(null=True, blank=True)
    eval_run_id = models.CharField(max_length=200, blank=True)
    participant_id = models.TextField(blank=True, help_text="The app's opaque id of the end user who was served.")
    content_erased_at = models.DateTimeField(null=True, blank=True, editable=False)

    created_at = models.DateTimeField(default=now)

    class Meta:
        """Lists read newest first, in a tenant or a project, perhaps of one agent or flow."""

        ordering: ClassVar[list[str]] = ["-created_at", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["tenant", "run_id"], name="run_once_in_tenant"),
            models.CheckConstraint(condition=models.Q(status__in=RunStatus.values), name="run_status_known"),
            models.CheckConstraint(
                condition=models.Q(completed_at__isnull=False) ^ ~models.Q(status__in=sorted(FINAL)),
                name="run_ended_when_final",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["tenant", "-created_at", "-id"], name="run_newest_in_tenant"),
            models.Index(fields=["project", "-created_at", "-id"], name="run_newest_in_project"),
            models.Index(fields=["project", "agent_id", "-created_at", "-id"], name="run_newest_of_agent"),
            models.Index(
                fields=["project", "completed_at", "id"],
                name="run_ended_in_project",
                condition=models.Q(completed_at__isnull=False),
            ),
            models.Index(
                fields=["project", "completed_at", "id"],
                name="run_ended_by_itself",
                condition=models.Q(
                    completed_at__isnull=False, parent_run_id__isnull=True, replay_of__isnull=True, eval_run_id=""
                ),
            ),
            models.Index(
                fields=["tenant", "parent_run_id"],
                name="run_of_parent",
                condition=models.Q(parent_run_id__isnull=False),
            ),
            models.Index(
                fields=["tenant", "replay_of"],
                name="run_replay_of",
                condition=models.Q(replay_of__isnull=False),
            ),
            models.Index(
                "project",
                MD5("participant_id"),
                name="run_of_participant",
                condition=~models.Q(participant_id=""),
            ),
        ]

    def __str__(self) -> str:
        """The id that its reporter gave it."""
        return str(self.run_id)

    @property
    def is_agents(self) -> bool:
        """Whether an agent ran, rather than a flow."""
        return self.agent_id != ""

    @property
    def public_id(self) -> UUID:
        """The id that the world knows it by."""
        return self.run_id
