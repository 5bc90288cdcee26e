"""What a list of runs was asked for, in words: for a list that is empty, and beside one that isn't."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from django.utils import dateformat
from django.utils.translation import gettext, gettext_lazy, pgettext

from quality_console.filters.runs import STATUSES, RunListFilter
from quality_console.times import moment

_PATTERNS: dict[str, Any] = {
    "q": gettext_lazy("whose id begins with %(value)s"),
    "agentId": gettext_lazy("of the agent %(value)s"),
    "agentVersion": gettext_lazy("of version %(value)s"),
    "flowId": gettext_lazy("of the flow %(value)s"),
    "flowVersion": gettext_lazy("of the flow's version %(value)s"),
    "status": gettext_lazy("that are %(value)s"),
    "since": gettext_lazy("created on %(value)s or later"),
    "until": gettext_lazy("created on %(value)s or before"),
    "createdAfter": gettext_lazy("created after %(value)s"),
    "createdBefore": gettext_lazy("created before %(value)s"),
    "parentRunId": gettext_lazy("started by the run %(value)s"),
    "evalRunId": gettext_lazy("of the test run %(value)s"),
}
_FLAGS: dict[tuple[str, str], Any] = {
    ("replays", "exclude"): gettext_lazy("without replays"),
    ("replays", "only"): gettext_lazy("that are replays"),
    ("dryRuns", "true"): gettext_lazy("that are dry runs"),
    ("dryRuns", "false"): gettext_lazy("without dry runs"),
    ("erased", "true"): gettext_lazy("that were erased"),
    ("erased", "false"): gettext_lazy("that weren't erased"),
    ("topLevel", "true"): gettext_lazy("that no other run started"),
    ("topLevel", "false"): gettext_lazy("that another run started"),
}


def asked_words(filters: RunListFilter) -> list[str]:
    """Each thing that the runs were narrowed to: ``of the agent shop.desk``; none where all are shown."""
    given = {name: value for name, value in filters.form.cleaned_data.items() if value not in (None, "", [])}
    said = [_said(name, value) for name, value in given.items()]
    return [words for words in said if words]


def _said(name: str, value: Any) -> str:
    if name in _PATTERNS:
        return str(_PATTERNS[name] % {"value": _value(name, value)})
    return str(_FLAGS.get((name, value), ""))


def _value(name: str, value: Any) -> str:
    spell: dict[str, Callable[[Any], str]] = {"status": _statuses, "since": _day, "until": _day}
    if name in spell:
        return spell[name](value)
    return moment(value) if isinstance(value, datetime) else str(value)


def _statuses(values: list[str]) -> str:
    words = [str(STATUSES[value]).lower() for value in values]
    if len(words) == 1:
        return words[0]
    return pgettext("statuses", "%(some)s or %(last)s") % {"some": ", ".join(words[:-1]), "last": words[-1]}


def _day(value: date) -> str:
    return dateformat.format(value, gettext("j M Y"))
