"""A shop's rules and queue, as tests make and read them."""

from __future__ import annotations

from typing import Any

from tests.support.shops import AGENT, Shop


def rules_path(shop: Shop, *more: str) -> str:
    """The path of the project's rules, or of what is below them."""
    return "/".join([f"projects/{shop.project.pk}/judging-rules", *more])


def queue_path(shop: Shop, *more: str) -> str:
    """The path of the project's queue, or of what is below it."""
    return "/".join([f"projects/{shop.project.pk}/judging-queue", *more])


def make_rule(shop: Shop, *, by: str = "editor", **body: Any) -> dict[str, Any]:
    """A rule for every run of the shop's agent, unless ``body`` says else."""
    made: dict[str, Any] = shop.api(by).ok(
        "POST", rules_path(shop), {"name": "Everything", "when": {"agentIds": [AGENT]}, **body}
    )
    return made


def change_rule(shop: Shop, rule: dict[str, Any], **body: Any) -> dict[str, Any]:
    """The rule as it is after a change."""
    changed: dict[str, Any] = shop.editor.ok("PATCH", rules_path(shop, rule["ruleId"]), body)
    return changed


def queue(shop: Shop, query: str = "", *, by: str = "editor") -> dict[str, Any]:
    """A page of the queue."""
    page: dict[str, Any] = shop.api(by).ok("GET", f"{queue_path(shop)}?{query}" if query else queue_path(shop))
    return page


def item_of(shop: Shop, run_id: str) -> dict[str, Any] | None:
    """The run's item, if it is in the queue."""
    return next((item for item in queue(shop, "limit=100")["data"] if item["runId"] == run_id), None)


def states(shop: Shop) -> dict[str, str]:
    """How each item stands, by its run."""
    return {item["runId"]: item["state"] for item in queue(shop, "limit=100")["data"]}
