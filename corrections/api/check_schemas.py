"""How a check of the decisions is asked for and answered (contract, section 4)."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Raw, UnsetType

from corrections.decision_check import Called, Checked, Difference, Made, Nearest, Unmet
from corrections.json_values import members
from kindgi.api.errors import BadInput
from kindgi.api.operations import Answer, Body
from kindgi.runs.records import Call

Index = Annotated[int, Meta(ge=0)]


class CheckBody(Body):
    """The calls that a replay made, in order; one that was refused counts as made."""

    calls: list[Call]


class DifferenceAnswer(Answer, kw_only=True):
    """The first argument that isn't as it was listed; no `actual` where the call has no such argument."""

    argument: str
    expected: Raw
    actual: Raw | UnsetType = UNSET


class NearestAnswer(Answer, kw_only=True):
    """The call that comes nearest, by its index in `calls`; `countedFor` is the listed call that has it instead."""

    index: Index
    differs: DifferenceAnswer | UnsetType = UNSET
    counted_for: Index | UnsetType = UNSET


class UnmetAnswer(Answer, kw_only=True):
    """A listed call that no call was left for, by its index in `shouldCall`; no `nearest`: the tool wasn't called."""

    index: Index
    tool: str
    nearest: NearestAnswer | UnsetType = UNSET


class CalledAnswer(Answer, kw_only=True):
    """A call that shouldn't have been made, by its index in `calls`."""

    index: Index
    tool: str
    refused: bool | UnsetType = UNSET


class CheckAnswer(Answer, kw_only=True):
    """Whether the calls are as the correction says.

    `extra` are calls of a listed tool that were too many, and `forbidden` those of a tool that
    shouldn't have been called. `tools` are all that were compared: where there are none, the
    correction says nothing of calls, and anything passes.
    """

    passed: bool
    unmet: list[UnmetAnswer]
    extra: list[CalledAnswer]
    forbidden: list[CalledAnswer]
    tools: list[str]


def made_of(body: CheckBody) -> list[Made]:
    """The body's calls, their arguments to the byte. Raises :class:`BadInput` for args that are no object."""
    made = []
    for index, call in enumerate(body.calls):
        span = bytes(call.args)
        if span[:1] != b"{":
            place = f"/calls/{index}/args"
            raise BadInput(f"{place}: args must be an object.", details={"path": place})
        made.append(Made(call.tool, members(span), call.refused is True))
    return made


def check_answer(checked: Checked) -> CheckAnswer:
    """The verdict as it is sent."""
    return CheckAnswer(
        passed=checked.passed,
        unmet=[_unmet(one) for one in checked.unmet],
        extra=[_called(one) for one in checked.extra],
        forbidden=[_called(one) for one in checked.forbidden],
        tools=checked.tools,
    )


def _unmet(unmet: Unmet) -> UnmetAnswer:
    nearest = UNSET if unmet.nearest is None else _nearest(unmet.nearest)
    return UnmetAnswer(index=unmet.index, tool=unmet.tool, nearest=nearest)


def _nearest(nearest: Nearest) -> NearestAnswer:
    return NearestAnswer(
        index=nearest.index,
        differs=UNSET if nearest.differs is None else _difference(nearest.differs),
        counted_for=UNSET if nearest.counted_for is None else nearest.counted_for,
    )


def _difference(differs: Difference) -> DifferenceAnswer:
    return DifferenceAnswer(argument=differs.argument, expected=differs.expected, actual=differs.actual)


def _called(called: Called) -> CalledAnswer:
    return CalledAnswer(index=called.index, tool=called.tool, refused=True if called.refused else UNSET)
