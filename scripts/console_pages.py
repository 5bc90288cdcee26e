"""Every page and dialog of the console, for those who look at all of them: the screenshots and the browser tests.

An address holds the names of places that :func:`places` finds in a project: ``{slug}``, ``{rule}``, ``{waiting}``…
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from string import Formatter
from typing import Any, Literal

from playwright.sync_api import Page

Who = Literal["nobody", "viewer", "reviewer", "admin"]
Get = Callable[[str], Any]
STATES = {"waiting": "open", "dismissed": "dismissed", "erased": "erased"}


@dataclass(frozen=True, slots=True)
class ConsolePage:
    """A page as ``who`` sees it; ``steps`` open what has no address: ("click", a selector) or ("press", a key)."""

    name: str
    address: str
    who: Who = "reviewer"
    steps: tuple[tuple[str, str], ...] = ()
    status: int = 200

    def missing(self, found: dict[str, str]) -> list[str]:
        """The places in its address that aren't among those found."""
        named = [name for _text, name, _spec, _conversion in Formatter().parse(self.address) if name]
        return [name for name in named if name not in found]

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
        if "dialog=" in address:
            page.locator("dialog[open]").wait_for()
        page.wait_for_function("!document.querySelector('.htmx-request')")


_QUALITY = "/projects/{slug}/quality?tab="
_QUEUE, _RULES, _CLASSES = _QUALITY + "to-correct", _QUALITY + "rules", _QUALITY + "judge-classes"
_RUNS = "/projects/{slug}/runs"
_CHANGES = "/projects/{slug}/suggested-changes"
_OF_CORRECTION = _RUNS + "/{corrected}?tab=corrections&correction={correction}&dialog="

PAGES = (
    ConsolePage("sign in", "/sign-in", who="nobody"),
    ConsolePage("home", "/"),
    ConsolePage("project menu", "/projects/{slug}/quality", steps=(("click", "[popovertarget=m-project]"),)),
    ConsolePage("account menu", "/projects/{slug}/quality", steps=(("click", "[popovertarget=m-account]"),)),
    ConsolePage("to correct, waiting", _QUEUE),
    ConsolePage("to correct, everyone's", _QUEUE + "&whose=everyone"),
    ConsolePage("to correct, corrected", _QUEUE + "&state=corrected&whose=everyone"),
    ConsolePage("to correct, dismissed", _QUEUE + "&state=dismissed&whose=everyone"),
    ConsolePage("to correct, erased", _QUEUE + "&state=erased&whose=everyone"),
    ConsolePage("to correct, nothing matches", _QUEUE + "&rule={class}&agent=nobody"),
    ConsolePage("to correct, columns", _QUEUE, steps=(("click", "[popovertarget=m-columns]"),)),
    ConsolePage("to correct, as a viewer sees it", _QUEUE, who="viewer"),
    ConsolePage("dismiss", _QUEUE + "&dialog=dismiss&run={waiting}"),
    ConsolePage("rules", _RULES),
    ConsolePage("rules, as a viewer sees them", _RULES, who="viewer"),
    ConsolePage("rule, new", _RULES + "&dialog=new"),
    ConsolePage("rule, change", _RULES + "&dialog=change&rule={rule}"),
    ConsolePage("rule, history", _RULES + "&history={rule}"),
    ConsolePage("rule, remove", _RULES + "&dialog=remove&rule={rule}"),
    ConsolePage("rule, queue recent runs", _RULES + "&dialog=queue&rule={rule}"),
    ConsolePage("trends", _QUALITY + "trends"),
    ConsolePage("trends of 30 days", _QUALITY + "trends&period=30"),
    ConsolePage("trends, every count", _QUALITY + "trends&rule={rule}&show=all"),
    ConsolePage("judge classes", _CLASSES, who="admin"),
    ConsolePage("judge classes, as a viewer sees them", _CLASSES, who="viewer"),
    ConsolePage("judge class, new", _CLASSES + "&dialog=new", who="admin"),
    ConsolePage("judge class, change", _CLASSES + "&dialog=change&class={class}", who="admin"),
    ConsolePage("judge class, remove", _CLASSES + "&dialog=remove&class={class}", who="admin"),
    ConsolePage("suggested changes", _QUALITY + "suggested-changes"),
    ConsolePage("suggested changes, none matches", _QUALITY + "suggested-changes&q=nowhere"),
    ConsolePage("suggested change, to decide", _CHANGES + "/{change in-review}?case=0&evidence=all"),
    ConsolePage("suggested change, drafted", _CHANGES + "/{change draft}"),
    ConsolePage("suggested change, being evaluated", _CHANGES + "/{change evaluating}"),
    ConsolePage("suggested change, not better", _CHANGES + "/{change not-better}?lines=all", who="admin"),
    ConsolePage("suggested change, failed", _CHANGES + "/{change evaluation-failed}"),
    ConsolePage("suggested change, rejected", _CHANGES + "/{change rejected}", who="viewer"),
    ConsolePage("suggest a change", _CHANGES + "/new?agent={changed agent}&version={changed version}"),
    ConsolePage("suggest a change, no blocks", _CHANGES + "/new?agent=nobody&version=0"),
    ConsolePage("replay endpoints", "/projects/{slug}/replay-endpoints?agent={changed agent}", who="admin"),
    ConsolePage("runs", _RUNS),
    ConsolePage("run", _RUNS + "/{waiting}"),
    ConsolePage("run, to correct", _RUNS + "/{waiting}?tab=corrections"),
    ConsolePage("run, keys", _RUNS + "/{waiting}?tab=corrections", steps=(("press", "?"),)),
    ConsolePage("run, as a viewer sees it", _RUNS + "/{waiting}?tab=corrections", who="viewer"),
    ConsolePage("run, corrected", _RUNS + "/{corrected}?tab=corrections"),
    ConsolePage("run, dismissed", _RUNS + "/{dismissed}?tab=corrections"),
    ConsolePage("run, erased", _RUNS + "/{erased}?tab=corrections"),
    ConsolePage("correction, won't be fixed", _OF_CORRECTION + "status"),
    ConsolePage("correction, link", _OF_CORRECTION + "link"),
    ConsolePage("correction, note", _OF_CORRECTION + "note"),
    ConsolePage("correction, remove", _OF_CORRECTION + "remove"),
    ConsolePage("people", "/projects/{slug}/people", who="admin"),
    ConsolePage("people, add", "/projects/{slug}/people?dialog=add", who="admin"),
    ConsolePage("project settings", "/projects/{slug}/people?dialog=settings", who="admin"),
    ConsolePage("my tokens", "/account/tokens"),
    ConsolePage("token, new", "/account/tokens?dialog=new"),
    ConsolePage("password", "/account/password"),
    ConsolePage("service accounts", "/service-accounts", who="admin"),
    ConsolePage("service account, new", "/service-accounts?dialog=new", who="admin"),
    ConsolePage("no such project", "/projects/nowhere/quality", status=404),
    ConsolePage("no such run", _RUNS + "/00000000-0000-0000-0000-000000000000", status=404),
)


def places(get: Get, project_id: str, *, reviewer_id: str) -> dict[str, str]:
    """Ids in the project, by name, as ``get`` reads them from /v1; what the project has none of is missing.

    ``waiting``, ``dismissed`` and ``erased`` are runs of the queue; ``corrected`` is the run that the reviewer
    corrected last, and ``correction`` what they said of it: until they have, they would see nobody's. ``class`` is one
    that a rule wants. ``change draft`` is the newest suggested change with that status, and so on.
    """
    project = f"projects/{project_id}"
    found = {"slug": str(get(project)["slug"])}
    for name, state in STATES.items():
        found |= _first(get(f"{project}/judging-queue?state={state}")["data"], {name: "runId"})
    said = get(f"corrections?scopeKind=project&scopeId={project_id}&madeBy={reviewer_id}")["data"]
    found |= _first(said, {"corrected": "runId", "correction": "id"})
    changes = get(f"proposals?scopeKind=project&scopeId={project_id}&limit=100")["data"]
    found |= {f"change {one['status']}": str(one["id"]) for one in reversed(changes)}
    found |= _first(changes, {"changed agent": "agentId", "changed version": "fromVersion"})
    rules = get(f"{project}/judging-rules")["data"]
    found |= _first(rules, {"rule": "ruleId"})
    return found | _first([rule for rule in rules if "judgeClassId" in rule], {"class": "judgeClassId"})


def _first(rows: list[dict[str, Any]], fields: dict[str, str]) -> dict[str, str]:
    return {name: str(rows[0][field]) for name, field in fields.items()} if rows else {}
