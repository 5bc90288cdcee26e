"""An operation that takes no body, and one that takes no query, refuses what it would ignore (contract, section 2)."""

from __future__ import annotations

import pytest

from tests.support.shops import Shop

WRITES = ["runs/{run}/erase", "corrections/{correction}/unregister", "judge-classes/{judge_class}/unregister"]


@pytest.mark.parametrize("path", WRITES)
def test_an_unknown_field_is_named_where_no_body_is_taken(undone: Shop, path: str) -> None:
    run_id = undone.run()
    made = undone.correct(run_id)
    path = path.format(run=run_id, correction=made["id"], judge_class=undone.judge_class())
    answer = undone.admin.post(path, {"bogus": 1})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad-input")
    assert "bogus" in answer.json()["error"]["message"]
    assert undone.admin.post(path, b"garbage").status_code == 400
    assert undone.admin.post(path, {}).status_code == 200


@pytest.mark.parametrize("path", ["corrections?agentId=", "runs?agentId=", "identity/whoami?x=1", "judge-classes?x=1"])
def test_a_filter_that_would_be_left_out_is_refused(undone: Shop, path: str) -> None:
    route, _, query = path.partition("?")
    name, _, value = query.partition("=")
    assert undone.admin.refused("GET", route, query={name: value}) == (400, "bad-input")
