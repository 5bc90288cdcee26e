"""Which of a rule's runs it takes: a keyed hash of ids, the same for ever (contract, section 6; docs/sampling.md).

Knows no database, but says in SQL what it says in Python. Only the ids and the share count: not the
rule's version, nor anything else of the run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from uuid import UUID

PLACES = 2**53
"""How many places there are; a double holds each of them exactly."""

_BLOCK = 64  # of SHA-256, in bytes: what HMAC makes of a key is as long
_INNER_PAD, _OUTER_PAD = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))


@dataclass(frozen=True, slots=True)
class Sample:
    """What a rule takes of the runs that it matches; ``share`` is above 0 and up to 1.

    HMAC-SHA256 is written out, by the two keys that it makes of the rule's id: PostgreSQL has no
    other without an extension, and in Python it takes little more than half of what :mod:`hmac` does.
    """

    rule_id: UUID
    share: float
    _inner: bytes = field(init=False, repr=False, compare=False)
    _outer: bytes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Make the keys, once."""
        key = self.rule_id.bytes.ljust(_BLOCK, b"\0")
        object.__setattr__(self, "_inner", key.translate(_INNER_PAD))
        object.__setattr__(self, "_outer", key.translate(_OUTER_PAD))

    def place(self, run_id: UUID) -> int:
        """Where the run with this public id stands for the rule, in [0, ``PLACES``)."""
        digest = sha256(self._outer + sha256(self._inner + run_id.bytes).digest()).digest()
        return int.from_bytes(digest[:7], "big") >> 3

    def takes(self, run_id: UUID) -> bool:
        """Whether the rule takes the run with this public id. Nothing is rounded: the product is exact."""
        return self.place(run_id) < self.share * PLACES

    def place_sql(self, column: str) -> tuple[str, list[Any]]:
        """:meth:`place` as an SQL expression with its parameters; ``column`` holds the run's public id."""
        digest = f"sha256(%s::bytea || sha256(%s::bytea || uuid_send({column})))"
        place = f"(('x' || encode(substring({digest} for 7), 'hex'))::bit(56)::bigint >> 3)"
        return place, [self._outer, self._inner]

    def takes_sql(self, column: str) -> tuple[str, list[Any]]:
        """:meth:`takes` as an SQL condition with its parameters; NULL only where ``column`` is."""
        place, parameters = self.place_sql(column)
        return f"{place} < %s::double precision * {PLACES}", [*parameters, self.share]
