"""Refusals of the improve app (contract, section 7)."""

from __future__ import annotations

from kindgi.api.errors import BadInput, Conflict, NotFound


class ProposalNotFound(NotFound):
    """No such suggested change, or one of a project that the caller may not read."""

    code = "proposal-not-found"
    default_message = "There's no such suggested change."


class ProposalWrongStatus(Conflict):
    """The action isn't legal from where the suggested change stands; ``details`` has ``status`` and ``action``."""

    code = "proposal-wrong-status"

    def __init__(self, status: str, action: str) -> None:
        """Name both."""
        super().__init__(
            f'This suggested change is "{status}": it can\'t be acted on by "{action}" from there.',
            details={"status": status, "action": action},
        )


class ProposalNotLive(Conflict):
    """It went live, and another version has been pinned since: there is nothing to go back from."""

    code = "proposal-not-live"
    default_message = "The project runs another version by now; pin the one that it should run."


class ProposalUnchanged(BadInput):
    """The content is the one that the version pins already."""

    code = "proposal-unchanged"
    default_message = "The content is what the version has already; a suggested change changes something."


class BlockNotFound(NotFound):
    """The agent version pins no such block, or not at that version."""

    code = "block-not-found"
    default_message = "The agent version has no such block."


class EvaluationNotFound(NotFound):
    """No such evaluation of the suggested change."""

    code = "evaluation-not-found"
    default_message = "There's no such evaluation."


class TestSetNotFound(NotFound):
    """No such test set in the project."""

    code = "test-set-not-found"
    default_message = "There's no such test set."


class TestSetEmpty(Conflict):
    """Nothing that people said of the agent's runs makes a case."""

    code = "test-set-empty"
    default_message = "No corrected run of the agent makes a test case: correct some of its runs first."


class TestSetNarrowed(TestSetEmpty):
    """The same, where what was asked for leaves none; ``details.path`` is the first field that narrows."""

    def __init__(self, path: str) -> None:
        """Name the field, as ``/since``."""
        super().__init__(_NARROWS[path], details={"path": path})


_NARROWS = {
    "/versions": "No corrected run of these versions makes a test case. Leave the versions out, or name others.",
    "/since": "No corrected run of those that ended since then makes a test case. Name an earlier time, or none.",
    "/until": "No corrected run of those that ended until then makes a test case. Name a later time, or none.",
    "/judgeClassIds": "No verdict in these judge classes makes a test case. Leave the classes out, or name others.",
    "/minVerdicts": "No corrected run has so many verdicts that count. Ask for fewer.",
    "/expertsOnly": "No corrected run has verdicts of experts. Count everybody's.",
}


class ReplayEndpointNotFound(NotFound):
    """The project has no replay endpoint for the agent."""

    code = "replay-endpoint-not-found"
    default_message = "The agent has no replay endpoint in this project."


class ReplayEndpointOverlaps(Conflict):
    """Its secret was rotated, and the one before signs still: another rotation would end that one at once."""

    code = "replay-endpoint-overlaps"
    default_message = (
        "The secret was rotated within the last day, and the endpoint may still use the one before: rotating again"
        " makes that one useless now. Nothing was changed."
    )


class ReplayEndpointMissing(Conflict):
    """Nothing can be replayed without one."""

    code = "replay-endpoint-missing"
    default_message = "The agent has no replay endpoint in this project: a project admin sets its address first."
