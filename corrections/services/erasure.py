"""What an erasure takes from corrections: words, not structure (contract, section 3; locks in docs/concurrency.md).

A run's corrections, its copy and its replays lose their words with it. Of a run that retention
has purged the copy remembers that: its content row holds nothing, which is otherwise never so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any
from uuid import UUID

from corrections.models import Correction, RunCopy
from corrections.submissions import calls_without_args
from kindgi.api.ids import new_id
from kindgi.api.times import now
from kindgi.rows import fresh, insert, update
from kindgi.runs.hooks import GoneRun, Participant
from kindgi.runs.models import Run, RunContent
from kindgi.runs.services.erasure import contents_clear
from kindgi.sql import execute, fetch

_LOCK_OF_RUNS = """
SELECT id, should_call FROM corrections_correction
WHERE tenant_id = %s AND run_id = ANY(%s) ORDER BY run_id, id FOR NO KEY UPDATE
"""
# The last condition on the participant is that of the index.
_LOCK_OF_PARTICIPANT = """
SELECT id, should_call FROM corrections_correction
WHERE id IN (
    SELECT id FROM corrections_correction
    WHERE tenant_id = %s AND md5(participant_id) = md5(%s) AND participant_id = %s AND participant_id <> ''
      AND project_id = %s
    UNION SELECT id FROM corrections_correction WHERE tenant_id = %s AND run_id = ANY(%s))
ORDER BY run_id, id FOR NO KEY UPDATE
"""
# A link to one of ours is an id, and stays; a pull request's address is somebody's text.
_CORRECTIONS = """
UPDATE corrections_correction SET should_say = NULL, why = NULL, sorted_reason = NULL, status_note = NULL,
    link = CASE WHEN link ->> 'kind' <> 'pull-request' THEN link END
WHERE id = ANY(%s) AND (should_say IS NOT NULL OR why IS NOT NULL OR sorted_reason IS NOT NULL
    OR status_note IS NOT NULL OR link ->> 'kind' = 'pull-request')
RETURNING id
"""
_CHANGES = """
UPDATE corrections_correctionchange
SET why = NULL,
    before = before - 'statusNote' - CASE before #>> '{link,kind}' WHEN 'pull-request' THEN 'link' ELSE '' END,
    after = after - 'statusNote' - CASE after #>> '{link,kind}' WHEN 'pull-request' THEN 'link' ELSE '' END
WHERE correction_id = ANY(%s) AND (why IS NOT NULL OR before ? 'statusNote' OR after ? 'statusNote'
    OR before #>> '{link,kind}' = 'pull-request' OR after #>> '{link,kind}' = 'pull-request')
RETURNING correction_id
"""
# By their corrections, which have indexes: those of verdicts are of live ones, or by time.
_VERDICTS = """
UPDATE corrections_verdict SET item_value = NULL
WHERE item_value IS NOT NULL
  AND correction_id IN (SELECT id FROM corrections_correction WHERE tenant_id = %s AND run_id = ANY(%s))
RETURNING correction_id
"""
_REPLAYS = """
UPDATE corrections_replay SET calls = NULL, output = NULL
WHERE tenant_id = %s AND run_id = ANY(%s) AND (calls IS NOT NULL OR output IS NOT NULL)
"""
_COPIES = "SELECT id, content_id FROM corrections_runcopy WHERE tenant_id = %s AND run_id = ANY(%s)"
_EMPTY = "content.input IS NULL AND content.output IS NULL AND content.calls IS NULL"
_ERASED = f"""
SELECT copy.run_id FROM corrections_runcopy AS copy JOIN runs_runcontent AS content ON content.id = copy.content_id
WHERE copy.tenant_id = %s AND copy.run_id = ANY(%s) AND {_EMPTY}
"""  # noqa: S608 - ours
_COPIED_OF_PARTICIPANT = f"""
SELECT copy.run_id FROM corrections_runcopy AS copy
JOIN corrections_correction AS first ON first.id = copy.correction_id
LEFT JOIN runs_runcontent AS content ON content.id = copy.content_id
WHERE copy.tenant_id = %s AND md5(copy.participant_id) = md5(%s) AND copy.participant_id = %s
  AND copy.participant_id <> '' AND first.project_id = %s AND (content.id IS NULL OR NOT ({_EMPTY}))
"""  # noqa: S608 - ours
_CORRECTED_FOR_PARTICIPANT = """
SELECT run_id FROM corrections_correction
WHERE tenant_id = %s AND md5(participant_id) = md5(%s) AND participant_id = %s AND participant_id <> ''
  AND project_id = %s
"""
_PROJECTS_OF_RUNS = """
SELECT DISTINCT run_id, project_id FROM corrections_correction WHERE tenant_id = %s AND run_id = ANY(%s)
"""


def corrections_erase_for_runs(runs: Iterable[Run]) -> Counter[str]:
    """Erase every text that corrections hold of ``runs``, which are locked; how many held any, by kind."""
    return _erase_of_runs((run.tenant_id, run.run_id) for run in runs)


def corrections_erase_for_gone_runs(gone: Iterable[GoneRun]) -> Counter[str]:
    """The same of runs that retention has purged."""
    return _erase_of_runs((one.tenant_id, one.run_id) for one in gone)


def corrections_erase_for_participants(participants: Iterable[Participant]) -> Counter[str]:
    """Erase what was corrected for participants, and what is left of runs of theirs that retention has purged.

    Their runs are erased already. Of other people's runs, nothing is theirs but the corrections' own words.
    """
    taken: Counter[str] = Counter()
    for whose in participants:
        purged = [run_id for (run_id,) in fetch(_COPIED_OF_PARTICIPANT, _named(whose))]
        locked = fetch(_LOCK_OF_PARTICIPANT, [*_named(whose), whose.tenant_id, purged])
        taken += _erase(whose.tenant_id, purged, locked)
    return taken


def runs_named_by_participants(participants: Iterable[Participant]) -> set[UUID]:
    """The public ids of the runs, purged ones too, about which words are kept that are a participant's."""
    statements = (_CORRECTED_FOR_PARTICIPANT, _COPIED_OF_PARTICIPANT)
    return {row[0] for whose in participants for statement in statements for row in fetch(statement, _named(whose))}


def projects_of_gone_runs(gone: Iterable[GoneRun]) -> dict[UUID, UUID]:
    """The projects of the runs that were corrected, by their public ids; one statement a tenant."""
    projects: dict[UUID, UUID] = {}
    for tenant_id, run_ids in _by_tenant(gone).items():
        projects |= dict(fetch(_PROJECTS_OF_RUNS, [tenant_id, run_ids]))
    return projects


def runs_erased(*, tenant_id: UUID, run_ids: Collection[UUID]) -> set[UUID]:
    """Those of corrected runs whose copies were erased: nothing is written about them any more, once they are purged.

    Ask with a correction of the run locked: an erasure that is under way has it locked too.
    """
    return {run_id for (run_id,) in fetch(_ERASED, [tenant_id, list(run_ids)])}


def _named(whose: Participant) -> list[Any]:
    return [whose.tenant_id, whose.participant_id, whose.participant_id, whose.project_id]


def _by_tenant(runs: Iterable[tuple[UUID, UUID]]) -> dict[UUID, list[UUID]]:
    by_tenant: dict[UUID, list[UUID]] = {}
    for tenant_id, run_id in runs:
        by_tenant.setdefault(tenant_id, []).append(run_id)
    return by_tenant


def _erase_of_runs(runs: Iterable[tuple[UUID, UUID]]) -> Counter[str]:
    taken: Counter[str] = Counter()
    for tenant_id, run_ids in _by_tenant(runs).items():
        taken += _erase(tenant_id, run_ids, fetch(_LOCK_OF_RUNS, [tenant_id, run_ids]))
    return taken


def _erase(tenant_id: UUID, run_ids: list[UUID], locked: Sequence[tuple[Any, ...]]) -> Counter[str]:
    """All words of the ``locked`` corrections, and all else that is kept of the runs; a fixed number of statements."""
    ids = [row[0] for row in locked]
    said = {row[0] for statement in (_CORRECTIONS, _CHANGES) for row in fetch(statement, [ids])}
    said |= _erase_args(locked)
    said |= {row[0] for row in fetch(_VERDICTS, [tenant_id, run_ids])}
    replays = execute(_REPLAYS, [tenant_id, run_ids])
    return Counter(corrections=len(said), copies=_erase_copies(tenant_id, run_ids), replays=replays)


def _erase_args(locked: Sequence[tuple[Any, ...]]) -> set[UUID]:
    """A listed call keeps its tool, which is structure; its args are words. The corrections that had any.

    They are marked: without its args a listed call would match any, and nothing must be fixed by that.
    Taken apart here and not by PostgreSQL, whose JSON functions refuse NULs and lone surrogates.
    """
    corrections, at = [], now()
    for pk, text in locked:
        bare = None if text is None else calls_without_args(text)
        if bare != text:
            corrections.append(fresh(Correction, id=pk, should_call=bare, args_erased_at=at))
    update(corrections, ["should_call", "args_erased_at"])
    return {correction.pk for correction in corrections}


def _erase_copies(tenant_id: UUID, run_ids: list[UUID]) -> int:
    """Empty the copies; how many held anything. One of a run without content gets an empty row to be known by."""
    copies = fetch(_COPIES, [tenant_id, run_ids])
    contents = {copy_id: fresh(RunContent, id=new_id()) for copy_id, content_id in copies if content_id is None}
    if contents:
        insert(list(contents.values()))
        marked = [fresh(RunCopy, id=copy_id, content_id=content.pk) for copy_id, content in contents.items()]
        update(marked, ["content_id"])
    return contents_clear(content_id for _, content_id in copies if content_id is not None)
