"""The id of the request that is being answered, for whatever is logged meanwhile."""

from __future__ import annotations

import logging
from contextvars import ContextVar

NONE = "-"
current: ContextVar[str] = ContextVar("request_id", default=NONE)


class RequestIdFilter(logging.Filter):
    """Gives each record the ``request_id`` that the caller was answered with, so that the one finds the other."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Always keeps the record."""
        # What Django says of an answer it says when the request is over, but it brings the request along.
        request = getattr(record, "request", None)
        record.request_id = getattr(request, "request_id", current.get())
        return True
