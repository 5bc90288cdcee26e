"""The worker: what is due is done by itself, and a killed one loses nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import psutil
from django.conf import settings

from kindgi.api.models import IdempotencyKey
from kindgi.api.times import now
from kindgi.celery import app
from kindgi.runs.models import Run
from tests.support.commands import PRODUCTION, essentials, manage
from tests.support.shops import Shop, completed, fresh
from tests.support.workers import a_worker, old_runs, slow_deletes

__all__ = ["fresh"]


def test_runs_past_their_retention_and_keys_past_their_time_go_by_themselves(fresh: Shop):
    old_runs(fresh, 30)
    young = fresh.run()
    made = fresh.correct(young)
    fresh.admin.ok("PUT", f"runs/{uuid4()}", completed(), key="k")
    IdempotencyKey.objects.update(expires_at=now() - timedelta(seconds=1))
    with a_worker() as worker:
        worker.start()
        worker.wait_until(lambda: Run.objects.count() == 2 and not IdempotencyKey.objects.exists())
        # Again and again: what becomes old later goes later.
        old_runs(fresh, 5)
        worker.wait_until(lambda: Run.objects.count() == 2)
        assert worker.child is not None
        process = worker.child.process
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0, "it ends by itself"
    assert list(settings.BASE_DIR.glob("celerybeat*")) == []
    assert fresh.editor.ok("GET", f"corrections/{made['id']}")["runId"] == young


def test_a_worker_that_is_killed_in_the_middle_is_followed_by_one_that_finishes(fresh: Shop):
    old_runs(fresh, 1500)
    left: list[int] = []
    with slow_deletes(), a_worker(PURGE_EVERY_SECONDS="3600", SWEEP_EVERY_SECONDS="3600") as worker:
        worker.start()
        worker.wait_until(lambda: Run.objects.count() < 1500)
        worker.kill9()
        left.append(Run.objects.count())
        assert messages(worker.queue) >= 1  # what it worked on waits again
        # More than once, since a purge leaves out what is slow to delete on a busy machine.
        worker.environment["PURGE_EVERY_SECONDS"] = "1"
        worker.start()
        worker.wait_until(lambda: not Run.objects.exists())
        worker.wait_until(lambda: messages(worker.queue) == 0)
    assert 0 < left[0] < 1500


def messages(queue: Path) -> int:
    return len([path for path in queue.rglob("*") if path.is_file()])


def test_what_is_due_by_the_schedule_are_tasks_that_there_are():
    app.loader.import_default_modules()
    assert {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()} <= app.tasks.keys()


def test_tasks_are_json_done_when_done_and_never_done_by_whoever_sends_them():
    assert (app.conf.task_serializer, app.conf.accept_content) == ("json", ["json"])
    assert app.conf.task_acks_late and app.conf.task_ignore_result and not app.conf.task_always_eager
    assert app.conf.worker_pool == "threads" and app.conf.broker_connection_retry_on_startup


def test_the_command_becomes_the_worker_and_ends_by_sigterm(tmp_path: Path):
    environment = essentials() | {
        "KINDGI_ENV": "test",
        "VAR_DIR": str(tmp_path),
        "DATABASE_URL": "postgres://nowhere/n",
    }
    process = subprocess.Popen([sys.executable, "manage.py", "worker"], env=environment, cwd=settings.BASE_DIR)
    try:
        deadline = time.monotonic() + 60
        while "celery" not in psutil.Process(process.pid).cmdline() or not (tmp_path / "test-queue").exists():
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()


def test_in_production_it_says_in_one_sentence_what_is_missing():
    environment = {**PRODUCTION, "SECRET_KEY": ""}
    done = manage("worker", environment=environment)
    assert done.returncode == 1 and done.stderr.startswith("kindgi: Set SECRET_KEY") and done.stderr.count("\n") == 1
    celery = [sys.executable, "-m", "celery", "--app=kindgi.celery", "worker"]
    done = subprocess.run(celery, env=essentials() | environment, capture_output=True, text=True, cwd=settings.BASE_DIR)
    assert done.returncode == 1 and "kindgi: Set SECRET_KEY" in done.stderr and "Traceback" not in done.stderr
