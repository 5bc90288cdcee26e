"""App config of judging."""

from __future__ import annotations

from django.apps import AppConfig


class JudgingConfig(AppConfig):
    """Which runs wait for a correction, and what came out of those that got one (contract, section 6)."""

    name = "judging"
    verbose_name = "Judging"

    def ready(self) -> None:
        """Runs are matched as they end, and their items follow what becomes of them, in the same transaction."""
        from corrections import hooks as corrected
        from judging.selectors.queue import projects_of_matched_runs
        from judging.services.closing import items_judge
        from judging.services.erasure import items_erase_for_runs
        from judging.services.run_end import runs_match
        from kindgi.runs import hooks as runs

        runs.run_ended.register(runs_match)
        runs.runs_erased.register(items_erase_for_runs)
        runs.runs_purging.register(items_erase_for_runs)
        runs.gone_run_projects.register(projects_of_matched_runs)
        corrected.run_corrected.register(items_judge)
