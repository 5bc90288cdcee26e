"""``manage.py sweep_idempotency_keys``: delete the Idempotency-Keys that are past their 24 hours."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from kindgi.api.idempotency import sweep_all


class Command(BaseCommand):
    """Batch by batch, each its own transaction, so that no request waits for it."""

    help = (
        "Delete the Idempotency-Keys that are past their 24 hours. A worker does it by itself, every "
        "SWEEP_EVERY_SECONDS."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Delete until none is left, and say how many it were."""
        self.stdout.write(f"{sweep_all()} deleted.")
