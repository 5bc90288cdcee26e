"""A rule's results and its trend, in words (contract, sections 6 and 8)."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext, gettext_lazy, ngettext

from judging.intervals import Range
from judging.trends import SHOWS_FROM, VersionTrend
from judging.words.classes import class_label
from judging.words.parts import high_end, joined, joined_clauses, low_end, number, percent, percent_range

TRENDS_SHOW = gettext_lazy("Corrections by people, per rule and by its latest version.")
SHOWN_APART = gettext_lazy("shown apart, never added in")
RANGES_OVERLAP = gettext_lazy("The ranges overlap, so none is said to be marked right more often.")
TOO_FEW_TO_SAY = gettext_lazy("too few to say")
NO_VERSION = gettext_lazy("No version")


def version_label(version: str | None) -> str:
    """An agent version; flows' runs have none."""
    return str(NO_VERSION) if version is None else version


def rule_version(version: int) -> str:
    """``Rule version 2``."""
    return gettext("Rule version %(version)s") % {"version": number(version)}


def too_few_to_chart() -> str:
    """That no version has a range yet."""
    message = gettext("Too few corrections to chart yet: a version shows from %(count)s corrections.")
    return message % {"count": number(SHOWS_FROM)}


def version_line(one: VersionTrend) -> str:
    """What can be said of one agent version."""
    label = version_label(one.agent_version)
    if one.too_few:
        return too_few(label, judgments=one.judgments)
    if one.share is None or one.range is None:
        return nothing_weighs(label, judgments=one.judgments)
    return marked_right(label, share=one.share, found=one.range, judgments=one.judgments, runs=one.runs)


def marked_right(version: str, *, share: float, found: Range, judgments: int, runs: int) -> str:
    """The share of a version, what it rests on, and its range."""
    message = ngettext(
        "%(version)s: about %(share)s marked right, from %(count)s correction (%(runs)s); range %(range)s",
        "%(version)s: about %(share)s marked right, from %(count)s corrections (%(runs)s); range %(range)s",
        judgments,
    )
    so_far = ngettext("%(count)s run corrected so far", "%(count)s runs corrected so far", runs)
    return message % {
        "version": version,
        "share": percent(share),
        "count": number(judgments),
        "runs": so_far % {"count": number(runs)},
        "range": percent_range(found),
    }


def too_few(version: str, *, judgments: int) -> str:
    """``1.0.0: too few corrections to say (2 so far)``."""
    message = gettext("%(version)s: too few corrections to say (%(count)s so far)")
    return message % {"version": version, "count": number(judgments)}


def nothing_weighs(version: str, *, judgments: int) -> str:
    """That all corrections of a version are in classes of weight 0."""
    message = ngettext(
        "%(version)s: none of its %(count)s correction counts, by the weight of their judge class",
        "%(version)s: none of its %(count)s corrections counts, by the weight of their judge class",
        judgments,
    )
    return message % {"version": version, "count": number(judgments)}


def comparison(*, better: str, worse: str) -> str:
    """Said only of two versions whose ranges are apart."""
    return gettext("%(better)s is marked right more often than %(worse)s.") % {"better": better, "worse": worse}


def skipped_by_cap(count: int) -> str:
    """What the numbers leave out: the runs that the cap kept out; of one or more."""
    message = ngettext(
        "%(count)s matched run wasn't queued because the rule already had its most open runs waiting,"
        " so the queued ones lean toward quieter times.",
        "%(count)s matched runs weren't queued because the rule already had its most open runs waiting,"
        " so the queued ones lean toward quieter times.",
        count,
    )
    return message % {"count": number(count)}


def right_by_class(counts: Sequence[tuple[str | None, int, int]]) -> str:
    """``expert 26 of 28, unclassified 12 of 14``, from each class's name, verdicts right, and verdicts."""
    return joined(
        gettext("%(judge_class)s %(yes)s of %(count)s")
        % {"judge_class": class_label(name), "yes": number(yes), "count": number(judgments)}
        for name, yes, judgments in counts
    )


def chart_title(rule: str, versions: Sequence[VersionTrend]) -> str:
    """What a chart shows, for somebody who doesn't see it."""
    return gettext("%(rule)s, share marked right by version: %(versions)s") % {
        "rule": rule,
        "versions": joined_clauses(map(_charted, versions)),
    }


def earlier_chart_title(rule: str, version: int, versions: Sequence[VersionTrend]) -> str:
    """The same of an earlier version of the rule."""
    named = gettext("%(rule)s, rule version %(version)s") % {"rule": rule, "version": number(version)}
    return chart_title(named, versions)


def _charted(one: VersionTrend) -> str:
    label = version_label(one.agent_version)
    if one.too_few:
        return gettext("%(version)s too few corrections") % {"version": label}
    if one.share is None or one.range is None:
        return gettext("%(version)s nothing counts") % {"version": label}
    values = {"version": label, "share": percent(one.share), "low": low_end(one.range), "high": high_end(one.range)}
    return gettext("%(version)s %(share)s, range %(low)s to %(high)s%%") % values
