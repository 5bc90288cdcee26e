"""What erasing a run takes from its corrections: words, not structure (contract, section 3)."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db import connection

from kindgi.runs.models import Run

# A listed call keeps its tool, which is structure; its args are words. The copies need nothing
# here: they are the run's own content row, whose parts the erasure itself has cleared.
_CORRECTIONS = """
UPDATE corrections_correction
SET should_say = NULL, why = NULL, sorted_reason = NULL, status_note = NULL,
    should_call = (
        SELECT json_agg(json_build_object('tool', call -> 'tool', 'args', '{}'::json) ORDER BY place)::text
        FROM json_array_elements(should_call::json) WITH ORDINALITY AS listed(call, place)
    )
WHERE tenant_id = %s AND run_id = ANY(%s)
"""
_VERDICTS = "UPDATE corrections_verdict SET item_value = NULL WHERE tenant_id = %s AND run_id = ANY(%s)"
_CHANGES = """
UPDATE corrections_correctionchange AS change
SET why = NULL, before = before - 'statusNote', after = after - 'statusNote'
FROM corrections_correction AS correction
WHERE correction.id = change.correction_id AND correction.tenant_id = %s AND correction.run_id = ANY(%s)
"""


def corrections_erase_for_runs(runs: Iterable[Run]) -> None:
    """Erase every text that corrections hold of ``runs``, which are locked; three statements a tenant."""
    by_tenant: dict[UUID, list[UUID]] = {}
    for run in runs:
        by_tenant.setdefault(run.tenant_id, []).append(run.run_id)
    with connection.cursor() as cursor:
        for tenant_id, run_ids in by_tenant.items():
            for statement in (_CORRECTIONS, _VERDICTS, _CHANGES):
                cursor.execute(statement, [tenant_id, run_ids])
