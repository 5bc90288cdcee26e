"""``python -m kindgi.embedded url`` prints the embedded database's address; ``... run COMMAND`` runs a command with
the server up throughout (a development server that restarts itself would start and stop it each time) and a worker
beside it."""

import signal
import subprocess
import sys
from contextlib import suppress

from kindgi.settings.database import DEVELOPMENT_SERVER
from kindgi.startup import configured

LOOK_SECONDS = 1.0


def main(arguments: list[str]) -> int:
    """The exit status."""
    match arguments:
        case ["url"]:
            print(DEVELOPMENT_SERVER.url)
            return 0
        case ["run", *command] if command:
            DEVELOPMENT_SERVER.acquire()
            with configured():
                return run(command)
    print(__doc__, file=sys.stderr)
    return 2


def run(command: list[str]) -> int:
    """Run ``command`` with a worker beside it; the exit status."""
    from kindgi.embedded import worker
    from kindgi.embedded.processes import die_with_parent

    with worker.beside() as working:
        process = subprocess.Popen(command, preexec_fn=die_with_parent)
        # Ctrl-C is for the command, which the terminal tells too; this process ends when the command has.
        signal.signal(signal.SIGINT, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: process.terminate())
        while process.poll() is None:
            working.keep()
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=LOOK_SECONDS)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
