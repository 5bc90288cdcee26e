"""Keystrokes and seconds from opening the queue to the tenth correction saved, by a scripted person in a real browser.

The person takes a second to decide about each run. Right ones take a key for both verdicts and one to save and go on.
Wrong ones are corrected without the mouse: the tool calls marked wrong, a call that should have been called with
another argument, the answer marked wrong, and a sentence of what it should have said.

Usage: .venv/bin/python bench/reviewing.py [--runs 10] [--decide 1.0]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from support import Client, project, tenant_with_token

CALLS = [
    {"tool": "orders.find", "args": {"order": "A-1"}},
    {"tool": "orders.cancel", "args": {"order": "A-1", "reason": "customer"}},
]
SENTENCE = "It was shipped: it can't be cancelled."
PASSWORD = "only-for-the-bench"  # noqa: S105 - of a database that is dropped


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--decide", type=float, default=1.0, metavar="SECONDS")
    given = parser.parse_args()
    with project("bench_reviewing") as url, served(url) as address:
        email = filled(address, 2 * given.runs + 1)
        with browser() as chromium:
            measured(chromium, address, email, given)


def measured(chromium: Any, address: str, email: str, given: argparse.Namespace) -> None:
    """Review right runs, then wrong ones."""
    context = chromium.new_context(base_url=address, viewport={"width": 1440, "height": 900})
    page = signed_in(context, email)
    for kind, correct in (("right", right), ("wrong", wrong)):
        person = Person(page, given.decide)
        person.review(given.runs, correct)
        print(
            f"{kind:>6}: {given.runs} corrections, {person.keys} keystrokes ({person.keys / given.runs:.1f} a run, "
            f"typed text apart: {person.typed} letters), {person.seconds:.1f} s, "
            f"of which {person.waited / given.runs * 1e3:.0f} ms a run until the next one is there"
        )


class Person:
    """Somebody at the keyboard; ``keys`` counts what they press, ``typed`` the letters of what they write."""

    def __init__(self, page: Any, decide: float) -> None:
        """Nothing yet."""
        self.page, self.decide = page, decide
        self.keys = self.typed = 0
        self.seconds = self.waited = 0.0

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)
        self.keys += len(keys)

    def write(self, text: str) -> None:
        """Write a text."""
        self.page.keyboard.type(text)
        self.typed += len(text)

    def review(self, runs: int, correct: Any) -> None:
        """Open the queue, and correct so many runs."""
        begun = time.perf_counter()
        self.page.goto("/projects/default/quality")
        start = self.page.get_by_role("button", name="Start")
        start.focus()
        self.press("Enter")
        for _ in range(runs):
            self.page.wait_for_selector("#correction[data-begun]")
            time.sleep(self.decide)
            correct(self)
            here, sent = self.page.url, time.perf_counter()
            self.press("Control+Enter")
            self.page.wait_for_url(lambda url, here=here: url != here)
            self.waited += time.perf_counter() - sent
        self.seconds = time.perf_counter() - begun


def right(person: Person) -> None:
    """Both were."""
    person.press("r")


def wrong(person: Person) -> None:
    """The second call should have had another reason, and the answer should have been another."""
    page = person.page
    person.press("2", "4", "m", "m", "ArrowRight")
    page.wait_for_selector("[name='a-2-1']")
    while page.evaluate("document.activeElement?.name") != "a-2-1":
        person.press("Tab")
    person.press("Control+a")
    person.write('"shipped"')
    person.press("Escape", "s")
    person.write(SENTENCE)


def filled(address: str, runs: int) -> str:
    """A project in which so many runs wait; the email of somebody who may correct them."""
    from kindgi.access.callers import operator_in
    from kindgi.access.services.memberships import membership_add
    from kindgi.access.services.tenants import user_create

    tenant, home, token = tenant_with_token()
    person = user_create(tenant=tenant, email="reviewer@bench.example", password=PASSWORD, display_name="Reviewer")
    membership_add(caller=operator_in(tenant.pk), project=home, user=person, role="editor")
    client = Client(address, token)
    rule = {"name": "Everything", "when": {}, "sample": 1, "enabled": True}
    _ok(client.send("POST", f"/v1/projects/{home.pk}/judging-rules", json.dumps(rule).encode()))
    agent = {"id": "orders.desk", "version": "1.0.0"}
    tools = {"tools": [{"id": call["tool"], "writes": call["tool"] == "orders.cancel"} for call in CALLS]}
    _ok(client.send("PUT", "/v1/agents/orders.desk/versions/1.0.0", json.dumps(tools).encode()))
    for _ in range(runs):
        run = {"agent": agent, "status": "completed", "input": {"message": "Cancel A-1"}, "calls": CALLS}
        run["output"] = {"response": {"content": "A-1 is cancelled."}}
        _ok(client.send("PUT", f"/v1/runs/{uuid4()}", json.dumps(run).encode()))
    return str(person.email)


def _ok(answer: tuple[int, bytes]) -> None:
    status, body = answer
    if status >= 300:
        raise RuntimeError(body.decode())


@contextmanager
def served(url: str) -> Iterator[str]:
    """The project over the database, by its own server; its address."""
    from kindgi.embedded import web

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = web.WebServer.start(host="127.0.0.1", port=port, environment={**os.environ, "DATABASE_URL": url})
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stop()


@contextmanager
def browser() -> Iterator[Any]:
    """Debian's Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield chromium
        chromium.close()


def signed_in(context: Any, email: str) -> Any:
    """A page of the person."""
    page = context.new_page()
    page.goto("/sign-in")
    page.fill("[name=username]", email)
    page.fill("[name=password]", PASSWORD)
    page.click("main button")
    page.wait_for_url("**/")
    return page


if __name__ == "__main__":
    main()
