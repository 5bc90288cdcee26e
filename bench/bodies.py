"""How long a 2 MiB body costs before anything is done with it, by its shape.

    .venv/bin/python bench/bodies.py [--times 5]

Prints the fastest and the slowest of several tries in milliseconds; each must stay under 200 ms.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import msgspec

from kindgi.api.bodies import MAX_BYTES
from kindgi.api.errors import BadInput
from kindgi.api.jsontext import check_depth, decode
from kindgi.api.operations import Body

AIM_MS = 200


class Content(Body):
    """A body that is all content."""

    content: msgspec.Raw


def nested(levels: int) -> bytes:
    """An array in an array, so many levels deep."""
    return b"[" * levels + b"]" * levels


def shapes(size: int) -> list[tuple[str, bytes]]:
    """Bodies of about ``size`` bytes, by what they try."""
    inside = size - len(b'{"content":}')
    listed = {
        "arrays in a row: [],[],…": _row(b"[]", inside),
        "objects in a row": _row(b'{"a":{"b":1}}', inside),
        "chains of 127": _row(nested(126), inside),
        "chains of 128, one too deep": _row(nested(128), inside),
        "one chain, a million deep": nested(inside // 2),
        "deep and flat in turn": _row(nested(126) + b",[]", inside),
        "a staircase": _row(b",".join(nested(levels) for levels in range(1, 127)), inside),
        "empty strings": _row(b'""', inside),
        "strings of brackets": _row(b'"[{"', inside),
        "brackets and strings in turn": _row(b'[],"]"', inside),
        "escaped quotes": b'["' + b'\\"' * ((inside - 4) // 2) + b'"]',
        "escaped backslashes": b'["' + b"\\\\" * ((inside - 4) // 2) + b'"]',
        "one long string": b'"' + b"a" * (inside - 2) + b'"',
        "NULs, escaped": _row(b'"\\u0000"', inside),
        "numbers": _row(b"1e400", inside),
    }
    found = [(name, b'{"content":' + content + b"}") for name, content in listed.items()]
    broken = {
        "only openings: [[[[…": b"[" * size,
        "only closings: ]]]]…": b"]" * size,
        "closings first: ][][…": b"][" * (size // 2),
        "quotes without an end": b'"[' * (size // 2),
        "curly in square: [}[}…": b"[}" * (size // 2),
        "openings of objects": b'{"a":' * (size // 5),
    }
    return found + list(broken.items())


def _row(piece: bytes, size: int) -> bytes:
    """An array of as many ``piece`` as go into ``size`` bytes."""
    times = (size - 1) // (len(piece) + 1)
    return b"[" + b",".join([piece] * times) + b"]"


def main() -> int:
    """Print the table; the exit status says whether any shape costs too much."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=5)
    times = parser.parse_args().times
    print(f"{'shape':32} {'MiB':>5} {'depth':>7} {'all: min':>9} {'max':>7}  answer")
    worst = 0.0
    for name, body in shapes(MAX_BYTES):
        depth_ms = min(_measured(check_depth, body)[0] for _ in range(times))
        tries = [_measured(lambda body: decode(body, Content), body) for _ in range(times)]
        took = [ms for ms, _ in tries]
        worst = max(worst, min(took))
        mebibytes = len(body) / 2**20
        print(f"{name:32} {mebibytes:5.2f} {depth_ms:7.1f} {min(took):9.1f} {max(took):7.1f}  {tries[0][1]}")
    print(f"The slowest takes {worst:.0f} ms; the aim is under {AIM_MS} ms.")
    return int(worst >= AIM_MS)


def _measured(work: object, body: bytes) -> tuple[float, str]:
    begun = time.perf_counter()
    try:
        work(body)  # type: ignore[operator]
        answer = "read"
    except BadInput as refused:
        answer = refused.message
    return (time.perf_counter() - begun) * 1000, answer


if __name__ == "__main__":
    sys.exit(main())
