"""What the corrections app tells the apps above it, in the transaction in which it happens."""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID

from kindgi.runs.hooks import Hook


class CorrectedRun(NamedTuple):
    """A run of which the live verdicts have changed; ``actor`` is who changed them, as ``user:<id>`` or the like."""

    tenant_id: UUID
    run_id: UUID
    actor: str


run_corrected: Hook[CorrectedRun] = Hook()
"""Runs of which verdicts came or went, after the rows have it; the runs that are still there are locked."""
