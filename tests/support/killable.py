"""The WSGI application in a process that can be killed 200 times a minute.

    python -m tests.support.killable PORT PID_FILE [--keep-late]

Django is imported once; each serving process is a fork of it, with connections of its own, that
serves in threads. When one is killed the next is forked at once. The serving process's id is in
PID_FILE. ``--keep-late`` is for the control: it keeps an answer only after its effect was
committed, which is what the product must not do.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import sys
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer


class Handler(WSGIRequestHandler):
    """One connection's requests, unlogged."""

    protocol_version = "HTTP/1.0"

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


class Server(ThreadingMixIn, WSGIServer):
    """A thread for each connection; a request that is under way dies with the process."""

    daemon_threads = True

    def server_bind(self) -> None:
        """The socket is bound already."""
        self.server_name, self.server_port = self.socket.getsockname()[:2]
        self.setup_environ()


def serve(listening: socket.socket, application: Any) -> None:
    """Serve on the parent's socket until killed."""
    server = Server(listening.getsockname(), Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = listening
    server.server_bind()
    server.set_app(application)
    server.serve_forever(poll_interval=0.01)


def keep_late() -> None:
    """Break the product: the kept answer no longer commits with its effect."""
    from django.db import transaction

    from kindgi.api import idempotency

    keep = idempotency.keep

    def late(*args: Any, **kwargs: Any) -> None:
        transaction.on_commit(lambda: keep(*args, **kwargs))

    idempotency.keep = late


def warm_up() -> None:
    """Load what a first request loads, so that each fork has it; no database connection may be opened."""
    from django.urls import get_resolver

    get_resolver().resolve("/v1/corrections")
    list(get_resolver().reverse_dict)


def main() -> None:
    """Fork, wait, and fork again."""
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("pid_file", type=Path)
    parser.add_argument("--keep-late", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kindgi.settings")
    from kindgi.wsgi import application

    warm_up()
    if options.keep_late:
        keep_late()
    listening = socket.create_server(("127.0.0.1", options.port), backlog=128)
    signal.signal(signal.SIGTERM, lambda *_: os.killpg(0, signal.SIGKILL))
    while True:
        child = os.fork()
        if child == 0:
            serve(listening, application)
            sys.exit()
        partial = options.pid_file.with_suffix(".partial")
        partial.write_text(str(child))
        partial.rename(options.pid_file)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
