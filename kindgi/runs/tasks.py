"""What a worker does for runs."""

from __future__ import annotations

import logging

from kindgi.celery import app, going_on
from kindgi.runs.services.retention import runs_purge_all

logger = logging.getLogger(__name__)


@app.task(name="runs.purge")
def purge() -> None:
    """Delete the runs that are past their projects' retention. Any number of workers may do it at once."""
    for project, purged in runs_purge_all(go_on=going_on):
        if purged:
            logger.info("Retention deleted %s runs of %s/%s.", purged, project.tenant.slug, project.slug)
