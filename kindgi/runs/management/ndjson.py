"""NDJSON of any size, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO

MAX_BATCH_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line that isn't blank, by its number from 1; ``text`` is ``None`` when it is longer than allowed."""

    number: int
    text: bytes | None
    size: int


def lines_of(stream: IO[bytes], *, max_bytes: int) -> Iterator[TextLine]:
    """The lines of ``stream``; of one that is too long, never more than ``max_bytes`` are in memory at once."""
    number = 0
    while text := stream.readline(max_bytes + 1):
        number += 1
        size = len(text)
        if size > max_bytes and not text.endswith(b"\n"):
            size += _skip(stream, max_bytes)
            yield TextLine(number, None, size)
        elif text.strip():
            yield TextLine(number, text.strip(b"\r\n"), size)


def _skip(stream: IO[bytes], max_bytes: int) -> int:
    """Read to the end of the line; how many bytes that were."""
    skipped = 0
    while rest := stream.readline(max_bytes):
        skipped += len(rest)
        if rest.endswith(b"\n"):
            break
    return skipped


def batches(lines: Iterable[TextLine], *, count: int) -> Iterator[list[TextLine]]:
    """Up to ``count`` lines together, and fewer of long ones, so that memory stays bounded."""
    batch: list[TextLine] = []
    held = 0
    for line in lines:
        batch.append(line)
        held += len(line.text or b"")
        if len(batch) == count or held >= MAX_BATCH_BYTES:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch
