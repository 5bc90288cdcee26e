"""What a narrowed token may not read, it isn't replayed either (contract, section 2)."""

from __future__ import annotations

from tests.builders import Api, make_token
from tests.support.shops import Shop


def test_a_token_narrowed_to_another_project_gets_no_answer_of_this_one(fresh: Shop) -> None:
    person = fresh.person("tenant-admin")
    body = {"runId": fresh.run(), "answer": "wrong", "why": "Of this project"}
    assert fresh.admin.post("corrections", body, key="k").status_code == 201
    narrowed = Api(make_token(person, "member", project=fresh.other_project()))
    answer = narrowed.post("corrections", body, key="k")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "run-not-found")
    assert b"Of this project" not in answer.content
    again = fresh.admin.post("corrections", body, key="k")
    assert again.headers["X-Idempotent-Replay"] == "true"
