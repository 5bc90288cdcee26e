"""Queueing runs that no rule took: somebody asks for their correction (contract, section 7)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from judging.services.queueing import NewItem, items_add
from kindgi.runs.models import Run


def items_ask(*, runs: Sequence[Run], asked_for: UUID, at: datetime) -> None:
    """Queue runs, in their order, for any correction of each; two statements for any number of them.

    The caller has made them in this transaction: nobody has said anything of them, and no rule takes
    them. ``asked_for`` is the id of what asks; those are asked whom :data:`judging.hooks.asked_for_by`
    names, and everyone may answer. Rules count none of them.
    """
    items_add([NewItem(run, (), {asked_for: None}, asked_for) for run in runs], at=at)
