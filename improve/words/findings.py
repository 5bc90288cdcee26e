"""What an evaluation found, in words (contract, section 7)."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext

from improve.comparing import MOST_ONE_IN, WhyNot
from improve.models import CaseLabel, Finding
from improve.statuses import Status
from improve.words.standing import stands
from judging.intervals import Range
from judging.words.parts import joined, number, percent, percent_range

WITH_IT = gettext_lazy("With it")
NOBODY_JUDGED = gettext_lazy("Nothing that was answered is anything that people judged, so there are no shares.")

_LABELS: dict[CaseLabel, Promise] = {
    CaseLabel.BETTER: gettext_lazy("Got better"),
    CaseLabel.WORSE: gettext_lazy("Got worse"),
    CaseLabel.CHANGED: gettext_lazy("Changed"),
    CaseLabel.SAME: gettext_lazy("Same"),
    CaseLabel.REFUSED: gettext_lazy("Refused"),
    CaseLabel.FAILED: gettext_lazy("Failed"),
    CaseLabel.ERASED: gettext_lazy("Erased"),
}
_FOUND: dict[str, Promise] = {
    "": gettext_lazy("Being evaluated"),
    Finding.FAILED: gettext_lazy("Evaluation failed"),
    Finding.CANCELLED: gettext_lazy("Evaluation cancelled"),
}


def found(finding: str) -> str:
    """What it found in a few words; ``""`` while it goes on."""
    if finding == Finding.BETTER:
        return stands(Status.EVALUATED)
    if finding == Finding.NOT_BETTER:
        return stands(Status.NOT_BETTER)
    return str(_FOUND[finding])


def label(one: str) -> str:
    """How a case came out, as filters have it: ``Got better``."""
    return str(_LABELS[CaseLabel(one)])


def case_result(one: str, *, problem: str = "") -> str:
    """How a case came out, and why where that is to be said: ``Failed: no answer in 30 s``."""
    said = label(one)
    why = {
        CaseLabel.CHANGED: gettext("nobody judged it"),
        CaseLabel.REFUSED: gettext("the tool said no"),
        CaseLabel.FAILED: problem,
        CaseLabel.ERASED: gettext("a person's words are in it no more"),
    }.get(CaseLabel(one), "")
    return gettext("%(label)s: %(why)s") % {"label": said, "why": why} if why else said


def split(*, better: int, worse: int, why_not: str | None) -> str:
    """How the cases came out: ``12 got better and 2 got worse: better by more than chance.``

    ``why_not`` is why it isn't better, one of :class:`improve.comparing.WhyNot`, ``None`` where it is.
    """
    if not better and not worse:
        return gettext("No case got better or worse.")
    parts = {
        "better": number(better) if better else pgettext("cases that got better", "None"),
        "worse": number(worse) if worse else pgettext("cases that got worse", "none"),
    }
    if why_not is None:
        return gettext("%(better)s got better and %(worse)s got worse: better by more than chance.") % parts
    if why_not == WhyNot.CHANCE:
        return gettext("%(better)s got better and %(worse)s got worse: chance alone may do that.") % parts
    if better <= worse:
        return gettext("%(better)s got better and %(worse)s got worse: no better.") % parts
    return gettext("%(better)s got better and %(worse)s got worse.") % parts


def chance(one_in: int | None) -> str:
    """How often nothing but chance makes such a split: ``about 1 time in 77``; nothing where it is even."""
    if one_in is None:
        return ""
    if one_in <= 1:
        return gettext("With no real change, a split as one-sided as this comes up more often than not.")
    if one_in >= MOST_ONE_IN:
        message = gettext("With no real change, a split as one-sided comes up fewer than 1 time in %(times)s.")
        return message % {"times": number(MOST_ONE_IN)}
    message = gettext("With no real change, a split as one-sided as this comes up about 1 time in %(times)s.")
    return message % {"times": number(one_in)}


def why_not(code: str, *, better: int, worse: int, delta: float, spread: float) -> str:
    """Why it isn't better, where the split doesn't say it; ``code`` is one of :class:`improve.comparing.WhyNot`."""
    if code == WhyNot.NOTHING:
        return str(NOBODY_JUDGED)
    if code == WhyNot.NOT_MORE and better > worse:
        return gettext("Yet no greater share is marked right, since some cases count more than others.")
    if code == WhyNot.UNJUDGED:
        return gettext(
            "Yet some answers that were right before changed to something that nobody has judged: "
            "were all of these wrong, chance alone might do that."
        )
    if code == WhyNot.UNANSWERED:
        return gettext(
            "Yet some runs that were right before have no answer now: were these all worse, chance alone might do that."
        )
    if code == WhyNot.SPREAD:
        message = gettext("Repetitions are %(spread)s apart, and it gained %(delta)s: no more than they vary.")
        return message % {"spread": points(spread), "delta": points(delta)}
    return ""


def all_were_wrong() -> str:
    """That an agent which only varies would do better on these cases, too (docs/statistics.md)."""
    return gettext(
        "Each of these runs was marked wrong before, so an agent that answers differently each time would get "
        "some right by itself. Corrected runs that were right tell more."
    )


def repetitions_apart(spread: float) -> str:
    """How far the repetitions were apart."""
    return gettext("Its repetitions are %(spread)s apart.") % {"spread": points(spread)}


def points(share: float) -> str:
    """A difference of two shares: ``6 points``."""
    whole = round(share * 100)
    return ngettext("%(count)s point", "%(count)s points", abs(whole)) % {"count": number(whole)}


def changed(count: int) -> str:
    """That so many answers are news: they count in neither share."""
    message = ngettext(
        "%(count)s answer changed to something that nobody has judged: it counts in neither share.",
        "%(count)s answers changed to something that nobody has judged: they count in neither share.",
        count,
    )
    return message % {"count": number(count)}


def sent(count: int) -> str:
    """That so many of these wait for people to judge them, and who can't."""
    message = ngettext(
        "%(count)s of these waits in To correct. Once it is corrected, count the corrections.",
        "%(count)s of these wait in To correct. Once they are corrected, count the corrections.",
        count,
    )
    drafter = gettext("What is said of them by who drafted the change does not count.")
    return message % {"count": number(count)} + " " + drafter


def said_since() -> str:
    """That people have said something that isn't counted."""
    return gettext("People have said something of such answers since: count their corrections.")


def recorded(versions: Sequence[str]) -> str:
    """What the recorded runs are called, of these versions: ``Recorded (2.4.0)``."""
    if len(versions) != 1:
        return gettext("Recorded")
    return gettext("Recorded (%(version)s)") % {"version": versions[0]}


def left_out(*, refused: int, failed: int, erased: int, uncounted: int) -> str:
    """What else is in neither share; nothing where there is none. In ``uncounted`` cases no verdict counts."""
    parts = []
    if uncounted:
        message = ngettext(
            "%(count)s case that is the same has no verdict that counts",
            "%(count)s cases that are the same have no verdict that counts",
            uncounted,
        )
        parts.append(message % {"count": number(uncounted)})
    if refused:
        message = ngettext("%(count)s case was refused by a tool", "%(count)s cases were refused by a tool", refused)
        parts.append(message % {"count": number(refused)})
    if failed:
        message = ngettext("%(count)s case got no answer", "%(count)s cases got no answer", failed)
        parts.append(message % {"count": number(failed)})
    if erased:
        message = ngettext("%(count)s case was erased", "%(count)s cases were erased", erased)
        parts.append(message % {"count": number(erased)})
    return gettext("Not counted in either share: %(what)s.") % {"what": joined(parts)} if parts else ""


def rests_on(*, cases: int, repetitions: int, counted: int) -> str:
    """What it rests on: ``50 corrected runs replayed once each, 44 of them judged by people``."""
    runs = ngettext("%(count)s corrected run", "%(count)s corrected runs", cases) % {"count": number(cases)}
    times = ngettext("once each", "%(count)s times each", repetitions) % {"count": number(repetitions)}
    message = gettext("%(runs)s replayed %(times)s, %(counted)s of them judged by people")
    return message % {"runs": runs, "times": times, "counted": number(counted)}


def chart_title(*, version: str, baseline: float, candidate: float, ranges: tuple[Range, Range] | None) -> str:
    """What the chart shows, for who doesn't see it."""
    first, second = _share(candidate, ranges and ranges[1]), _share(baseline, ranges and ranges[0])
    message = gettext("Share marked right on the test cases: with the change %(candidate)s; %(version)s %(baseline)s")
    return message % {"candidate": first, "version": version, "baseline": second}


def _share(share: float, found_range: Range | None) -> str:
    if found_range is None:
        return percent(share)
    return gettext("%(share)s, range %(range)s") % {"share": percent(share), "range": percent_range(found_range)}


def fixed_by_test_run(*, fixed: int, of: int, reopened: int = 0) -> str:
    """What a test run found, and what it opened again: ``8 of 10 corrections are fixed. 1 is open again.``"""
    message = ngettext("%(fixed)s of %(of)s correction is fixed.", "%(fixed)s of %(of)s corrections are fixed.", of)
    said = message % {"fixed": number(fixed), "of": number(of)}
    if not reopened:
        return said
    again = ngettext(
        "%(count)s that was fixed is open again.", "%(count)s that were fixed are open again.", reopened
    ) % {"count": number(reopened)}
    return f"{said} {again}"


def cancelled(who: str, *, done: int, of: int) -> str:
    """Who cancelled an evaluation, and how far it was; ``who`` is empty where nobody knows."""
    parts = {"who": who[:1].upper() + who[1:], "done": number(done), "of": number(of)}
    if not who:
        return gettext("It was cancelled after %(done)s of %(of)s replays.") % parts
    return gettext("%(who)s cancelled it after %(done)s of %(of)s replays.") % parts
