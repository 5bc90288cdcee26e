"""App config of corrections."""

from __future__ import annotations

from uuid import UUID

from django.apps import AppConfig


class CorrectionsConfig(AppConfig):
    """What people and apps said of runs, and who may say it (contract, sections 4 and 5)."""

    name = "corrections"
    verbose_name = "Corrections"

    def ready(self) -> None:
        """An erased run takes what was said about it along, in the same transaction; a purged one leaves the copies."""
        from corrections.services.erasure import corrections_erase_for_runs
        from kindgi.runs.hooks import content_kept, run_erased

        run_erased.register(corrections_erase_for_runs)
        content_kept.register(contents_copied)


def contents_copied(content_ids: list[UUID]) -> set[UUID]:
    """Those of the runs' content rows that corrections keep as their copies; one statement."""
    from corrections.models import RunCopy

    named = RunCopy.objects.filter(content_id__in=content_ids).values_list("content_id", flat=True)
    return {content_id for content_id in named if content_id is not None}
