"""Celery: what is done beside requests. The settings are those that begin with ``CELERY_`` (kindgi/settings/tasks.py).

Tasks run in threads of one process. They wait for the database most of the time; each thread has a
connection of its own, which no fork can share; and a worker that is killed is one process that is
gone. Threads can't be interrupted: a task that could last asks :func:`going_on` now and then.
"""

from __future__ import annotations

import logging
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any

from celery import Celery, Signature, Task, bootsteps
from celery.beat import EmbeddedService, SchedulingError
from celery.beat import Scheduler as MemoryScheduler
from celery.signals import setup_logging, worker_shutting_down
from click import Option
from django.db import transaction
from kombu.transport import TRANSPORT_ALIASES

from kindgi.startup import configured

logger = logging.getLogger(__name__)

TRANSPORT_ALIASES["folder"] = "kindgi.embedded.queue:Transport"
TRANSPORT_ALIASES["redis"] = TRANSPORT_ALIASES["rediss"] = "kindgi.brokers:Transport"
# How long whoever sends a task waits for the broker; beside them it is tried for some seconds more.
SEND_SECONDS = 2.0

with configured():
    app = Celery("kindgi")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

_stopping = Event()


def going_on() -> bool:
    """Whether this process isn't about to stop: what is left of a task is done by another."""
    return not _stopping.is_set()


def send(task: Task[..., Any] | Signature[Any], *arguments: Any) -> None:
    """Have a worker do ``task``, once what this transaction writes is committed, or at once where there is none.

    A service, which may not know the task, names it: ``app.signature("improve.replay_job")``.
    Returns within ``SEND_SECONDS`` and raises nothing. While the broker is away that is logged, and the
    task may be lost: what it shall do has to stand in a row, which somebody looks for and sends again.
    """
    transaction.on_commit(partial(_send, task, arguments))


def _send(task: Task[..., Any] | Signature[Any], arguments: tuple[Any, ...]) -> None:
    """In a thread, since nothing else bounds all that a broker's client may wait for, such as its host's name."""
    outcome: SimpleQueue[str] = SimpleQueue()
    Thread(target=lambda: outcome.put(_sent(task, arguments)), name="send", daemon=True).start()
    try:
        problem = outcome.get(timeout=SEND_SECONDS)
    except Empty:
        problem = f"the broker did not answer within {SEND_SECONDS:g} s"
    if problem:
        logger.warning("The task %s may not be sent: %s.", task.name, problem)


def _sent(task: Task[..., Any] | Signature[Any], arguments: tuple[Any, ...]) -> str:
    """Nothing, or why it can't be sent."""
    try:
        task.apply_async(arguments, confirm_timeout=app.conf.broker_connection_timeout)  # type: ignore[call-arg]
    except Exception as error:  # whatever the clients of brokers say of one that is away
        return str(error) or type(error).__name__
    return ""


@worker_shutting_down.connect
def _stop(**told: Any) -> None:
    _stopping.set()


@setup_logging.connect
def _keep_logging(**told: Any) -> None:
    """Leave logging as Django has set it up."""


class Scheduler(MemoryScheduler):
    """What is due when. It keeps that in memory: there is no file that a killed one could leave broken."""

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        """Send what is due, or say in a line why that can't be; it is sent at its next turn."""
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except SchedulingError as error:
            logger.warning("%s. It is due again later.", error)


class Beat(bootsteps.StartStopStep):
    """With ``--with-beat``: send what is due from a thread of the worker, which cannot outlive it as a process can."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, parent: Any, with_beat: bool = False, **options: Any) -> None:
        """Take part where the option is given."""
        super().__init__(parent, **options)
        self.enabled = with_beat

    def create(self, parent: Any) -> Any:
        """The thread, which is started and stopped with the worker."""
        return EmbeddedService(app, thread=True, scheduler_cls=app.conf.beat_scheduler)

    def stop(self, parent: Any) -> None:
        """Tell the thread; don't wait for it, since it may wait for a broker that is away."""
        self.obj.service.stop()

    terminate = stop


app.steps["worker"].add(Beat)
app.user_options["worker"].add(Option(["--with-beat"], is_flag=True, help="Send what is due by the schedule, too."))
