"""Both doors below HTTP: correcting as ``POST /v1/corrections`` does, judging as ``POST /v1/judgments`` does."""

from __future__ import annotations

import json
from typing import Any

from corrections.judgments import JudgmentBody
from corrections.models import DECISIONS_KEY, Correction
from corrections.services.judging import judgment_record
from corrections.services.recording import correction_record
from corrections.submissions import CorrectionBody
from kindgi.access.callers import Caller
from kindgi.api.jsontext import decode


def correct(caller: Caller, run_id: str, **said: Any) -> Correction:
    """Record a correction; a transaction must be open."""
    body = decode(json.dumps({"runId": run_id, **said}).encode(), CorrectionBody)
    return correction_record(caller=caller, body=body)


def judge(caller: Caller, run_id: str, key: str, *, right: bool = True, participant: str = "") -> Correction:
    """Record one verdict through the other door, and return its correction; a transaction must be open."""
    sent: dict[str, Any] = judgment(run_id, key, right=right)
    sent |= {"participantId": participant} if participant else {}
    return judgment_record(caller=caller, body=decode(json.dumps(sent).encode(), JudgmentBody)).correction


def judgment(run_id: str, key: str, *, right: bool = True) -> dict[str, Any]:
    """The body of a judgment of an item, with what the decisions' item needs."""
    expected = {"correction": {"calls": [], "notCalled": ["shop.mail"]}} if key == DECISIONS_KEY else {}
    return {"runId": run_id, "item": {"key": key}, "verdict": "yes" if right else "no", **expected}
