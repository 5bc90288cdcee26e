"""What somebody says of a run: what the bodies of both doors turn into (contract, section 1). Knows no database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from msgspec import UnsetType

from corrections.models import DECISIONS_KEY, Door

Value = TypeVar("Value")


def given(value: Value | UnsetType) -> Value | None:
    """``value``, or ``None`` where it was left out."""
    return None if isinstance(value, UnsetType) else value


@dataclass(frozen=True, slots=True)
class Thing:
    """Right or wrong on one item; what becomes a verdict."""

    key: str
    right: bool
    pointer: str | None = None
    rank: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One submission, checked for its shape; ``things`` in the order in which they are read back.

    ``should_call`` is as it is stored; ``tools`` are all that it or ``must_not_call`` names.
    """

    door: Door
    run_id: str
    class_id: str | None
    participant_id: str
    things: Sequence[Thing]
    should_call: str | None = None
    must_not_call: list[str] | None = None
    tools: Sequence[str] = ()
    should_say: str | None = None
    why: str | None = None

    @property
    def about_decisions(self) -> bool:
        """Whether it says anything of the run's decisions."""
        return any(thing.key == DECISIONS_KEY for thing in self.things)

    @property
    def decisions_wrong(self) -> bool:
        """Whether it says that they were wrong."""
        return any(thing.key == DECISIONS_KEY and not thing.right for thing in self.things)

    @property
    def other_wrong(self) -> bool:
        """Whether it says that the answer or an item was wrong."""
        return any(thing.key != DECISIONS_KEY and not thing.right for thing in self.things)
