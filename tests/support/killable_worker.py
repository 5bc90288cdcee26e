"""A worker that can be killed twenty times a minute, as ``tests.support.killable`` is a web server that can.

    python -m tests.support.killable_worker PID_FILE

All is imported once; each worker is a fork, with connections of its own, that takes tasks until it
is killed. The next is forked at once. Its process's id is in PID_FILE.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

ARGUMENTS = ["--quiet", "worker", "--with-beat", "--without-gossip", "--without-mingle", "--without-heartbeat"]


def main() -> None:
    """Fork, wait, and fork again."""
    pid_file = Path(sys.argv[1])
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kindgi.settings")
    from kindgi.celery import app

    app.loader.import_default_modules()
    signal.signal(signal.SIGTERM, lambda *_: os.killpg(0, signal.SIGKILL))
    while True:
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            app.worker_main(ARGUMENTS)
            sys.exit()
        partial = pid_file.with_suffix(".partial")
        partial.write_text(str(child))
        partial.rename(pid_file)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
