"""What reads corrections and judge classes. Lists never touch copies or item values."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Case, OuterRef, Prefetch, Q, QuerySet, Subquery, When

from corrections import errors
from corrections.models import (
    ANSWER_KEY,
    Correction,
    CorrectionChange,
    JudgeClass,
    Replay,
    RunCopy,
    Status,
    TestResult,
    TestRun,
    Verdict,
)
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.access.policies import can_read
from kindgi.api.ids import parse_id
from kindgi.rows import fresh
from kindgi.runs.errors import RunNotFound
from kindgi.sql import fetch

# Read before every correction, so it is written out; its index is the one that holds the invariant.
_LIVE = """
SELECT verdict.id, verdict.item_key, verdict."right", verdict.correction_id, correction.door
FROM corrections_verdict AS verdict JOIN corrections_correction AS correction ON correction.id = verdict.correction_id
WHERE verdict.tenant_id = %s AND verdict.run_id = %s
  AND verdict.made_by_kind = %s AND verdict.made_by_id = %s
  AND md5(verdict.participant_id) = md5(%s) AND verdict.participant_id = %s
  AND verdict.unregistered_at IS NULL
"""
# By the index that holds the invariant, which begins so.
_TALLIES = """
SELECT run_id, judge_class_id, count(*), count(*) FILTER (WHERE "right") FROM corrections_verdict
WHERE tenant_id = %s AND run_id = ANY(%s) AND unregistered_at IS NULL GROUP BY run_id, judge_class_id
"""
_STANDING = """
SELECT run_id, status, restricted, made_by_kind = %s AND made_by_id = %s AND participant_id = ''
FROM corrections_correction WHERE tenant_id = %s AND run_id = ANY(%s) AND unregistered_at IS NULL
"""
# From what is the least done about to what is done. Of a correction that won't be fixed, what was wrong stays so;
# one that was recorded as right is fixed from the beginning.
_LEAST_FINISHED = (Status.OPEN, Status.WITH_OWNER, Status.BEING_FIXED, Status.WONT_FIX, Status.FIXED)
# What madeBy names, a user's id or a service's token's, as people know it.
_JUDGES = """
SELECT 'user', id, coalesce(nullif(display_name, ''), email) FROM access_user WHERE tenant_id = %s AND id = ANY(%s)
UNION ALL
SELECT 'service', token.id, account.name
FROM access_token AS token JOIN access_serviceaccount AS account ON account.id = token.service_account_id
WHERE token.tenant_id = %s AND token.id = ANY(%s)
"""
_CLASS_FIELDS = (
    "id",
    "project_id",
    "agent_id",
    "name",
    "min_reviewer_role",
    "principal_kinds",
    "principal_ids",
    "unregistered_at",
)
_CLASS = f"SELECT {', '.join(_CLASS_FIELDS)} FROM corrections_judgeclass WHERE tenant_id = %s AND id = %s"  # noqa: S608


class LiveVerdict(NamedTuple):
    """One of a caller's live verdicts on a run."""

    id: UUID
    item_key: str
    right: bool
    correction_id: UUID
    door: str


class RunStanding(NamedTuple):
    """How a run's live corrections stand.

    ``status`` is that of the least finished one: open, with its owner, being fixed, won't be fixed,
    fixed. ``experts`` says whether any was made in a class that was restricted,
    ``own`` whether one says what the caller thinks themselves, and not an end user.
    """

    status: str
    statuses: frozenset[str]
    experts: bool
    own: bool = False


def live_verdicts(*, caller: Caller, run_id: UUID, participant_id: str) -> list[LiveVerdict]:
    """What the caller last said of the run, for the participant; the run must be locked."""
    found = fetch(_LIVE, [caller.tenant_id, run_id, caller.kind, caller.id, participant_id, participant_id])
    return [LiveVerdict(*row) for row in found]


def live_tallies(*, tenant_id: UUID, run_ids: Sequence[UUID]) -> dict[UUID, dict[UUID | None, tuple[int, int]]]:
    """How many live verdicts each run has by class, ``None`` for none, and how many say right; one statement.

    A run of which nothing live is said isn't in it.
    """
    tallies: dict[UUID, dict[UUID | None, tuple[int, int]]] = {}
    for run_id, judge_class_id, verdicts, right in fetch(_TALLIES, [tenant_id, list(run_ids)]):
        tallies.setdefault(run_id, {})[judge_class_id] = (verdicts, right)
    return tallies


def corrections_standing(*, caller: Caller, run_ids: Collection[UUID]) -> dict[UUID, RunStanding]:
    """How the live corrections of each run of the caller's tenant stand, by its public id; one statement.

    A run without any isn't in it, one whose corrections were taken back since neither.
    """
    found: dict[UUID, list[tuple[str, bool, bool]]] = {}
    for run_id, *one in fetch(_STANDING, [caller.kind, caller.id, caller.tenant_id, list(run_ids)]):
        found.setdefault(run_id, []).append((one[0], one[1], one[2]))
    return {run_id: _standing(corrections) for run_id, corrections in found.items()}


def _standing(corrections: Collection[tuple[str, bool, bool]]) -> RunStanding:
    statuses = frozenset(status for status, _, _ in corrections)
    least = next(status for status in _LEAST_FINISHED if status in statuses)
    experts, own = any(restricted for _, restricted, _ in corrections), any(own for _, _, own in corrections)
    return RunStanding(least, statuses, experts, own)


def judge_class_of_tenant(*, tenant_id: UUID, judge_class_id: str) -> JudgeClass | None:
    """A class of the tenant by the id that a client spells, with what deciding on it needs; one statement."""
    parsed = parse_id(judge_class_id)
    if parsed is None:
        return None
    found = fetch(_CLASS, [tenant_id, parsed])
    if not found:
        return None
    return fresh(JudgeClass, tenant_id=tenant_id, **dict(zip(_CLASS_FIELDS, found[0], strict=True)))


def judge_classes_readable(caller: Caller) -> QuerySet[JudgeClass]:
    """The tenant's classes, and those of the projects that the caller may read."""
    classes = JudgeClass.objects.filter(tenant_id=caller.tenant_id)
    if caller.sees_every_project:
        return classes
    return classes.filter(Q(project__isnull=True) | Q(project_id__in=caller.readable_project_ids()))


def judge_class_get(*, caller: Caller, judge_class_id: str) -> JudgeClass:
    """A readable class, retired ones too; raises :class:`JudgeClassNotFound`."""
    parsed = parse_id(judge_class_id)
    found = judge_classes_readable(caller).filter(pk=parsed).first() if parsed else None
    if found is None:
        raise errors.JudgeClassNotFound
    return found


def judge_classes_of_tenant(tenant_id: UUID) -> list[JudgeClass]:
    """Every class of the tenant and of its projects, retired ones too; one statement."""
    return list(JudgeClass.objects.filter(tenant_id=tenant_id))


def judge_classes_of(project: Project) -> QuerySet[JudgeClass]:
    """The classes that apply to runs of a project, retired ones too."""
    return JudgeClass.objects.filter(Q(project=project) | Q(project__isnull=True), tenant_id=project.tenant_id)


def corrections_readable(caller: Caller) -> QuerySet[Correction]:
    """The corrections in the projects that the caller may read, with their verdicts: two statements a page."""
    corrections = Correction.objects.filter(tenant_id=caller.tenant_id)
    if not caller.sees_every_project:
        corrections = corrections.filter(project_id__in=caller.readable_project_ids())
    return corrections.prefetch_related(_verdicts())


def correction_get(*, caller: Caller, correction_id: str, values: bool = False) -> Correction:
    """A readable correction, removed and superseded ones too; raises :class:`CorrectionNotFound`.

    ``values`` also reads what its items pointed at.
    """
    parsed = parse_id(correction_id)
    corrections = Correction.objects.filter(tenant_id=caller.tenant_id).prefetch_related(_verdicts(values=values))
    found = corrections.filter(pk=parsed).first() if parsed else None
    if found is None or not can_read(caller, found.project_id):
        raise errors.CorrectionNotFound(correction_id)
    return found


def corrections_of_run(*, project: Project, run_id: UUID) -> list[Correction]:
    """All that was said of a run of the project, newest first, with verdicts and history; three statements."""
    corrections = Correction.objects.filter(tenant_id=project.tenant_id, project=project, run_id=run_id)
    changes = Prefetch("changes", queryset=CorrectionChange.objects.order_by("-revision"))
    return list(corrections.prefetch_related(_verdicts(), changes))


def corrections_counted(*, project: Project, run_id: UUID) -> int:
    """How many live corrections a run of the project has; one statement."""
    corrections = Correction.objects.filter(tenant_id=project.tenant_id, project=project, run_id=run_id)
    return corrections.filter(unregistered_at__isnull=True).count()


def run_copy_of(*, project: Project, run_id: UUID) -> RunCopy | None:
    """What the corrections of a run of the project keep of it, with its content and the first of them."""
    copies = RunCopy.objects.filter(tenant_id=project.tenant_id, run_id=run_id, correction__project=project)
    return copies.select_related("content", "correction").first()


def judges_named(*, tenant_id: UUID, judges: Collection[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """What those are called who said or changed something, by their ``kind`` and ``id``; one statement.

    Whoever isn't of the tenant, or no person and no service, is missing from the answer.
    """
    ids: dict[str, list[UUID]] = {"user": [], "service": []}
    for kind, spelled in judges:
        parsed = parse_id(spelled)
        if parsed and kind in ids:
            ids[kind].append(parsed)
    if not any(ids.values()):
        return {}
    found: list[tuple[Any, ...]] = fetch(_JUDGES, [tenant_id, ids["user"], tenant_id, ids["service"]])
    return {(kind, str(pk)): name for kind, pk, name in found}


def _verdicts(*, values: bool = False) -> Prefetch[str, QuerySet[Verdict], str]:
    verdicts = Verdict.objects.order_by("position")
    return Prefetch("verdicts", queryset=verdicts if values else verdicts.defer("item_value"))


def judgments_readable(caller: Caller) -> QuerySet[Verdict]:
    """The live verdicts in the projects that the caller may read, with their corrections: one statement a page."""
    verdicts = Verdict.objects.filter(tenant_id=caller.tenant_id, unregistered_at__isnull=True)
    if not caller.sees_every_project:
        verdicts = verdicts.filter(project_id__in=caller.readable_project_ids())
    return _with_reason(verdicts).defer("correction__why", "item_value")


def judgment_get(*, caller: Caller, judgment_id: str) -> Verdict:
    """A readable verdict with its correction and its item's value, live or not; raises :class:`JudgmentNotFound`."""
    parsed = parse_id(judgment_id)
    verdicts = _with_reason(Verdict.objects.filter(tenant_id=caller.tenant_id)).defer("correction__why")
    found = verdicts.filter(pk=parsed).first() if parsed else None
    if found is None or not can_read(caller, found.project_id):
        raise errors.JudgmentNotFound(judgment_id)
    return found


def _with_reason(verdicts: QuerySet[Verdict]) -> QuerySet[Verdict]:
    """The verdicts with their corrections, and each with its ``reason``.

    That is its correction's; of one that also judges the answer it is the answer's alone. It is
    looked up for the rows that are read: an EXISTS could be answered by reading every answer's verdict.
    """
    of_answer = Verdict.objects.filter(correction=OuterRef("correction"), item_key=ANSWER_KEY).order_by()
    looked_up = verdicts.select_related("correction").alias(answer_id=Subquery(of_answer.values("pk")[:1]))
    its_own = Q(item_key=ANSWER_KEY) | Q(answer_id__isnull=True)
    return looked_up.annotate(reason=Case(When(its_own, then="correction__why")))


def verdicts_of(correction: Correction) -> list[Verdict]:
    """All verdicts of a correction, without what they point at."""
    return list(Verdict.objects.filter(correction=correction).defer("item_value").order_by("position"))


def run_copy(correction: Correction) -> RunCopy | None:
    """What the first correction of the run kept of it, with its content."""
    copies = RunCopy.objects.filter(tenant_id=correction.tenant_id, run_id=correction.run_id)
    return copies.select_related("content").first()


def was_part_removed(verdict: Verdict) -> bool:
    """Whether a verdict was taken back by itself, while others of its correction were left."""
    parts = CorrectionChange.objects.filter(correction_id=verdict.correction_id, kind="part-removed")
    return parts.filter(after__items__contains=[verdict.item_key]).exists()


def corrections_replaced_by(correction: Correction) -> list[Correction]:
    """The corrections of which this one has replaced some or all verdicts, oldest first; with class and verdicts."""
    replaced = Q(verdicts__superseded_by__correction=correction) | Q(superseded_by=correction)
    rows = Correction.objects.filter(replaced).distinct().select_related("judge_class")
    return list(rows.order_by("created_at", "id").prefetch_related("verdicts"))


def changes_of(correction: Correction) -> QuerySet[CorrectionChange]:
    """The history of a correction."""
    return CorrectionChange.objects.filter(correction=correction)


def test_runs_of(project: Project) -> QuerySet[TestRun]:
    """A project's test runs."""
    return TestRun.objects.filter(project=project)


def test_run_get(*, project: Project, test_run_id: str) -> TestRun:
    """A test run of the project; raises :class:`TestRunNotFound`."""
    parsed = parse_id(test_run_id)
    found = test_runs_of(project).filter(pk=parsed).first() if parsed else None
    if found is None:
        raise errors.TestRunNotFound
    return found


def results_of(test_run: TestRun) -> QuerySet[TestResult]:
    """How each correction came out in a test run."""
    return TestResult.objects.filter(test_run=test_run)


def replay_get(*, test_run: TestRun, run_id: str) -> Replay:
    """What a test run kept of a run, with its content; raises :class:`RunNotFound`."""
    parsed = parse_id(run_id)
    found = Replay.objects.filter(test_run=test_run, run_id=parsed).first() if parsed else None
    if found is None:
        raise RunNotFound(run_id)
    return found
