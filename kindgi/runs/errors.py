"""Refusals of the runs app."""

from kindgi.api.errors import ApiError, Conflict, NotFound


class RunNotFound(NotFound):
    """No such run, or none that the caller may read."""

    code = "run-not-found"

    def __init__(self, run_id: object) -> None:
        """Name the run as it was asked for."""
        super().__init__(f'There\'s no run "{str(run_id)[:100]}".')


class RunAlreadyTerminal(Conflict):
    """The run has ended otherwise."""

    code = "run-already-terminal"


class RunIdentityMismatch(Conflict):
    """A run's project, agent or flow doesn't change once it is recorded."""

    code = "run-identity-mismatch"


class RunErased(ApiError):
    """The run's content was erased."""

    code, status = "run-erased", 410


class RuntimeNotConfigured(ApiError):
    """Nothing here runs models."""

    code, status = "runtime-not-configured", 422
    default_message = (
        "Kindgi Quality doesn't run agents: their runtime reports its runs, "
        "with PUT /v1/runs/{runId} or POST /v1/runs/import."
    )


class AgentNotFound(NotFound):
    """No version of the agent was ever registered."""

    code = "agent-not-found"


class AgentVersionNotFound(NotFound):
    """The agent has no such version."""

    code = "agent-version-not-found"


class AgentPinNotFound(NotFound):
    """The project pins no version of the agent."""

    code = "agent-pin-not-found"


class AgentVersionBlocksFixed(Conflict):
    """The version pins other blocks; what a version pins never changes."""

    code = "agent-version-blocks-fixed"
    default_message = "The version's blocks were registered already, and they are others; register another version."
