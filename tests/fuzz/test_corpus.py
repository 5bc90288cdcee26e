"""Every odd request that was ever thought of or found is answered, and never with a fault of the server's."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fuzz.sending import Field, Odd, corpus, judge
from tests.support.shops import Shop

KEPT = corpus()


@pytest.fixture(scope="module")
def field(shop: Shop) -> Field:
    return Field.of(shop)


@pytest.mark.parametrize("kept", [kept for _, kept in KEPT], ids=[name for name, _ in KEPT])
def test_it_is_answered_as_it_should_be(field: Field, kept: dict[str, Any]):
    odd = Odd.read(kept)
    response = field.send(odd)
    judge(odd, response)
    if "status" in kept:
        assert response.status_code == kept["status"], response.content[:500]


def test_a_request_is_written_down_as_it_was():
    for odd in (
        Odd("POST", "corrections", b'{"a": "\xc3\xa9"}', {"Idempotency-Key": "k"}),
        Odd("POST", "corrections", b"\xff\x00"),
        Odd("GET", "runs?x=%00"),
    ):
        assert Odd.read(odd.written()) == odd
