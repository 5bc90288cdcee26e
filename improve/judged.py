"""What people said of a run, as a test case keeps it: packed JSON (contract, section 7). Knows no database.

Values are kept by a digest of their canonical text: they are only ever compared, and a test set
holds no more of anybody's words than the corrections' own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from uuid import UUID

import msgspec

from corrections.decision_check import Expected, Made
from corrections.json_values import canonical, parse
from corrections.models import ANSWER_KEY, DECISIONS_KEY
from kindgi.runs.content import pack, unpack

_INDEX = re.compile(r"(?<=/)(?:0|[1-9][0-9]*)(?=/|\Z)")


class Voice(msgspec.Struct, frozen=True, array_like=True):
    """One live verdict: what it said, what it weighed when it was copied, and whose it was.

    ``expert`` says that its class was restricted when it was recorded; ``said`` is the place of its
    correction in :attr:`Judged.said`.
    """

    right: bool
    weight: float
    expert: bool
    said: int
    judge_class_id: UUID | None = None


class JudgedItem(msgspec.Struct, frozen=True):
    """A thing that was judged, and what was said of it, newest first.

    ``value`` stands for what was there (:func:`value_digest`, of the decisions :func:`calls_digest`),
    ``None`` where nobody knows any more.
    """

    key: str
    voices: list[Voice]
    pointer: str | None = None
    rank: int | None = None
    value: str | None = None

    @property
    def kind(self) -> str:
        """What it is compared with: the decisions, the answer, or items of the same list, wherever in it they stand."""
        return self.key if self.key in (DECISIONS_KEY, ANSWER_KEY) else list_of(self.pointer or "")


@lru_cache(maxsize=10_000)
def list_of(pointer: str) -> str:
    """What stands for a pointer's list: the same for pointers that are alike but for the indices of arrays.

    A number may be an object's key as well, which the pointer alone doesn't tell: keys that are
    numbers count for places of a list.
    """
    return _INDEX.sub("0", pointer)


class Said(msgspec.Struct, frozen=True):
    """A correction's own words; ``should_call`` is JSON text as corrections keep it, ``erased`` that its args went."""

    should_call: str | None = None
    must_not_call: list[str] | None = None
    should_say: str | None = None
    why: str | None = None
    erased: bool = False

    @property
    def expected(self) -> Expected | None:
        """What it says of the decisions, or ``None`` where it says nothing that a replay could be held against."""
        if self.erased or not (self.should_call or self.must_not_call):
            return None
        return Expected.of(should_call=self.should_call, must_not_call=self.must_not_call)


class Judged(msgspec.Struct, frozen=True):
    """All that counts of what people said of one run."""

    items: list[JudgedItem]
    said: list[Said]


_DECODER = msgspec.json.Decoder(Judged)


def judged_packed(judged: Judged) -> bytes:
    """``judged`` as a test case stores it."""
    packed = pack(msgspec.json.encode(judged))
    if packed is None:
        raise ValueError("There is nothing to pack.")
    return packed


def judged_unpacked(stored: bytes | memoryview | None) -> Judged | None:
    """What :func:`judged_packed` made it of; ``None`` of a case that was erased."""
    text = unpack(stored)
    return None if text is None else _DECODER.decode(text)


def value_digest(canonical_text: str) -> str:
    """What stands for a value, from its canonical text (:mod:`corrections.json_values`)."""
    return sha256(canonical_text.encode()).hexdigest()


def calls_digest(calls: Iterable[Made]) -> str:
    """What stands for the calls of a run or a replay: the same whatever their order, and whether one was refused."""
    each = sorted(canonical([call.tool, _args(call)]) for call in calls)
    return value_digest("\n".join(each))


def _args(call: Made) -> dict[str, object]:
    return {name: parse(bytes(value)) for name, value in call.args.items()}
