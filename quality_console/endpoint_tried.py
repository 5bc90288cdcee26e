"""What came of trying a replay endpoint, as a page says it (contract, section 7)."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from improve.replaying.asking import Failed, Outcome, Refused
from improve.replaying.problems import sentence

_SHOWN = 4_000


@dataclass(frozen=True, slots=True)
class Tried:
    """Whether it answers, in a sentence, and what it answered, as JSON texts."""

    works: bool
    said: str
    output: str = ""
    calls: str = ""


def tried(outcome: Outcome) -> Tried:
    """The same in words."""
    if isinstance(outcome, Failed):
        return Tried(works=False, said=sentence(outcome.problem, outcome.detail))
    if isinstance(outcome, Refused):
        said = _("It answers, in %(ms)s ms: a tool refused a call, and the agent stopped there.")
        return Tried(works=True, said=said % {"ms": outcome.took_ms}, calls=_text(outcome.calls))
    said = _("It answers, in %(ms)s ms.") % {"ms": outcome.took_ms}
    return Tried(works=True, said=said, output=_text(outcome.output), calls=_text(outcome.calls))


def _text(span: bytes) -> str:
    text = span.decode(errors="replace")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
