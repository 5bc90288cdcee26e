"""Celery's settings that depend on the environment: where tasks wait, and what is done how often."""

from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from kindgi.settings.environment import VAR_DIR, Mode, env, seconds

# How long a broker may take to answer before it counts as away.
BROKER_SECONDS = 4.0
REDIS: dict[str, Any] = {
    # A killed worker's task comes again after so long, and so does one that lasts longer, to be done by two. No
    # shorter than what is due by the schedule is good for: that is sent anew by then.
    "visibility_timeout": 3600,
    # Without them whoever sends to a machine that has vanished, or a worker there, would wait for ever.
    "socket_connect_timeout": BROKER_SECONDS,
    "socket_timeout": BROKER_SECONDS,
    "socket_keepalive": True,
}
# RabbitMQ says that it has a message; without, one that is sent to a server that has just died is lost unnoticed.
RABBITMQ: dict[str, Any] = {"confirm_publish": True}
BROKERS = {"redis://": REDIS, "rediss://": REDIS, "amqp://": RABBITMQ, "amqps://": RABBITMQ}
WEEK = 7 * 24 * 3600
# Due since long ago, so that beat sends it when it starts, and remembers nothing between its starts.
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def broker(mode: Mode) -> tuple[str, dict[str, Any]]:
    """The broker's address and options: ``CELERY_BROKER_URL``, or a folder of this machine when it is not set."""
    url = env.str("CELERY_BROKER_URL", "")
    if not url:
        folder = VAR_DIR / ("test-queue" if mode is Mode.TEST else "queue")
        return "folder://localhost", {"folder": str(folder)}
    options = next((options for scheme, options in BROKERS.items() if url.startswith(scheme)), None)
    if options is None:
        raise ImproperlyConfigured(
            "Set CELERY_BROKER_URL to the address of Redis (redis://host:6379/0) or RabbitMQ (amqp://user:password@host)."
        )
    return url, options


def schedule() -> dict[str, dict[str, Any]]:
    """What beat sends how often. A task that nobody took until the next one is due is dropped."""
    return {
        "runs.purge": _every("PURGE_EVERY_SECONDS", "runs.purge"),
        "api.sweep_keys": _every("SWEEP_EVERY_SECONDS", "api.sweep_keys"),
        "judging.resume_catch_ups": _every("RESUME_EVERY_SECONDS", "judging.resume_catch_ups", 10),
        "judging.fold_counts": _every("FOLD_EVERY_SECONDS", "judging.fold_counts", 30),
        "improve.resume_jobs": _every("REPLAY_RESUME_EVERY_SECONDS", "improve.resume_jobs", 3),
    }


def _every(name: str, task: str, default: int = 3600) -> dict[str, Any]:
    often = seconds(name, default, least=1, most=WEEK)
    options = {"expires": often, "confirm_timeout": BROKER_SECONDS}
    return {"task": task, "schedule": often, "options": options, "last_run_at": _LONG_AGO}
