"""``manage.py sweep_idempotency_keys``: delete the Idempotency-Keys that are past their 24 hours."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from kindgi.api.idempotency import sweep


class Command(BaseCommand):
    """Batch by batch, each its own transaction, so that no request waits for it."""

    help = "Delete the Idempotency-Keys that are past their 24 hours. Run it daily."

    def handle(self, *args: Any, **options: Any) -> None:
        """Delete until none is left, and say how many it were."""
        total = 0
        while swept := sweep():
            total += swept
        self.stdout.write(f"{total} deleted.")
