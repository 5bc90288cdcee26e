"""``manage.py serve``: the production web server."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from kindgi.embedded import web
from kindgi.embedded.programs import EmbeddedPostgresError


class Command(BaseCommand):
    help = "Serve the project with the production web server (WEB_WORKERS processes of WEB_THREADS threads)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default=settings.WEB_HOST)
        parser.add_argument("--port", type=int, default=settings.WEB_PORT)

    def handle(self, *, host: str, port: int, **options: Any) -> None:
        try:
            with web.take_port(host=host, port=port) as taken:
                if "EMBEDDED" in connection.settings_dict:
                    self._serve_with_database(host=host, port=port)
                else:
                    web.become(host=host, port=port, taken=taken)
        except (web.WebServerError, EmbeddedPostgresError) as error:
            raise CommandError(str(error)) from error

    def _serve_with_database(self, *, host: str, port: int) -> None:
        """Stay beside the web server, since somebody has to stop the embedded database after it."""
        with web.until_interrupted():
            connection.settings_dict["EMBEDDED"].acquire()
            web.serve(host=host, port=port)
