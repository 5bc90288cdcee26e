"""Celery: what is done beside requests. The settings are those that begin with ``CELERY_`` (kindgi/settings/tasks.py).

Tasks run in threads of one process. They wait for the database most of the time; each thread has a
connection of its own, which no fork can share; and a worker that is killed is one process that is
gone. Threads can't be interrupted: a task that could last asks :func:`going_on` now and then.
"""

from __future__ import annotations

from threading import Event
from typing import Any

from celery import Celery, bootsteps
from celery.beat import EmbeddedService
from celery.signals import setup_logging, worker_shutting_down
from click import Option
from kombu.transport import TRANSPORT_ALIASES

from kindgi.startup import configured

TRANSPORT_ALIASES["folder"] = "kindgi.embedded.queue:Transport"

with configured():
    app = Celery("kindgi")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

_stopping = Event()


def going_on() -> bool:
    """Whether this process isn't about to stop: what is left of a task is done by another."""
    return not _stopping.is_set()


@worker_shutting_down.connect
def _stop(**told: Any) -> None:
    _stopping.set()


@setup_logging.connect
def _keep_logging(**told: Any) -> None:
    """Leave logging as Django has set it up."""


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


app.steps["worker"].add(Beat)
app.user_options["worker"].add(Option(["--with-beat"], is_flag=True, help="Send what is due by the schedule, too."))
