"""Every page and dialog of the console, for those who look at all of them: the screenshots and the browser tests.

An address holds the names of places that :func:`places` finds in a project: ``{slug}``, ``{rule}``, ``{waiting}``…
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from playwright.sync_api import Page

Who = Literal["nobody", "viewer", "reviewer", "admin"]
Get = Callable[[str], Any]
STATES = {"waiting": "open", "corrected": "judged", "dismissed": "dismissed", "erased": "erased"}


@dataclass(frozen=True, slots=True)
class ConsolePage:
    """A page as ``who`` sees it; ``steps`` open what has no address: ("click", a selector) or ("press", a key)."""

    name: str
    address: str
    who: Who = "reviewer"
    steps: tuple[tuple[str, str], ...] = ()
    status: int = 200

    def open(self, page: Page, found: dict[str, str]) -> None:
        """Go there, and return once all is drawn; fails where it isn't answered as it should be."""
        address = self.address.format_map(found)
        answer = page.goto(address)
        if answer is None or answer.status != self.status or not page.url.endswith(address):
            raise AssertionError(f"{self.name}: {address} led to {page.url}, {answer and answer.status}")
        for verb, what in self.steps:
            if verb == "press":
                page.keyboard.press(what)
            else:
                page.locator(what).first.click()
        page.wait_for_function("!document.querySelector('.htmx-request')")


_QUALITY = "/projects/{slug}/quality?tab="

PAGES = (
    ConsolePage("sign in", "/sign-in", who="nobody"),
    ConsolePage("home", "/"),
    ConsolePage("to correct", _QUALITY + "to-correct"),
    ConsolePage("rules", _QUALITY + "rules"),
    ConsolePage("trends", _QUALITY + "trends"),
    ConsolePage("judge classes", _QUALITY + "judge-classes"),
    ConsolePage("suggested changes", _QUALITY + "suggested-changes"),
    ConsolePage("no such page", "/projects/nowhere/quality", status=404),
)


def places(get: Get, project_id: str) -> dict[str, str]:
    """Ids in the project, by name, as ``get`` reads them from /v1: a run in each state of the queue, a rule, a class.

    What the project has none of is an id of nothing.
    """
    project = f"projects/{project_id}"
    found = {"slug": get(project)["slug"]}
    for name, state in STATES.items():
        items = get(f"{project}/judging-queue?state={state}&limit=25")["data"]
        found[name] = _an_id(items, "runId")
    found["rule"] = _an_id(get(f"{project}/judging-rules")["data"], "ruleId")
    found["class"] = _an_id(get("judge-classes")["data"], "id")
    return found


def _an_id(rows: list[dict[str, Any]], name: str) -> str:
    return str(rows[0][name]) if rows else "00000000-0000-0000-0000-000000000000"
