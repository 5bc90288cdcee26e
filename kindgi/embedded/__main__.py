"""``python -m kindgi.embedded url`` prints the embedded database's address; ``... run COMMAND`` runs a command with
the server up throughout (a development server that restarts itself would start and stop it each time)."""

import signal
import subprocess
import sys

from kindgi.settings.database import DEVELOPMENT_SERVER


def main(arguments: list[str]) -> int:
    """The exit status."""
    match arguments:
        case ["url"]:
            print(DEVELOPMENT_SERVER.url)
            return 0
        case ["run", *command] if command:
            DEVELOPMENT_SERVER.acquire()
            # Ctrl-C is for the command; this process ends when the command has.
            signal.signal(signal.SIGINT, lambda *_: None)
            return subprocess.call(command)
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
