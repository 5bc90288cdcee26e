"""What is asked of test sets and evaluations, checked for shape (contract, section 7). Knows no database."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

from msgspec import UNSET, Meta, UnsetType

from kindgi.api.errors import BadInput
from kindgi.api.ids import parse_id
from kindgi.api.operations import Body
from kindgi.runs.records import Name, Version, instant

MOST_CASES = 1000
MOST_REPETITIONS = 5


class Which(NamedTuple):
    """Which runs make cases, and which verdicts count; ``None`` narrows nothing."""

    agent_id: str
    versions: list[str] | None = None
    since: datetime | None = None
    until: datetime | None = None
    judge_class_ids: list[UUID] | None = None
    min_verdicts: int = 1
    experts_only: bool = False


Versions = Annotated[
    list[Version], Meta(min_length=1, max_length=50, description="Only runs of these versions of the agent.")
]
Since = Annotated[datetime, Meta(tz=True, description="Only runs that ended then or later.")]
Until = Annotated[datetime, Meta(tz=True, description="Only runs that ended before.")]
ClassIds = Annotated[
    list[Annotated[str, Meta(min_length=1)]],
    Meta(min_length=1, max_length=50, description="Only verdicts in these judge classes count."),
]
MinVerdicts = Annotated[int, Meta(ge=1, le=1000, description="Only runs with so many verdicts that count.")]
ExpertsOnly = Annotated[
    bool, Meta(description="Only verdicts count that were recorded in a class that was restricted then.")
]


class CasesBody(Body):
    """What narrows the runs that make a test set."""

    versions: Versions | UnsetType = UNSET
    since: Since | UnsetType = UNSET
    until: Until | UnsetType = UNSET
    judge_class_ids: ClassIds | UnsetType = UNSET
    min_verdicts: MinVerdicts = 1
    experts_only: ExpertsOnly = False


class TestSetBody(CasesBody, kw_only=True):
    """A test set of an agent's corrected runs, as they stand now."""

    agent_id: Name

    def which(self) -> Which:
        """What it asks for. Raises :class:`BadInput`."""
        return which(self, self.agent_id, experts_only=self.experts_only)


class EvaluateBody(CasesBody, kw_only=True):
    """How a suggested change is tried. Without `suiteId`, a test set is made first, by what narrows it."""

    suite_id: Annotated[str, Meta(min_length=1, description="The id of a test set of the agent.")] | UnsetType = UNSET
    repetitions: Annotated[int, Meta(ge=1, le=MOST_REPETITIONS, description="How often each case is replayed.")] = 1
    objective: Literal["weightedYesShare"] = "weightedYesShare"
    class_weights: Annotated[
        Literal["as-recorded", "restricted-only"],
        Meta(description="`restricted-only` is another name for `expertsOnly`."),
    ] = "as-recorded"

    @property
    def only_experts(self) -> bool:
        """Whether only experts' verdicts count."""
        return self.experts_only or self.class_weights == "restricted-only"

    def which(self, agent_id: str) -> Which | None:
        """What the test set is made of, ``None`` where one is named. Raises :class:`BadInput`."""
        if isinstance(self.suite_id, UnsetType):
            return which(self, agent_id, experts_only=self.only_experts)
        narrowing: tuple[Any, ...] = (self.versions, self.since, self.until, self.judge_class_ids)
        if any(one is not UNSET for one in narrowing) or self.min_verdicts != 1:
            raise BadInput("suiteId names a test set as it is; what narrows one goes only without it.")
        return None


def which(body: CasesBody, agent_id: str, *, experts_only: bool) -> Which:
    """What a body asks for. Raises :class:`BadInput` for times that enclose nothing."""
    since, until = instant(body.since), instant(body.until)
    if since is not None and until is not None and since >= until:
        raise BadInput("since must be before until.")
    return Which(
        agent_id=agent_id,
        versions=None if isinstance(body.versions, UnsetType) else body.versions,
        since=since,
        until=until,
        judge_class_ids=_class_ids(body.judge_class_ids),
        min_verdicts=body.min_verdicts,
        experts_only=experts_only,
    )


def _class_ids(sent: list[str] | UnsetType) -> list[UUID] | None:
    """The classes; what is no id is no class's, and has no verdicts."""
    if isinstance(sent, UnsetType):
        return None
    return [parsed for text in sent if (parsed := parse_id(text)) is not None]
