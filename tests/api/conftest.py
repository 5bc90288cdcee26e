"""What the tests of the conventions share: a counted effect, and requests that repeat themselves."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connection

from tests.api import probes
from tests.builders import Api, make_tenant, make_user


@dataclass
class Effects:
    """The rows that probes/effects adds."""

    def count(self) -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM probe_effects")
            found: int = cursor.fetchone()[0]
        return found


@pytest.fixture
def effects(db: None) -> Iterator[Effects]:
    """An empty table of effects, for as long as the test runs."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE probe_effects (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)")
    yield Effects()
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE probe_effects")


@pytest.fixture
def api(effects: Effects) -> Api:
    """A person's client."""
    return Api.of(make_user(make_tenant(), "editor"))


@pytest.fixture
def during(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Set what happens inside of the transaction of probes/effects."""
    return lambda work: monkeypatch.setattr(probes.Effects, "during", staticmethod(work))
