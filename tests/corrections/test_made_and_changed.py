"""What is new was last changed when it was made, however the clock ticks meanwhile (the seed: `updatedAt`)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from unittest import mock

import pytest

from kindgi.api import times
from tests.support.shops import Shop


@pytest.fixture
def ticking() -> Iterator[None]:
    """A clock that goes on by a second at each look."""
    looks = count()

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=next(looks))

    with mock.patch.object(times, "datetime", Clock):
        yield


MADE: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "projects", {"name": "New", "slug": "new"}),
    ("POST", "judge-classes", {"scope": {"kind": "tenant"}, "name": "new", "weight": 1}),
    ("PUT", "agents/new/versions/1.0.0", {"tools": []}),
    ("POST", "corrections", {"runId": "{run}", "answer": "right"}),
]


@pytest.mark.parametrize(("method", "path", "body"), MADE, ids=[path for _, path, _ in MADE])
def test_it_was_changed_when_it_was_made(
    undone: Shop, ticking: None, method: str, path: str, body: dict[str, Any]
) -> None:
    if "runId" in body:
        body = {**body, "runId": undone.run()}
    made = undone.admin.ok(method, path, body)
    assert made["updatedAt"] == made["createdAt"]
