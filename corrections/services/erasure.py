"""What erasing a run takes from its corrections: words, not structure (contract, section 3)."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db import connection

from corrections.models import Correction
from corrections.submissions import calls_without_args
from kindgi.rows import update
from kindgi.runs.models import Run

# A link to one of ours is an id, and stays; a pull request's address is somebody's text.
# The copies need nothing here: they are the run's own content row, whose parts the erasure itself has cleared.
_CORRECTIONS = """
UPDATE corrections_correction SET should_say = NULL, why = NULL, sorted_reason = NULL, status_note = NULL,
    link = CASE WHEN link ->> 'kind' <> 'pull-request' THEN link END
WHERE tenant_id = %s AND run_id = ANY(%s)
"""
_VERDICTS = "UPDATE corrections_verdict SET item_value = NULL WHERE tenant_id = %s AND run_id = ANY(%s)"
_CHANGES = """
UPDATE corrections_correctionchange AS change
SET why = NULL,
    before = before - 'statusNote' - CASE before #>> '{link,kind}' WHEN 'pull-request' THEN 'link' ELSE '' END,
    after = after - 'statusNote' - CASE after #>> '{link,kind}' WHEN 'pull-request' THEN 'link' ELSE '' END
FROM corrections_correction AS correction
WHERE correction.id = change.correction_id AND correction.tenant_id = %s AND correction.run_id = ANY(%s)
"""


def corrections_erase_for_runs(runs: Iterable[Run]) -> None:
    """Erase every text that corrections hold of ``runs``, which are locked; five statements a tenant."""
    by_tenant: dict[UUID, list[UUID]] = {}
    for run in runs:
        by_tenant.setdefault(run.tenant_id, []).append(run.run_id)
    for tenant_id, run_ids in by_tenant.items():
        with connection.cursor() as cursor:
            for statement in (_CORRECTIONS, _VERDICTS, _CHANGES):
                cursor.execute(statement, [tenant_id, run_ids])
        _erase_args(tenant_id, run_ids)


def _erase_args(tenant_id: UUID, run_ids: list[UUID]) -> None:
    """A listed call keeps its tool, which is structure; its args are words.

    Taken apart here and not by PostgreSQL, whose JSON functions refuse NULs and lone surrogates.
    """
    listing = Correction.objects.filter(tenant_id=tenant_id, run_id__in=run_ids, should_call__isnull=False)
    corrections = list(listing.only("should_call"))
    for correction in corrections:
        correction.should_call = calls_without_args(correction.should_call or "[]")
    update(corrections, ["should_call"])
