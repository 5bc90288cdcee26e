"""A run's content within what a page may weigh: steps and messages up to so many characters, the rest by address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.html import escape

from quality_console.presenting.shown import Block, Message, RunShown, Step
from quality_console.run_page import RunOnPage

# Characters as they are sent. The form that stands beside the run lists its calls a second time.
STEPS_ALONE, STEPS_BESIDE_A_FORM = 64_000, 40_000
_MESSAGES = 24_000
# What a step or a message takes besides its texts.
_STEP, _MESSAGE, _ARGUMENT = 900, 300, 40


@dataclass(frozen=True, slots=True)
class Paged:
    """Where in the steps the page is: they are numbered from 1. ``None`` for no page before or after."""

    first: int
    last: int
    count: int
    previous: int | None
    next: int | None


def shown_on_page(page: RunOnPage, *, steps_from: int, beside_a_form: bool) -> tuple[RunShown, Paged]:
    """The run as the page shows it, with as many steps and messages as it may have."""
    shown = page.shown(steps_from)
    steps = _steps_within(shown.steps, STEPS_BESIDE_A_FORM if beside_a_form else STEPS_ALONE)
    conversation = shown.conversation
    if conversation is not None:
        messages = _messages_within(conversation.messages, _MESSAGES)
        left = conversation.left + len(conversation.messages) - len(messages)
        conversation = replace(conversation, messages=messages, left=left)
    shown = replace(shown, steps=steps, conversation=conversation)
    return shown, _paged(shown)


def _paged(shown: RunShown) -> Paged:
    start, end = shown.steps_from, shown.steps_from + len(shown.steps)
    # Pages before may be longer or shorter: each is as long as what is in it allows.
    return Paged(
        first=start + 1,
        last=end,
        count=shown.step_count,
        previous=max(0, start - max(1, len(shown.steps))) if start else None,
        next=end if end < shown.step_count else None,
    )


def _steps_within(steps: Sequence[Step], most: int) -> tuple[Step, ...]:
    """The first steps, at least one."""
    left, taken = most, 0
    for step in steps:
        left -= _weight_of_step(step)
        if left < 0 and taken:
            break
        taken += 1
    return tuple(steps[:taken])


def _messages_within(messages: Sequence[Message], most: int) -> tuple[Message, ...]:
    """The last messages, at least one."""
    left, taken = most, 0
    for message in reversed(messages):
        left -= _weight(message.said.text) + _MESSAGE
        if left < 0 and taken:
            break
        taken += 1
    return tuple(messages[len(messages) - taken :])


def _weight_of_step(step: Step) -> int:
    args = sum(_weight(arg.name) + _weight(arg.json) + _ARGUMENT for arg in step.args)
    whole = _weight(step.whole_args.text) if step.args_left else 0
    return _STEP + _weight(step.peek) + 2 * _weight(step.tool) + args + whole + _weight_of_block(step.result)


def _weight_of_block(block: Block | None) -> int:
    return 0 if block is None else _weight(block.text)


def _weight(text: str) -> int:
    return len(escape(text).encode())
