"""What is sent to make and change rules (contract, section 6)."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from judging.matching import When, check_when
from judging.models.rules import MOST_OPEN
from kindgi.api.errors import BadInput
from kindgi.api.operations import Body

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
