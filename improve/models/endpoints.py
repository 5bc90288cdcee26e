"""Replay endpoints: where an agent can be asked what it would do (contract, section 7)."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from kindgi.access.models import Project, Row, Tenant
from kindgi.api.times import now


class ReplayEndpoint(Row):
    """Where a project's agent is replayed, and the secret that requests are signed with.

    The secrets are encrypted (:mod:`improve.secrets`). For a while after a rotation both sign, so
    that the endpoint can change over at its leisure: until ``previous_until``.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="replay_endpoints", db_index=False)
    agent_id = models.CharField(max_length=200)
    url = models.CharField(max_length=2000)
    secret = models.BinaryField(editable=False)
    previous_secret = models.BinaryField(null=True, editable=False)
    previous_until = models.DateTimeField(null=True)
    rotated_at = models.DateTimeField(null=True)
    set_by = models.CharField(max_length=80, help_text="user:<id> or service_account:<id>.")
    updated_at = models.DateTimeField(default=now)

    class Meta:
        """One an agent and project."""

        ordering: ClassVar[list[str]] = ["agent_id", "id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["project", "agent_id"], name="replay_endpoint_once"),
            models.CheckConstraint(
                condition=models.Q(previous_secret__isnull=True, previous_until__isnull=True)
                | models.Q(previous_secret__isnull=False, previous_until__isnull=False),
                name="replay_endpoint_previous_lapses",
            ),
        ]

    def __str__(self) -> str:
        """Where it is."""
        return self.url
