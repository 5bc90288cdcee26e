"""Refusals of the judging app (contract, section 6)."""

from __future__ import annotations

from kindgi.api.errors import Conflict, NotFound


class JudgingRuleNotFound(NotFound):
    """No such rule in the project, or one that was removed and is to be changed."""

    code = "judging-rule-not-found"
    default_message = "There's no such judging rule."


class JudgingItemNotFound(NotFound):
    """The run isn't in the project's queue, and never was."""

    code = "judging-item-not-found"

    def __init__(self, run_id: object) -> None:
        """Name the run as it was asked for."""
        super().__init__(f'Run "{run_id}" isn\'t in the queue.')


class JudgingItemNotOpen(Conflict):
    """Only an open item can be dismissed or held, and only a dismissed one reopened."""

    code = "judging-item-not-open"


class CatchUpNotFound(NotFound):
    """No such catch-up of the rule."""

    code = "catch-up-not-found"
    default_message = "There's no such catch-up."
