"""docs/sampling.md is what the product does: each of its vectors, in memory, in SQL and by the page's own programs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from django.conf import settings

from judging.sampling import PLACES, Sample
from kindgi.sql import fetch

PAGE = (Path(settings.BASE_DIR) / "docs" / "sampling.md").read_text()
SHARES = (0.05, 0.5)
CHROMIUM, NODE = shutil.which("chromium"), shutil.which("node")
OF_ONE_RUN = "SELECT {} FROM (SELECT %s::uuid AS run_id) a_run"
WAITING = 60  # seconds


class Vector(NamedTuple):
    """A line of the page; ``taken`` at each of ``SHARES``."""

    rule_id: UUID
    run_id: UUID
    n: int
    place: float
    taken: tuple[bool, ...]

    @property
    def as_worked_out(self) -> list[Any]:
        """What the page's programs make of its ids."""
        return [self.place, *self.taken]


def vectors() -> list[Vector]:
    table = PAGE.split("<!-- vectors: begin -->")[1].split("<!-- vectors: end -->")[0]
    rows = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in table.strip().splitlines()]
    assert [float(share) for share in rows[0][4:]] == list(SHARES)
    return [
        Vector(
            UUID(rule), UUID(run), int(n, 16), float(place), tuple({"yes": True, "no": False}[cell] for cell in taken)
        )
        for rule, run, n, place, *taken in rows[2:]
    ]


VECTORS = vectors()
IDS = [[str(vector.rule_id), str(vector.run_id)] for vector in VECTORS]
EXPECTED = [vector.as_worked_out for vector in VECTORS]


def program(language: str) -> str:
    """The page's block of code in ``language``."""
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(block)


def test_there_are_twenty_vectors_of_every_kind():
    assert len(set(VECTORS)) == 20
    assert {vector.taken for vector in VECTORS} == {(False, False), (False, True), (True, True)}


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector.n:014x}")
def test_a_vector_holds_in_memory(vector: Vector):
    assert Sample(vector.rule_id, 1.0).place(vector.run_id) == vector.n
    assert vector.n / PLACES == vector.place
    assert tuple(Sample(vector.rule_id, share).takes(vector.run_id) for share in SHARES) == vector.taken


@pytest.mark.django_db
def test_all_vectors_hold_in_sql():
    for vector in VECTORS:
        samples = [Sample(vector.rule_id, share) for share in SHARES]
        expressions = [samples[0].place_sql("a_run.run_id"), *(sample.takes_sql("a_run.run_id") for sample in samples)]
        statement = OF_ONE_RUN.format(", ".join(sql for sql, _ in expressions))
        parameters = [value for _, values in expressions for value in values]
        assert fetch(statement, [*parameters, vector.run_id]) == [(vector.n, *vector.taken)]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector.n:014x}")
def test_a_share_takes_what_lies_below_it_and_not_what_lies_at_it(vector: Vector):
    at_most = [vector.place, (vector.n + 1) / PLACES]
    assert [Sample(vector.rule_id, share).takes(vector.run_id) for share in at_most] == [False, True]
    assert Sample(vector.rule_id, 1.0).takes(vector.run_id)


def test_the_python_of_the_page_gives_the_vectors():
    names: dict[str, Any] = {}
    exec(program("python"), names)  # noqa: S102 - the page's own
    place, takes = names["place"], names["takes"]
    assert [[place(*ids), *(takes(*ids, share) for share in SHARES)] for ids in IDS] == EXPECTED


WORKED_OUT = f"""
const workedOut = async () => Promise.all({json.dumps(IDS)}.map(async ([rule, run]) =>
  [await place(rule, run), ...(await Promise.all({json.dumps(SHARES)}.map((share) => takes(rule, run, share))))]));
"""


@pytest.mark.skipif(NODE is None, reason="Node isn't here; the browser's test runs the same program")
def test_the_javascript_of_the_page_gives_the_vectors_in_node():
    script = f"{program('javascript')}{WORKED_OUT}workedOut().then((all) => console.log(JSON.stringify(all)));"
    done = subprocess.run([str(NODE), "-"], input=script, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == EXPECTED


def test_the_javascript_of_the_page_gives_the_vectors_in_a_browser(tmp_path: Path):
    if CHROMIUM is None:
        assert os.environ.get("CI") != "true", "Chromium is missing"
        pytest.skip("Chromium isn't here")
    told = """workedOut().catch(String).then((all) => fetch("/", { method: "POST", body: JSON.stringify(all) }));"""
    page = f"<!doctype html><title>Vectors</title><script>{program('javascript')}{WORKED_OUT}{told}</script>"
    with page_served(page.encode()) as (url, answers):
        options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}"]
        browser = subprocess.Popen([CHROMIUM, *options, url], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            assert json.loads(answers.get(timeout=WAITING)) == EXPECTED
        finally:
            browser.kill()
            browser.wait()


@contextmanager
def page_served(page: bytes) -> Iterator[tuple[str, Queue[bytes]]]:
    """Serve ``page`` from the own machine, which browsers trust; what it posts comes out of the queue."""
    answers: Queue[bytes] = Queue()

    class Handler(BaseHTTPRequestHandler):
        """The page for every GET."""

        def do_GET(self) -> None:
            self.answer(page)

        def do_POST(self) -> None:
            answers.put(self.rfile.read(int(self.headers["Content-Length"])))
            self.answer(b"")

        def answer(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/", answers
        finally:
            server.shutdown()
