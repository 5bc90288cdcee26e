"""Who said or changed something, as the page names them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, pgettext

from corrections.models import Correction
from corrections.selectors import judges_named
from judging.words.rules import who
from kindgi.access.callers import Caller

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Names:
    """What people and services are called, by kind and id; whoever looks is "you"."""

    names: Mapping[Key, str]
    me: Key

    def of(self, kind: str, judge_id: str) -> str:
        """Somebody by kind and id: "you", their name, or where that isn't known the beginning of their id."""
        actor = f"{'user' if kind == 'user' else 'service_account'}:{judge_id}"
        mine = actor if (kind, judge_id) == self.me else None
        return who(actor, name=self.names.get((kind, judge_id)), me=mine)

    def by(self, by: Mapping[str, Any] | None) -> str:
        """Somebody as a correction's history has them; empty where nobody is named."""
        if not by:
            return ""
        kind = str(by.get("kind", ""))
        if kind == "rule":
            return pgettext("who did it", "the rule")
        if kind == "fix-job":
            return gettext("a test run")
        return self.of(kind, str(by.get("id", "")))


def names_of(caller: Caller, corrections: Sequence[Correction], besides: Iterable[Key | None] = ()) -> Names:
    """The names of whoever the corrections and their histories name, and of others; one statement at most."""
    judges = {key for key in besides if key is not None}
    judges.update((one.made_by_kind, str(one.made_by_id)) for one in corrections)
    judges.update(_key(by) for one in corrections for by in _named_in(one) if by)
    me = (caller.kind, str(caller.id))
    return Names(judges_named(tenant_id=caller.tenant_id, judges=judges - {me}), me)


def _key(by: Mapping[str, Any]) -> Key:
    return str(by.get("kind", "")), str(by.get("id", ""))


def _named_in(correction: Correction) -> Iterator[Mapping[str, Any] | None]:
    yield correction.sorted_by
    for told in (correction.status_note, correction.fixed_in, correction.reopened_in):
        yield told.get("by") if told else None
    for change in correction.changes.all():
        yield change.by
