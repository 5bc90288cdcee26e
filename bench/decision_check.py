"""How long a check of the decisions takes, by what is listed and what was called.

    .venv/bin/python bench/decision_check.py [--times 5]

Prints the fastest and the slowest of several tries, in milliseconds of the processor: of taking the
calls' JSON apart, and of the check itself. 1,000 calls of 100 fields are about what a body of 2 MiB holds.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from corrections.decision_check import Checked, Expected, calls_of, check

LISTED, CALLS, FIELDS = 50, 1000, 100
Args = dict[str, Any]


def shapes() -> list[tuple[str, list[Args], list[Args]]]:
    """Listed calls and calls of one tool, by what they try."""
    chance = random.Random(1)
    names = [f"f{number}" for number in range(FIELDS)]

    def wide(value: Callable[[int], Any]) -> list[Args]:
        return [{name: value(number) for name in names} for number in range(CALLS)]

    same = wide(lambda number: 1)
    few = wide(lambda number: chance.randrange(4))
    words = wide(lambda number: f"id {chance.randrange(10**7)}")
    floats = wide(lambda number: chance.randrange(10**9) / 1000)
    escaped = wide(lambda number: f"é{chance.randrange(10**5)}")
    objects = wide(lambda number: {"i": chance.randrange(10**5)})
    near = [{**args, names[-1]: "other"} for args in words[:LISTED]]
    return [
        ("nothing listed of them: {}", [{}] * LISTED, words),
        ("one field listed", [{names[0]: args[names[0]]} for args in words[-LISTED:]], words),
        ("all fields, each call like each", same[:LISTED], same),
        ("all fields, of four values", few[-LISTED:], few),
        ("all fields, strings", words[-LISTED:], words),
        ("all fields, escaped strings", escaped[-LISTED:], escaped),
        ("all fields, numbers", floats[-LISTED:], floats),
        ("all fields, objects", objects[-LISTED:], objects),
        ("all unmet by one field", near, words),
        ("100 fields each, no two alike", _apart(), words),
        ("a chain: each wants two", [{"a": chance.choice([n, n + 1])} for n in range(LISTED)], _chain()),
        ("75,000 small calls", [{"a": number} for number in range(LISTED)], [{"a": 7}] * 75_000),
    ]


def _apart() -> list[Args]:
    return [{f"x{row}_{number}": number for number in range(FIELDS)} for row in range(LISTED)]


def _chain() -> list[Args]:
    return [{"a": number % LISTED} for number in range(CALLS)]


def text_of(calls: list[Args]) -> str:
    """The JSON text of calls of one tool."""
    return json.dumps([{"tool": "orders.lookup", "args": args} for args in calls])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=5)
    times = parser.parse_args().times
    print(f"{'shape':34} {'MiB':>5} {'read: min':>10} {'max':>7} {'check: min':>11} {'max':>7}  unmet extra")
    for name, listed, calls in shapes():
        span = text_of(calls).encode()
        expected = Expected.of(should_call=text_of(listed), must_not_call=None)
        read = [_ms(lambda span=span: calls_of(span))[0] for _ in range(times)]
        made = calls_of(span)
        tries = [_ms(lambda expected=expected, made=made: check(expected, made)) for _ in range(times)]
        took = [ms for ms, _ in tries]
        checked: Checked = tries[0][1]
        print(
            f"{name:34} {len(span) / 2**20:5.2f} {min(read):10.1f} {max(read):7.1f} {min(took):11.1f} {max(took):7.1f}"
            f"  {len(checked.unmet):5} {len(checked.extra):5}"
        )


def _ms(work: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.process_time()
    done = work()
    return (time.process_time() - begun) * 1000, done


if __name__ == "__main__":
    main()
