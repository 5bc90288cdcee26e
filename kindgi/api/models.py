"""The store of Idempotency-Keys (contract, section 2)."""

from __future__ import annotations

from typing import ClassVar

from django.db import models


class IdempotencyKey(models.Model):
    """One use of a key: held while its request runs, then the answer that every retry gets.

    ``key_hash`` is over tenant, caller, method, path and key. ``held`` rows belong to ``holder``;
    what lets a crashed request's hold be taken over is in :mod:`kindgi.api.idempotency`.
    """

    class State(models.TextChoices):
        """``withheld``: it succeeded, and its answer held a secret, or words erased since."""

        HELD = "held"
        DONE = "done"
        WITHHELD = "withheld"

    key_hash = models.BinaryField(primary_key=True, max_length=32)
    body_hash = models.BinaryField(max_length=32)
    holder = models.UUIDField()
    state = models.CharField(max_length=8, choices=State.choices)
    held_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(null=True)
    content_type = models.CharField(max_length=100, default="")
    answer = models.BinaryField(null=True)
    tenant_id = models.UUIDField()
    subject_id = models.UUIDField(
        null=True, help_text="What the answer tells of, such as a run, so that erasing it finds the answer."
    )

    class Meta:
        """Found by hash; swept by age; forgotten by subject."""

        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["expires_at"], name="idempotency_by_age"),
            models.Index(
                fields=["tenant_id", "subject_id"],
                name="idempotency_by_subject",
                condition=models.Q(subject_id__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        """Its hash's beginning and how it stands."""
        return f"{bytes(self.key_hash).hex()[:12]} {self.state}"
