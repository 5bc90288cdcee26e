"""Refusals of the corrections app. What a class refuses has a code for each door."""

from __future__ import annotations

from kindgi.api.errors import BadInput, Conflict, NotFound, PermissionDenied


class CorrectionNotFound(NotFound):
    """No such correction, or none that the caller may read."""

    code = "correction-not-found"

    def __init__(self, correction_id: str) -> None:
        """Name the correction as it was asked for."""
        super().__init__(f'There\'s no correction "{correction_id}".')


class JudgmentNotFound(NotFound):
    """No such judgment, or none that the caller may read."""

    code = "judgment-not-found"

    def __init__(self, judgment_id: str) -> None:
        """Name the judgment as it was asked for."""
        super().__init__(f'There\'s no judgment "{judgment_id}".')


class CorrectionRemoved(Conflict):
    """A removed correction can't come back or change."""

    code = "correction-removed"
    default_message = "The correction was removed; it can't come back."


class CorrectionSuperseded(Conflict):
    """A later correction replaced it; change that one."""

    code = "correction-superseded"
    default_message = "A later correction replaced this one; change that one instead."


class RunNotFinished(Conflict):
    """Only a completed run can be corrected."""

    code = "run-not-finished"

    def __init__(self, run_id: object, status: str) -> None:
        """In the reference's words."""
        super().__init__(f'Run "{run_id}" has no output to judge yet (status {status}).')


class ItemNotFound(BadInput):
    """An item's pointer resolves to nothing in the run's output."""

    code = "item-not-found"

    def __init__(self, pointer: str, run_id: object) -> None:
        """In the reference's words."""
        super().__init__(f'Nothing at "{pointer}" in run "{run_id}"\'s output.', details={"pointer": pointer})


class CorrectorGroupNotApplicable(BadInput):
    """The group doesn't exist, was removed, or is for other runs."""

    code = "corrector-group-not-applicable"


class CorrectorGroupNotAllowed(PermissionDenied):
    """The group is restricted, and the caller isn't among those who may give it."""

    code = "corrector-group-not-allowed"


class JudgeClassNotApplicable(BadInput):
    """The class doesn't exist, was removed, or is for other runs: so at the judgments door."""

    code = "judge-class-not-applicable"


class JudgeClassNotAllowed(PermissionDenied):
    """The class is restricted, and the caller isn't among those who may give it: so at the judgments door."""

    code = "judge-class-not-allowed"


class TestRunNotFound(NotFound):
    """No such test run in the project."""

    code = "test-run-not-found"
    default_message = "There's no such test run."


class JudgeClassNotFound(NotFound):
    """No such class, or none that the caller may read."""

    code = "judge-class-not-found"
    default_message = "There's no such judge class."


class JudgeClassNameTaken(Conflict):
    """Another live class of the scope has the name."""

    code = "judge-class-name-taken"


class JudgeClassUnregistered(Conflict):
    """A retired class doesn't change."""

    code = "judge-class-unregistered"
    default_message = "The judge class was removed; it can't be changed."
