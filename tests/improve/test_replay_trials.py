"""Whoever tries a replay endpoint that is slow waits for it, and nobody else does."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.db import connections

from improve.replaying.places import Trials
from improve.services import endpoint_checks
from tests.improve.answering import answering, hangs, says
from tests.improve.replays import endpoint_path, set_endpoint
from tests.support.shops import Shop


def check(shop: Shop) -> dict[str, Any]:
    said: dict[str, Any] = shop.api("admin").ok("POST", endpoint_path(shop, "check"))
    return said


def test_a_tenant_tries_one_at_a_time_whoever_else_tries_theirs(undone: Shop, monkeypatch: pytest.MonkeyPatch):
    other, trials = Shop.open(), Trials(2)
    monkeypatch.setattr(endpoint_checks, "_trials", trials)
    with answering(says()) as server:
        for shop in (undone, other):
            set_endpoint(shop, server.url)
        with trials.of(undone.tenant.pk):
            answered = undone.api("admin").request("POST", endpoint_path(undone, "check"))
            assert (answered.status_code, answered["Retry-After"]) == (503, "5")
            assert check(other)["outcome"] == "answered"
            with trials.of(uuid4()):
                assert other.api("admin").request("POST", endpoint_path(other, "check")).status_code == 503
        assert check(undone)["outcome"] == check(other)["outcome"] == "answered", "places are given back"


def test_a_trial_that_breaks_gives_its_place_back():
    trials, mine = Trials(1), uuid4()
    with pytest.raises(RuntimeError), trials.of(mine) as there_is_one:
        assert there_is_one
        raise RuntimeError
    with trials.of(mine) as there_is_one, trials.of(mine) as again, trials.of(uuid4()) as others:
        assert (there_is_one, again, others) == (True, False, False)


def test_an_endpoint_of_one_tenant_that_hangs_keeps_nobody_else_from_trying(fresh: Shop, settings: LazySettings):
    settings.REPLAY_SECONDS = 4
    other = Shop.open()

    def wait_for_it() -> dict[str, Any]:
        try:
            return check(fresh)
        finally:
            connections.close_all()

    with answering(hangs) as hanging, answering(says()) as good, ThreadPoolExecutor(1) as pool:
        set_endpoint(fresh, hanging.url)
        set_endpoint(other, good.url)
        waiting = pool.submit(wait_for_it)
        while not hanging.asked:
            time.sleep(0.01)
        assert check(other)["outcome"] == "answered" and not waiting.done()
        assert waiting.result(timeout=30)["problem"] == "timed-out"
