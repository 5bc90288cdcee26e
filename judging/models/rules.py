"""Judging rules and their versions (contract, section 6)."""

from __future__ import annotations

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinLengthValidator, MinValueValidator
from django.db import models

from corrections.models import JudgeClass
from kindgi.access.models import Project, Row, Tenant

MOST_OPEN = 10_000


class RuleSettings(models.Model):
    """What a version of a rule says: which runs, how many of them, whose correction they want."""

    name = models.CharField(max_length=200, validators=[MinLengthValidator(1)])
    when = models.JSONField(default=dict, blank=True, help_text="Which runs: {agentIds | flowIds, versions, ...}.")
    sample = models.FloatField(default=1.0, help_text="The share of matching runs that is queued, over 0 and up to 1.")
    max_open = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_OPEN)],
        help_text="It adds nothing while so many of its runs wait; no cap when this is empty.",
    )
    judge_class = models.ForeignKey(
        JudgeClass,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
        help_text="Whose correction it wants; anybody's when this is empty.",
    )
    enabled = models.BooleanField(default=True, help_text="Only an enabled rule queues runs as they end.")

    class Meta:
        """Abstract."""

        abstract = True


def _settings_checks(prefix: str) -> list[models.BaseConstraint]:
    return [
        models.CheckConstraint(
            condition=models.Q(sample__gt=0) & models.Q(sample__lte=1), name=f"{prefix}_sample_is_share"
        ),
        models.CheckConstraint(
            condition=models.Q(max_open__isnull=True) | models.Q(max_open__range=(1, MOST_OPEN)),
            name=f"{prefix}_cap_in_bounds",
        ),
    ]


class JudgingRule(Row, RuleSettings):
    """A rule as it is now, that is its latest version; ``created_at`` is when the rule was made.

    ``versioned_at`` and ``versioned_by`` are the version's: when it was written, and by whom
    (``user:<id>`` or ``service_account:<id>``).
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="judging_rules", db_index=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="judging_rules", db_index=False)
    version = models.PositiveIntegerField(default=1, editable=False)
    versioned_at = models.DateTimeField(editable=False)
    versioned_by = models.CharField(max_length=80, editable=False)
    unregistered_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        """A project's, oldest first."""

        ordering: ClassVar[list[str]] = ["created_at", "id"]
        constraints: ClassVar[list[models.BaseConstraint]] = _settings_checks("judging_rule")
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["project", "created_at", "id"], name="judging_rule_in_project"),
        ]

    def __str__(self) -> str:
        """Its name."""
        return self.name


class JudgingRuleVersion(Row, RuleSettings):
    """What a version of a rule said; never changed. ``created_by`` is who wrote it."""

    rule = models.ForeignKey(JudgingRule, on_delete=models.CASCADE, related_name="versions", db_index=False)
    version = models.PositiveIntegerField()
    created_by = models.CharField(max_length=80)

    class Meta:
        """Numbered without a gap from 1."""

        ordering: ClassVar[list[str]] = ["rule_id", "-version"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["rule", "version"], name="judging_rule_version_once"),
            *_settings_checks("judging_rule_version"),
        ]

    def __str__(self) -> str:
        """Its number and name."""
        return f"{self.version} {self.name}"
