"""What is sent to make and change rules (contract, section 6)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from judging.matching import When, check_when
from judging.models.rules import MOST_OPEN
from kindgi.api.errors import BadInput
from kindgi.api.operations import Body
from kindgi.runs.records import Instant, instant

Name = Annotated[str, Meta(min_length=1, max_length=200)]
Sample = Annotated[
    float,
    Meta(gt=0, le=1, description="The share of matching runs that is queued: always the same, and more as it grows."),
]
MaxOpen = Annotated[
    int, Meta(ge=1, le=MOST_OPEN, description="It adds nothing while so many of its runs wait. Without it: no cap.")
]
WantedClass = Annotated[str, Meta(description="The judge class whose correction it wants. Without it: any correction.")]


class RuleBody(Body):
    """A new rule. It only lists runs: it never runs a model."""

    name: Name
    when: When
    sample: Sample = 1.0
    max_open: MaxOpen | UnsetType | None = UNSET
    judge_class_id: WantedClass | UnsetType | None = UNSET
    enabled: bool = True

    only_looked_up: ClassVar[frozenset[str]] = frozenset({"judge_class_id"})


class RuleChangeBody(Body):
    """What to change; `when` is replaced whole, and `null` removes `maxOpen` or `judgeClassId`."""

    name: Name | UnsetType = UNSET
    when: When | UnsetType = UNSET
    sample: Sample | UnsetType = UNSET
    max_open: MaxOpen | UnsetType | None = UNSET
    judge_class_id: WantedClass | UnsetType | None = UNSET
    enabled: bool | UnsetType = UNSET

    only_looked_up: ClassVar[frozenset[str]] = frozenset({"judge_class_id"})


def check_rule(body: RuleBody | RuleChangeBody) -> None:
    """What the types can't say. Raises :class:`BadInput`."""
    if not isinstance(body.when, UnsetType):
        check_when(body.when)
    if isinstance(body.name, str) and not body.name.strip():
        raise BadInput("/name: a rule needs a name.", details={"path": "/name"})


class QueueRecentBody(Body):
    """Which runs that have ended already the rule is brought to: `last`, `since`, or both."""

    last: (
        Annotated[int, Meta(ge=1, le=1000, description="So many of the project's runs, the newest by their end.")]
        | UnsetType
    ) = UNSET
    since: Annotated[Instant, Meta(description="Runs that ended then or later.")] | UnsetType = UNSET


def check_queue_recent(body: QueueRecentBody) -> datetime | None:
    """What the types can't say; ``since`` as it is stored. Raises :class:`BadInput`."""
    if isinstance(body.last, UnsetType) and isinstance(body.since, UnsetType):
        raise BadInput("Say how far to go back: last, since or both.")
    return instant(body.since)
