"""``manage.py demo``: everything that it takes to see the product, and nothing of it left behind afterwards."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from kindgi.embedded import demo, web, worker
from kindgi.embedded.programs import EmbeddedPostgresError
from kindgi.embedded.queue import QueueFolderError


class Command(BaseCommand):
    help = "Start the database, fill in demonstration data, and serve until Ctrl-C."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default=settings.WEB_HOST)
        parser.add_argument("--port", type=int, default=settings.WEB_PORT)
        parser.add_argument("--empty", action="store_true", help="leave out the generated runs")

    def handle(self, *, host: str, port: int, empty: bool, **options: Any) -> None:
        if settings.PRODUCTION:
            raise CommandError("The demonstration invents people and runs: it does not start in production mode.")
        try:
            with web.until_interrupted():
                self._run(host=host, port=port, empty=empty)
        except (web.WebServerError, EmbeddedPostgresError, QueueFolderError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write("\nStopped.")

    def _run(self, *, host: str, port: int, empty: bool) -> None:
        worker.check_queue()
        with web.take_port(host=host, port=port), demo.this_machine_allowed():
            with demo.alone():
                call_command("migrate", verbosity=0, interactive=False)
                data = demo.load(empty=empty)

            def tell(url: str) -> None:
                demo.write_record(url=url, data=data)
                self.stdout.write(demo.describe(url=url, data=data))
                self.stdout.flush()

            with demo.replayed(), worker.beside() as working:
                connection.close()
                web.serve(host=host, port=port, when_up=tell, meanwhile=working.keep)
