"""What a run or a replay answered, in short: the beginning of its answer, and the tools that it called. Pure."""

from __future__ import annotations

import json
from typing import NamedTuple

from corrections.decision_check import calls_of
from corrections.grading import Output

LONGEST = 300
MOST_CALLS = 20


class Summary(NamedTuple):
    """``text`` is the answer's, or its JSON where it is no text, up to 300 characters; ``None`` where there is none.

    ``calls`` are the tools in the order in which they were called, up to 20.
    """

    text: str | None = None
    calls: list[str] | None = None
    is_cut: bool = False


def summary_of(output: bytes | None, calls: bytes | None) -> Summary:
    """The summary of JSON texts, of which either may be missing."""
    text = None if output is None else _text(Output(output).answer)
    tools = [_shown(call.tool) for call in calls_of(calls)] if calls is not None else None
    return Summary(
        None if text is None else text[:LONGEST],
        None if tools is None else tools[:MOST_CALLS],
        text is not None and len(text) > LONGEST,
    )


def _text(canonical: str) -> str:
    """A text as it is, anything else as JSON."""
    return _shown(json.loads(canonical)) if canonical[:1] == '"' else canonical


def _shown(text: str) -> str:
    """A lone surrogate, which nothing can show, as a question mark."""
    return text.encode("utf-8", "replace").decode()
