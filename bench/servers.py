"""Which server serves the application best: the same corrections through granian, gunicorn and uvicorn in turn.

    uv run --group bench bench/servers.py [--seconds 4] [--rounds 3]

Each has two processes; granian and gunicorn four threads in each. uvicorn serves the same WSGI
application through its adapter, since bodies must be read as they stream, which Django's ASGI
handler doesn't do.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from correcting import app_step, seed
from support import ROOT, Figures, project, tenant_with_token, window

PORT = 8770
BIN = Path(sys.executable).parent
COMMANDS = {
    "granian": "granian --interface wsgi --no-ws --port {port} --workers 2 --blocking-threads 4 --log-level warning",
    "gunicorn": "gunicorn --bind 127.0.0.1:{port} --workers 2 --threads 4 --worker-class gthread --log-level warning",
    "uvicorn": "uvicorn --interface wsgi --port {port} --workers 2 --log-level warning --no-access-log",
}


def start(name: str, port: int) -> subprocess.Popen[bytes]:
    """Start a server and wait until it answers."""
    command = COMMANDS[name].format(port=port).split()
    process = subprocess.Popen(
        [str(BIN / command[0]), *command[1:], "kindgi.wsgi:application"], cwd=ROOT, start_new_session=True
    )
    for _ in range(200):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/nothing", timeout=5)
        except urllib.error.HTTPError:
            return process
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"{name} didn't start")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with project("bench_servers"):
        tenant, home, token = tenant_with_token()
        run_ids = seed(tenant, home, 1024, 10_000)
        for clients in (8, 1):
            measured: dict[str, list[Figures]] = {name: [] for name in COMMANDS}
            for turn in range(options.rounds):
                for number, name in enumerate(COMMANDS):
                    port = PORT + clients * 20 + turn * 3 + number
                    process = start(name, port)
                    step = app_step(f"http://127.0.0.1:{port}", token, run_ids)
                    window(step, clients=clients, seconds=1)
                    measured[name].append(window(step, clients=clients, seconds=options.seconds))
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            for name, windows in measured.items():
                rate = statistics.median(one.per_second for one in windows)
                middle = [statistics.median(getattr(one, cut) for one in windows) for cut in ("p50", "p95", "p99")]
                cuts = "   ".join(f"{cut} {ms:6.2f}" for cut, ms in zip(("p50", "p95", "p99"), middle, strict=True))
                print(f"{clients} client(s)  {name:9} {rate:7.0f}/s   {cuts} ms", flush=True)


if __name__ == "__main__":
    main()
