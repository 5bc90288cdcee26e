"""Everything that is logged goes to standard output, one line an event, with the id of the request if there is one."""

from typing import Any

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


def logging_config(level: str) -> dict[str, Any]:
    """Django's ``LOGGING``: our own loggers at ``level``, everybody else's from WARNING."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"request_id": {"()": "kindgi.api.request_ids.RequestIdFilter"}},
        "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s [%(request_id)s]: %(message)s"}},
        "handlers": {
            "stdout": {
                "class": "logging.StreamHandler",
                "stream": "ext://sys.stdout",
                "formatter": "line",
                "filters": ["request_id"],
            }
        },
        "root": {"handlers": ["stdout"], "level": "WARNING"},
        "loggers": {
            "kindgi": {"level": level},
            "corrections": {"level": level},
            # Django's own handlers would print each line a second time.
            "django": {"level": "INFO", "handlers": [], "propagate": True},
            "django.request": {"level": "ERROR"},  # a caller's mistake is the caller's to see
            "django.server": {"level": "INFO", "handlers": [], "propagate": True},
        },
    }
