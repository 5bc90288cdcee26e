"""Suggested changes as the tab lists them, in words (contract, sections 7 and 8)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from improve.models import Evaluation, Finding
from improve.standing import Standing
from improve.statuses import Status
from improve.words import standing as words
from judging.words.rules import who
from quality_console.presenting.clusters import clip

_LONGEST_TITLE = 120
# A sentence ends before a capital, or before a letter that has no case; but not where a letter or a dotted
# abbreviation (``e.g.``) ends.
_ENDS = re.compile(r"(?<![.\s]\w)(?<!^\w)[.!?]+(?=\s+[^\W\d_])|。")
_SIGNS = {
    Status.IN_REVIEW: ("wait", "history"),
    Status.EVALUATED: ("right", "check"),
    Status.PROMOTED: ("right", "check"),
    Status.NOT_BETTER: ("", "same"),
    Status.EVALUATION_FAILED: ("wrong", "alert"),
    Status.REFUSED: ("", "dismiss"),
    Status.REJECTED: ("", "cross"),
    Status.EXPIRED: ("", "history"),
    Status.SUPERSEDED: ("", "changed"),
    Status.ROLLED_BACK: ("", "reopen"),
}
_TRIED = frozenset({Finding.BETTER, Finding.NOT_BETTER})


class Tag(NamedTuple):
    """Where it stands: its colour (``right``, ``wrong``, ``wait``, or none), its icon, empty for plain words."""

    colour: str
    icon: str
    words: str


class Figures(NamedTuple):
    """The share marked right before and with the change, and what both rest on."""

    baseline: str
    candidate: str
    rests_on: str


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A suggested change as its row shows it. ``by`` drafted it; ``progress`` is told while it is evaluated."""

    standing: Standing
    title: str
    tag: Tag
    figures: Figures | None
    note: str
    progress: str
    by: str
    is_mine: bool


def row_of(standing: Standing, *, names: Mapping[str, str], me: str) -> ChangeRow:
    """The row; ``names`` are what people are called by actor, ``me`` is who looks."""
    drafted_by = standing.proposal.drafted_by
    return ChangeRow(
        standing=standing,
        title=title_of(standing.proposal.hypothesis),
        tag=tag_of(standing),
        figures=None if standing.status == Status.WITHDRAWN else figures_of(standing.evaluation),
        note=_note(standing),
        progress=progress_of(standing),
        by=who(drafted_by, name=names.get(drafted_by), me=None),
        is_mine=drafted_by == me,
    )


def title_of(hypothesis: str) -> str:
    """What a suggested change is called: its hypothesis' first sentence, as far as a heading goes."""
    first = " ".join(hypothesis.strip().split("\n", 1)[0].split())
    sentence = first[: _end_of(first)].rstrip(".")
    if len(sentence) <= _LONGEST_TITLE:
        return sentence
    cut = clip(sentence, _LONGEST_TITLE - 1)
    words_of, _space, _part = cut.rpartition(" ")
    # One word alone, or a script that has no spaces, is cut anywhere.
    return (words_of if len(words_of) > _LONGEST_TITLE // 2 else cut).rstrip() + "…"


def _end_of(line: str) -> int:
    """Where its first sentence ends."""
    for end in _ENDS.finditer(line):
        after = line[end.end() :].lstrip()
        if end.start() and not after[:1].islower():
            return end.start()
    return len(line)


def tag_of(standing: Standing) -> Tag:
    """Where it stands, with its sign."""
    evaluation = standing.evaluation
    cancelled = evaluation is not None and evaluation.finding == Finding.CANCELLED
    said = words.stands(
        standing.status,
        version=standing.proposal.candidate_version,
        live_now=standing.live_now,
        cancelled=cancelled,
    )
    colour, icon = _SIGNS.get(standing.status, ("", ""))
    if (standing.status == Status.EVALUATION_FAILED and cancelled) or (
        standing.status == Status.PROMOTED and not standing.live_now
    ):
        colour, icon = "", "dismiss" if cancelled else "history"
    return Tag(colour, icon, said)


def figures_of(evaluation: Evaluation | None) -> Figures | None:
    """Both shares of an evaluation that has them."""
    if evaluation is None or evaluation.finding not in _TRIED:
        return None
    if evaluation.baseline is None or evaluation.candidate is None:
        return None
    return Figures(
        words.marked_right(evaluation.baseline),
        words.marked_right(evaluation.candidate),
        words.of_test_cases(evaluation.cases or 0),
    )


def progress_of(standing: Standing) -> str:
    """How far its evaluation is; empty where none goes on."""
    evaluation = standing.evaluation
    if evaluation is None or standing.status != Status.EVALUATING:
        return ""
    return words.replayed(done=evaluation.job.done, of=evaluation.job.of, repetitions=evaluation.repetitions)


def _note(standing: Standing) -> str:
    """What else is to be said: how much was answered, or the reason that somebody gave."""
    proposal, evaluation, promotion = standing.proposal, standing.evaluation, standing.promotion
    if standing.status == Status.WITHDRAWN:
        return proposal.withdrawn_reason
    if promotion is not None and standing.status == Status.ROLLED_BACK:
        return promotion.rolled_back_reason
    if promotion is not None and standing.status == Status.REJECTED:
        return promotion.decided_reason
    if evaluation is not None and evaluation.finding == Finding.FAILED:
        job = evaluation.job
        return words.answered(answered=job.answered + job.refused, of=job.of, repetitions=evaluation.repetitions)
    return ""
