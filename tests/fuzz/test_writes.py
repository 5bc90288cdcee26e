"""Whatever is sent to a write endpoint, it is answered as the OpenAPI document says, and never with a fault.

All of them together take ``FUZZ_SECONDS``: 20 here, 300 where ``CI=true``. A request that is answered wrongly is made
as small as can be and kept in corpus/.
"""

from __future__ import annotations

import os
import time

import pytest
from django.conf import settings
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings

from kindgi.api.openapi.routes import Route, routes
from tests.fuzz.making import odd_requests
from tests.fuzz.sending import Field, Odd, judge, keep
from tests.support.shops import Shop

SECONDS = float(os.environ.get("FUZZ_SECONDS", "300" if os.environ.get("CI") == "true" else "20"))
WRITES = [route for route in routes(settings.ROOT_URLCONF) if route.is_write]
AT_ONCE = hypothesis_settings(
    max_examples=10,
    # In CI Hypothesis would send the same requests in each round.
    derandomize=False,
    deadline=None,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def field(shop: Shop) -> Field:
    return Field.of(shop)


@pytest.mark.parametrize("route", WRITES, ids=lambda route: route.operation.id)
def test_it_is_answered_and_never_with_a_fault(field: Field, route: Route):
    wrong: list[Odd] = []

    @AT_ONCE
    @given(odd=odd_requests(route))
    def send(odd: Odd) -> None:
        try:
            judge(odd, field.send(odd))
        except BaseException:
            wrong.append(odd)  # the last one is the smallest
            raise

    end = time.monotonic() + SECONDS / len(WRITES)
    while time.monotonic() < end:
        try:
            send()
        except BaseException as problem:
            if wrong:
                keep(wrong[-1], problem)
            raise


def test_every_write_is_among_them():
    written = {route.operation.id for route in WRITES}
    assert {"corrections.create", "judgments.create", "judgments.unregister"} <= written
    assert {"runs.record", "runs.import", "judgeClasses.update", "tokens.mint"} <= written
