"""Suggested changes and their steps (contract, section 7). Where one stands is derived from these, and never stored.

The rules are in :mod:`improve.statuses`.
"""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from improve.models.jobs import ReplayJob
from improve.models.test_sets import TestCase, TestSet
from kindgi.access.models import Project, Row, Tenant
from kindgi.api.times import now
from kindgi.runs.models import BlockKind, BlockVersion


class Proposal(Row):
    """A suggested change of one block of an agent version, for a project; what is suggested never changes.

    ``content`` is the block's new content as JSON text, ``{"template"}`` or ``{"values"}``;
    ``digest`` is of its canonical form. ``candidate_version`` is the version that it would be,
    which its first evaluation names and its promotion registers. ``closed_at`` is when it was
    withdrawn, rejected or rolled back, or, live no more since others were pinned by hand, when the
    same was suggested anew: nothing more comes of it, and the same may be suggested anew.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="proposals", db_index=False)
    agent_id = models.CharField(max_length=200)
    from_version = models.CharField(max_length=100, help_text="The agent version that is changed.")
    block = models.ForeignKey(BlockVersion, on_delete=models.PROTECT, related_name="+", db_index=False)
    block_name = models.CharField(max_length=200, help_text="The block's id, as agents name it.")
    kind = models.CharField(max_length=8, choices=BlockKind.choices)
    content = models.TextField()
    digest = models.BinaryField(editable=False)
    hypothesis = models.TextField(help_text="What the change should improve, and why.")
    evidence = ArrayField(models.UUIDField(), default=list, help_text="The ids of verdicts that speak for it.")
    drafted_by = models.CharField(max_length=80, help_text="user:<id> or service_account:<id>.")
    candidate_version = models.CharField(max_length=100, blank=True)
    updated_at = models.DateTimeField(default=now)

    withdrawn_at = models.DateTimeField(null=True)
    withdrawn_by = models.CharField(max_length=80, blank=True)
    withdrawn_reason = models.TextField(blank=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        """Newest first; the same change of the same version is one, until it is closed."""

        ordering: ClassVar[list[str]] = ["-created_at", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["project", "agent_id", "from_version", "block_name", "digest"],
                condition=models.Q(closed_at__isnull=True),
                name="proposal_once",
            ),
            models.CheckConstraint(
                condition=models.Q(withdrawn_at__isnull=True) | models.Q(closed_at__isnull=False),
                name="proposal_withdrawn_is_closed",
            ),
            models.UniqueConstraint(
                fields=["tenant", "agent_id", "candidate_version"],
                condition=~models.Q(candidate_version=""),
                name="proposal_candidate_once",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["tenant", "-created_at", "-id"], name="proposal_newest_in_tenant"),
            models.Index(fields=["project", "-created_at", "-id"], name="proposal_newest_in_project"),
        ]

    def __str__(self) -> str:
        """What it should improve."""
        return self.hypothesis[:80]


class Finding(models.TextChoices):
    """What an evaluation found; nothing while it goes on."""

    BETTER = "better"
    NOT_BETTER = "not-better"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Evaluation(Row):
    """A suggested change tried on a test set, or what was answered then scored again (``rescore_of``).

    Shares are 0 to 1, ``None`` where nothing that people judged was answered. ``result`` has the rest
    of what came out (:mod:`improve.comparing`). ``finding`` is empty while it goes on.
    """

    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="evaluations", db_index=False)
    test_set = models.ForeignKey(TestSet, on_delete=models.PROTECT, related_name="+")
    job = models.ForeignKey(ReplayJob, on_delete=models.PROTECT, related_name="evaluations")
    rescore_of = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="rescores")
    repetitions = models.PositiveSmallIntegerField(default=1)
    experts_only = models.BooleanField(default=False)
    started_by = models.CharField(max_length=80, help_text="user:<id> or service_account:<id>.")

    finding = models.CharField(max_length=10, choices=Finding.choices, blank=True)
    finished_at = models.DateTimeField(null=True)
    baseline = models.FloatField(null=True)
    candidate = models.FloatField(null=True)
    delta = models.FloatField(null=True)
    spread = models.FloatField(null=True)
    cases = models.PositiveIntegerField(null=True, help_text="Those that are in both shares.")
    result = models.JSONField(null=True)

    class Meta:
        """A suggested change's, newest first; one at a time."""

        ordering: ClassVar[list[str]] = ["-created_at", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["proposal"], condition=models.Q(finished_at__isnull=True), name="evaluation_one_at_a_time"
            ),
            models.CheckConstraint(
                condition=models.Q(finished_at__isnull=True, finding="")
                | models.Q(finished_at__isnull=False) & ~models.Q(finding=""),
                name="evaluation_finished_when_found",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["proposal", "-created_at", "-id"], name="evaluation_newest"),
        ]

    def __str__(self) -> str:
        """What it found."""
        return self.finding or "going on"


class CaseLabel(models.TextChoices):
    """How a case came out beside its recorded run. ``changed``: nobody has judged what was answered."""

    BETTER = "better"
    WORSE = "worse"
    CHANGED = "changed"
    SAME = "same"
    REFUSED = "refused"
    FAILED = "failed"
    ERASED = "erased"


class CaseResult(Row):
    """How one case of an evaluation came out.

    ``baseline_*`` and ``candidate_*`` are weights, of what is right (``right``) and of all (``total``,
    as much on both sides), the mean of the repetitions that are compared. ``parts`` says it item by item
    (:mod:`improve.scoring`). ``sent_run_ids`` are the runs that were made of its answers for people to
    judge, one a repetition.
    """

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="results", db_index=False)
    case = models.ForeignKey(TestCase, on_delete=models.PROTECT, related_name="+", db_index=False)
    position = models.PositiveIntegerField()
    label = models.CharField(max_length=7, choices=CaseLabel.choices)
    baseline_right = models.FloatField(default=0)
    baseline_total = models.FloatField(default=0)
    candidate_right = models.FloatField(default=0)
    candidate_total = models.FloatField(default=0)
    parts = models.JSONField(default=list)
    sent_run_ids = ArrayField(models.UUIDField(), default=list)

    class Meta:
        """In a test set's order; each case once."""

        ordering: ClassVar[list[str]] = ["evaluation_id", "position"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["evaluation", "position"], name="case_result_once"),
            models.CheckConstraint(condition=models.Q(label__in=CaseLabel.values), name="case_result_label_known"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["evaluation", "label", "position"], name="case_result_of_label"),
            GinIndex(fields=["sent_run_ids"], name="case_result_sent", condition=~models.Q(sent_run_ids=[])),
        ]

    def __str__(self) -> str:
        """How it came out."""
        return self.label


class Settled(models.TextChoices):
    """How asking for a change to go live ended; nothing while a reviewer may decide."""

    REFUSED = "refused"
    PROMOTED = "promoted"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"


class Promotion(Row):
    """That somebody asked for a suggested change to go live, and what became of that.

    ``live_version`` is what the project ran when it was asked for, pinned or Latest; where that has
    changed by the time of the decision, it is superseded. ``pin_before`` is what was pinned before
    it went live, empty for nothing. Undecided until ``expires_at`` it has expired, whether or not
    that is written down (``settled``) yet. ``rolled_back_to`` is what was pinned when it was gone
    back from, empty for nothing.
    """

    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="promotions", db_index=False)
    evaluation = models.ForeignKey(Evaluation, on_delete=models.PROTECT, related_name="promotions")
    requested_by = models.CharField(max_length=80, help_text="user:<id> or service_account:<id>.")
    reason = models.TextField(blank=True)
    live_version = models.CharField(max_length=100, blank=True)
    expires_at = models.DateTimeField()

    settled = models.CharField(max_length=10, choices=Settled.choices, blank=True)
    settled_at = models.DateTimeField(null=True)
    decided_by = models.CharField(max_length=80, blank=True)
    decided_reason = models.TextField(blank=True)
    pin_before = models.CharField(max_length=100, blank=True)

    rolled_back_at = models.DateTimeField(null=True)
    rolled_back_by = models.CharField(max_length=80, blank=True)
    rolled_back_reason = models.TextField(blank=True)
    rolled_back_to = models.CharField(max_length=100, blank=True)

    class Meta:
        """A suggested change's, newest first; one at a time."""

        ordering: ClassVar[list[str]] = ["-created_at", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["proposal"], condition=models.Q(settled_at__isnull=True), name="promotion_one_at_a_time"
            ),
            models.UniqueConstraint(
                fields=["proposal"], condition=models.Q(settled="promoted"), name="promotion_live_once"
            ),
            models.CheckConstraint(
                condition=models.Q(settled_at__isnull=True, settled="")
                | models.Q(settled_at__isnull=False) & ~models.Q(settled=""),
                name="promotion_settled_when_over",
            ),
            models.CheckConstraint(
                condition=models.Q(rolled_back_at__isnull=True) | models.Q(settled="promoted"),
                name="promotion_rolled_back_was_live",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["proposal", "-created_at", "-id"], name="promotion_newest"),
        ]

    def __str__(self) -> str:
        """What became of it."""
        return self.settled or "in review"
