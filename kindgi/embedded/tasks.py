"""What a worker sees to before it starts: Celery imports each application's ``tasks`` first."""

import sys
from typing import Any

from celery.signals import celeryd_init

from kindgi.embedded.queue import QueueFolderError
from kindgi.embedded.worker import check_queue


@celeryd_init.connect
def _check_queue(**told: Any) -> None:
    """End a worker whose queue can't be with the sentence that says why, not with what first breaks by it."""
    try:
        check_queue()
    except QueueFolderError as error:
        sys.exit(f"kindgi: {error}")
