"""Checking the decisions of a replay against what a correction says of them (contract, section 4). Changes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from corrections.decision_check import Checked, Expected, Made, check
from corrections.models import DECISIONS_KEY, Correction
from corrections.selectors import correction_get
from kindgi.access.callers import Caller
from kindgi.runs.errors import RunErased
from kindgi.sql import fetch

# An erasure writes to each correction of its run. So it either waits for the answer, and then withholds it where it
# was kept for a key, or it is seen here.
_EXPECTED = (
    "SELECT should_call, must_not_call, args_erased_at IS NOT NULL FROM corrections_correction WHERE id = %s FOR SHARE"
)
# A purged run took its own mark with it; of an erased one the copy's parts are gone.
_ERASED = """
SELECT coalesce(
    (SELECT run.content_erased_at IS NOT NULL FROM runs_run AS run WHERE run.tenant_id = %s AND run.run_id = %s),
    (SELECT content.input IS NULL AND content.output IS NULL AND content.calls IS NULL
     FROM corrections_runcopy AS copy JOIN runs_runcontent AS content ON content.id = copy.content_id
     WHERE copy.tenant_id = %s AND copy.run_id = %s),
    FALSE)
"""


def correction_check(*, caller: Caller, correction_id: str, calls: Sequence[Made]) -> tuple[Correction, Checked]:
    """The correction, removed and superseded ones too, and how ``calls`` compare with what it says.

    Raises ``CorrectionNotFound``, and ``RunErased`` where the arguments that it listed are gone.
    """
    correction = correction_get(caller=caller, correction_id=correction_id)
    ((should_call, must_not_call, args_erased),) = fetch(_EXPECTED, [correction.pk])
    ((erased,),) = fetch(_ERASED, [correction.tenant_id, correction.run_id] * 2)
    if args_erased and not erased:
        raise RunErased("The arguments that this correction listed were erased; there's nothing to check against.")
    if erased:
        raise RunErased(f'The content of run "{correction.run_id}" was erased; there\'s nothing to check against.')
    expected = Expected()
    if _says_decisions(correction):
        expected = Expected.of(should_call=should_call, must_not_call=must_not_call)
    return correction, check(expected, calls)


def _says_decisions(correction: Correction) -> bool:
    """Whether it says anything of the decisions that still counts; one that is gone, whether it did."""
    said = [verdict for verdict in correction.verdicts.all() if verdict.item_key == DECISIONS_KEY]
    return any(verdict.unregistered_at is None for verdict in said) or (bool(said) and not correction.live)
