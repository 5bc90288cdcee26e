"""A shop's rules and queue, as tests make and read them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from kindgi.api.times import as_of, now
from tests.support.shops import AGENT, Shop, completed


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


def old_rule(shop: Shop, *, by: str = "editor", at: datetime | None = None, **body: Any) -> dict[str, Any]:
    """A rule that was made an hour ago, or at ``at``: any run that ends now ends after it."""
    with as_of(at or now() - timedelta(hours=1)):
        return make_rule(shop, by=by, **body)


def report(shop: Shop, door: str, run_id: str, /, by: str = "tenant-admin", **body: Any) -> None:
    """Report a run by ``PUT`` or by ``import``; a completed one of the shop's agent, unless ``body`` says else."""
    if door == "PUT":
        shop.api(by).ok("PUT", f"runs/{run_id}", completed(**body))
    else:
        import_runs(shop, {"id": run_id, **completed(**body)}, by=by)


def import_runs(shop: Shop, *records: dict[str, Any], by: str = "tenant-admin") -> None:
    """Report several runs in one request, of which none is refused."""
    answer = shop.api(by).ok("POST", "runs/import", list(records))
    assert answer["refused"] == 0, answer


def records(number: int, **body: Any) -> list[dict[str, Any]]:
    """So many completed runs of the shop's agent, as an import takes them."""
    return [{"id": str(uuid4()), **completed(**body)} for _ in range(number)]


def queued_runs(shop: Shop, query: str = "") -> list[str]:
    """The runs of the queue in its order, read page by page."""
    found: list[str] = []
    page = queue(shop, f"limit=100&{query}")
    while True:
        found += [item["runId"] for item in page["data"]]
        if not page["hasMore"]:
            return found
        page = queue(shop, f"limit=100&cursor={page['nextCursor']}&{query}")


def dismiss(shop: Shop, run_id: str, *, by: str = "editor", **body: Any) -> dict[str, Any]:
    """The item as it is once it is dismissed."""
    item: dict[str, Any] = shop.api(by).ok("POST", queue_path(shop, run_id, "dismiss"), body)
    return item


def reopen(shop: Shop, run_id: str, *, by: str = "editor") -> dict[str, Any]:
    """The item as it is once it is reopened."""
    item: dict[str, Any] = shop.api(by).ok("POST", queue_path(shop, run_id, "reopen"))
    return item
