"""App config of corrections."""

from django.apps import AppConfig


class CorrectionsConfig(AppConfig):
    """What people and apps said of runs, and who may say it (contract, sections 4 and 5)."""

    name = "corrections"
    verbose_name = "Corrections"

    def ready(self) -> None:
        """An erased run takes what was said about it along, in the same transaction."""
        from corrections.services.erasure import corrections_erase_for_runs
        from kindgi.runs.hooks import run_erased

        run_erased.register(corrections_erase_for_runs)
