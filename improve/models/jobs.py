"""Replaying runs by an agent's endpoint, as rows before they are tasks (contract, section 7)."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from kindgi.access.models import Project, Row, Tenant
from kindgi.api.times import now
from kindgi.runs.models import RunContent


class JobState(models.TextChoices):
    """``failed``: the endpoint answered too little to say anything by, or time ran out."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class ReplayJob(Row):
    """A version of an agent, with a change or as it is, to be asked what it does on runs.

    ``change`` and ``blocks`` are JSON texts, as requests carry them: the change ``{blockId,
    fromVersion, content}``, and the content of every block of what is run by the block's id.
    ``of`` counts replays, a case's repetitions each; those that were erased meanwhile are in none
    of the other counts.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="replay_jobs", db_index=False)
    agent_id = models.CharField(max_length=200)
    version = models.CharField(max_length=100)
    change = models.TextField(null=True)  # noqa: DJ001 - absent isn't empty
    blocks = models.TextField(null=True)  # noqa: DJ001 - absent isn't empty
    asked_by = models.CharField(max_length=80, blank=True, help_text="user:<id> or service_account:<id>.")

    state = models.CharField(max_length=9, choices=JobState.choices, default=JobState.RUNNING)
    of = models.PositiveIntegerField()
    answered = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    problem = models.CharField(max_length=40, blank=True, help_text="Why it failed, as a code.")
    detail = models.CharField(max_length=300, blank=True, help_text="What the problem's sentence names.")
    cancelled_by = models.CharField(max_length=80, blank=True)
    heartbeat_at = models.DateTimeField(default=now)
    turn = models.PositiveIntegerField(default=0, help_text="How often a worker took it up; only the last one goes on.")
    settling_tries = models.PositiveSmallIntegerField(default=0, help_text="How often what came out was not stored.")
    finished_at = models.DateTimeField(null=True)

    class Meta:
        """Newest first; those that run are looked for."""

        ordering: ClassVar[list[str]] = ["-created_at", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=models.Q(state__in=JobState.values), name="replay_job_state_known"),
            models.CheckConstraint(
                condition=models.Q(finished_at__isnull=True, state="running")
                | models.Q(finished_at__isnull=False) & ~models.Q(state="running"),
                name="replay_job_finished_when_not_running",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["heartbeat_at"], name="replay_job_running", condition=models.Q(state="running")),
            models.Index(fields=["project", "agent_id"], name="replay_job_of_agent"),
        ]

    def __str__(self) -> str:
        """How far it is."""
        return f"{self.done} of {self.of}"

    @property
    def done(self) -> int:
        """How many replays are over, however they ended."""
        return self.answered + self.refused + self.failed


class ReplayState(models.TextChoices):
    """``refused``: a tool refused a call, and the agent stopped there, without an output."""

    WAITING = "waiting"
    ANSWERED = "answered"
    REFUSED = "refused"
    FAILED = "failed"


class CaseReplay(Row):
    """One replay of one run: asked of the endpoint until it is over, and never after.

    ``problem`` is why it failed, as a code (:mod:`improve.replaying.problems`), ``detail`` what the
    problem's sentence names. ``calls`` and ``output`` are JSON to the byte, compressed. All words
    go when the run's are erased; a replay that waited then is left out.
    """

    job = models.ForeignKey(ReplayJob, on_delete=models.CASCADE, related_name="replays", db_index=False)
    position = models.PositiveIntegerField(help_text="The case's, from 0.")
    repetition = models.PositiveSmallIntegerField(default=1, help_text="From 1.")
    tenant_id = models.UUIDField()
    run_id = models.UUIDField()
    content = models.ForeignKey(RunContent, on_delete=models.PROTECT, null=True, related_name="+")

    state = models.CharField(max_length=8, choices=ReplayState.choices, default=ReplayState.WAITING)
    attempts = models.PositiveIntegerField(default=0, help_text="Requests that were begun.")
    problem = models.CharField(max_length=40, blank=True)
    detail = models.CharField(max_length=300, blank=True)
    calls = models.BinaryField(null=True, editable=False)
    output = models.BinaryField(null=True, editable=False)
    took_ms = models.PositiveIntegerField(null=True)
    over_at = models.DateTimeField(null=True)
    erased_at = models.DateTimeField(null=True)

    class Meta:
        """In a job's order."""

        ordering: ClassVar[list[str]] = ["job_id", "position", "repetition"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["job", "position", "repetition"], name="case_replay_once"),
            models.CheckConstraint(condition=models.Q(state__in=ReplayState.values), name="case_replay_state_known"),
            models.CheckConstraint(
                condition=models.Q(over_at__isnull=True, state="waiting")
                | models.Q(over_at__isnull=False) & ~models.Q(state="waiting"),
                name="case_replay_over_when_not_waiting",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["job", "position", "repetition"],
                name="case_replay_waiting",
                condition=models.Q(state="waiting", erased_at__isnull=True),
            ),
            models.Index(fields=["tenant_id", "run_id"], name="case_replay_of_run"),
        ]

    def __str__(self) -> str:
        """Of which run."""
        return str(self.run_id)
