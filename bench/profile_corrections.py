"""Where the server's time goes in one correction: the WSGI application called in this process.

    .venv/bin/python bench/profile_corrections.py [--requests 2000] [--rows 45]

Prints processor time a request (which other work on the machine doesn't change much) and the
functions that take most of it.
"""

from __future__ import annotations

import argparse
import cProfile
import io
import pstats
import time
import uuid
from typing import Any

from correcting import body_of, seed
from support import project, tenant_with_token


def environ(token: str, body: bytes) -> dict[str, Any]:
    """What the server hands to the application."""
    return {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/v1/corrections",
        "SCRIPT_NAME": "",
        "QUERY_STRING": "",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8000",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "127.0.0.1:8000",
        "REMOTE_ADDR": "127.0.0.1",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_AUTHORIZATION": f"Bearer {token}",
        "HTTP_IDEMPOTENCY_KEY": str(uuid.uuid4()),
        "wsgi.input": io.BytesIO(body),
        "wsgi.url_scheme": "http",
        "wsgi.errors": io.StringIO(),
        "wsgi.version": (1, 0),
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }


def run(application: Any, token: str, run_ids: list[str]) -> None:
    """Correct each of ``run_ids``."""
    statuses: list[str] = []
    for run_id in run_ids:
        body = b"".join(application(environ(token, body_of(run_id)), lambda status, headers: statuses.append(status)))
        if not statuses[-1].startswith("201"):
            raise SystemExit(body)


def main() -> None:
    """Measure, then profile."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=45)
    parser.add_argument("--sort", default="tottime")
    options = parser.parse_args()
    with project("bench_profile"):
        from kindgi.wsgi import application

        tenant, home, token = tenant_with_token()
        run_ids = seed(tenant, home, 1024, 2 * options.requests + 1000)
        run(application, token, run_ids[:500])
        cpu, wall = time.process_time(), time.perf_counter()
        run(application, token, run_ids[1000 : 1000 + options.requests])
        per = 1000 / options.requests
        print(f"{(time.process_time() - cpu) * per:.3f} ms processor, {(time.perf_counter() - wall) * per:.3f} ms wall")
        profile = cProfile.Profile()
        profile.runcall(run, application, token, run_ids[1000 + options.requests :])
        pstats.Stats(profile).sort_stats(options.sort).print_stats(options.rows)


if __name__ == "__main__":
    main()
