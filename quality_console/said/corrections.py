"""The corrections of a run as its page shows them: the viewer's own, those of others, and those that count no more.

Blind by default (contract, section 10): whoever may still correct the run sees how many others did
and as what, and what they said once a live correction of their own is there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode
from uuid import UUID

from corrections.decision_check import Expected
from corrections.models import ANSWER_KEY, DECISIONS_KEY, Correction, Verdict
from corrections.policies import is_made_by
from judging.words.classes import class_label
from kindgi.access.callers import Caller
from quality_console.frame import ConsoleRequest
from quality_console.presenting.clusters import clip
from quality_console.presenting.diffs import word_diff
from quality_console.presenting.sentences import checks_in_words
from quality_console.presenting.shown import AnswerShown, Segment, Sentence
from quality_console.presenting.steps import short_names
from quality_console.run_page import RunOnPage
from quality_console.said.blindness import is_blind, own_among
from quality_console.said.history import Event, history_of
from quality_console.said.names import Key, Names, names_of
from quality_console.said.words import (
    SHOWS_LATER,
    Tag,
    corrected_by,
    judges_counted,
    link_words,
    sorted_words,
    status_tag,
)

# Of a run that a whole company corrected; the others are shown when they are asked for.
MOST_SHOWN = 20
_BRIEF = 240


@dataclass(frozen=True)
class Context:
    """What the corrections of a run are shown with."""

    page: RunOnPage
    answer: AnswerShown | None
    names: Names
    classes: Mapping[UUID, str]
    may_write: bool
    may_administer: bool


@dataclass(frozen=True)
class SaidCorrection:
    """A correction with its words."""

    row: Correction
    mine: bool
    context: Context

    @property
    def who(self) -> str:
        """Who made it, as they are called."""
        return self.context.names.of(self.row.made_by_kind, str(self.row.made_by_id))

    @property
    def judge_class(self) -> str:
        """As which class."""
        return class_label(self.context.classes.get(self.row.judge_class_id) if self.row.judge_class_id else None)

    @cached_property
    def verdicts(self) -> dict[str, Verdict]:
        """What still counts of it by item; of one that is gone all that it said."""
        live = self.row.live
        return {one.item_key: one for one in self.row.verdicts.all() if not live or one.unregistered_at is None}

    @property
    def decisions(self) -> Verdict | None:
        """Whether the tool calls were right."""
        return self.verdicts.get(DECISIONS_KEY)

    @property
    def answer(self) -> Verdict | None:
        """Whether the answer was right."""
        return self.verdicts.get(ANSWER_KEY)

    @property
    def items(self) -> list[Verdict]:
        """Whether each judged item was right."""
        return [one for key, one in self.verdicts.items() if key not in (DECISIONS_KEY, ANSWER_KEY)]

    @cached_property
    def checks(self) -> list[Sentence]:
        """What a replay is checked for."""
        if self.decisions is None or (self.row.should_call is None and self.row.must_not_call is None):
            return []
        expected = Expected.of(should_call=self.row.should_call, must_not_call=self.row.must_not_call or [])
        tools = [str(tool["id"]) for tool in self.context.page.tools or []]
        names = short_names([*tools, *expected.tools])
        return checks_in_words(expected, calls=self.context.page.calls, names=names)

    @property
    def should_say(self) -> str:
        """What the answer should have said; empty for nothing."""
        return self.row.should_say or "" if self.answer is not None else ""

    @property
    def brief(self) -> str:
        """The beginning of that."""
        text = " ".join(self.should_say.split())
        return text if len(text) <= _BRIEF else clip(text, _BRIEF - 1) + "…"

    @cached_property
    def diff(self) -> list[Segment]:
        """That against what the answer said, where both are texts to compare."""
        answer = self.context.answer
        if not self.should_say or answer is None or answer.whole or not answer.full_text:
            return []
        return word_diff(answer.full_text, self.should_say)

    @property
    def tag(self) -> Tag:
        """How it stands."""
        return status_tag(self.row)

    @property
    def sorted_to(self) -> str:
        """Who works on it; empty where that was never said."""
        return sorted_words(self.row.sorted_to) if self.row.sorted_to else ""

    @property
    def reopened_in(self) -> str:
        """Which version got it wrong again."""
        return str((self.row.reopened_in or {}).get("version", ""))

    @property
    def fixed_in(self) -> str:
        """Which version fixed it, where it is open again since."""
        return str((self.row.fixed_in or {}).get("version", "")) if self.reopened_in else ""

    @property
    def note(self) -> tuple[str, str] | None:
        """The note beside the status, and whose it is."""
        note = self.row.status_note
        return (str(note.get("text", "")), self.context.names.by(note.get("by"))) if note else None

    @property
    def link(self) -> tuple[str, str] | None:
        """What it is linked to: an address, empty for none, and its text."""
        link = self.row.link
        return (str(link.get("url", "")), link_words(link)) if link else None

    @cached_property
    def history(self) -> list[Event]:
        """What became of it, newest first."""
        return history_of(self.row, self.context.names)

    @property
    def may_change(self) -> bool:
        """Whether whoever looks may change how it stands."""
        return self.row.live and self.context.may_write

    @property
    def may_note(self) -> bool:
        """Whether they may write anything about it, too."""
        return self.may_change and self.context.page.takes_words

    @property
    def suggests(self) -> str:
        """What the address says to suggest a change with it as evidence; empty where nothing of an agent was wrong."""
        run = self.context.page.run
        wrong = [str(one.pk) for one in self.verdicts.values() if not one.right]
        if not (wrong and self.may_change and run.is_agents):
            return ""
        return urlencode({"agent": run.agent_id, "version": run.agent_version, "evidence": wrong}, doseq=True)

    @property
    def may_remove(self) -> bool:
        """Whether whoever looks may take it back."""
        return self.row.live and (self.context.may_administer or (self.mine and self.context.may_write))


@dataclass(frozen=True)
class Said:
    """What was said of a run. ``blind`` is what is told instead of ``others`` and ``gone``, empty for no blindness."""

    mine: list[SaidCorrection]
    others: list[SaidCorrection]
    gone: list[SaidCorrection]
    blind: str
    live_count: int
    left: int
    names: Names

    @property
    def shows_any(self) -> bool:
        """Whether any correction is shown."""
        return bool(self.mine or self.others or self.gone)

    @property
    def judges(self) -> str:
        """How many others there are: ``2 people``."""
        return judges_counted([one.row for one in self.others])


def said_of_run(
    request: ConsoleRequest,
    page: RunOnPage,
    rows: Sequence[Correction],
    *,
    answer: AnswerShown | None,
    besides: Sequence[Key | None] = (),
) -> Said:
    """The run's corrections ``rows`` for whoever looks; one statement at most. ``besides`` are others to name."""
    frame = request.frame
    live = [row for row in rows if row.live]
    mine = [row for row in live if is_made_by(frame.caller, row)]
    others = [row for row in live if row not in mine]
    classes = {one.pk: one.name for one in frame.classes}
    blind = is_blind(frame, has_own=own_among(frame.caller, rows), can_be_corrected=page.can_be_corrected)
    most = len(rows) if "said" in request.GET else MOST_SHOWN
    shown = [] if blind else others[:most]
    gone = _gone(rows, frame.caller, blind=blind)[:most]
    names = names_of(frame.caller, [*mine, *shown, *gone], besides)
    context = Context(page, answer, names, classes, frame.may_write, frame.may_administer)

    def told(some: Sequence[Correction]) -> list[SaidCorrection]:
        return [SaidCorrection(row, is_made_by(frame.caller, row), context) for row in some]

    return Said(
        mine=told(mine),
        others=told(shown),
        gone=told(gone),
        blind=f"{corrected_by(others, classes)} {SHOWS_LATER}" if blind and others else "",
        live_count=len(live),
        left=0 if blind else len(others) - len(shown),
        names=names,
    )


def _gone(rows: Sequence[Correction], caller: Caller, *, blind: bool) -> list[Correction]:
    """What counts no more; to the blind only their own."""
    return [row for row in rows if not row.live and (not blind or is_made_by(caller, row))]
