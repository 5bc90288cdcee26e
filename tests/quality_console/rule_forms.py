"""A rule's forms as a browser without scripts sends them."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

from judging.models import JudgingRule, JudgingRuleVersion
from tests.builders import browser
from tests.support.shops import AGENT, Shop

NEW: dict[str, Any] = {
    "name": "Support sample",
    "of": "agents",
    "agents": [AGENT],
    "which": "any",
    "share": "10",
    "unit": "percent",
    "enabled": "on",
}


class _Fields(HTMLParser):
    """What a form would send, untouched: the fields of all forms of a page within its dialog."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[str, list[str]] = {}
        self.name = self.select = ""
        self.is_inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.is_inside |= tag == "dialog"
        if not self.is_inside:
            return
        if tag == "input" and ("checked" in given or given.get("type") not in ("checkbox", "radio")):
            nothing = "on" if given.get("type") in ("checkbox", "radio") else ""
            self.sent.setdefault(given["name"], []).append(given.get("value", nothing))
        elif tag == "textarea":
            self.name = given["name"]
            self.sent[self.name] = [""]
        elif tag == "select":
            self.select = given["name"]
        elif tag == "option" and (self.select not in self.sent or "selected" in given):
            self.sent[self.select] = [given["value"]]

    def handle_data(self, data: str) -> None:
        if self.name:
            self.sent[self.name][0] += data.removeprefix("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self.name = ""


def fields_of(html: str) -> dict[str, list[str]]:
    """What the dialog's form sends if nobody touches it."""
    parser = _Fields()
    parser.feed(html)
    return {name: values for name, values in parser.sent.items() if name != "csrfmiddlewaretoken"}


def dialog_of(shop: Shop, query: str, *, by: str = "editor") -> str:
    """The page with a dialog over it."""
    answer = browser(shop.person(by)).get(f"/projects/{shop.project.slug}/quality?tab=rules&{query}")
    assert answer.status_code == 200, answer.content
    return str(answer.content.decode())


def sent(shop: Shop, path: str, fields: dict[str, Any], *, by: str = "editor", **headers: str) -> Any:
    """The answer to a form; ``path`` is below the rules'."""
    address = f"/projects/{shop.project.slug}/quality/rules/{path}"
    return browser(shop.person(by)).post(address, fields, headers=headers or None)


def errors_in(answer: Any) -> list[str]:
    """What is said beside the fields, and over them."""
    # What a script would show isn't said yet.
    html = re.sub(r"<template\b.*?</template>", "", answer.content.decode(), flags=re.DOTALL)
    beside = re.findall(r'<p class="error"[^>]*>(.*?)</p>', html, re.DOTALL)
    over = re.findall(r'<div class="notice wrong"[^>]*>(.*?)</div>\s*</div>', html, re.DOTALL)
    return [" ".join(unescape(re.sub(r"<[^>]*>", "", text)).split()) for text in [*beside, *over]]


def rules_there(shop: Shop) -> list[JudgingRule]:
    """The project's rules."""
    return list(JudgingRule.objects.filter(project=shop.project))


def versions_there(shop: Shop) -> int:
    """How many versions of rules there are in the project."""
    return JudgingRuleVersion.objects.filter(rule__project=shop.project).count()
