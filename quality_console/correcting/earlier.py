"""A correction that was made, as the form that would make it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from corrections.decision_check import Expected, Listed
from corrections.json_values import canonical, parse
from corrections.models import ANSWER_KEY, DECISIONS_KEY, Correction
from quality_console.correcting.typed import AddedCall, Field, Typed, TypedCall, as_called
from quality_console.presenting.shown import MarkKind
from quality_console.presenting.spans import decoded
from quality_console.presenting.steps import ToolCall


def typed_of(correction: Correction, calls: Mapping[int, ToolCall]) -> Typed:
    """The form; the correction's verdicts are prefetched, ``calls`` are the run's by number.

    A listed call becomes a mark of the call that was made just so, else of one of the same tool
    that isn't marked yet, else one that is added.
    """
    typed = Typed(
        should_say=correction.should_say or "",
        why=correction.why or "",
        class_id=str(correction.judge_class_id or ""),
        participant=correction.participant_id,
    )
    # What was taken back of it before it ended isn't said again.
    ends = (None, correction.unregistered_at)
    for verdict in correction.verdicts.all():
        if verdict.unregistered_at not in ends:
            continue
        said = "right" if verdict.right else "wrong"
        if verdict.item_key == DECISIONS_KEY:
            typed.decisions = said
        elif verdict.item_key == ANSWER_KEY:
            typed.answer = said
        elif verdict.pointer is not None:
            typed.items[verdict.pointer] = said
        else:
            typed.keyed[verdict.item_key] = said
    expected = Expected.of(should_call=correction.should_call, must_not_call=correction.must_not_call)
    _list_calls(typed, expected.calls, calls)
    _rule_out(typed, expected.not_called, calls)
    return typed


def _list_calls(typed: Typed, listed: Sequence[Listed], calls: Mapping[int, ToolCall]) -> None:
    others = []
    for one in listed:
        n = next((n for n, call in calls.items() if n not in typed.calls and _is_so(call, one)), None)
        if n is None:
            others.append(one)
        else:
            typed.calls[n] = TypedCall(MarkKind.RIGHT)
    for one in others:
        n = next((n for n, call in calls.items() if n not in typed.calls and call.tool == one.tool), None)
        given = {name: decoded(bytes(value)) for name, value in one.args.items()}
        if n is None:
            typed.added.append(AddedCall(one.tool, not given, [Field(*pair) for pair in given.items()]))
        else:
            typed.calls[n] = TypedCall(MarkKind.INSTEAD, not given, _edited(calls[n], given))


def _is_so(call: ToolCall, listed: Listed) -> bool:
    args = {field.name: field.text for field in as_called(call)}
    if call.tool != listed.tool or args.keys() != listed.args.keys():
        return False
    return all(_value(args[name].encode()) == _value(bytes(span)) for name, span in listed.args.items())


def _value(span: bytes) -> str:
    try:
        return canonical(parse(span))
    except (ValueError, RecursionError):
        return decoded(span)


def _edited(call: ToolCall, given: Mapping[str, str]) -> list[Field]:
    """The call's arguments with what was given instead; those that weren't given are left out, others come after."""
    args = as_called(call)
    for arg in args:
        arg.ticked = not given or arg.name in given
        arg.text = given.get(arg.name, arg.text)
    names = {arg.name for arg in args}
    return args + [Field(name, text) for name, text in given.items() if name not in names]


def _rule_out(typed: Typed, tools: Sequence[str], calls: Mapping[int, ToolCall]) -> None:
    for tool in tools:
        made = [n for n, call in calls.items() if call.tool == tool and n not in typed.calls]
        typed.calls.update({n: TypedCall(MarkKind.NEVER) for n in made})
        if not made:
            typed.never.append(tool)
