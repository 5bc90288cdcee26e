"""The Quality section of a project: five tabs at one address (contract, section 8)."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpResponseBase
from django.views.decorators.http import require_safe

from quality_console.frame import ConsoleRequest
from quality_console.views import changes, classes, queue, rules, trends
from quality_console.views.pages import console

TABS: dict[str, Callable[[ConsoleRequest], HttpResponseBase]] = {
    "to-correct": queue.tab,
    "rules": rules.tab,
    "trends": trends.tab,
    "judge-classes": classes.tab,
    "suggested-changes": changes.tab,
}


@require_safe
@console
def quality(request: ConsoleRequest, slug: str) -> HttpResponseBase:
    """The tab that ``tab`` names; the first one, where it names none that there is."""
    tab = TABS.get(request.GET.get("tab", ""), queue.tab)
    return tab(request)
