"""Fixtures: Debian's Chromium, the project served by its own server, and people who look at it.

The project is served by granian in a process of its own, once for all tests of a test process, on that process's
database (2 s). As in production static files are WhiteNoise's and connections are kept, and nothing that a test
changes in its own process reaches what it tests. Django's live server would share the interpreter with the test, and
open a connection to the database for each of the browser's.

The browser too is started once a test process (1.5 s), and each page has a context of its own: cookies, cache, storage.
Playwright's loop counts as running in the test's thread from its start on, but control passes to it only inside of
Playwright's calls, so it never runs in the middle of a query; Django's check against that is told so.

Rows are committed, for the server to see. Each test makes a tenant of its own (``shop``), from which nobody sees
another's, so the tables are emptied once a module and not after each test.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import override_settings
from playwright.sync_api import Browser, expect, sync_playwright
from pytest_django.plugin import DjangoDbBlocker

from tests.browser.browsing import PATIENCE, Browsing
from tests.browser.troubles import Troubles
from tests.browser.worlds import World
from tests.support.brokers import Broker
from tests.support.servers import ServedProject
from tests.support.shops import Shop
from tests.support.workers import WorkerProcess

FAILURES = settings.BASE_DIR / "var" / "browser-failures"
# The first are Playwright's own, which the flag replaces; without the last no window of a browser that nobody sees
# prepares a page under its address bar, which costs as much as the page that is looked at.
DISABLED = (
    "PaintHolding,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,OptimizationHints,MediaRouter,AimEnabled,"
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,PreloadTopChromeWebUI"
)
failed = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Remember which tests failed, for their pictures."""
    report = yield
    if report.when == "call":
        item.stash[failed] = report.failed
    return report


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium. Where there is none the test is left out, but not in CI."""
    chromium = shutil.which("chromium")
    if chromium is None:
        missing = "chromium isn't installed: scripts/services, as root, does that on Debian and its kin."
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(missing)
    expect.set_options(timeout=PATIENCE)
    with pytest.MonkeyPatch.context() as environment, sync_playwright() as playwright:
        environment.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        started = playwright.chromium.launch(executable_path=chromium, args=[f"--disable-features={DISABLED}"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def site(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedProject]:
    """The project, served; ``site.url``, ``site.environment``."""
    served = ServedProject(
        # Sessions that the test makes must be valid there; tasks that it sends wait apart from the others'.
        SECRET_KEY=settings.SECRET_KEY,
        VAR_DIR=str(tmp_path_factory.mktemp("site")),
        CELERY_BROKER_URL="",
    )
    with override_settings(WEB_WORKERS=1):
        served.start()
    yield served
    served.stop()


@pytest.fixture(scope="module")
def committed(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The database for the tests of a module; what they commit is gone after the last."""
    with django_db_blocker.unblock():
        yield
        _wait_until_idle()
        call_command("flush", verbosity=0, interactive=False, reset_sequences=False)
        connection.close()


def _wait_until_idle() -> None:
    """Return once no other connection works: a page's last request may outlive it."""
    deadline = time.monotonic() + 30
    with connection.cursor() as cursor:
        while True:
            cursor.execute(
                "SELECT query FROM pg_stat_activity WHERE datname = current_database()"
                " AND backend_type = 'client backend' AND state <> 'idle' AND pid <> pg_backend_pid()"
            )
            if not (working := cursor.fetchall()):
                return
            assert time.monotonic() < deadline, f"This never ended: {working}"
            time.sleep(0.02)


@pytest.fixture
def shop(committed: None) -> Shop:
    """A shop of the test's own: its agent, no runs, people as they are asked for."""
    return Shop.open()


@pytest.fixture
def troubles() -> Troubles:
    """What goes wrong in the test's pages; ``troubles.expect(pattern)`` where the test provokes it."""
    return Troubles()


@pytest.fixture
def page_for(
    browser: Browser, site: ServedProject, committed: None, troubles: Troubles, request: pytest.FixtureRequest
) -> Iterator[Browsing]:
    """``page_for(person, width=390, theme="dark")``: a page of a browser of theirs; see Browsing."""
    browsing = Browsing(browser, site.url, troubles)
    yield browsing
    if request.node.stash.get(failed, False):
        browsing.photograph(FAILURES, _file_name(request.node))
    browsing.close()
    troubles.check()


def _file_name(test: pytest.Item) -> str:
    """Its module and name, as far as a file may be called so."""
    return re.sub(r"\W+", "-", f"{Path(test.path).stem} {test.name}")[:150]


@pytest.fixture(scope="module")
def world(committed: None) -> World:
    """A shop with a history, for all tests of a module: look, and change nothing that another test looks at."""
    return World.built()


@pytest.fixture
def worker(site: ServedProject, committed: None) -> Iterator[WorkerProcess]:
    """Does what the served project leaves to a worker; it begins a second or two later."""
    working = WorkerProcess(Path(site.environment["VAR_DIR"]), Broker())
    working.start()
    yield working
    working.kill9()
