"""Many records at once: one that is bad doesn't lose the rest (contract, section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from msgspec import Raw, Struct

from kindgi.access.callers import Caller
from kindgi.api.errors import ApiError, BadInput
from kindgi.api.jsontext import decode
from kindgi.runs.records import RunRecord, check_run, run_id_of
from kindgi.runs.services.recording import Report, runs_record

MAX_RECORDS = 1000


@dataclass(slots=True)
class Line:
    """One record of an import: where it stood, its id as it was given, and what became of it."""

    number: int
    id: str | None
    report: Report | None
    refused: ApiError | None

    @property
    def outcome(self) -> str:
        """``created``, ``updated``, ``unchanged`` or ``refused``."""
        return (self.report.outcome if self.report else None) or "refused"

    @property
    def refusal(self) -> ApiError | None:
        """Why it was refused, or ``None``."""
        return self.refused or (self.report.refused if self.report else None)


def records_split(body: bytes) -> list[tuple[int, bytes]]:
    """The records of an NDJSON body or of a JSON array, each with its number from 1; raises :class:`BadInput`."""
    if body.lstrip()[:1] == b"[":
        records = [(number, bytes(raw)) for number, raw in enumerate(decode(body, list[Raw]), 1)]
    else:
        records = [(number, line) for number, line in enumerate(body.split(b"\n"), 1) if line.strip()]
    if not records:
        raise BadInput("The body holds no record.")
    if len(records) > MAX_RECORDS:
        raise BadInput(f"An import takes up to {MAX_RECORDS} records.", details={"maxRecords": MAX_RECORDS})
    return records


def runs_import(
    *, caller: Caller, records: Sequence[tuple[int, bytes]], default_project_id: UUID | None = None
) -> list[Line]:
    """Record each of ``records`` (its number, its JSON text); what became of each, in order.

    ``default_project_id`` is for records that name no project, in place of the caller's default.
    """
    lines = [_read(number, text) for number, text in records]
    reports = [line.report for line in lines if line.report is not None]
    runs_record(caller=caller, reports=reports, default_project_id=default_project_id)
    return lines


def _read(number: int, text: bytes) -> Line:
    try:
        record = decode(text, RunRecord)
    except ApiError as refused:
        return Line(number, _id_of(text), None, refused)
    try:
        check_run(record)
        return Line(number, record.id, Report(run_id_of(record.id), record), None)
    except ApiError as refused:
        return Line(number, record.id, None, refused)


class _Named(Struct):
    """Of a record that is refused, what may still tell which it is."""

    id: str


def _id_of(text: bytes) -> str | None:
    """The id that a refused record gives, so that its reporter finds it; ``None`` where it gives none."""
    try:
        return decode(text, _Named).id
    except ApiError:
        return None
