"""``manage.py import_runs``: the records that ``POST /v1/runs/import`` takes, from a file or a pipe of any size."""

from __future__ import annotations

import os
import stat
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from tqdm import tqdm

from kindgi.access.callers import Caller, operator_in
from kindgi.access.models import Project, Tenant
from kindgi.api.bodies import MAX_BYTES
from kindgi.api.errors import ApiError, BadInput
from kindgi.api.jsontext import encode
from kindgi.runs.management.agents_file import agents_read, agents_register
from kindgi.runs.management.ndjson import TextLine, batches, lines_of
from kindgi.runs.services.importing import MAX_RECORDS, Line, runs_import

OUTCOMES = ("created", "updated", "unchanged", "refused")
SHOWN = 20
INTERRUPTED = 130

_TOO_LONG = f"A record can have up to {MAX_BYTES:,} bytes."


@dataclass(slots=True)
class Tally:
    """What became of the lines so far; the first refused ones are kept to be shown, all go to ``refused_file``."""

    refused_file: IO[bytes] | None = None
    counts: Counter[str] = field(default_factory=Counter)
    shown: list[str] = field(default_factory=list)

    def add(self, line: Line) -> None:
        """Count a line."""
        self.counts[line.outcome] += 1
        refusal = line.refusal
        if refusal is None:
            return
        if len(self.shown) < SHOWN:
            self.shown.append(f"  line {line.number}, {line.id or 'no id'}: {refusal.message} ({refusal.code})")
        if self.refused_file is not None:
            named = {} if line.id is None else {"id": line.id}
            entry = {"line": line.number, **named, "error": {"code": refusal.code, "message": refusal.message}}
            self.refused_file.write(encode(entry) + b"\n")


class Command(BaseCommand):
    help = (
        "Import runs from NDJSON, one record a line, in transactions of a batch each. Importing the same file again "
        "changes nothing. The exit status is 1 when lines were refused."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="the file, or - for standard input")
        parser.add_argument("--tenant", metavar="SLUG", help="whose runs they are (default: the oldest tenant's)")
        parser.add_argument(
            "--project", metavar="SLUG", help="for records without projectId (default: the tenant's default project)"
        )
        parser.add_argument("--agents", metavar="FILE", help='first register the versions and tools in {"agents": […]}')
        parser.add_argument("--batch", metavar="N", type=int, default=500, help="records a transaction (default: 500)")
        parser.add_argument("--refused", metavar="FILE", help="write all refused lines there, as NDJSON")

    def handle(self, *, file: str, batch: int, agents: str | None, refused: str | None, **options: Any) -> None:
        if not 1 <= batch <= MAX_RECORDS:
            raise CommandError(f"--batch takes 1 to {MAX_RECORDS}.")
        try:
            caller, project = self._target(options["tenant"], options["project"])
            if agents is not None:
                self._register(caller, Path(agents))
            with ExitStack() as stack:
                tally = Tally(stack.enter_context(Path(refused).open("wb")) if refused else None)
                stream = stack.enter_context(_opened(file))
                self._import(caller, project, _shown(stream, options["verbosity"], batch), tally)
        except OSError as error:
            raise CommandError(str(error)) from error
        except ApiError as error:
            raise CommandError(error.message) from error

    def _target(self, tenant_slug: str | None, project_slug: str | None) -> tuple[Caller, Project | None]:
        """Who imports, and where to; which tenant was taken by default is said."""
        tenants = Tenant.objects.order_by("created_at", "id")
        tenant = (tenants if tenant_slug is None else tenants.filter(slug=tenant_slug)).first()
        if tenant is None:
            known = f"There's no tenant {tenant_slug!r}." if tenant_slug else "There's no tenant yet: make one first."
            raise CommandError(known)
        if tenant_slug is None:
            self.stderr.write(f"Importing for the tenant {tenant.slug}.")
        if project_slug is None:
            return operator_in(tenant.pk), None
        project = Project.objects.filter(tenant=tenant, slug=project_slug).first()
        if project is None:
            raise CommandError(f"The tenant {tenant.slug} has no project {project_slug!r}.")
        return operator_in(tenant.pk), project

    def _register(self, caller: Caller, path: Path) -> None:
        with transaction.atomic():
            registered, new = agents_register(caller=caller, file=agents_read(path))
        self.stdout.write(f"Agents' versions: {registered} registered, {new} of them new.")

    def _import(self, caller: Caller, project: Project | None, read: Iterator[list[TextLine]], tally: Tally) -> None:
        try:
            for together in read:
                for line in _batch_import(caller, project, together):
                    tally.add(line)
        except KeyboardInterrupt:
            self.stderr.write("\nInterrupted: what is counted here is in. Import the file again to go on.")
            raise SystemExit(INTERRUPTED) from None
        finally:
            self._report(tally)
        if tally.counts["refused"]:
            raise CommandError(f"{tally.counts['refused']} lines were refused.")

    def _report(self, tally: Tally) -> None:
        self.stdout.write("Runs: " + ", ".join(f"{tally.counts[outcome]} {outcome}" for outcome in OUTCOMES) + ".")
        for shown in tally.shown:
            self.stdout.write(shown)
        if more := tally.counts["refused"] - len(tally.shown):
            self.stdout.write(f"  … and {more} more.")


def _batch_import(caller: Caller, project: Project | None, lines: list[TextLine]) -> list[Line]:
    """What became of each line, in order, in a transaction of its own."""
    records = [(line.number, line.text) for line in lines if line.text is not None]
    too_long = [Line(line.number, None, None, BadInput(_TOO_LONG)) for line in lines if line.text is None]
    with transaction.atomic():
        done = runs_import(caller=caller, records=records, default_project_id=project.pk if project else None)
    return sorted([*done, *too_long], key=lambda line: line.number)


def _shown(stream: IO[bytes], verbosity: int, count: int) -> Iterator[list[TextLine]]:
    """The stream's batches, with a bar that moves when a batch is done: by bytes of how many, where that is known."""
    size = _size(stream)
    unit: dict[str, Any] = {"unit": "B", "unit_scale": True, "unit_divisor": 1024} if size else {"unit": " runs"}
    with tqdm(total=size, file=sys.stderr, desc="Importing", mininterval=0.5, disable=verbosity == 0, **unit) as bar:
        for batch in batches(lines_of(stream, max_bytes=MAX_BYTES), count=count):
            yield batch
            bar.update(sum(line.size for line in batch) if size else len(batch))


def _size(stream: IO[bytes]) -> int | None:
    """How many bytes are left to read, where the stream is a file."""
    try:
        status = os.fstat(stream.fileno())
    except OSError:
        return None
    return status.st_size - stream.tell() if stat.S_ISREG(status.st_mode) else None


@contextmanager
def _opened(file: str) -> Iterator[IO[bytes]]:
    if file == "-":
        yield sys.stdin.buffer
        return
    with Path(file).open("rb") as stream:
        yield stream
