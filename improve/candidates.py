"""What the version with a suggested change is called (contract, section 7). Pure.

A candidate has its version's number and, as build metadata, ``change.N``: it never takes a number
that the agent's developers will want, and build metadata makes no version higher, so that it is
never Latest.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import count

_LONGEST = 92
_KEPT = 80
_CHANGED = re.compile(r"(?P<stem>.*\+(?:.*\.)?change\.)(?P<number>[1-9][0-9]{0,6})", re.DOTALL)


def candidate_stem(from_version: str) -> tuple[str, int]:
    """What the names of candidates from a version begin with, and the first number that may follow."""
    changed = _CHANGED.fullmatch(from_version)
    stem, first = (changed["stem"], int(changed["number"]) + 1) if changed else (_with_change(from_version), 1)
    # So long a version, of which there may be a hundred characters, is recognised by its beginning.
    return (stem, first) if len(stem) <= _LONGEST else (_with_change(from_version[:_KEPT]), 1)


def candidate_free(from_version: str, taken: Collection[str]) -> str:
    """The name with the lowest number that isn't among ``taken``."""
    stem, first = candidate_stem(from_version)
    return next(name for number in count(first) if (name := f"{stem}{number}") not in taken)


def _with_change(version: str) -> str:
    return f"{version}.change." if "+" in version else f"{version}+change."
