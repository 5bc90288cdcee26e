"""Celery's settings that depend on the environment: where tasks wait, and what is done how often."""

from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from kindgi.settings.environment import VAR_DIR, Mode, env, seconds

BROKERS = ("redis://", "rediss://", "amqp://", "amqps://")
WEEK = 7 * 24 * 3600
# Due since long ago, so that beat sends it when it starts, and remembers nothing between its starts.
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def broker(mode: Mode) -> tuple[str, dict[str, Any]]:
    """The broker's address and options: ``CELERY_BROKER_URL``, or a folder of this machine when it is not set."""
    url = env.str("CELERY_BROKER_URL", "")
    if not url:
        folder = VAR_DIR / ("test-queue" if mode is Mode.TEST else "queue")
        return "folder://localhost", {"folder": str(folder)}
    if not url.startswith(BROKERS):
        raise ImproperlyConfigured(
            "Set CELERY_BROKER_URL to the address of Redis (redis://host:6379/0) or RabbitMQ (amqp://user:password@host)."
        )
    return url, {}


def schedule() -> dict[str, dict[str, Any]]:
    """What beat sends how often. A task that nobody took until the next one is due is dropped."""
    return {
        "runs.purge": _every("PURGE_EVERY_SECONDS", "runs.purge"),
        "api.sweep_keys": _every("SWEEP_EVERY_SECONDS", "api.sweep_keys"),
    }


def _every(name: str, task: str) -> dict[str, Any]:
    often = seconds(name, 3600, least=1, most=WEEK)
    return {"task": task, "schedule": often, "options": {"expires": often}, "last_run_at": _LONG_AGO}
