"""What a worker does for the conventions of /v1."""

from __future__ import annotations

import logging

from kindgi.api.idempotency import sweep_all
from kindgi.celery import app, going_on

logger = logging.getLogger(__name__)


@app.task(name="api.sweep_keys")
def sweep_keys() -> None:
    """Delete the Idempotency-Keys that are past their 24 hours."""
    if swept := sweep_all(go_on=going_on):
        logger.info("%s Idempotency-Keys past their time were deleted.", swept)
