"""Corrections that speak for a suggested change, as its page lists them (contract, sections 7, 8 and 10)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext

from corrections.decision_check import Expected
from corrections.models import ANSWER_KEY, DECISIONS_KEY, Correction, Verdict
from corrections.policies import is_made_by
from corrections.selectors import judges_named
from judging.words.parts import joined_clauses
from quality_console.changes.hidden import hidden_runs
from quality_console.frame import Frame
from quality_console.presenting.clusters import clip
from quality_console.presenting.sentences import checks_in_words
from quality_console.presenting.steps import short_names
from quality_console.said.names import Names

MOST_SHOWN = 4
_LONGEST = 160


@dataclass(frozen=True, slots=True)
class Piece:
    """A verdict among the evidence. ``said`` is empty where it is hidden from who corrects blind, or nothing was said.

    ``gone`` says that it counts no more.
    """

    verdict: Verdict
    ran: str
    item: str
    said: str
    who: str
    judge_class: str
    gone: bool
    hidden: bool


def pieces_of(frame: Frame, verdicts: Sequence[Verdict]) -> list[Piece]:
    """The verdicts in their order; two statements, none of no verdicts."""
    if not verdicts:
        return []
    caller = frame.caller
    judges = {(one.made_by_kind, str(one.made_by_id)) for one in verdicts}
    me = (caller.kind, str(caller.id))
    names = Names(judges_named(tenant_id=caller.tenant_id, judges=judges - {me}), me)
    hidden = hidden_runs(frame, {one.run_id for one in verdicts})
    return [_piece(frame, one, names, hidden) for one in verdicts]


def _piece(frame: Frame, verdict: Verdict, names: Names, hidden_of: Collection[UUID]) -> Piece:
    correction = verdict.correction
    hidden = verdict.run_id in hidden_of and not is_made_by(frame.caller, correction)
    return Piece(
        verdict=verdict,
        ran=f"{correction.subject_id} {correction.subject_version}",
        item=item_words(verdict.item_key),
        said="" if hidden else said_of(correction, verdict.item_key),
        who=names.of(verdict.made_by_kind, str(verdict.made_by_id)),
        judge_class=verdict.judge_class.name if verdict.judge_class else "",
        gone=verdict.unregistered_at is not None,
        hidden=hidden,
    )


def item_words(key: str) -> str:
    """What was judged: the decisions, the answer, or an item by its key."""
    if key == DECISIONS_KEY:
        return gettext("tool calls")
    return gettext("answer") if key == ANSWER_KEY else key


def said_of(correction: Correction, key: str) -> str:
    """What was said of it in short: why, or what should have been called or said instead."""
    if correction.why and key != DECISIONS_KEY:
        return _short(correction.why)
    if key == DECISIONS_KEY and (correction.should_call or correction.must_not_call):
        return _short(
            expected_words(
                Expected.of(should_call=correction.should_call, must_not_call=correction.must_not_call or [])
            )
        )
    if key == ANSWER_KEY and correction.should_say:
        return _short(f"“{correction.should_say}”")
    return _short(correction.why or "")


def expected_words(expected: Expected) -> str:
    """What is to be called and what isn't; that other tools aren't compared goes without saying here."""
    sentences = checks_in_words(expected, names=short_names(expected.tools))
    return joined_clauses(str(one) for one in sentences[:-1])


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else clip(line, _LONGEST - 1) + "…"
