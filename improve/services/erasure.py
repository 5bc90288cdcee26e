"""What an erasure takes from test sets and replays: words, not structure (contract, section 3; docs/concurrency.md).

A test case whose run's words are erased is left out of evaluations from then on, whoever's they
were. What was replayed of the run goes too, and the runs that were made of such answers; erasing one
of these erases the replays that answered the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from uuid import UUID, uuid5

from corrections.services.erasure import runs_named_by_participants
from improve.models import CaseReplay, TestCase
from improve.scoring import Replayed
from kindgi.api.times import now
from kindgi.runs.content import unpack
from kindgi.runs.hooks import GoneRun, Participant
from kindgi.runs.models import Run
from kindgi.runs.services.erasure import derived_erase
from kindgi.sql import fetch

_REPLAYS = "SELECT id FROM improve_casereplay WHERE tenant_id = %s AND run_id = ANY(%s) AND erased_at IS NULL"
_WORDS = """
WITH cases AS (
    UPDATE improve_testcase SET judged = NULL, erased_at = %s
    WHERE tenant_id = %s AND run_id = ANY(%s) AND erased_at IS NULL RETURNING id
), replays AS (
    UPDATE improve_casereplay SET calls = NULL, output = NULL, detail = '', erased_at = %s
    WHERE tenant_id = %s AND (run_id = ANY(%s) OR id = ANY(%s)) AND erased_at IS NULL RETURNING id
)
SELECT (SELECT count(*) FROM cases), (SELECT count(*) FROM replays)
"""
# The answers to what a run that was sent is an answer to, by the same job.
_BESIDE_SENT = """
SELECT DISTINCT ON (replay.id) replay.id, replay.job_id, replay.run_id, replay.output, replay.calls
FROM improve_caseresult AS result
JOIN improve_evaluation AS evaluation ON evaluation.id = result.evaluation_id
JOIN improve_testcase AS one ON one.id = result.case_id
JOIN improve_casereplay AS replay
  ON replay.tenant_id = one.tenant_id AND replay.run_id = one.run_id AND replay.job_id = evaluation.job_id
WHERE result.sent_run_ids && %s::uuid[] AND result.sent_run_ids <> '{}' AND one.tenant_id = %s
  AND replay.output IS NOT NULL
"""
# Purged runs of theirs. Their copies are empty by now, so that nobody else names them any more.
_COPIED_OF_PARTICIPANT = """
SELECT copy.run_id FROM corrections_runcopy AS copy
JOIN corrections_correction AS first ON first.id = copy.correction_id
WHERE copy.tenant_id = %s AND md5(copy.participant_id) = md5(%s) AND copy.participant_id = %s
  AND copy.participant_id <> '' AND first.project_id = %s
"""


def words_erase_for_runs(runs: Iterable[Run]) -> Counter[str]:
    """Erase what is kept of ``runs``, which are locked; how many copies and replays that were."""
    return _erase_each((run.tenant_id, run.run_id) for run in runs)


def words_erase_for_gone_runs(gone: Iterable[GoneRun]) -> Counter[str]:
    """The same of runs that retention has purged."""
    return _erase_each((one.tenant_id, one.run_id) for one in gone)


def words_erase_for_participants(participants: Iterable[Participant]) -> Counter[str]:
    """The same of the runs about which anything was said for participants, or which were theirs."""
    taken: Counter[str] = Counter()
    for whose in participants:
        named = [whose.tenant_id, whose.participant_id, whose.participant_id, whose.project_id]
        theirs = {run_id for (run_id,) in fetch(_COPIED_OF_PARTICIPANT, named)}
        taken += _erase(whose.tenant_id, sorted(theirs | runs_named_by_participants([whose])))
    return taken


def contents_in_use(content_ids: Sequence[UUID]) -> set[UUID]:
    """Those of the runs' content rows that test cases and replays still need; one statement."""
    cases = TestCase.objects.filter(content_id__in=content_ids).order_by().values_list("content_id", flat=True)
    replays = CaseReplay.objects.filter(content_id__in=content_ids).order_by().values_list("content_id", flat=True)
    return {content_id for content_id in cases.union(replays) if content_id is not None}


def run_id_sent(replay_id: UUID) -> UUID:
    """The id of the run that is made of a replay's answer, where one is: the same each time."""
    return uuid5(replay_id, "answer")


def _erase_each(runs: Iterable[tuple[UUID, UUID]]) -> Counter[str]:
    by_tenant: dict[UUID, list[UUID]] = {}
    for tenant_id, run_id in runs:
        by_tenant.setdefault(tenant_id, []).append(run_id)
    taken: Counter[str] = Counter()
    for tenant_id, run_ids in by_tenant.items():
        taken += _erase(tenant_id, run_ids)
    return taken


def _erase(tenant_id: UUID, run_ids: list[UUID]) -> Counter[str]:
    """Runs that were made of answers go before the answers: who erases such a run has locked it, and comes to these."""
    replays = [replay_id for (replay_id,) in fetch(_REPLAYS, [tenant_id, run_ids])]
    taken = derived_erase(tenant_id=tenant_id, run_ids=[run_id_sent(replay_id) for replay_id in replays])
    of_runs = [now(), tenant_id, run_ids]
    ((copies, gone),) = fetch(_WORDS, [*of_runs, *of_runs, sorted(_made_into(tenant_id, run_ids))])
    return taken + Counter(copies=copies, replays=gone)


def _made_into(tenant_id: UUID, run_ids: list[UUID]) -> set[UUID]:
    """The replays of which any of these runs was made, and those beside them that answered just the same."""
    answers: dict[tuple[UUID, UUID], dict[UUID, tuple[str, str]]] = {}
    for replay_id, job_id, run_id, output, calls in fetch(_BESIDE_SENT, [run_ids, tenant_id]):
        text = unpack(output)
        if text is not None:
            answers.setdefault((job_id, run_id), {})[replay_id] = Replayed(output=text, calls=unpack(calls)).whole
    wanted, found = set(run_ids), set[UUID]()
    for beside in answers.values():
        erased = {whole for replay_id, whole in beside.items() if run_id_sent(replay_id) in wanted}
        found |= {replay_id for replay_id, whole in beside.items() if whole in erased}
    return found
