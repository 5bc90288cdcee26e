"""What each rule's runs show, version by version (contract, section 8)."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpResponseBase

from judging.models import JudgingRule
from judging.selectors.results import rule_groups
from judging.selectors.rules import rules_of
from judging.words.results import SHOWN_APART, TRENDS_SHOW
from kindgi.api.times import now
from quality_console.filters.trends import TrendsFilter, period_of, since_of
from quality_console.frame import ConsoleRequest
from quality_console.presenting.rule_trends import BRIEF, WHOLE, Card, Known, card_of
from quality_console.views.pages import page

RULES_A_PAGE = 10


def tab(request: ConsoleRequest) -> HttpResponseBase:
    """The tab: each rule's card, some a page, in the order of their names."""
    found = TrendsFilter(request.GET, queryset=rules_of(request.frame.project))
    rules = sorted(found.qs, key=lambda rule: (rule.name.casefold(), rule.created_at, rule.pk))
    rows = Paginator(rules, RULES_A_PAGE).get_page(request.GET.get("page"))
    since = since_of(period_of(request.GET), at=now())
    context: dict[str, Any] = {
        "section": "quality",
        "tab": "trends",
        "rows": rows,
        "cards": _cards(request, rows, since),
        "period": period_of(request.GET),
        "since": since,
        "asked": found.form.cleaned_data,
        "removed": len(request.frame.rules) - len(request.frame.rules_live),
        "trends_show": TRENDS_SHOW,
        "shown_apart": SHOWN_APART,
    }
    return page(request, "quality_console/trends.html", context, parts={"tab"})


def _cards(request: ConsoleRequest, rows: Page[JudgingRule], since: Any) -> list[Card]:
    """A card for each rule of the page; one statement, and one more where a period leaves out what is open since."""
    ids = [rule.pk for rule in rows]
    of_all_time = rule_groups(ids)
    groups = of_all_time if since is None else rule_groups(ids, since=since)
    length = WHOLE if request.GET.get("show") == "all" and len(ids) == 1 else BRIEF
    known = Known({one.pk: one for one in request.frame.classes}, request.GET, length)
    return [
        card_of(rule, groups[rule.pk], open_now=sum(group.open for group in of_all_time[rule.pk]), known=known)
        for rule in rows
    ]
