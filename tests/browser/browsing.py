"""People's browsers: each page is of a browser of its own, signed in as one person, at one width, theme and place."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from django.conf import settings
from playwright.sync_api import Browser, BrowserContext, Page

from kindgi.access.models import User
from tests import builders
from tests.browser.troubles import Troubles

Theme = Literal["light", "dark"]
DESKTOP, PHONE, SMALL_PHONE = 1440, 390, 320
_HEIGHTS = {DESKTOP: 900, PHONE: 844, SMALL_PHONE: 568}
# What a person would wait for before they give up; on a busy machine only a broken page takes so long.
PATIENCE = 15_000  # milliseconds


class Browsing:
    """Opens pages for a test, and closes them after it."""

    def __init__(self, browser: Browser, url: str, troubles: Troubles) -> None:
        """Of the site at ``url``."""
        self._browser = browser
        self._url = url
        self._troubles = troubles
        self._contexts: list[BrowserContext] = []

    def __call__(
        self,
        person: User | None = None,
        *,
        width: int = DESKTOP,
        theme: Theme = "light",
        javascript: bool = True,
        offline: bool = False,
        timezone: str = "America/New_York",
        locale: str = "en-US",
        **options: Any,
    ) -> Page:
        """An empty page, for an address such as ``page.goto("/projects/…")``; signed out without ``person``.

        ``theme`` is what the person's system asks for. ``options`` are Playwright's for a context.
        """
        chosen = {
            "base_url": self._url,
            "viewport": {"width": width, "height": _HEIGHTS.get(width, 900)},
            "color_scheme": theme,
            "java_script_enabled": javascript,
            "offline": offline,
            "timezone_id": timezone,
            "locale": locale,
            # A colour that is on its way to another is no colour of ours.
            "reduced_motion": "reduce",
        }
        context = self._browser.new_context(**{**chosen, **options})
        self._contexts.append(context)
        context.set_default_timeout(PATIENCE)
        self._troubles.watch(context)
        if person is not None:
            sign_in(context, person, self._url)
        return context.new_page()

    def photograph(self, folder: Path, name: str) -> None:
        """Leave pictures of all open pages in the folder, for who wants to know why a test failed."""
        folder.mkdir(parents=True, exist_ok=True)
        pages = [page for context in self._contexts for page in context.pages]
        for number, page in enumerate(pages, start=1):
            page.screenshot(path=folder / f"{name}-{number}.png", timeout=PATIENCE)

    def close(self) -> None:
        """Close all of them."""
        while self._contexts:
            self._contexts.pop().close()


def sign_in(context: BrowserContext, person: User, url: str) -> None:
    """Give the browser a session of the person, as the sign-in form would, without the form."""
    session = builders.browser(person).cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": url}])
