"""What a judgment says, checked for shape (contract, section 4). Knows no database."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, Raw, UnsetType

from corrections.models import DECISIONS_KEY, Door
from corrections.said import Said, Thing, given
from corrections.submissions import ARGS_SCHEMA, Key, ListedCall, Pointer, Rank, Text, ToolId, calls_text, check_args
from kindgi.api.errors import BadInput
from kindgi.api.jsontext import pointer_parts
from kindgi.api.operations import Body

JudgmentVerdict = Literal["yes", "no"]
CallArgs = Annotated[
    Raw,
    Meta(
        description="`{}` asks only that the tool was called. Up to 4,000 characters of canonical JSON.",
        extra_json_schema=ARGS_SCHEMA,
    ),
]


class ItemToJudge(Body):
    """What is judged: `answer` for the whole answer, `kindgi:correction` for the decisions, else an item's own key."""

    key: Key
    pointer: Pointer | UnsetType = UNSET
    rank: Rank | UnsetType = UNSET


class ExpectedCall(Body):
    """A call that the agent should have made, with the argument fields that are compared."""

    tool: ToolId
    args: CallArgs | UnsetType = UNSET


# A missing `args` is refused in the reference's words, not in the type's.
ArgsToo = Annotated[ExpectedCall, Meta(extra_json_schema={"required": ["tool", "args"]})]


class Expected(Body):
    """What the agent should have done: both lists, of which one may be empty. A tool can't be in both."""

    calls: Annotated[list[ArgsToo], Meta(max_length=50)]
    not_called: Annotated[list[ToolId], Meta(max_length=50)]


class JudgmentBody(Body):
    """One person's yes or no on one item of a run's output, or on its decisions."""

    only_looked_up: ClassVar[frozenset[str]] = frozenset({"run_id", "judge_class_id"})

    run_id: Annotated[str, Meta(min_length=1)]
    item: ItemToJudge
    verdict: JudgmentVerdict
    reason: Text | UnsetType = UNSET
    judge_class_id: (
        Annotated[str, Meta(min_length=1, description="When given, it must exist and apply to the run.")] | UnsetType
    ) = UNSET
    participant_id: (
        Annotated[
            str, Meta(min_length=1, description="An app's opaque id for its end user, when judging on their behalf.")
        ]
        | UnsetType
    ) = UNSET
    correction: (
        Annotated[
            Expected,
            Meta(description="Only for an agent's run, and only under the item `kindgi:correction`, which needs it."),
        ]
        | UnsetType
    ) = UNSET


def judgment_said(body: JudgmentBody) -> Said:
    """What the body says, once :func:`check_judgment` has let it pass."""
    check_judgment(body)
    expected = given(body.correction)
    calls = [] if expected is None else [ListedCall(tool=call.tool, args=call.args) for call in expected.calls]
    never = [] if expected is None else expected.not_called
    return Said(
        door=Door.JUDGMENTS,
        run_id=body.run_id,
        class_id=given(body.judge_class_id),
        participant_id=given(body.participant_id) or "",
        things=[Thing(body.item.key, body.verdict == "yes", given(body.item.pointer), given(body.item.rank))],
        should_call=calls_text(calls) if calls else None,
        must_not_call=never or None,
        tools=[call.tool for call in calls] + never,
        why=given(body.reason),
    )


def check_judgment(body: JudgmentBody) -> None:
    """What the types can't say. Raises :class:`BadInput`, in the reference's words where it has some."""
    key, pointer = body.item.key, given(body.item.pointer)
    if not isinstance(body.correction, UnsetType):
        if key != DECISIONS_KEY:
            raise BadInput(f'a correction is recorded under the item "{DECISIONS_KEY}", not "{key}".')
        _check_expected(body.correction)
    elif key == DECISIONS_KEY:
        raise BadInput(f'the item "{DECISIONS_KEY}" is reserved for corrections; judge an item of the output instead.')
    if pointer is None:
        return
    if key == DECISIONS_KEY and pointer:
        raise BadInput(f'the item "{DECISIONS_KEY}" is about the whole run: its pointer is "" or left out.')
    pointer_parts(pointer)


def _check_expected(expected: Expected) -> None:
    if not expected.calls and not expected.not_called:
        raise BadInput("correction needs at least one of calls or notCalled.")
    for index, call in enumerate(expected.calls):
        args = b"" if isinstance(call.args, UnsetType) else bytes(call.args)
        if args[:1] != b"{":
            raise BadInput("each correction call needs an args object ({} asks only that the tool was called).")
        check_args(args, f"/correction/calls/{index}/args")
    for tool in sorted({call.tool for call in expected.calls} & set(expected.not_called)):
        raise BadInput(f'"{tool}" can\'t be in both correction.calls and correction.notCalled.')
