"""The present can be set back for a block, and comes back after it whatever happens."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from kindgi.api.times import as_of, now

THEN = datetime(2031, 3, 1, 12, 0, 0, 123456, tzinfo=timezone(timedelta(hours=2)))


def test_now_is_then_inside_and_now_again_outside():
    before = datetime.now(UTC) - timedelta(seconds=1)
    with as_of(THEN):
        assert now() == datetime(2031, 3, 1, 10, 0, 0, 123000, tzinfo=UTC)
        with as_of(THEN + timedelta(days=1)):
            assert now().day == 2
        assert now().day == 1
    assert before < now() < before + timedelta(minutes=1)


def test_a_failure_inside_brings_the_present_back():
    with pytest.raises(ValueError, match="inside"), as_of(THEN):
        raise ValueError("inside")
    assert now().year != THEN.year or now() > THEN
