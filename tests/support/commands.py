"""Running the project's commands as a person would: in a process and an environment of their own."""

import os
import subprocess
import sys

from django.conf import settings

PRODUCTION = {
    "KINDGI_ENV": "production",
    "SECRET_KEY": "kR2v-tq8mZ0_wYc4Lx7uB1nHs5JdPf3aEgVo9iTbQyMhXz6WrCjUkSNlDeGpAFOI",
    "ALLOWED_HOSTS": "quality.example.com",
    "DATABASE_URL": "postgres://kindgi:secret@db.example.com/kindgi",
}


def manage(*arguments: str, environment: dict[str, str], timeout: float = 300) -> subprocess.CompletedProcess[str]:
    """``manage.py`` with nothing in its environment but the essentials and what is given."""
    return subprocess.run(
        [sys.executable, "-W", "error", "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env=essentials() | environment,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def essentials() -> dict[str, str]:
    """The part of the environment that no program does without."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
