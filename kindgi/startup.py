"""What every process of the project does first."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ImproperlyConfigured


@contextmanager
def configured() -> Iterator[None]:
    """Point Django to the settings; when they cannot be read, end the process with the sentence that says why."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kindgi.settings")
    try:
        import kindgi.settings  # noqa: F401

        yield
    except ImproperlyConfigured as error:
        sys.exit(f"kindgi: {error}")
