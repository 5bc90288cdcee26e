"""What the parts of improve tell each other, in the transaction in which it happens."""

from __future__ import annotations

from improve.models import ReplayJob
from kindgi.runs.hooks import Hook

job_ended: Hook[ReplayJob] = Hook()
"""Jobs that are over, with their rows locked: done, failed or cancelled. What rests on their replays is settled now."""
