"""Recording a judgment: one verdict, through the door of its own (contract, sections 1 and 4)."""

from __future__ import annotations

from corrections.judgments import JudgmentBody, judgment_said
from corrections.models import Verdict
from corrections.services.recording import said_record
from kindgi.access.callers import Caller


def judgment_record(*, caller: Caller, body: JudgmentBody) -> Verdict:
    """Record ``body`` as a correction of one verdict; the verdict, with its correction and its reason.

    It supersedes the caller's live verdict on the same item alone. Raises ``BadInput`` for its
    shape, and what :func:`said_record` raises.
    """
    correction = said_record(caller=caller, said=judgment_said(body))
    (verdict,) = correction.verdicts.all()
    verdict.correction, verdict.reason = correction, correction.why  # type: ignore[attr-defined]
    return verdict
