"""What people said of many runs, read for test cases and for scoring: a fixed number of statements for any number.

The runs should be locked where words are kept of what is read (docs/concurrency.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from corrections.decision_check import calls_of
from corrections.grading import Output, canonical_text
from corrections.models import ANSWER_KEY, DECISIONS_KEY
from corrections.selectors import judge_classes_of_tenant
from improve.evaluating import MOST_CASES, Which
from improve.judged import Judged, JudgedItem, Said, Voice, calls_digest, value_digest
from improve.scoring import place_value
from kindgi.access.models import Project
from kindgi.runs.content import unpack
from kindgi.sql import fetch

_BATCH = 250

# When a run ended, of one that retention has deleted when its copy was made: the first correction of it.
_FOUND = """
WITH counted AS MATERIALIZED (
    SELECT correction.run_id, min(correction.subject_version) AS version
    FROM corrections_correction AS correction
    JOIN corrections_verdict AS verdict ON verdict.correction_id = correction.id AND verdict.unregistered_at IS NULL
    WHERE correction.tenant_id = %(tenant)s AND correction.project_id = %(project)s
      AND correction.subject_kind = 'agent' AND correction.subject_id = %(agent)s
      AND correction.unregistered_at IS NULL AND (correction.restricted OR NOT %(experts)s)
      AND (%(versions)s::text[] IS NULL OR correction.subject_version = ANY(%(versions)s::text[]))
      AND (%(classes)s::uuid[] IS NULL OR verdict.judge_class_id = ANY(%(classes)s::uuid[]))
    GROUP BY correction.run_id HAVING count(*) >= %(least)s
), sent AS MATERIALIZED (
    SELECT unnest(result.sent_run_ids) AS run_id FROM improve_proposal AS proposal
    JOIN improve_evaluation AS evaluation ON evaluation.proposal_id = proposal.id
    JOIN improve_caseresult AS result ON result.evaluation_id = evaluation.id AND result.sent_run_ids <> '{}'
    WHERE proposal.project_id = %(project)s AND proposal.agent_id = %(agent)s
)
SELECT counted.run_id, counted.version, coalesce(run.completed_at, copy.created_at) AS ended_at, copy.content_id
FROM counted
JOIN corrections_runcopy AS copy ON copy.tenant_id = %(tenant)s AND copy.run_id = counted.run_id
JOIN runs_runcontent AS content ON content.id = copy.content_id AND content.input IS NOT NULL
LEFT JOIN runs_run AS run ON run.tenant_id = %(tenant)s AND run.run_id = counted.run_id
WHERE run.replay_of IS NULL AND coalesce(run.eval_run_id, '') = '' AND run.content_erased_at IS NULL
  AND counted.run_id NOT IN (SELECT run_id FROM sent)
  AND (%(since)s::timestamptz IS NULL OR coalesce(run.completed_at, copy.created_at) >= %(since)s::timestamptz)
  AND (%(until)s::timestamptz IS NULL OR coalesce(run.completed_at, copy.created_at) < %(until)s::timestamptz)
ORDER BY ended_at DESC, counted.run_id DESC LIMIT %(limit)s
"""
# Run by run, as corrections/services/test_runs/reading.py explains.
_SAID = """
SELECT verdict.*
FROM unnest(%s::uuid[]) AS wanted(run_id) CROSS JOIN LATERAL (
    SELECT one.run_id, one.item_key, one.pointer, one.rank, one."right", one.item_value, one.judge_class_id,
           correction.restricted, correction.id, correction.should_call, correction.must_not_call,
           correction.should_say, correction.why, correction.args_erased_at IS NOT NULL
    FROM corrections_verdict AS one JOIN corrections_correction AS correction ON correction.id = one.correction_id
    WHERE one.tenant_id = %s AND one.run_id = wanted.run_id AND one.unregistered_at IS NULL
      AND (correction.restricted OR NOT %s) AND (%s::uuid[] IS NULL OR one.judge_class_id = ANY(%s::uuid[]))
      AND NOT one.made_by_id = ANY(%s::uuid[])
    ORDER BY one.created_at DESC, one.id DESC
    OFFSET 0) AS verdict
"""
_CONTENTS = """
SELECT copy.run_id, content.output, content.calls
FROM corrections_runcopy AS copy JOIN runs_runcontent AS content ON content.id = copy.content_id
WHERE copy.tenant_id = %s AND copy.run_id = ANY(%s)
"""


class Corrected(NamedTuple):
    """A corrected run that may make a case."""

    run_id: UUID
    version: str
    ended_at: datetime
    content_id: UUID


class _Verdict(NamedTuple):
    """A live verdict with its correction."""

    run_id: UUID
    key: str
    pointer: str | None
    rank: int | None
    right: bool
    item_value: bytes | None
    judge_class_id: UUID | None
    expert: bool
    correction_id: UUID
    should_call: str | None
    must_not_call: list[str] | None
    should_say: str | None
    why: str | None
    args_erased: bool


def corrected_runs(*, project: Project, which: Which) -> list[Corrected]:
    """The runs that make cases, the newest first, one more at most than a test set holds; one statement.

    Runs that are replays, erased ones, and those without an input that could be replayed are left out.
    """
    parameters = {
        "tenant": project.tenant_id,
        "project": project.pk,
        "agent": which.agent_id,
        "experts": which.experts_only,
        "versions": which.versions,
        "classes": which.judge_class_ids,
        "least": which.min_verdicts,
        "since": which.since,
        "until": which.until,
        "limit": MOST_CASES + 1,
    }
    return [Corrected(*row) for row in fetch(_FOUND, parameters)]


def judged_of_runs(
    *,
    tenant_id: UUID,
    run_ids: Sequence[UUID],
    experts_only: bool,
    judge_class_ids: Sequence[UUID] | None = None,
    but_by: Sequence[UUID] = (),
) -> dict[UUID, Judged]:
    """What people's live verdicts that count say of each run, weighed as their classes weigh now.

    ``but_by`` are users and tokens whose verdicts don't count. A run of which none counts isn't in it.
    """
    classes = None if judge_class_ids is None else list(judge_class_ids)
    parameters = [list(run_ids), tenant_id, experts_only, classes, classes, list(but_by)]
    rows = [_Verdict(*row) for row in fetch(_SAID, parameters)]
    if not rows:
        return {}
    weights: dict[UUID | None, float] = {one.pk: one.weight for one in judge_classes_of_tenant(tenant_id)}
    weights[None] = 1.0
    by_run: dict[UUID, list[_Verdict]] = {}
    for row in rows:
        by_run.setdefault(row.run_id, []).append(row)
    whole = [run_id for run_id, said in by_run.items() if any(_needs_content(one) for one in said)]
    values = dict(_whole_values(tenant_id, whole))
    return {run_id: _judged(said, values.get(run_id, {}), weights) for run_id, said in by_run.items()}


def _needs_content(said: _Verdict) -> bool:
    return said.key == DECISIONS_KEY or said.pointer is None


def _whole_values(tenant_id: UUID, run_ids: Sequence[UUID]) -> Iterator[tuple[UUID, dict[str, str | None]]]:
    """What stands for each run's decisions, its answer, and all of its output, by key; ``""`` for the last."""
    for start in range(0, len(run_ids), _BATCH):
        for run_id, output, calls in fetch(_CONTENTS, [tenant_id, list(run_ids[start : start + _BATCH])]):
            text = unpack(output)
            values = {DECISIONS_KEY: calls_digest(calls_of(unpack(calls) or b"[]"))}
            if text is not None:
                looked_into = Output(text)
                for key in (ANSWER_KEY, ""):
                    found = place_value(looked_into, key, None)
                    if found is not None:
                        values[key] = found
            yield run_id, dict(values)


def _judged(said: Sequence[_Verdict], whole: Mapping[str, str | None], weights: Mapping[UUID | None, float]) -> Judged:
    """What was said of one run, newest first; the same thing is one whoever judged it."""
    corrections = {one.correction_id: one for one in said}
    places = {correction_id: index for index, correction_id in enumerate(corrections)}
    items: dict[tuple[Any, ...], JudgedItem] = {}
    for one in said:
        thing = (one.key, one.pointer, one.rank)
        if thing not in items:
            items[thing] = JudgedItem(one.key, [], one.pointer, one.rank, _value(one, whole))
        weight = weights[one.judge_class_id]
        items[thing].voices.append(Voice(one.right, weight, one.expert, places[one.correction_id], one.judge_class_id))
    return Judged(list(items.values()), _words(corrections.values()))


def _value(one: _Verdict, whole: Mapping[str, str | None]) -> str | None:
    if one.key == DECISIONS_KEY:
        return whole.get(DECISIONS_KEY)
    if one.pointer is None:
        return whole.get(one.key if one.key == ANSWER_KEY else "")
    stored = unpack(one.item_value)
    return None if stored is None else value_digest(canonical_text(stored))


def _words(corrections: Iterable[_Verdict]) -> list[Said]:
    return [Said(one.should_call, one.must_not_call, one.should_say, one.why, one.args_erased) for one in corrections]
