"""NDJSON is read in memory that doesn't grow with the file, nor with its lines."""

import io
import tracemalloc

import pytest

from kindgi.runs.management import ndjson
from kindgi.runs.management.ndjson import batches, lines_of

MEBIBYTE = 1024 * 1024


class Endless(io.RawIOBase):
    """A stream of ``times`` blocks that are never together in memory."""

    def __init__(self, block, times):
        self.block, self.left = block, times

    def readable(self):
        return True

    def readinto(self, buffer):
        if not self.left:
            return 0
        self.left -= 1
        buffer[: len(self.block)] = self.block
        return len(self.block)


def read(text, *, max_bytes):
    return [(line.number, line.text, line.size) for line in lines_of(io.BytesIO(text), max_bytes=max_bytes)]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (b"", []),
        (b"\n\n", []),
        (b"a", [(1, b"a", 1)]),
        (b"a\r\nb\n", [(1, b"a", 3), (2, b"b", 2)]),
        (b"\n a \n\nb", [(2, b" a ", 4), (4, b"b", 1)]),
        (b"1234\n56", [(1, b"1234", 5), (2, b"56", 2)]),
        (b"12345\n6", [(1, None, 6), (2, b"6", 1)]),
        (b"123456789012345\n6\n", [(1, None, 16), (2, b"6", 2)]),
        (b"12345", [(1, None, 5)]),
        (b"12345678", [(1, None, 8)]),
    ],
)
def test_lines_are_numbered_and_what_is_too_long_is_skipped(text, lines):
    assert read(text, max_bytes=4) == lines


def test_the_sizes_of_all_lines_are_the_size_of_the_text():
    text = b"a\n" * 5 + b"x" * 100 + b"\n" + b"b"
    assert sum(size for _, _, size in read(text, max_bytes=7)) == len(text)


def test_batches_hold_so_many_lines_or_so_many_bytes(monkeypatch):
    monkeypatch.setattr(ndjson, "MAX_BATCH_BYTES", 10)
    text = b"1\n2\n3\n4\n" + b"123456\n" * 3
    together = batches(lines_of(io.BytesIO(text), max_bytes=100), count=3)
    assert [[line.text for line in batch] for batch in together] == [
        [b"1", b"2", b"3"],
        [b"4", b"123456", b"123456"],
        [b"123456"],
    ]


@pytest.mark.parametrize("block", [(b'{"id": "' + b"x" * 489 + b'"}\n') * 120, b"x" * 60_000, b"y" * 59_999 + b"\n"])
def test_memory_stays_the_same_however_much_there_is(block):
    stream = io.BufferedReader(Endless(block, 1000), 64 * 1024)
    tracemalloc.start()
    try:
        for _ in batches(lines_of(stream, max_bytes=2 * MEBIBYTE), count=500):
            pass
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * ndjson.MAX_BATCH_BYTES
