"""Characters that nobody sees and that turn the direction of what stands after them, so that it reads as another text.

Unicode's bidirectional controls: a text that has them is shown with each as a sign that does nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

_DIRECTING = re.compile("([\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])")


class Piece(NamedTuple):
    """Some of a text; ``name`` is what Unicode calls a control, whose text is its code, and else empty."""

    text: str
    name: str = ""


def undirected(text: str) -> Iterator[Piece]:
    """The text in pieces, of which each control is one: ``U+202E``, right-to-left override."""
    for place, piece in enumerate(_DIRECTING.split(text)):
        if place % 2:
            yield Piece(f"U+{ord(piece):04X}", unicodedata.name(piece).lower())
        elif piece:
            yield Piece(piece)
