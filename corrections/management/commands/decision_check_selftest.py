"""``manage.py decision_check_selftest``: the check of decisions, tried on runs of one's own."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from django.core.management.base import BaseCommand, CommandError
from msgspec import UNSET

from corrections.decision_check import Made, calls_of
from corrections.mutations import MOST_PLACES, MUTATIONS
from kindgi.api.bodies import MAX_BYTES
from kindgi.api.errors import BadInput
from kindgi.api.jsontext import decode
from kindgi.runs.management.ndjson import TextLine, lines_of
from kindgi.runs.records import RunRecord, check_run

SHOWN = 20
_TOO_LONG = f"A record can have up to {MAX_BYTES:,} bytes."
_ROW = "{:<40} {:<17} {:>8} {:>12} {:>10} {:>15}"


@dataclass(slots=True)
class Tally:
    """What was read, and by mutation how the checks came out; what went wrong is kept to be shown."""

    counts: Counter[str] = field(default_factory=Counter)
    tried: Counter[str] = field(default_factory=Counter)
    otherwise: Counter[str] = field(default_factory=Counter)
    not_applicable: Counter[str] = field(default_factory=Counter)
    shown: list[str] = field(default_factory=list)

    def read(self, line: TextLine) -> None:
        """Try all mutations of a line's run, if it is a completed one with calls."""
        try:
            calls = _completed_calls(line)
        except BadInput as refused:
            self.counts["refused"] += 1
            self._show(f"line {line.number}: {refused.message}")
            return
        self.counts["read"] += 1
        if calls:
            self.counts["with calls"] += 1
            self._try(line.number, calls)

    def _try(self, number: int, calls: list[Made]) -> None:
        for mutation in MUTATIONS:
            verdicts = [case.as_demanded() for case in mutation.cases(calls)]
            self.tried[mutation.name] += len(verdicts)
            self.otherwise[mutation.name] += verdicts.count(False)
            self.not_applicable[mutation.name] += not verdicts
            if False in verdicts:
                self._show(f"line {number}, {mutation.name}: case {verdicts.index(False) + 1} isn't as demanded.")

    def _show(self, problem: str) -> None:
        if len(self.shown) < SHOWN:
            self.shown.append(problem)

    def table(self) -> Iterator[str]:
        """The lines of the report."""
        yield f"{self.counts['read']} runs read, {self.counts['with calls']} of them completed with calls."
        yield _ROW.format("", "demanded", "tried", "as demanded", "otherwise", "not applicable")
        for mutation in MUTATIONS:
            name, tried, otherwise = mutation.name, self.tried[mutation.name], self.otherwise[mutation.name]
            counts = (tried, tried - otherwise, otherwise, self.not_applicable[name])
            yield _ROW.format(name, mutation.demanded, *counts)
        yield f"Tried at every place of a run, at {MOST_PLACES} of more; not applicable: runs without such a place."
        yield from self.shown


class Command(BaseCommand):
    help = (
        "Try the check of decisions on runs of your own, in NDJSON as import_runs takes it. A correction that lists a "
        "run's own calls must pass on them, and on changes of them it must say what is known beforehand. Nothing is "
        "stored. The exit status is 1 when a check came out otherwise, or a line was refused."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="the file, or - for standard input")

    def handle(self, *, file: str, **options: Any) -> None:
        tally = Tally()
        try:
            with _opened(file) as stream:
                for line in lines_of(stream, max_bytes=MAX_BYTES):
                    tally.read(line)
        except OSError as error:
            raise CommandError(str(error)) from error
        for shown in tally.table():
            self.stdout.write(shown)
        if problems := tally.otherwise.total() + tally.counts["refused"]:
            raise CommandError(f"{problems} checks or lines were not as they must be.")


def _completed_calls(line: TextLine) -> list[Made]:
    """The calls of a completed run, else none. Raises :class:`BadInput` for what is no record of a run."""
    if line.text is None:
        raise BadInput(_TOO_LONG)
    record = decode(line.text, RunRecord)
    check_run(record)
    if record.status != "completed" or record.calls is UNSET:
        return []
    return calls_of(bytes(record.calls))


@contextmanager
def _opened(file: str) -> Iterator[IO[bytes]]:
    if file == "-":
        yield sys.stdin.buffer
        return
    with Path(file).open("rb") as stream:
        yield stream
