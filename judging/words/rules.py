"""Judging rules in words: what they take and want, what changed, what a catch-up did (contract, sections 6 and 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext, pgettext_lazy

from judging.words.items import wanted
from judging.words.parts import listed, number, percents
from kindgi.runs.models import Via

RULES_TAKE = gettext_lazy(
    "A rule matches an agent's or a flow's own runs, not an agent's turns as a flow's step. Replays never match."
)
APPLIES_FROM_NOW = gettext_lazy("Applies to runs that end after it's made.")
PREVIEW_ESTIMATES = gettext_lazy("An estimate: a new rule draws its own sample. The cap isn't counted.")
PREVIEW_LEAVES_CAP = gettext_lazy("The cap isn't counted.")
CATCHES_UP_ALONE = gettext_lazy("You can leave this page: it goes on by itself. It doesn't apply the cap.")
OFF = pgettext_lazy("a rule", "Off")
_NAMED_IN_BRIEF = 3
_RAREST = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsTaken:
    """Which runs a rule is about: names of agents or of flows, neither for any; ``versions`` may hold ``live``."""

    agents: Sequence[str] = ()
    flows: Sequence[str] = ()
    versions: Sequence[str] = ()
    dry_runs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSaid:
    """What a version of a rule says. ``wants`` is a judge class's name, ``None`` for any correction."""

    name: str
    runs: RunsTaken
    sample: float
    max_open: int | None
    wants: str | None
    enabled: bool


@dataclass(frozen=True, slots=True)
class Change:
    """What a version changed, in words; of a setting also its name and what it was and became, for a page to mark."""

    text: str
    setting: str = ""
    before: str = ""
    after: str = ""


def which_runs(runs: RunsTaken) -> str:
    """``Completed runs of Dev-Echo Agent``, and what narrows it."""
    return _narrowed(listed([*runs.agents, *runs.flows]) or gettext("any agent or flow"), runs)


def which_runs_in_brief(runs: RunsTaken) -> str:
    """The same, with many agents or flows only counted."""
    count = len(runs.agents) + len(runs.flows)
    if count <= _NAMED_IN_BRIEF:
        return which_runs(runs)
    message = (
        ngettext("%(count)s agent", "%(count)s agents", count)
        if runs.agents
        else ngettext("%(count)s flow", "%(count)s flows", count)
    )
    return _narrowed(message % {"count": number(count)}, runs)


def _narrowed(names: str, runs: RunsTaken) -> str:
    # The reference says what narrows it after it, a phrase each: whole sentences would be one for each way to do so.
    of = gettext("Completed runs of %(names)s") % {"names": names}
    if runs.versions:
        of = _of_versions(of, runs)
    return gettext("%(runs)s, dry runs too") % {"runs": of} if runs.dry_runs else of


def _of_versions(of: str, runs: RunsTaken) -> str:
    numbered = [version for version in runs.versions if version != Via.LIVE]
    count = len(runs.agents) + len(runs.flows)
    values = {"runs": of, "versions": listed(numbered)}
    if not numbered:
        return ngettext("%(runs)s, the live version", "%(runs)s, their live versions", count or 1) % values
    if len(numbered) < len(runs.versions):
        message = ngettext(
            "%(runs)s, live or version %(versions)s", "%(runs)s, live or versions %(versions)s", len(numbered)
        )
    elif count == 1 and len(numbered) == 1:
        message = gettext("%(runs)s %(versions)s")
    else:
        message = ngettext("%(runs)s, version %(versions)s", "%(runs)s, versions %(versions)s", len(numbered))
    return message % values


def takes(sample: float) -> str:
    """How many of the matching runs: ``Takes 1 in 10``."""
    return gettext("Takes %(share)s") % {"share": share_taken(sample)}


def share_taken(sample: float) -> str:
    """A share, over 0 and up to 1: ``1 in 10`` where it is exactly that, else every digit of its percents."""
    if sample == 1:
        return gettext("every matching run")
    if sample < _RAREST:
        return gettext("fewer than 1 in %(runs)s") % {"runs": number(round(1 / _RAREST))}
    runs = round(1 / sample)
    if 1 / runs == sample:
        return gettext("1 in %(runs)s") % {"runs": number(runs)}
    return percents((Decimal(repr(sample)) * 100).normalize())


def wants(judge_class: str | None) -> str:
    """Whose correction a rule wants: ``An expert correction``."""
    return str(capfirst(wanted(judge_class)))


def cap(max_open: int | None) -> str:
    """``No cap``, or at how many open items the rule stops."""
    if max_open is None:
        return gettext("No cap")
    message = ngettext("No new items while %(count)s is open", "No new items while %(count)s are open", max_open)
    return message % {"count": number(max_open)}


def open_now(count: int) -> str:
    """``3 open``."""
    if not count:
        return gettext("None open")
    return ngettext("%(count)s open", "%(count)s open", count) % {"count": number(count)}


def full(*, open_items: int, max_open: int) -> str:
    """Why a rule with as many open items as its cap, or more, adds nothing."""
    if open_items == max_open:
        return gettext("Full: adds nothing until one is corrected")
    message = ngettext(
        "Full: adds nothing until none is open",
        "Full: adds nothing until fewer than %(count)s are open",
        max_open,
    )
    return message % {"count": number(max_open)}


def removing_leaves(open_items: int) -> str:
    """What becomes of the items that wait for a rule when it is removed."""
    if not open_items:
        return gettext("None of the runs that it queued waits.")
    message = ngettext(
        "%(count)s run that it queued stays in the queue, and wants what the rule wants now.",
        "%(count)s runs that it queued stay in the queue, and want what the rule wants now.",
        open_items,
    )
    return message % {"count": number(open_items)}


def rule_count(count: int) -> str:
    """``5 rules.``"""
    return ngettext("%(count)s rule.", "%(count)s rules.", count) % {"count": number(count)}


def rule_in_brief(*, rule_version: int, runs: RunsTaken, judge_class: str | None) -> str:
    """What a trend is about, under the rule's name."""
    return gettext("Rule version %(version)s · %(runs)s · Wants %(correction)s") % {
        "version": number(rule_version),
        "runs": which_runs_in_brief(runs),
        "correction": wanted(judge_class),
    }


def who(actor: str, *, name: str | None, me: str | None) -> str:
    """Who did something: ``you``, a name, or where none is known ``a person (11111111…)``.

    ``actor`` and ``me``, who reads it, are ``user:<id>`` or ``service_account:<id>``.
    """
    if actor == me:
        return pgettext("who did it", "you")
    if name:
        return name
    kind, _, actor_id = actor.partition(":")
    message = gettext("a person (%(id)s…)") if kind == "user" else gettext("a service (%(id)s…)")
    return message % {"id": actor_id[:8]}


def version_head(*, version: int, by: str, at: str) -> str:
    """A version in a rule's history: ``Version 2 · a person (11111111…) · 24 Oct 2026, 9 PM EDT``."""
    return gettext("Version %(version)s · %(who)s · %(when)s") % {"version": number(version), "who": by, "when": at}


def version_changes(before: RuleSaid | None, after: RuleSaid) -> list[Change]:
    """What a version changed against the one ``before`` it, a setting each; the first one ``Created`` the rule."""
    if before is None:
        return [Change(pgettext("a rule", "Created"))]
    was, now = _settings(before), _settings(after)
    changes = [_change(setting, was[setting], now[setting]) for setting in now if now[setting] != was[setting]]
    if before.enabled != after.enabled:
        changes.append(Change(_switched(on=after.enabled)))
    return changes or [Change(gettext("Nothing changed"))]


def _switched(*, on: bool) -> str:
    return pgettext("a rule", "Turned on") if on else pgettext("a rule", "Turned off")


def _change(setting: str, before: str, after: str) -> Change:
    values = {"setting": setting, "before": before, "after": after}
    return Change(gettext("%(setting)s: %(before)s → %(after)s") % values, **values)


def _settings(rule: RuleSaid) -> dict[str, str]:
    return {
        pgettext("a setting of a rule", "Name"): rule.name,
        pgettext("a setting of a rule", "Runs"): which_runs(rule.runs),
        pgettext("a setting of a rule", "Takes"): share_taken(rule.sample),
        pgettext("a setting of a rule", "Cap"): cap(rule.max_open),
        pgettext("a setting of a rule", "Wants"): wanted(rule.wants),
    }


def preview(*, queued: int, last: int) -> str:
    """What a rule would have queued of the last runs."""
    message = ngettext(
        "Would have queued %(queued)s of the last run.", "Would have queued %(queued)s of the last %(last)s runs.", last
    )
    return message % {"queued": number(queued), "last": number(last)}
