"""Test runs that start by themselves when a project comes to run another version (contract, section 4)."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from corrections.models import How, TestRun
from improve.models.jobs import ReplayJob
from improve.models.proposals import Promotion
from kindgi.access.models import Row


class PinTest(Row):
    """A version that a project came to run, replayed on the agent's corrected runs; then a test run.

    ``made_by_*`` is the caller whose change it was, as corrections name them. ``promotion`` is the
    one that pinned the version, or was rolled back to it.
    """

    job = models.OneToOneField(ReplayJob, on_delete=models.PROTECT, related_name="pin_test")
    how = models.CharField(max_length=9, choices=How.choices)
    made_by_kind = models.CharField(max_length=7, choices=[("user", "user"), ("service", "service")])
    made_by_id = models.UUIDField()
    made_by_principal_id = models.UUIDField()
    promotion = models.ForeignKey(Promotion, on_delete=models.PROTECT, null=True, related_name="pin_tests")
    test_run = models.ForeignKey(TestRun, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        """Newest first."""

        ordering: ClassVar[list[str]] = ["-created_at", "-id"]

    def __str__(self) -> str:
        """How the project came to run the version."""
        return self.how
