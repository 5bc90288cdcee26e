"""Retention: whole runs go when they are old; what was said about them stays (contract, section 3)."""

from __future__ import annotations

from kindgi.access.models import Project
from kindgi.api import idempotency
from kindgi.api.times import now
from kindgi.runs import hooks
from kindgi.runs.models import Run
from kindgi.sql import execute

# The setting is read again by each batch, so that raising it stops a purge that is under way. Only
# runs that ended have a completed_at (run_ended_when_final). The order is that of
# run_newest_in_project, read from its old end. Django admin takes any number of days; 700,000 ago
# is before every run, and still a time that PostgreSQL knows.
_LOCK = """
SELECT run.* FROM runs_run AS run
WHERE run.project_id = %s AND run.completed_at < (
    SELECT %s - make_interval(days => LEAST(retention_days, 700000)) FROM access_project
    WHERE id = %s AND retention_days IS NOT NULL)
ORDER BY run.created_at, run.id LIMIT %s FOR UPDATE OF run SKIP LOCKED
"""
_DELETE_RUNS = "DELETE FROM runs_run WHERE id = ANY(%s)"
_DELETE_CONTENTS = "DELETE FROM runs_runcontent WHERE id = ANY(%s)"


def runs_purge(*, project: Project, limit: int) -> int:
    """Delete up to ``limit`` runs that ended more than the project's ``retention_days`` ago; how many it were.

    The oldest go first. It joins the caller's transaction, which should be short, and holds the
    runs' row locks until its end. A run that somebody else has locked, such as a correction in
    progress, is left for the next time. 0 also where the project has no retention.

    A run's content goes too, unless an app above answers ``hooks.content_kept`` with it. The kept
    answers of Idempotency-Keys that tell of the runs are withheld.
    """
    runs = list(Run.objects.raw(_LOCK, [project.pk, now(), project.pk, limit]))
    if not runs:
        return 0
    hooks.runs_purging(runs)
    contents = [run.content_id for run in runs if run.content_id is not None]
    # Nobody can begin to name these contents now: whoever does locks the run first, and finds none.
    kept = hooks.content_kept(contents)
    execute(_DELETE_RUNS, [[run.pk for run in runs]])
    execute(_DELETE_CONTENTS, [[content_id for content_id in contents if content_id not in kept]])
    idempotency.forget(tenant_id=project.tenant_id, subject_ids=[run.run_id for run in runs])
    return len(runs)
