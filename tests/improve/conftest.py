"""What the tests of suggested changes share."""

from __future__ import annotations

import pytest
from django.db import connection

from improve import hooks
from improve.models import ReplayJob
from improve.replaying import asking
from tests.support.shops import fresh, module_db, shop, undone

__all__ = ["fresh", "module_db", "shop", "undone"]


@pytest.fixture
def again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long before a request is sent again."""
    monkeypatch.setattr(asking, "_backoff", lambda state: 0.01)


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """The states of jobs that were told to be over, and whether that was in a transaction."""
    told: list[tuple[str, bool]] = []

    def listen(jobs: list[ReplayJob]) -> None:
        told.extend((job.state, connection.in_atomic_block) for job in jobs)

    monkeypatch.setattr(hooks.job_ended, "_listeners", [*hooks.job_ended._listeners, listen])
    return told
