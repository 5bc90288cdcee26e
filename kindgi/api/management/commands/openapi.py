"""``manage.py openapi``: the OpenAPI document on standard output."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand

from kindgi.api.openapi.document import document


class Command(BaseCommand):
    """Print it."""

    help = "Print the OpenAPI 3.1 document of /v1, as /v1/openapi.json serves it."

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the document, indented."""
        self.stdout.write(json.dumps(document(), indent=2, ensure_ascii=False))
