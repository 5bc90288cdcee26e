"""What a correction says, checked for shape (contract, section 4). Knows no database."""

from __future__ import annotations

import json
import math
from typing import Annotated, Any, ClassVar, Literal

import rfc8785
from msgspec import UNSET, Meta, Raw, UnsetType

from corrections.models import ANSWER_KEY, DECISIONS_KEY, Door
from corrections.said import Said, Thing, given
from kindgi.api.errors import BadInput
from kindgi.api.jsontext import decode_span, encode, pointer_parts
from kindgi.api.operations import Body

MAX_ARGS_FIELDS = 100
MAX_ARGS_CHARS = 4000
ARGS_SCHEMA: dict[str, Any] = {"type": "object", "maxProperties": MAX_ARGS_FIELDS}
_SAFE_INTEGER = 2**53 - 1
_CANONICAL_GROWTH = 6  # `1e20` is 4 characters, and 21 in canonical JSON: no token grows more

Verdict = Literal["right", "wrong"]
ToolId = Annotated[str, Meta(min_length=1, max_length=200)]
Text = Annotated[str, Meta(max_length=4000)]
Key = Annotated[
    str,
    Meta(min_length=1, max_length=200, description="The caller's stable id for the item, never the item's own text."),
]
Pointer = Annotated[
    str, Meta(max_length=500, description="Where it is in the run's output: a JSON Pointer (RFC 6901).")
]
Rank = Annotated[int, Meta(ge=0, le=_SAFE_INTEGER, description="Its position in the ranked list, 0 first.")]


class ListedCall(Body):
    """A call that the agent should have made; without `args`, only the call is checked."""

    tool: ToolId
    args: (
        Annotated[Raw, Meta(description="Up to 4,000 characters of canonical JSON.", extra_json_schema=ARGS_SCHEMA)]
        | UnsetType
    ) = UNSET


class Item(Body):
    """One element of an answer that is a list, and whether it was right there."""

    key: Key
    verdict: Verdict
    pointer: Pointer | UnsetType = UNSET
    rank: Rank | UnsetType = UNSET


ShouldCall = Annotated[
    list[ListedCall],
    Meta(max_length=50, description='Only with `decisions: "wrong"`: the calls that the agent should have made.'),
]
MustNotCall = Annotated[
    list[ToolId],
    Meta(
        max_length=50,
        description="Only with `decisions: \"wrong\"`: tools that shouldn't have been called. A tool can't be in both.",
    ),
]
ShouldSay = Annotated[Text, Meta(description='Only with `answer: "wrong"`: what it should have said.')]
Items = Annotated[
    list[Item],
    Meta(max_length=100, description="For an answer that is a ranked list: each item, and whether it was right."),
]
GroupId = Annotated[str, Meta(min_length=1, description="When given, it must exist and apply to the run.")]
ParticipantId = Annotated[
    str, Meta(min_length=1, description="An app's opaque id for its end user, when correcting on their behalf.")
]


class CorrectionBody(Body):
    """A person's correction of one run: at least one of `decisions`, `answer` and `items`."""

    only_looked_up: ClassVar[frozenset[str]] = frozenset({"run_id", "corrector_group_id"})

    run_id: Annotated[str, Meta(min_length=1)]
    decisions: Verdict | UnsetType = UNSET
    should_call: ShouldCall | UnsetType = UNSET
    must_not_call: MustNotCall | UnsetType = UNSET
    answer: Verdict | UnsetType = UNSET
    should_say: ShouldSay | UnsetType = UNSET
    why: Text | UnsetType = UNSET
    items: Items | UnsetType = UNSET
    corrector_group_id: GroupId | UnsetType = UNSET
    participant_id: ParticipantId | UnsetType = UNSET


def correction_said(body: CorrectionBody) -> Said:
    """What the body says, once :func:`check_submission` has let it pass."""
    check_submission(body)
    calls, never = given(body.should_call), given(body.must_not_call)
    return Said(
        door=Door.CORRECTIONS,
        run_id=body.run_id,
        class_id=given(body.corrector_group_id),
        participant_id=given(body.participant_id) or "",
        things=_things(body),
        should_call=calls_text(calls) if calls else None,
        must_not_call=never or None,
        tools=[call.tool for call in calls or []] + (never or []),
        should_say=given(body.should_say),
        why=given(body.why),
    )


def _things(body: CorrectionBody) -> list[Thing]:
    things: list[Thing] = []
    if body.decisions:
        things.append(Thing(DECISIONS_KEY, body.decisions == "right"))
    if body.answer:
        things.append(Thing(ANSWER_KEY, body.answer == "right"))
    things += [
        Thing(item.key, item.verdict == "right", given(item.pointer), given(item.rank)) for item in body.items or []
    ]
    return things


def check_submission(body: CorrectionBody) -> None:
    """What the types can't say. Raises :class:`BadInput`."""
    if body.decisions is UNSET and body.answer is UNSET and not body.items:
        raise BadInput("A correction says at least one of decisions, answer and items.")
    _check_decisions(body)
    _check_answer(body)
    _check_items(body.items or [])


def _check_decisions(body: CorrectionBody) -> None:
    calls, never = body.should_call or [], body.must_not_call or []
    if body.decisions != "wrong":
        for name, given in (("shouldCall", body.should_call), ("mustNotCall", body.must_not_call)):
            if given is not UNSET:
                raise BadInput(f'{name} goes only with decisions: "wrong".')
        return
    if not calls and not never:
        raise BadInput('decisions: "wrong" needs an entry in shouldCall or mustNotCall.')
    for tool in sorted({call.tool for call in calls} & set(never)):
        raise BadInput(f'"{tool}" can\'t be in both shouldCall and mustNotCall.')
    for index, call in enumerate(calls):
        if not isinstance(call.args, UnsetType):
            check_args(bytes(call.args), f"/shouldCall/{index}/args")


def _check_answer(body: CorrectionBody) -> None:
    if body.answer != "wrong":
        if body.should_say is not UNSET:
            raise BadInput('shouldSay goes only with answer: "wrong".')
    elif body.should_say is UNSET and not (body.why or "").strip():
        raise BadInput('answer: "wrong" needs shouldSay or why.')


def _check_items(items: list[Item]) -> None:
    seen: set[str] = set()
    for item in items:
        if item.key == DECISIONS_KEY:
            raise BadInput(f'The item "{DECISIONS_KEY}" is reserved for the decisions; say decisions instead.')
        if item.key == ANSWER_KEY:
            raise BadInput(f'The item "{ANSWER_KEY}" stands for the whole answer; say answer instead.')
        if item.key in seen:
            raise BadInput(f'The item "{item.key}" is there more than once; each key goes once.')
        seen.add(item.key)
        if not isinstance(item.pointer, UnsetType):
            pointer_parts(item.pointer)


def check_args(span: bytes, place: str) -> None:
    """Refuse a listed call's args that are no object, have too many fields or are too long.

    Length is counted in characters of canonical JSON (RFC 8785).
    """
    if span[:1] != b"{":
        raise BadInput(f"{place}: args must be an object.", details={"path": place})
    fields = decode_span(span, dict[str, Raw], place)
    if len(fields) > MAX_ARGS_FIELDS:
        raise BadInput(f"{place}: args can have up to {MAX_ARGS_FIELDS} fields.", details={"path": place})
    value = _parsed(span, place)
    if len(span) * _CANONICAL_GROWTH > MAX_ARGS_CHARS and canonical_length(value) > MAX_ARGS_CHARS:
        raise BadInput(
            f"{place}: args can have up to {MAX_ARGS_CHARS} characters of canonical JSON.", details={"path": place}
        )


def _parsed(span: bytes, place: str) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            raise BadInput(f"{place}: a field of an object can't be there more than once.", details={"path": place})
        return members

    def finite(text: str) -> float:
        number = float(text)
        if math.isinf(number):
            raise BadInput(f"{place}: {text[:40]} is no finite number.", details={"path": place})
        return number

    return json.loads(span, object_pairs_hook=once, parse_float=finite, parse_int=_integer)


def _integer(text: str) -> int | float | str:
    """An integer as canonical JSON counts it: past 2^53 as the nearest double, past all doubles by its digits."""
    if len(text) > 310:
        return "0" * (len(text) - 2)  # a string has two quotes more
    number = int(text)
    if abs(number) <= _SAFE_INTEGER:
        return number
    try:
        return float(number)
    except OverflowError:
        return "0" * (len(text) - 2)


def canonical_length(value: Any) -> int:
    """The characters of ``value`` in canonical JSON; a lone surrogate counts as one character."""
    return len(rfc8785.dumps(_encodable(value)).decode("utf-8"))


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_encodable(key): _encodable(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_encodable(entry) for entry in value]
    return value


def calls_text(calls: list[ListedCall]) -> str:
    """Listed calls as they are stored and sent: each with `args`, `{}` where none were given."""
    return encode(
        [{"tool": call.tool, "args": Raw(b"{}") if call.args is UNSET else call.args} for call in calls]
    ).decode("utf-8")


def calls_without_args(text: str) -> str:
    """:func:`calls_text` of the same calls, of which nothing is left but their tools."""
    calls = decode_span(text.encode("utf-8"), list[ListedCall], "/shouldCall")
    return calls_text([ListedCall(tool=call.tool) for call in calls])
