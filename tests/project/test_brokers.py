"""Tasks are done wherever they wait, in a folder, in Redis or in RabbitMQ, and whatever is killed."""

from __future__ import annotations

import signal
import socket
import time
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from kindgi.api.models import IdempotencyKey
from kindgi.api.tasks import sweep_keys
from kindgi.api.times import now
from kindgi.celery import SEND_SECONDS, send
from kindgi.runs.models import Run
from tests.support.brokers import Broker, Redis, Server, broker, brokers
from tests.support.commands import manage
from tests.support.servers import worker_database_url
from tests.support.shops import Shop, completed, fresh
from tests.support.workers import WorkerProcess, a_worker, old_runs, slow_deletes

pytestmark = pytest.mark.long

__all__ = ["broker", "brokers", "fresh"]

# Those that are a process, which can be killed.
a_server = pytest.mark.parametrize("broker", ["redis", "rabbitmq"], indirect=True)
# Keys are deleted when a worker starts, and then when it is sent to do so; runs every second.
UNSWEPT = {
    "SWEEP_EVERY_SECONDS": "3600",
    "RESUME_EVERY_SECONDS": "3600",
    "FOLD_EVERY_SECONDS": "3600",
    "REPLAY_RESUME_EVERY_SECONDS": "3600",
}


def no_run() -> bool:
    return not Run.objects.exists()


def do_something(worker: WorkerProcess, shop: Shop) -> None:
    """Have a worker that runs do what is sent to it now."""
    shop.admin.ok("PUT", f"runs/{uuid4()}", completed(), key="k")
    IdempotencyKey.objects.update(expires_at=now() - timedelta(seconds=1))
    send(sweep_keys)
    worker.wait_until(lambda: not IdempotencyKey.objects.exists())


def test_what_is_due_by_the_schedule_and_what_is_sent_is_done(fresh: Shop, broker: Broker):
    with a_worker(broker, **UNSWEPT) as worker:
        worker.start()
        for _ in range(2):
            old_runs(fresh, 3)
            worker.wait_until(no_run)
        do_something(worker, fresh)


def test_a_worker_that_is_killed_in_the_middle_is_followed_by_one_that_finishes(fresh: Shop, broker: Broker):
    old_runs(fresh, 1500)
    with slow_deletes(), a_worker(broker, **UNSWEPT, PURGE_EVERY_SECONDS="3600") as worker:
        worker.start()
        worker.wait_until(lambda: Run.objects.count() < 1500)
        worker.kill9()
        assert Run.objects.exists()
        if not isinstance(broker, Redis):  # which gives it to another after an hour; the schedule doesn't wait for that
            worker.wait_until(lambda: worker.waiting() > 0)
        # More than once, since a purge leaves out what is slow to delete on a busy machine.
        worker.environment["PURGE_EVERY_SECONDS"] = "1"
        worker.start()
        worker.wait_until(no_run)
        worker.wait_until(lambda: worker.waiting() == 0)


@a_server
def test_a_worker_outlives_its_broker_and_does_what_is_due_when_there_is_one_again(fresh: Shop, broker: Broker):
    with a_worker(broker, **UNSWEPT) as worker:
        worker.start()
        old_runs(fresh, 3)
        worker.wait_until(no_run)
        broker.kill9()
        old_runs(fresh, 3)
        broker.start()
        worker.wait_until(no_run)


@a_server
def test_a_worker_goes_on_with_its_task_without_its_broker_and_then_with_what_is_sent(fresh: Shop, broker: Broker):
    old_runs(fresh, 1500)
    with slow_deletes(), a_worker(broker, **UNSWEPT) as worker:
        worker.start()
        worker.wait_until(lambda: Run.objects.count() < 1500)
        broker.kill9()
        worker.wait_until(lambda: Run.objects.count() < 100)
        broker.start()
        worker.wait_until(no_run)
        do_something(worker, fresh)


@pytest.mark.parametrize("broker", ["redis"], indirect=True)
def test_a_worker_outlives_a_broker_that_comes_and_goes(fresh: Shop, broker: Broker):
    with a_worker(broker, **UNSWEPT) as worker:
        worker.start()
        do_something(worker, fresh)
        for _ in range(5):
            broker.kill9()
            broker.start()
            time.sleep(0.5)
        do_something(worker, fresh)


@a_server
def test_a_broker_that_is_killed_keeps_what_it_has_taken(fresh: Shop, broker: Broker):
    with a_worker(broker) as worker:
        send(sweep_keys)
        broker.kill9()
        broker.start()
        assert worker.waiting() == 1


@a_server
def test_a_worker_that_starts_before_its_broker_waits_for_it(fresh: Shop, broker: Server):
    broker.kill9()
    with a_worker(broker, **UNSWEPT) as worker:
        start_in_vain(worker, broker)
        broker.start()
        do_something(worker, fresh)


@a_server
def test_a_worker_that_has_lost_its_broker_ends_when_it_is_told_to(fresh: Shop, broker: Broker):
    with a_worker(broker) as worker:
        worker.start()
        do_something(worker, fresh)
        broker.kill9()
        assert told_to_end(worker) == 0


@a_server
def test_a_worker_that_never_had_its_broker_ends_when_it_is_told_to(fresh: Shop, broker: Server):
    broker.kill9()
    with a_worker(broker) as worker:
        start_in_vain(worker, broker)
        assert told_to_end(worker) == 0


def start_in_vain(worker: WorkerProcess, broker: Server) -> None:
    """Start a worker, and return when both it and its schedule have looked for the broker, which is away."""
    with socket.create_server(("127.0.0.1", broker.port)) as listening:
        worker.start()
        listening.settimeout(60)
        for _ in range(4):
            listening.accept()[0].close()


def told_to_end(worker: WorkerProcess) -> int:
    """The exit status of a worker that is told to end, and does."""
    assert worker.child is not None
    process = worker.child.process
    process.send_signal(signal.SIGTERM)
    return process.wait(timeout=60)


# A process that sends, and then says how long that took.
SENDS = """
import time
from datetime import timedelta
from pathlib import Path
from uuid import uuid4
from kindgi.api.tasks import sweep_keys
from kindgi.celery import send
for _ in range(2):
    begun = time.monotonic()
    send(sweep_keys)
    print("took", time.monotonic() - begun)
"""


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("scheme", ["redis", "amqp"])
@pytest.mark.parametrize("broker_is", ["refusing", "silent"])
def test_who_sends_goes_on_without_a_broker_and_says_so_in_a_line(scheme: str, broker_is: str):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        if broker_is == "refusing":
            listening.close()
        said = printed(SENDS, CELERY_BROKER_URL=f"{scheme}://127.0.0.1:{port}/")
    warnings = [line for line in said if "WARNING" in line]
    took = [float(line.split()[1]) for line in said if line.startswith("took")]
    assert len(took) == len(warnings) == 2 and len(said) == 4
    assert all("kindgi.celery" in line and "The task api.sweep_keys may not be sent: " in line for line in warnings)
    assert max(took) < SEND_SECONDS + 1


SENDS_IN_TRANSACTIONS = """
from django.db import transaction
from kindgi.api.tasks import sweep_keys
from kindgi.celery import app, send
def waiting():
    with app.connection_for_write() as connection:
        return connection.default_channel.queue_declare("kindgi", passive=True).message_count
with transaction.atomic():
    send(sweep_keys)
    print(waiting())
print(waiting())
try:
    with transaction.atomic():
        send(sweep_keys)
        raise LookupError
except LookupError:
    print(waiting())
send(sweep_keys)
print(waiting())
"""


@pytest.mark.django_db(transaction=True)
def test_what_is_sent_in_a_transaction_is_sent_when_it_is_committed(tmp_path: Path):
    assert printed(SENDS_IN_TRANSACTIONS, VAR_DIR=str(tmp_path)) == ["0", "1", "1", "2"]


def printed(program: str, **environment: str) -> list[str]:
    """What a program in a process of its own prints, line by line."""
    base = {"KINDGI_ENV": "test", "DATABASE_URL": worker_database_url()}
    done = manage("shell", "--no-imports", "-c", program, environment=base | environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()
