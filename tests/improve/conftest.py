"""What the tests of suggested changes share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection

from improve import hooks
from improve.models import ReplayJob
from improve.replaying import asking
from tests.improve.staging import Stage, staged
from tests.support.shops import Shop, fresh, module_db, shop, undone

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


@pytest.fixture(scope="module")
def stage(shop: Shop) -> Iterator[Stage]:
    """A stage for all tests of a module, which are marked to use ``taken_back``."""
    with staged(shop) as stage:
        yield stage


@pytest.fixture
def taken_back(undone: Shop, stage: Stage) -> None:
    """The test leaves the stage as it was."""
