"""A rule's trend as its card has it: charts, sentences and every count (contract, sections 6 and 8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.http import QueryDict
from django.utils.html import format_html
from django.utils.translation import gettext, ngettext

from corrections.models import JudgeClass
from judging.models import JudgingRule
from judging.results import Group
from judging.trends import RuleTrend, Trend, VersionTrend, trend
from judging.words.classes import weighted_by
from judging.words.parts import number, percent_range
from judging.words.results import (
    RANGES_OVERLAP,
    chart_title,
    comparison,
    earlier_chart_title,
    skipped_by_cap,
    too_few_to_chart,
    version_line,
)
from judging.words.rules import rule_in_brief
from quality_console.charts import Chart, chart_of
from quality_console.rules import runs_taken
from quality_console.tables.trends import CountRow, CountsTable, count_row, counts_table

COMPARISONS = 12


@dataclass(frozen=True, slots=True)
class Length:
    """How many agent versions and earlier rule versions a card has; ``None`` for all."""

    versions: int | None
    earlier: int | None


BRIEF = Length(versions=8, earlier=2)
WHOLE = Length(versions=None, earlier=None)


@dataclass(frozen=True, slots=True)
class Part:
    """By one version of the rule. ``verdicts`` say how agent versions compare, ``notes`` what figures leave out."""

    rule_version: int
    chart: Chart | None
    verdicts: list[str]
    lines: list[str]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Card:
    """A rule's trend; ``counts`` where the address opens them.

    ``left_out`` says what a brief card doesn't have; empty where it has everything.
    """

    rule: JudgingRule
    brief: str
    open: int
    latest: Part
    earlier: list[Part]
    counts: CountsTable | None
    left_out: str


@dataclass(frozen=True, slots=True)
class Known:
    """What every card of a page goes by: all classes by id, the page's address, and how long cards are."""

    classes: Mapping[UUID, JudgeClass]
    query: QueryDict
    length: Length

    @property
    def names(self) -> dict[UUID, str]:
        """What the classes are called."""
        return {pk: one.name for pk, one in self.classes.items()}

    @property
    def weights(self) -> dict[UUID | None, float]:
        """What they weigh, and under ``None`` an unclassified correction."""
        weights: dict[UUID | None, float] = {None: 1.0}
        return weights | {pk: one.weight for pk, one in self.classes.items()}


def card_of(rule: JudgingRule, groups: Sequence[Group], *, open_now: int, known: Known) -> Card:
    """The card of a rule, from its results; ``open_now`` is how many of its items are open, whenever queued."""
    found = trend(groups, rule_version=rule.version, weights=known.weights, names=known.names)
    shown, earlier = known.length.versions, found.earlier[: known.length.earlier]
    return Card(
        rule=rule,
        brief=_brief(rule, known.classes),
        open=open_now,
        latest=_latest(rule, found, shown),
        earlier=[_earlier(rule, one, shown) for one in earlier],
        counts=counts_table(_count_rows([found.latest, *earlier], shown, known.names), query=known.query)
        if known.query.get("counts") == str(rule.pk)
        else None,
        left_out=_left_out(found, known.length),
    )


def _brief(rule: JudgingRule, classes: Mapping[UUID, JudgeClass]) -> str:
    wanted = None if rule.judge_class_id is None else classes[rule.judge_class_id].name
    return rule_in_brief(rule_version=rule.version, runs=runs_taken(rule.when), judge_class=wanted)


def _latest(rule: JudgingRule, found: Trend, shown: int | None) -> Part:
    latest, versions = found.latest, found.latest.versions[:shown]
    weighted = [weighted_by([(one.name, one.weight) for one in found.weights])] if found.weights else []
    chart = chart_of(versions, title=chart_title(rule.name, versions))
    return Part(latest.rule_version, chart, _verdicts(latest, versions), _lines(versions), weighted + _notes(latest))


def _earlier(rule: JudgingRule, found: RuleTrend, shown: int | None) -> Part:
    versions = found.versions[:shown]
    chart = chart_of(versions, title=earlier_chart_title(rule.name, found.rule_version, versions))
    return Part(found.rule_version, chart, _verdicts(found, versions), _lines(versions), _notes(found))


def _verdicts(found: RuleTrend, versions: Sequence[VersionTrend]) -> list[str]:
    """What compares among the versions shown; at most so many pairs, since n versions have up to n²/2."""
    if all(one.too_few for one in found.versions):
        return [too_few_to_chart()]
    shown = {one.agent_version for one in versions}
    said = [one for one in found.comparisons if one.better in shown and one.worse in shown]
    sentences = [comparison(better=one.better, worse=one.worse) for one in said[:COMPARISONS]]
    if len(said) > COMPARISONS:
        more = len(said) - COMPARISONS
        message = ngettext("%(count)s more pair is apart.", "%(count)s more pairs are apart.", more)
        sentences.append(message % {"count": number(more)})
    return sentences


def _lines(versions: Iterable[VersionTrend]) -> list[str]:
    return [_line(one) for one in versions]


def _line(one: VersionTrend) -> str:
    """The sentence, whose range stays in one piece where lines are broken."""
    sentence = version_line(one)
    if one.range is None:
        return sentence
    before, found, after = sentence.rpartition(percent_range(one.range))
    return format_html('{}<span class="nowrap">{}</span>{}', before, found, after)


def _notes(found: RuleTrend) -> list[str]:
    notes = [str(RANGES_OVERLAP)] if found.all_overlap else []
    return [*notes, skipped_by_cap(found.skipped_by_cap)] if found.skipped_by_cap else notes


def _count_rows(parts: Sequence[RuleTrend], shown: int | None, names: Mapping[UUID, str]) -> list[CountRow]:
    versions = [one for part in parts for one in part.versions[:shown]]
    return [count_row(place, one, names) for place, one in enumerate(versions)]


def _left_out(found: Trend, length: Length) -> str:
    """What the card doesn't show: ``52 older agent versions and 3 earlier rule versions aren't shown.``"""
    parts = [found.latest, *found.earlier[: length.earlier]]
    older = sum(len(part.versions) - len(part.versions[: length.versions]) for part in parts)
    earlier = len(found.earlier) - len(found.earlier[: length.earlier])
    agent_versions = ngettext("%(count)s older agent version", "%(count)s older agent versions", older)
    rule_versions = ngettext("%(count)s earlier rule version", "%(count)s earlier rule versions", earlier)
    said = [agent_versions % {"count": number(older)}] if older else []
    said += [rule_versions % {"count": number(earlier)}] if earlier else []
    if not said:
        return ""
    return gettext("Not shown here: %(what)s.") % {"what": gettext(" and ").join(said)}
