"""Photographs every page and dialog of the console into a folder, at two widths and in both themes.

``make screenshots`` runs it. It serves the demonstration on a port and with data of its own, and ends it afterwards.
``--runs`` and ``--agents`` add a project of runs that came from elsewhere. ``index.html`` shows all pictures.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from scripts.console_pages import PAGES, ConsolePage, places
from scripts.contact_sheet import Picture, write_sheet
from scripts.real_runs import project_of_runs, reviewer_of

ROOT = Path(__file__).resolve().parent.parent
WIDTHS = {1440: 900, 390: 844}
THEMES = ("light", "dark")
PEOPLE = {
    "viewer": "vera@meridian-travel.example",
    "reviewer": "priya@meridian-travel.example",
    "admin": "ada@meridian-travel.example",
}
START_SECONDS = 180


def main() -> None:
    """Take the pictures that the arguments ask for."""
    asked = arguments()
    with demonstration() as record, chromium() as browser:
        api = httpx.Client(
            base_url=f"{record['url']}/v1/", headers={"Authorization": f"Bearer {record['adminToken']}"}, timeout=60
        )
        projects = [record["projects"][0]["id"]]
        if asked.runs:
            projects.append(project_of_runs(api, runs=asked.runs, agents=asked.agents, beside=projects[0]))
        pages = [shown for shown in PAGES if not asked.only or asked.only in shown.name]
        shutil.rmtree(asked.folder, ignore_errors=True)
        asked.folder.mkdir(parents=True)
        studio = Studio(browser, record, asked.folder)
        pictures = [picture for project in projects for picture in studio.pictures(api, project, pages)]
    print(f"{len(pictures)} pictures: {write_sheet(asked.folder, pictures)}")


def arguments() -> argparse.Namespace:
    """What the caller wants."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / "var" / "screenshots", help="emptied before")
    parser.add_argument("--only", help="take only pages with this in their name")
    parser.add_argument("--runs", type=Path, help="runs of elsewhere, a line each, as POST /v1/runs/import takes them")
    parser.add_argument("--agents", type=Path, help="the agents of these runs, their versions and tools, as JSON")
    asked = parser.parse_args()
    if bool(asked.runs) != bool(asked.agents):
        parser.error("--runs and --agents go together.")
    return asked


class Studio:
    """Takes pictures of one demonstration, with a browser for each person and width."""

    def __init__(self, browser: Browser, record: dict[str, Any], folder: Path) -> None:
        """``record`` is the demonstration's."""
        self._browser = browser
        self._record = record
        self._folder = folder
        self._contexts: dict[tuple[str, int], BrowserContext] = {}

    def pictures(self, api: httpx.Client, project_id: str, pages: list[ConsolePage]) -> Iterator[Picture]:
        """Those of a project's pages, as they are taken."""
        reviewer = reviewer_of(api, project_id)
        found = places(lambda path: api.get(path).raise_for_status().json(), project_id, reviewer_id=reviewer)
        for shown in pages:
            if missing := shown.missing(found):
                print(f"{found['slug']}: {shown.name} is left out, the data has none: {', '.join(missing)}")
                continue
            for width in WIDTHS:
                yield from self._of(shown, width, found)
            print(f"{found['slug']}: {shown.name}", flush=True)

    def _of(self, shown: ConsolePage, width: int, found: dict[str, str]) -> Iterator[Picture]:
        page = self._context(shown.who, width).new_page()
        shown.open(page, found)
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            name = re.sub(r"\W+", "-", f"{found['slug']} {shown.name} {width} {theme}")
            page.screenshot(path=self._folder / f"{name}.png", full_page=True)
            yield Picture(group=f"{found['slug']}: {shown.name}", name=f"{width} px, {theme}", file=f"{name}.png")
        page.close()

    def _context(self, who: str, width: int) -> BrowserContext:
        if (who, width) not in self._contexts:
            context = self._browser.new_context(
                base_url=self._record["url"],
                viewport={"width": width, "height": WIDTHS[width]},
                timezone_id="America/New_York",
                locale="en-US",
                reduced_motion="reduce",
            )
            if who != "nobody":
                self._sign_in(context, PEOPLE[who])
            self._contexts[who, width] = context
        return self._contexts[who, width]

    def _sign_in(self, context: BrowserContext, email: str) -> None:
        password = next(user["password"] for user in self._record["users"] if user["email"] == email)
        page = context.new_page()
        page.goto("/sign-in")
        page.locator("[name=username]").fill(email)
        page.locator("[name=password]").fill(password)
        page.locator("main form button").click()
        page.wait_for_url(lambda url: "/sign-in" not in url)
        page.close()


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's."""
    found = shutil.which("chromium")
    if found is None:
        sys.exit("chromium isn't installed: scripts/services, as root, does that on Debian and its kin.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found)
        yield browser
        browser.close()


@contextmanager
def demonstration() -> Iterator[dict[str, Any]]:
    """One on a free port, in a folder that is gone afterwards; what it wrote down of itself."""
    with tempfile.TemporaryDirectory(prefix="kindgi-screenshots-") as folder:
        environment = {**os.environ, "KINDGI_ENV": "development", "VAR_DIR": folder}
        command = [sys.executable, "manage.py", "demo", f"--port={free_port()}"]
        with (Path(folder) / "told").open("wb") as told:
            process = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=told, stderr=subprocess.STDOUT)
        try:
            yield _record(Path(folder), process)
        except Exception:
            print((Path(folder) / "told").read_text()[-5000:], file=sys.stderr)
            raise
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)


def _record(folder: Path, process: subprocess.Popen[bytes]) -> dict[str, Any]:
    deadline = time.monotonic() + START_SECONDS
    while not (folder / "demo.json").exists():
        if process.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"The demonstration didn't start:\n{(folder / 'told').read_text()}")
        time.sleep(0.2)
    record: dict[str, Any] = json.loads((folder / "demo.json").read_text())
    return record


def free_port() -> int:
    """A port that nobody has at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


if __name__ == "__main__":
    main()
