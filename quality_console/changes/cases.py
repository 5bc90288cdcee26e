"""The cases of an evaluation as its card lists them: what people said was right, and how it came out (section 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from django.http import QueryDict
from django.utils.translation import gettext

from corrections.models import ANSWER_KEY, DECISIONS_KEY
from improve.judged import Judged, JudgedItem, judged_unpacked
from improve.models import CaseLabel, CaseReplay, CaseResult, Evaluation, ReplayState
from improve.replaying.problems import sentence
from improve.scoring import counted
from improve.selectors.case_pages import CasePage, case_opened, case_page, replays_brief
from improve.words.findings import case_result, label
from judging.words.parts import joined_clauses, number, percent
from kindgi.runs.content import unpack
from quality_console.changes.evaluated import EvaluationShown
from quality_console.changes.evidence import expected_words, item_words
from quality_console.changes.hidden import hidden_runs
from quality_console.frame import Frame
from quality_console.presenting.clusters import clip
from quality_console.presenting.runs import RunTexts
from quality_console.presenting.sides import Sides, sides_of

_LONGEST = 200


class CaseTag(NamedTuple):
    """How one side is: its colour, its icon, and its word."""

    colour: str
    icon: str
    words: str


class Choice(NamedTuple):
    """A link that narrows the cases to ``has`` of them; ``value`` is empty for all."""

    value: str
    words: str
    has: int
    current: bool


class Repetition(NamedTuple):
    """A replay of the opened case: what it did beside the recorded run; ``problem`` says why there is nothing."""

    number: int
    sides: Sides | None
    problem: str


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case as its row shows it; ``expected`` is empty where that is hidden from who corrects blind."""

    result: CaseResult
    expected: str
    hidden: bool
    recorded: CaseTag
    candidate: CaseTag
    words: str
    opened: list[Repetition] | None


class CasesShown:
    """The cases that the address asks for: ``cases`` a label, ``after`` or ``before`` a place, ``case`` one opened."""

    def __init__(self, frame: Frame, query: QueryDict, shown: EvaluationShown) -> None:
        """Read what is asked for; what nobody could ask for counts as not asked."""
        self.frame, self.shown, self.evaluation = frame, shown, shown.evaluation
        asked = query.get("cases", "")
        self.label = asked if asked in set(CaseLabel.values) else ""
        self.after, self.before, self.case = (_position(query.get(name, "")) for name in ("after", "before", "case"))

    @property
    def choices(self) -> list[Choice]:
        """The filters with their counts; those of what may well be missing only where there are any."""
        always = {CaseLabel.BETTER, CaseLabel.WORSE, CaseLabel.CHANGED, CaseLabel.SAME}
        found = [
            Choice(one.value, label(one), self.shown.count(one), one == self.label)
            for one in CaseLabel
            if one in always or self.shown.count(one) or one == self.label
        ]
        return [Choice("", gettext("All"), self.shown.total, not self.label), *found]

    @cached_property
    def page(self) -> CasePage:
        """Which cases are shown, and the pages beside them."""
        return case_page(self.evaluation, label=self.label, after=self.after, before=self.before)

    @property
    def range(self) -> str:
        """Which of how many cases these are."""
        first, total = self.page.first, self.shown.count(CaseLabel(self.label)) if self.label else self.shown.total
        last = first + len(self.page.rows) - 1
        return gettext("%(first)s to %(last)s of %(total)s") % {
            "first": number(first),
            "last": number(last),
            "total": number(max(total, last)),
        }

    @cached_property
    def rows(self) -> list[CaseRow]:
        """The rows; five statements at most, and two for one that is opened."""
        results = self.page.rows
        run_ids = [one.case.run_id for one in results]
        replays = replays_brief(self.evaluation, run_ids=run_ids)
        hidden = hidden_runs(self.frame, run_ids)
        return [self._row(one, replays.get(one.case.run_id, []), one.case.run_id in hidden) for one in results]

    def _row(self, result: CaseResult, replays: Sequence[CaseReplay], hidden: bool) -> CaseRow:
        judged = judged_unpacked(result.case.judged)
        return CaseRow(
            result=result,
            expected="" if hidden or judged is None else said_right(judged),
            hidden=hidden and judged is not None,
            recorded=_recorded_tag(result, judged, experts_only=self.evaluation.experts_only),
            candidate=_candidate_tag(result),
            words=case_result(result.label, problem=_problem(replays)),
            opened=opened_case(self.evaluation, result.position) if result.position == self.case else None,
        )


def opened_case(evaluation: Evaluation, position: int) -> list[Repetition]:
    """Each replay of the case beside the recorded run."""
    found = case_opened(evaluation, position=position)
    if found is None:
        return []
    recorded = RunTexts.of(found.result.case.content)
    return [_repetition(one, recorded) for one in found.replays]


def _repetition(replay: CaseReplay, recorded: RunTexts) -> Repetition:
    if replay.erased_at is not None:
        return Repetition(replay.repetition, None, case_result(CaseLabel.ERASED))
    if replay.state == ReplayState.FAILED:
        return Repetition(replay.repetition, None, sentence(replay.problem, replay.detail))
    texts = RunTexts(output=unpack(replay.output), calls=unpack(replay.calls))
    return Repetition(replay.repetition, sides_of(recorded, texts), "")


def said_right(judged: Judged) -> str:
    """What people said was right, thing by thing, in one line."""
    return joined_clauses(one for item in judged.items if (one := _right_of(item, judged)))


def _right_of(item: JudgedItem, judged: Judged) -> str:
    """What was said of a thing: what instead, by the newest who said it was wrong; or that it was right."""
    wrong = [judged.said[one.said] for one in item.voices if not one.right]
    if not wrong:
        return gettext("%(what)s as recorded") % {"what": item_words(item.key)}
    for said in wrong:
        if item.key == DECISIONS_KEY and said.expected is not None:
            return expected_words(said.expected)
        if item.key == ANSWER_KEY and said.should_say:
            return "“" + _short(said.should_say) + "”"
    why = next((_short(said.why) for said in wrong if said.why), "")
    if why:
        return gettext("%(what)s not so: %(why)s") % {"what": item_words(item.key), "why": why}
    return gettext("%(what)s not so") % {"what": item_words(item.key)}


def _recorded_tag(result: CaseResult, judged: Judged | None, *, experts_only: bool) -> CaseTag:
    """What people said of the recorded run: of the things that both sides are compared by, or of all where none is."""
    if result.baseline_total or judged is None:
        return _judged_tag(result.baseline_right, result.baseline_total)
    voices = [voice for item in counted(judged, experts_only=experts_only).items for voice in item.voices]
    return _judged_tag(sum(one.weight for one in voices if one.right), sum(one.weight for one in voices))


def _judged_tag(right: float, total: float) -> CaseTag:
    if total <= 0:
        return CaseTag("", "info", gettext("nothing counts"))
    if right >= total:
        return CaseTag("right", "check", gettext("right"))
    if right <= 0:
        return CaseTag("wrong", "cross", gettext("wrong"))
    return CaseTag("wait", "changed", gettext("%(share)s right") % {"share": percent(right / total)})


def _candidate_tag(result: CaseResult) -> CaseTag:
    other = {
        CaseLabel.CHANGED: CaseTag("wait", "changed", gettext("changed")),
        CaseLabel.REFUSED: CaseTag("", "dismiss", gettext("refused")),
        CaseLabel.FAILED: CaseTag("wrong", "alert", gettext("failed")),
        CaseLabel.ERASED: CaseTag("", "dismiss", gettext("erased")),
    }
    return other.get(CaseLabel(result.label)) or _judged_tag(result.candidate_right, result.candidate_total)


def _problem(replays: Sequence[CaseReplay]) -> str:
    """Why the last of the replays that failed did, without the full stop."""
    failed = [one for one in replays if one.state == ReplayState.FAILED]
    return sentence(failed[-1].problem, failed[-1].detail).rstrip(".") if failed else ""


def _position(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 7 else None


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else clip(line, _LONGEST - 1) + "…"
