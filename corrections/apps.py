"""App config of corrections."""

from __future__ import annotations

from uuid import UUID

from django.apps import AppConfig


class CorrectionsConfig(AppConfig):
    """What people and apps said of runs, and who may say it (contract, sections 4 and 5)."""

    name = "corrections"
    verbose_name = "Corrections"

    def ready(self) -> None:
        """What is erased takes what was said about it along, in the same transaction; a purge leaves the copies."""
        from corrections.services import erasure
        from kindgi.runs import hooks

        hooks.run_erased.register(erasure.corrections_erase_for_runs)
        hooks.gone_run_erased.register(erasure.corrections_erase_for_gone_runs)
        hooks.gone_run_projects.register(erasure.projects_of_gone_runs)
        hooks.participant_erased.register(erasure.corrections_erase_for_participants)
        hooks.participant_runs.register(erasure.runs_named_by_participants)
        hooks.content_kept.register(contents_copied)


def contents_copied(content_ids: list[UUID]) -> set[UUID]:
    """Those of the runs' content rows that corrections keep as their copies; one statement."""
    from corrections.models import RunCopy

    named = RunCopy.objects.filter(content_id__in=content_ids).values_list("content_id", flat=True)
    return {content_id for content_id in named if content_id is not None}
