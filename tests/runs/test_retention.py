"""Retention: whole runs go by age; corrections and what they copied stay (contract, section 3)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from io import StringIO
from typing import Any
from unittest import mock
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import IntegrityError, transaction

from corrections.models import RunCopy
from kindgi.access.models import MOST_RETENTION_DAYS, Project
from kindgi.api.times import now, wire
from kindgi.runs import hooks
from kindgi.runs.models import FINAL, Run, RunContent, RunStatus
from kindgi.runs.services import retention
from kindgi.runs.services.retention import project_purge, runs_purge
from tests.builders import Api, make_service_account
from tests.support.parallel import at_once
from tests.support.plans import grow, plan_of
from tests.support.racing import pausing, without_the_runs_lock
from tests.support.shops import AGENT, OUTPUT, VERSION, Shop, completed

DAYS = 30
INPUT = {"message": "Where is my parcel?"}


def ago(days: float) -> str:
    return wire(now() - timedelta(days=days))


def old_run(shop: Shop, days: float = 40, **body: Any) -> str:
    """The id of a run that ended so many days ago."""
    return shop.run(createdAt=ago(days), completedAt=ago(days), input=INPUT, **body)


def keep_for(shop: Shop, days: int | None = DAYS) -> Project:
    shop.admin.ok("PATCH", f"projects/{shop.project.pk}", {"retentionDays": days})
    return Project.objects.get(pk=shop.project.pk)


def purge(project: Project, limit: int = 500) -> int:
    with transaction.atomic():
        return runs_purge(project=project, limit=limit)


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("purge_runs", *arguments, stdout=out)
    return out.getvalue()


@contextmanager
def patient(seconds: float = 30) -> Iterator[None]:
    """A batch may take so long: a busy machine doesn't decide what a purge leaves out."""
    with mock.patch.object(retention, "STATEMENT", seconds), mock.patch.object(retention, "LAST_CALL", seconds):
        yield


@contextmanager
def batches_of(seconds: Callable[[int], float] = lambda size: 0.001) -> Iterator[list[int]]:
    """How many runs each batch has; it takes as long as ``seconds`` says, by a clock that the test turns."""
    sizes: list[int] = []
    clock, purge_batch = [0.0], retention._purge

    def turned(project: Project, found: list[Any], *, give_up_at: float | None) -> int:
        sizes.append(len(found))
        clock[0] += seconds(len(found))
        return purge_batch(project, found, give_up_at=give_up_at)

    with (
        mock.patch.object(retention, "_purge", turned),
        mock.patch.object(retention, "monotonic", lambda: clock[0]),
        mock.patch.object(retention, "STATEMENT", 30),  # which PostgreSQL measures by a clock of its own
    ):
        yield sizes


def run_ids() -> set[str]:
    return {str(run_id) for run_id in Run.objects.values_list("run_id", flat=True)}


def test_only_runs_that_ended_and_are_old_go(undone: Shop):
    project = keep_for(undone)
    gone = {old_run(undone, status=status, output=None) for status in sorted(FINAL)} | {old_run(undone, DAYS + 0.01)}
    going = {
        undone.run(createdAt=ago(40), status=status, output=None)
        for status in sorted(set(RunStatus.values) - {str(one) for one in FINAL})
    }
    stay = {old_run(undone, DAYS - 0.01), undone.run(), undone.run(createdAt=ago(40), completedAt=ago(1))} | going
    elsewhere = {old_run(undone, projectId=str(undone.other_project().pk)), old_run(Shop.open())}
    assert run_ids() == gone | stay | elsewhere
    assert purge(project) == len(gone)
    assert run_ids() == stay | elsewhere
    assert {undone.editor.get(f"runs/{run_id}").status_code for run_id in gone} == {404}
    assert purge(project) == 0 and run_ids() == stay | elsewhere


@pytest.mark.parametrize("days", [None, MOST_RETENTION_DAYS])
def test_without_the_setting_or_with_the_longest_one_everything_stays(undone: Shop, days: int | None):
    run_id = old_run(undone, 20_000)
    Project.objects.filter(pk=undone.project.pk).update(retention_days=days)
    assert purge(Project.objects.get(pk=undone.project.pk)) == 0
    assert undone.editor.get(f"runs/{run_id}").status_code == 200


def test_a_setting_that_was_taken_back_meanwhile_counts(undone: Shop):
    project = keep_for(undone)
    old_run(undone)
    keep_for(undone, None)
    assert project.retention_days == DAYS and purge(project) == 0


def test_corrections_and_their_copies_stay_and_other_content_goes(undone: Shop):
    project = keep_for(undone)
    corrected, plain, empty = old_run(undone), old_run(undone), undone.run(completedAt=ago(40), output=None)
    judgment = {"runId": corrected, "item": {"key": "b", "pointer": "/note"}, "verdict": "yes", "reason": "It is so."}
    judged = undone.api("service").ok("POST", "judgments", judgment)["id"]
    said: dict[str, Any] = {
        "answer": "wrong",
        "shouldSay": "Tomorrow.",
        "items": [{"key": "a", "pointer": "/note", "verdict": "wrong"}],
    }
    made = undone.correct(corrected, **said)
    content_ids = dict(Run.objects.values_list("run_id", "content_id"))
    reads = [f"corrections/{made['id']}", f"judgments/{judged}", f"judgments?runId={corrected}"]
    before = [undone.editor.ok("GET", path) for path in reads]
    assert purge(project) == 3
    assert [undone.editor.ok("GET", path) for path in reads] == before
    after = before[0]
    assert after["items"][0]["value"] == OUTPUT["note"]
    assert after["run"]["input"] == INPUT and after["run"]["output"] == OUTPUT
    assert {undone.editor.get(f"runs/{run_id}").status_code for run_id in (corrected, plain, empty)} == {404}
    assert set(RunContent.objects.values_list("pk", flat=True)) == {content_ids[UUID(corrected)]}
    # It can still be worked on, though no more be said of its run.
    undone.editor.ok("PATCH", f"corrections/{made['id']}", {"status": "being-fixed"})
    again = undone.editor.post("corrections", {"runId": corrected, "answer": "right"})
    assert (again.status_code, again.json()["error"]["code"]) == (404, "run-not-found")
    undone.editor.ok("POST", f"corrections/{made['id']}/unregister")


def test_the_id_of_a_corrected_run_is_taken_for_ever(undone: Shop):
    project = keep_for(undone)
    run_id = old_run(undone)
    made = undone.correct(run_id)
    assert purge(project) == 1
    again = completed(createdAt=ago(40), completedAt=ago(40), output={"another": "output"})
    assert undone.admin.refused("PUT", f"runs/{run_id}", again) == (409, "run-already-terminal")
    for status in ("running", "failed"):
        report = {"agent": {"id": AGENT, "version": VERSION}, "status": status}
        assert undone.admin.refused("PUT", f"runs/{run_id}", report) == (409, "run-already-terminal")
    imported = undone.admin.ok("POST", "runs/import", [{"id": run_id, **again}] * 60 + [{"id": str(uuid4()), **again}])
    assert (imported["refused"], imported["created"]) == (60, 1)
    assert {line["error"]["code"] for line in imported["results"] if "error" in line} == {"run-already-terminal"}
    assert undone.editor.ok("GET", f"corrections/{made['id']}")["run"]["output"] == OUTPUT


def test_it_is_taken_in_other_projects_too_where_it_answers_as_what_is_not_there(undone: Shop):
    project, elsewhere = keep_for(undone), undone.other_project()
    run_id = old_run(undone)
    undone.correct(run_id)
    purge(project)
    outsider = Api.of(make_service_account(undone.tenant, "editor", project=elsewhere))
    report = completed(projectId=str(elsewhere.pk))
    assert outsider.refused("PUT", f"runs/{run_id}", report) == (404, "run-not-found")
    assert undone.api("viewer").refused("PUT", f"runs/{run_id}", completed()) == (403, "permission-denied")
    twin = Shop.open()
    assert twin.admin.ok("PUT", f"runs/{run_id}", completed())["id"] == run_id, "other tenants have ids of their own"


def report_while_it_is_purged(shop: Shop) -> int:
    """The status that whoever reports a corrected run gets while retention deletes it; they wait for that."""
    project = keep_for(shop)
    run_id = old_run(shop)
    shop.correct(run_id)
    locked = threading.Event()

    def purge_it() -> int:
        with transaction.atomic():
            return runs_purge(project=project, limit=10)

    def report() -> Any:
        locked.wait(timeout=10)
        return shop.admin.put(f"runs/{run_id}", completed(createdAt=ago(40), completedAt=ago(40)))

    with pausing("kindgi.runs.services.retention._check_time", reached=locked):
        purged, answer = at_once([purge_it, report])
    assert purged == 1
    status: int = answer.status_code
    return status


def test_whoever_reports_a_run_that_is_being_purged_finds_its_id_taken(fresh: Shop):
    assert report_while_it_is_purged(fresh) == 409


def test_control_who_does_not_look_takes_the_id_over(fresh: Shop):
    with mock.patch.object(hooks, "gone_run_projects", lambda gone: {}):
        assert report_while_it_is_purged(fresh) == 201


def test_the_id_of_a_run_that_nobody_corrected_is_free_again(undone: Shop):
    project = keep_for(undone)
    run_id = old_run(undone)
    purge(project)
    undone.run(run_id, createdAt=ago(40), completedAt=ago(40))
    assert purge(project) == 1 and not RunContent.objects.exists()


def test_answers_that_were_kept_for_a_retry_are_withheld(undone: Shop):
    project = keep_for(undone)
    run_id, key = str(uuid4()), str(uuid4())
    report = completed(createdAt=ago(40), completedAt=ago(40))
    undone.admin.ok("PUT", f"runs/{run_id}", report, key=key)
    purge(project)
    retry = undone.admin.put(f"runs/{run_id}", report, key=key)
    assert (retry.status_code, retry.json()["error"]["code"]) == (409, "idempotency-key-replay-withheld")


def test_the_apps_above_are_told_before_the_runs_are_gone(undone: Shop):
    project = keep_for(undone)
    run_id = old_run(undone)
    told: list[str] = []

    def listen(runs: list[Run]) -> None:
        told.extend(str(run.run_id) for run in runs if Run.objects.filter(pk=run.pk).exists())

    with mock.patch.object(hooks, "runs_purging", hooks.Hook()):
        hooks.runs_purging.register(listen)
        purge(project)
    assert told == [run_id]


def test_the_oldest_go_first_and_a_batch_costs_the_same_for_2_runs_and_for_20(undone: Shop, assert_queries: Any):
    project = keep_for(undone)
    runs = [old_run(undone, 40 + number) for number in range(23)]
    for run_id in runs[::2]:
        undone.correct(run_id)
    # which runs; these with their locks; what is queued; what is copied; what cases need; runs; contents; kept answers
    with assert_queries(exact=8):
        assert purge(project, limit=2) == 2
    assert run_ids() == set(runs[:-2])
    with assert_queries(exact=8):
        assert purge(project, limit=20) == 20
    assert run_ids() == {runs[0]}
    assert purge(project) == 1
    with assert_queries(exact=1):
        assert purge(project) == 0


def test_runs_are_found_by_an_index_that_holds_only_those_that_ended(undone: Shop):
    project, place = keep_for(undone), retention.START
    old_run(undone)
    ended = "(CASE WHEN n % 2 = 0 THEN now() - make_interval(mins => n) END)"
    status = "(CASE WHEN n % 2 = 0 THEN 'completed' ELSE 'running' END)"
    grow("runs_run", run_id="gen_random_uuid()", content_id="gen_random_uuid()", completed_at=ended, status=status)
    plan = plan_of(retention._FIND, [project.pk, now(), project.pk, place.completed_at, place.id, 100])
    assert "run_ended_in_project" in plan and "Sort" not in plan and "Seq Scan on runs_run" not in plan, plan


def test_the_command_purges_each_project_batch_after_batch(undone: Shop):
    keep_for(undone)
    other = Shop.open()
    keep_for(other)
    for _ in range(5):
        old_run(undone)
    old_run(other)
    kept = {undone.run(), old_run(undone, projectId=str(undone.other_project().pk))}
    first, second = (f"{shop.tenant.slug}/{shop.project.slug}" for shop in (undone, other))
    with batches_of() as sizes:
        said = command("--tenant", undone.tenant.slug, "--project", undone.project.slug, "--batch", "2")
    assert said == f"{first}: 5 purged.\n" and sizes == [2, 2, 1]
    with patient():
        assert set(command().splitlines()) == {f"{first}: 0 purged.", f"{second}: 1 purged."}
    assert run_ids() == kept


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--project", "default"], "--project needs --tenant"),
        (["--tenant", "nobody"], "There's no tenant 'nobody'"),
        (["--batch", "0"], "--batch takes 1 or more"),
    ],
)
def test_the_command_refuses_in_one_line(undone: Shop, arguments: list[str], message: str):
    with pytest.raises(CommandError, match=message):
        command(*arguments)


def test_the_command_says_that_a_named_project_keeps_its_runs(undone: Shop):
    with pytest.raises(CommandError, match="for ever"):
        command("--tenant", undone.tenant.slug, "--project", undone.project.slug)


def test_batches_grow_while_they_are_fast_and_no_further_than_they_may(undone: Shop):
    project = keep_for(undone)
    import_old(undone, 300)
    with batches_of() as sizes:
        assert project_purge(project=project, most=100) == 300
    assert sizes == [20, 40, 80, 100, 60]


def test_batches_shrink_when_they_come_near_to_the_limit(undone: Shop):
    project = keep_for(undone)
    import_old(undone, 60)
    with batches_of(lambda size: 0.01 * size - 0.005) as sizes:  # 20 take 195 ms
        assert project_purge(project=project) == 60
    assert sizes == [20, 5, 10, 10, 10, 10, 10, 5]


def purge_while_a_content_is_locked(shop: Shop, *, hold_for: float) -> tuple[int, str]:
    """How many of ten runs go while somebody holds the content of one, until the purge ends or for so many seconds."""
    project = keep_for(shop)
    import_old(shop, 10)
    held, done = threading.Event(), threading.Event()
    run = Run.objects.filter(project=project).order_by("completed_at", "id")[5]
    content_id = run.content_id or ""

    def hold() -> None:
        with transaction.atomic():
            RunContent.objects.select_for_update().get(pk=content_id)
            held.set()
            done.wait(timeout=hold_for)

    def purge_meanwhile() -> int:
        held.wait(timeout=30)
        try:
            return project_purge(project=project)
        finally:
            done.set()

    _, count = at_once([hold, purge_meanwhile])
    return count, str(run.run_id)


def test_a_batch_that_waits_for_somebody_is_given_up_and_only_its_cause_is_left(fresh: Shop):
    with patient(0.5):
        count, run_id = purge_while_a_content_is_locked(fresh, hold_for=30)
    assert count == 9 and run_ids() == {run_id}
    with patient():
        assert project_purge(project=fresh.project) == 1


def test_control_without_the_limit_a_purge_waits_with_its_locks(fresh: Shop):
    with patient():
        count, _ = purge_while_a_content_is_locked(fresh, hold_for=1)
    assert count == 10  # in one batch, which held the others' rows for a second


def test_a_purge_stops_between_batches_when_it_is_told_to(undone: Shop):
    project = keep_for(undone)
    import_old(undone, 50)
    asked = iter([True, False])
    with patient():
        assert project_purge(project=project, go_on=lambda: next(asked)) == 20


def import_old(shop: Shop, count: int) -> None:
    record = completed(createdAt=ago(40), completedAt=ago(40))
    shop.admin.ok("POST", "runs/import", [{"id": str(uuid4()), **record} for _ in range(count)])


def correct_and_purge(shop: Shop) -> tuple[Any, Any, Project]:
    """Of two old runs, one is being corrected, with its row locked, when a purge begins."""
    project = keep_for(shop)
    run_id, _ = old_run(shop), old_run(shop)
    editor = shop.editor
    locked, purged = threading.Event(), threading.Event()

    def purge_meanwhile() -> int:
        locked.wait(timeout=30)
        count = purge(project)
        purged.set()
        return count

    with pausing("corrections.services.recording.live_verdicts", reached=locked, until=purged):
        said = {"runId": run_id, "answer": "right"}
        corrected, count = at_once([lambda: editor.post("corrections", said), purge_meanwhile])
    return corrected, count, project


def test_a_run_that_is_being_corrected_is_skipped_and_goes_next_time(fresh: Shop):
    corrected, count, project = correct_and_purge(fresh)
    assert (corrected.status_code, count) == (201, 1)
    assert run_ids() == {corrected.json()["runId"]}
    assert purge(project) == 1
    assert fresh.editor.ok("GET", f"corrections/{corrected.json()['id']}")["run"]["output"] == OUTPUT


def test_control_without_skipping_the_purge_waits(fresh: Shop):
    assert "SKIP LOCKED" in retention._LOCK
    with mock.patch.object(retention, "_LOCK", retention._LOCK.replace("SKIP LOCKED", "")):
        corrected, count, _ = correct_and_purge(fresh)
    assert (corrected.status_code, count) == (201, 2)


def purge_and_correct(shop: Shop) -> tuple[Any, Any]:
    """A correction that begins when a purge has looked for copies and deleted nothing yet."""
    project = keep_for(shop)
    run_id = old_run(shop)
    editor = shop.editor
    looked, corrected = threading.Event(), threading.Event()

    def correct() -> Any:
        looked.wait(timeout=30)
        answer = editor.post("corrections", {"runId": run_id, "answer": "right"})
        corrected.set()
        return answer

    with pausing("kindgi.runs.hooks.content_kept", reached=looked, until=corrected):
        count, answer = at_once([lambda: purge(project), correct])
    return count, answer


def test_a_run_that_is_being_purged_is_not_found_by_a_correction(fresh: Shop):
    count, answer = purge_and_correct(fresh)
    assert (count, answer.status_code) == (1, 404)
    assert not RunCopy.objects.exists() and not RunContent.objects.exists()


def test_control_without_the_runs_lock_the_correction_copies_what_the_purge_deletes(fresh: Shop):
    with without_the_runs_lock():
        count, answer = purge_and_correct(fresh)
    assert isinstance(count, IntegrityError) and answer.status_code == 201
