"""The queue: runs that wait for a correction, or did (contract, section 6).

A :class:`QueueItem` is a run, however many rules took it; a :class:`QueueEntry` is one rule's
taking it. Both outlive the run, which is named by the id that its reporter gave it.
"""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from judging.models.rules import JudgingRule
from kindgi.access.models import Project, Row, Tenant


class State(models.TextChoices):
    """Where an item stands."""

    OPEN = "open"
    JUDGED = "judged"
    DISMISSED = "dismissed"
    ERASED = "erased"


class Lane(models.Model):
    """Items that every filter but time treats alike; made as they come, never changed.

    Its id is made of what it says (:func:`judging.lanes.lane_id`). A list reads the few lanes that
    its filters choose, each by index, and counts them by :class:`LaneCount`.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    agent_id = models.CharField(max_length=200, blank=True)
    flow_id = models.CharField(max_length=200)
    rule_ids = ArrayField(models.UUIDField(), help_text="The rules that queued the run, and what asked for it.")
    unmet_rule_ids = ArrayField(models.UUIDField(), help_text="... of them those without the correction they want.")
    corrected = models.BooleanField(help_text="Whether anything live is said of the run.")

    def __str__(self) -> str:
        """Its id."""
        return str(self.pk)


class QueueItem(Row):
    """A queued run: never its content, only what it was and where it stands; ``created_at`` is when it was added.

    ``counted`` has the run's live verdicts by class, ``{class id or "": [judgments, yes]}``, as
    they are in the counts. ``gone_at`` is when the run's content was erased, or the run purged.
    ``closed_by`` is who dismissed or reopened it last, as ``user:<id>`` or ``service_account:<id>``.
    ``asked_for`` is what wants it corrected where that is no rule: a suggested change, which wants any
    correction. In its lane it stands among the rules.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="queue_items", db_index=False)
    run_id = models.UUIDField()
    agent_id = models.CharField(max_length=200, blank=True)
    agent_version = models.CharField(max_length=100, blank=True)
    flow_id = models.CharField(max_length=200)
    run_status = models.CharField(max_length=9)
    completed_at = models.DateTimeField()

    state = models.CharField(max_length=9, choices=State.choices, default=State.OPEN)
    lane = models.ForeignKey(Lane, on_delete=models.PROTECT, related_name="+", db_index=False)
    counted = models.JSONField(default=dict)
    closed_at = models.DateTimeField(null=True)
    closed_by = models.CharField(max_length=80, blank=True)
    reason = models.CharField(max_length=500, null=True)  # noqa: DJ001 - absent isn't empty
    gone_at = models.DateTimeField(null=True)
    asked_for = models.UUIDField(null=True, help_text="The suggested change that wants it corrected.")

    held_by = models.CharField(max_length=80, blank=True, help_text="Who has it open, until held_until.")
    held_since = models.DateTimeField(null=True)
    held_until = models.DateTimeField(null=True)

    class Meta:
        """Once a run; lists read oldest first, of a project or of a lane."""

        ordering: ClassVar[list[str]] = ["created_at", "id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["tenant", "run_id"], name="queue_item_once_a_run"),
            models.CheckConstraint(condition=models.Q(state__in=State.values), name="queue_item_state_known"),
            models.CheckConstraint(
                condition=models.Q(closed_at__isnull=True, state="open")
                | models.Q(closed_at__isnull=False) & ~models.Q(state="open"),
                name="queue_item_closed_when_not_open",
            ),
            models.CheckConstraint(
                condition=models.Q(gone_at__isnull=True) | ~models.Q(state="open"), name="queue_item_gone_not_open"
            ),
            models.CheckConstraint(
                condition=models.Q(held_by="", held_since__isnull=True, held_until__isnull=True)
                | models.Q(held_since__isnull=False, held_until__isnull=False, state="open") & ~models.Q(held_by=""),
                name="queue_item_held_when_open",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["project", "state", "created_at", "id"], name="queue_item_oldest_in_project"),
            models.Index(fields=["lane", "state", "created_at", "id"], name="queue_item_oldest_in_lane"),
            models.Index(fields=["lane", "state", "completed_at", "id"], name="queue_item_finished_in_lane"),
            models.Index(
                fields=["project", "state", "closed_at"],
                name="queue_item_closed_in_project",
                condition=models.Q(closed_at__isnull=False),
            ),
            models.Index(
                fields=["project", "held_until"],
                name="queue_item_held_in_project",
                condition=models.Q(held_until__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        """The run's id."""
        return str(self.run_id)


class QueueEntry(Row):
    """A rule's taking a run, at the version that did: for ever counted toward it.

    ``open`` says whether the item is; ``agent_version`` is the run's, ``None`` of a flow's.
    """

    item = models.ForeignKey(QueueItem, on_delete=models.PROTECT, related_name="entries", db_index=False)
    rule = models.ForeignKey(JudgingRule, on_delete=models.PROTECT, related_name="entries", db_index=False)
    rule_version = models.PositiveIntegerField()
    agent_version = models.CharField(max_length=100, null=True)  # noqa: DJ001 - a flow's run has none
    open = models.BooleanField(default=True)

    class Meta:
        """Once a rule and item; a rule's open ones are counted where it has a cap."""

        ordering: ClassVar[list[str]] = ["item_id", "created_at", "id"]
        verbose_name_plural = "queue entries"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["item", "rule"], name="queue_entry_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["rule"], name="queue_entry_open_of_rule", condition=models.Q(open=True)),
            models.Index(fields=["rule", "created_at"], name="queue_entry_of_rule"),
        ]

    def __str__(self) -> str:
        """The rule and its version."""
        return f"{self.rule_id} at {self.rule_version}"


class SkippedRun(Row):
    """A run that a rule matched and sampled but didn't queue, since its most open items were waiting.

    It is deleted when a catch-up queues the run for the rule after all.
    """

    rule = models.ForeignKey(JudgingRule, on_delete=models.PROTECT, related_name="skipped", db_index=False)
    rule_version = models.PositiveIntegerField()
    agent_version = models.CharField(max_length=100, null=True)  # noqa: DJ001 - a flow's run has none
    run_id = models.UUIDField()

    class Meta:
        """Once a rule and run."""

        ordering: ClassVar[list[str]] = ["created_at", "id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["rule", "run_id"], name="skipped_run_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["rule", "created_at"], name="skipped_run_of_rule"),
            models.Index(fields=["run_id"], name="skipped_run_by_run"),
        ]

    def __str__(self) -> str:
        """The run's id."""
        return str(self.run_id)


class QueueItemChange(Row):
    """One change of an item's state; who by, where it was somebody's wish."""

    item = models.ForeignKey(QueueItem, on_delete=models.PROTECT, related_name="changes")
    before = models.CharField(max_length=9, choices=State.choices)
    after = models.CharField(max_length=9, choices=State.choices)
    by = models.CharField(max_length=80, blank=True)
    reason = models.CharField(max_length=500, null=True)  # noqa: DJ001 - absent isn't empty

    class Meta:
        """Oldest first."""

        ordering: ClassVar[list[str]] = ["created_at", "id"]

    def __str__(self) -> str:
        """From and to."""
        return f"{self.before} → {self.after}"
