"""Counts, kept as what they count comes and goes, in the same transaction (docs/concurrency.md).

A change adds rows of what it adds and takes, and locks nothing; a count is the sum of its rows,
which the worker folds into one now and then. So nobody waits for anybody to count.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from judging.models.queue import State


class LaneCount(models.Model):
    """How many items of a lane stand in a state: the sum of ``n`` over its rows."""

    id = models.BigAutoField(primary_key=True)
    project_id = models.UUIDField()
    lane_id = models.UUIDField()
    state = models.CharField(max_length=9, choices=State.choices)
    n = models.BigIntegerField()
    folded = models.BooleanField(default=False)

    class Meta:
        """Read by project and lanes; those that aren't folded yet are looked for."""

        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["project_id", "lane_id", "state"], include=["n"], name="lane_count_in_project"),
            models.Index(fields=["project_id", "lane_id"], name="lane_count_to_fold", condition=models.Q(folded=False)),
        ]

    def __str__(self) -> str:
        """What it adds."""
        return f"{self.n:+} {self.state}"


class Measure(models.TextChoices):
    """What of a rule's runs is counted."""

    OPEN = "open"
    JUDGED = "judged"
    DISMISSED = "dismissed"
    ERASED = "erased"
    SKIPPED = "skipped"
    CORRECTED = "corrected", "runs with live verdicts"
    JUDGMENTS = "judgments", "live verdicts of a class"
    YES = "yes", "... that say right"
    PAIRS = "pairs", "each run's verdicts of a class times its verdicts of another"


class RuleCount(models.Model):
    """A measure of the runs that a rule's version took of an agent's version on a day (UTC): the sum of ``n``.

    ``JUDGMENTS`` and ``YES`` are by ``judge_class_id``, ``PAIRS`` by both classes; no class is
    ``None`` there, for verdicts without one. The agent's version is ``None`` for flows' runs.
    """

    id = models.BigAutoField(primary_key=True)
    rule_id = models.UUIDField()
    rule_version = models.PositiveIntegerField()
    agent_version = models.CharField(max_length=100, null=True)  # noqa: DJ001 - a flow's run has none
    day = models.DateField()
    measure = models.CharField(max_length=9, choices=Measure.choices)
    judge_class_id = models.UUIDField(null=True)
    other_class_id = models.UUIDField(null=True)
    n = models.BigIntegerField()
    folded = models.BooleanField(default=False)

    class Meta:
        """Read by rule; those that aren't folded yet are looked for."""

        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["rule_id", "day"], name="rule_count_of_rule"),
            models.Index(fields=["rule_id", "day"], name="rule_count_to_fold", condition=models.Q(folded=False)),
        ]

    def __str__(self) -> str:
        """What it adds."""
        return f"{self.n:+} {self.measure}"
