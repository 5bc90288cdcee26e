"""What goes wrong in a browser without anybody asking: scripts that fail, answers that never come, forbidden content.

Each of these is a trouble. A test fails by the first one that it hasn't said to expect, and by one that it
expected and that didn't come. Answers of 422 are none: so is a form answered that can't be taken as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from playwright.sync_api import BrowserContext, ConsoleMessage, Request, Response, WebError

# A policy that forbids nothing but reports is silent in the console.
REPORT_VIOLATIONS = """
document.addEventListener('securitypolicyviolation', (event) => console.error(
  `Content-Security-Policy: ${event.effectiveDirective} forbids ${event.blockedURI} ` +
  `(${event.sourceFile || document.URL}:${event.lineNumber}) ${event.sample}`));
"""
# The browser's own word for an answer of 4xx or 5xx, or for none; these are looked at one by one, with their address.
_SAID_ELSEWHERE = "Failed to load resource:"
# A page that is left, or a script that asks again, gives up what it was waiting for.
_GIVEN_UP = "net::ERR_ABORTED"
_INVALID_FORM = 422


class Troubles:
    """Those of all pages of a test."""

    def __init__(self) -> None:
        """None yet."""
        self.found: list[str] = []
        self._expected: list[str] = []

    def watch(self, context: BrowserContext) -> None:
        """Note the troubles of all pages that the context has, and will have."""
        context.add_init_script(REPORT_VIOLATIONS)
        context.on("console", self._console)
        context.on("weberror", self._script)
        context.on("requestfailed", self._unanswered)
        context.on("response", self._answered)

    def expect(self, *patterns: str) -> None:
        """The test provokes such troubles, at least one of each: ``expect("404 .*/runs/", "ERR_INTERNET")``."""
        self._expected += patterns

    def check(self) -> None:
        """Fail unless what was found is what was expected."""
        unexpected = [trouble for trouble in self.found if not _any(self._expected, trouble)]
        assert not unexpected, "In the browser:\n" + "\n".join(f"- {trouble}" for trouble in unexpected)
        missing = [pattern for pattern in self._expected if not any(re.search(pattern, one) for one in self.found)]
        assert not missing, f"Expected in the browser, but it didn't come: {missing}; this did: {self.found}"

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(_SAID_ELSEWHERE):
            self.found.append(f"console: {message.text}")

    def _script(self, error: WebError) -> None:
        self.found.append(f"script: {error.error}")

    def _unanswered(self, request: Request) -> None:
        if request.failure != _GIVEN_UP:
            self.found.append(f"{request.failure} {request.method} {request.url}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400 and response.status != _INVALID_FORM:
            self.found.append(f"{response.status} {response.request.method} {response.url}")


def _any(patterns: Iterable[str], text: str) -> bool:
    return any(re.search(pattern, text) for pattern in patterns)
