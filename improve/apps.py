"""App config of improve."""

from __future__ import annotations

from django.apps import AppConfig


class ImproveConfig(AppConfig):
    """Changes that are suggested to agents, tried on corrected runs, and made live (contract, section 7)."""

    name = "improve"
    verbose_name = "Suggested changes"

    def ready(self) -> None:
        """What is erased takes along what was copied and answered; jobs that end are settled, versions tested."""
        from improve import hooks as replays
        from improve.selectors.reviewing import proposals_asking
        from improve.services import erasure, pin_tests, pin_tests_again
        from improve.services.settling import evaluations_settle
        from judging import hooks as queue
        from kindgi.runs import hooks as runs

        runs.run_erased.register(erasure.words_erase_for_runs)
        runs.gone_run_erased.register(erasure.words_erase_for_gone_runs)
        runs.participant_erased.register(erasure.words_erase_for_participants)
        runs.content_kept.register(erasure.contents_in_use)
        replays.job_ended.register(evaluations_settle)
        queue.asked_for_by.register(proposals_asking)
        replays.job_ended.register(pin_tests.pin_tests_record)
        runs.version_moved.register(pin_tests.version_moved)
        runs.latest_moved.register(pin_tests.latest_moved)
        runs.version_pinned_again.register(pin_tests_again.version_pinned_again)
