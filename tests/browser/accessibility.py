"""What everybody needs of a page: axe finds nothing against WCAG 2.2 AA, and a phone needn't scroll sideways."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from tests.browser.browsing import DESKTOP, PHONE, SMALL_PHONE, Theme

THEMES: tuple[Theme, ...] = ("light", "dark")
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]
_OPTIONS: dict[str, Any] = {
    "runOnly": {"type": "tag", "values": STANDARDS},
    # axe leaves it out by itself: 24 px each way, or room around it.
    "rules": {"target-size": {"enabled": True}},
    "resultTypes": ["violations"],
    "elementRef": False,
}
_HAS_AXE = "() => Boolean(window.axe)"
_LOAD_AXE = "(script) => { (0, eval)(script); }"
_RUN_AXE = "(options) => window.axe.run(document, options)"
# A theme changes colours and nothing else: what else there is to find was looked for in the first one.
_OF_COLOURS = {**_OPTIONS, "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
# What is wider than the window, apart from what its own box scrolls or hides, innermost first.
_TOO_WIDE = """
() => {
  const root = document.documentElement, width = root.clientWidth;
  if (root.scrollWidth <= width) return [];
  const kept = (element) => {
    for (let box = element.parentElement; box && box !== document.body; box = box.parentElement)
      if (getComputedStyle(box).overflowX !== 'visible') return true;
    return false;
  };
  const wide = [...document.body.querySelectorAll('*')]
    .filter((element) => element.getBoundingClientRect().right > width + 1 && !kept(element));
  return [`the page is ${root.scrollWidth} px wide in a window of ${width} px`,
    ...wide.filter((element) => !wide.some((other) => other !== element && element.contains(other)))
      .slice(0, 10).map((element) => element.cloneNode(false).outerHTML.slice(0, 200))];
}
"""
_HEIGHT = 844


def assert_accessible(page: Page, *themes: Theme) -> None:
    """Fail unless axe finds nothing in the page as it stands, in both themes or in those given."""
    before: Theme = "dark" if page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") else "light"
    first, *others = themes or THEMES
    problems = violations(page, theme=first)
    problems += [line for theme in others for line in violations(page, theme=theme, options=_OF_COLOURS)]
    page.emulate_media(color_scheme=before)
    assert not problems, f"{page.url} isn't for everybody:\n" + "\n".join(problems)


def violations(page: Page, *, theme: Theme, options: dict[str, Any] = _OPTIONS) -> list[str]:
    """What axe finds, in lines for a person: the rule, then each element and what to do about it."""
    page.emulate_media(color_scheme=theme)
    if not page.evaluate(_HAS_AXE):  # half a megabyte, which is sent once a document
        page.evaluate(_LOAD_AXE, AXE_SCRIPT)
    answer = page.evaluate(_RUN_AXE, options)
    return [line for violation in answer["violations"] for line in _told(violation, theme)]


def _told(violation: dict[str, Any], theme: Theme) -> list[str]:
    lines = [f"- {violation['id']} ({violation['impact']}, {theme} theme): {violation['help']}"]
    for node in violation["nodes"]:
        lines.append(f"    {' '.join(map(str, node['target']))}  {' '.join(node['html'].split())[:200]}")
        lines += [f"      {line.strip()}" for line in node["failureSummary"].splitlines()[1:]]
    return lines


def assert_no_sideways_scroll(page: Page, *widths: int) -> None:
    """Fail if the page is wider than the window, at each width or those given; the window is left as it was."""
    before = page.viewport_size
    for width in widths or (DESKTOP, PHONE, SMALL_PHONE):
        page.set_viewport_size({"width": width, "height": _HEIGHT})
        too_wide = page.evaluate(_TOO_WIDE)
        assert not too_wide, f"{page.url} scrolls sideways:\n" + "\n".join(f"- {line}" for line in too_wide)
    if before:
        page.set_viewport_size(before)
