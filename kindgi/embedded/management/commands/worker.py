"""``manage.py worker``: does what is done beside requests."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from kindgi.embedded import worker
from kindgi.embedded.queue import QueueFolderError


class Command(BaseCommand):
    help = "Work on tasks and send what is due by the schedule (WORKER_THREADS threads); one a machine is enough."

    def handle(self, **options: Any) -> None:
        connection.close()
        try:
            worker.check_queue()
        except QueueFolderError as error:
            raise CommandError(str(error)) from error
        worker.become()
