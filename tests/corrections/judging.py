"""Both doors below HTTP: correcting as ``POST /v1/corrections`` does, judging as ``POST /v1/judgments`` will."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from corrections.models import Correction, Door, Status
from corrections.selectors import live_verdicts
from corrections.services import recording
from corrections.submissions import CorrectionBody
from kindgi.access.callers import Caller
from kindgi.api.ids import new_id
from kindgi.api.jsontext import decode
from kindgi.api.times import now
from kindgi.runs.selectors import run_lock_for_correction


def correct(caller: Caller, run_id: str, **said: Any) -> Correction:
    """Record a correction; a transaction must be open."""
    body = decode(json.dumps({"runId": run_id, **said}).encode(), CorrectionBody)
    return recording.correction_record(caller=caller, body=body)


def judge(caller: Caller, run_id: str, key: str, *, right: bool = True, participant: str = "") -> Correction:
    """Record one verdict through the other door: it supersedes the caller's live verdict on the same item only."""
    run = run_lock_for_correction(caller=caller, run_id=run_id)
    at = now()
    correction = Correction(
        id=new_id(), created_at=at, updated_at=at, tenant_id=caller.tenant_id, project_id=run.project_id,
        run_id=UUID(run_id), subject_kind="agent", subject_id=run.agent_id, subject_version=run.agent_version,
        door=Door.JUDGMENTS, made_by_kind=caller.kind, made_by_id=caller.id, participant_id=participant,
        status=Status.OPEN,
    )  # fmt: skip
    verdict = recording.verdict_of(correction, position=0, item_key=key, right=right)
    live = live_verdicts(caller=caller, run_id=run.run_id, participant_id=participant)
    gone = [old for old in live if old.item_key == key]
    recording.supersede(caller=caller, correction=correction, live=live, gone=gone, successors={key: verdict.pk})
    recording._store(correction, [verdict], run)
    return correction
