"""Judge classes in words (contract, sections 5 and 8)."""

# ruff: noqa: RUF001 - the reference's own signs, as makemessages must find them

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from django.utils.formats import number_format
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy, ngettext

from judging.words.parts import joined, joined_clauses, listed, number, takes_an

UNCLASSIFIED = gettext_lazy("unclassified")
A_SHARE_WEIGHTS = gettext_lazy("A share weights each correction by its class.")
EXPERTS_CORRECTIONS = gettext_lazy(
    'Corrections in a restricted class are the experts\' corrections: "Count only experts" counts only those.'
)
REMOVING_KEEPS = gettext_lazy(
    "No new correction can name it. Corrections that named it keep it, and still count with its weight in trends."
)
NO_RULE_WANTS_IT = gettext_lazy("No rule wants it")
_EXACTLY_SHOWN_UNDER = 1e15


def class_label(name: str | None) -> str:
    """A judge class by its name; no name is no class."""
    return str(UNCLASSIFIED) if name is None else name


def counts(weight: float) -> str:
    """How much a correction of a class of this weight counts."""
    if weight == 0:
        return gettext("Counts for nothing")
    if weight == 1:
        return gettext("Counts the same as an unclassified one")
    times, exactly = _times(weight)
    message = (
        gettext("Counts %(times)s× an unclassified one")
        if exactly
        else gettext("Counts about %(times)s× an unclassified one")
    )
    return message % {"times": times}


def counts_briefly(weight: float) -> str:
    """The same in brief, beside a class's name."""
    if weight == 0:
        return gettext("counts for nothing")
    if weight == 1:
        return gettext("counts once")
    times, exactly = _times(weight)
    message = gettext("counts %(times)s×") if exactly else gettext("counts about %(times)s×")
    return message % {"times": times}


def weighted_by(classes: Sequence[tuple[str, float]]) -> str:
    """How much the corrections of each class count, from the classes' names and weights; of one class or more."""
    clauses = joined_clauses(_clause(_correction_of(name), weight) for name, weight in classes)
    # The reference begins the first clause with a capital letter, after the colon.
    return gettext("Weighted by judge class: %(clauses)s.") % {"clauses": capfirst(clauses)}


def _correction_of(name: str) -> str:
    if name.endswith("s"):
        message = (
            gettext("an %(judge_class)s' correction") if takes_an(name) else gettext("a %(judge_class)s' correction")
        )
    else:
        message = (
            gettext("an %(judge_class)s's correction") if takes_an(name) else gettext("a %(judge_class)s's correction")
        )
    return message % {"judge_class": name}


def _clause(correction: str, weight: float) -> str:
    if weight == 0:
        return gettext("%(correction)s counts for nothing") % {"correction": correction}
    if weight == 1:
        return gettext("%(correction)s counts the same as an unclassified one") % {"correction": correction}
    times, exactly = _times(weight)
    message = (
        gettext("%(correction)s counts %(times)s× an unclassified one")
        if exactly
        else gettext("%(correction)s counts about %(times)s× an unclassified one")
    )
    return message % {"correction": correction, "times": times}


def _times(weight: float) -> tuple[str, bool]:
    """A weight as people read it, and whether it is exactly that: one of many digits is cut to four."""
    if float(weight).is_integer() and weight < _EXACTLY_SHOWN_UNDER:
        return number(int(weight)), True
    short = f"{weight:.4g}"
    return short if "e" in short else str(number_format(Decimal(short))), float(short) == weight


def applies_to(*, project: bool, agent: str | None) -> str:
    """Where a class applies: the tenant, this project, or an agent in it."""
    if agent is not None:
        return gettext("%(agent)s in this project") % {"agent": agent}
    return gettext("This project") if project else gettext("The whole workspace")


def given_by(*, kinds: Sequence[str], min_reviewer_role: str, principal_count: int) -> str:
    """Who may give a class, from its restriction: ``Only people, senior reviewers or above``; nobody by name."""
    reviewers = _REVIEWERS[min_reviewer_role] if min_reviewer_role else None
    if principal_count:
        who = _named(kinds, principal_count)
    elif kinds:
        who = gettext("Only %(kinds)s") % {"kinds": listed([str(_KINDS[kind]) for kind in kinds])}
    else:
        return gettext("Only %(who)s") % {"who": reviewers} if reviewers else gettext("Anyone who may correct")
    return gettext("%(who)s, %(reviewers)s") % {"who": who, "reviewers": reviewers} if reviewers else who


def _named(kinds: Sequence[str], count: int) -> str:
    if list(kinds) == ["user"]:
        message = ngettext("%(count)s named person", "%(count)s named people", count)
    elif list(kinds) == ["service"]:
        message = ngettext("%(count)s named service", "%(count)s named services", count)
    else:
        message = ngettext("%(count)s named person or service", "%(count)s named people or services", count)
    return message % {"count": number(count)}


_KINDS = {"user": gettext_lazy("people"), "service": gettext_lazy("services")}
_REVIEWERS = {
    "standard": gettext_lazy("reviewers of any role"),
    "senior": gettext_lazy("senior reviewers or above"),
    "admin": gettext_lazy("admin reviewers"),
}


def removing_strands(rules: Sequence[str]) -> str:
    """What becomes of the rules that want a class when it is removed; of one rule or more."""
    message = ngettext(
        "%(count)s rule wants its correction (%(rules)s): change it first,"
        " or its items wait for a class nobody can give.",
        "%(count)s rules want its correction (%(rules)s): change them first,"
        " or their items wait for a class nobody can give.",
        len(rules),
    )
    return message % {"count": number(len(rules)), "rules": joined(rules)}
