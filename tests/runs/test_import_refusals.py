"""A record that is refused is named by the id that it gives (contract, section 3)."""

from __future__ import annotations

import json

import pytest

from tests.support.shops import Shop

RUN_ID = "0193a6c2-b7d4-7c11-a2f4-d7f0c5b1e9aa"


@pytest.mark.parametrize(
    ("record", "named"),
    [
        ({"id": RUN_ID, "status": "asleep"}, RUN_ID),
        ({"id": RUN_ID, "status": "completed", "bogus": 1}, RUN_ID),
        ({"status": "completed"}, None),
        ({"id": 7, "status": "completed"}, None),
    ],
)
def test_a_refused_record_is_named_where_it_says_its_id(undone: Shop, record: object, named: str | None) -> None:
    body = json.dumps(record).encode()
    answer = undone.editor.post("runs/import", body, content_type="application/x-ndjson")
    (result,) = answer.json()["results"]
    assert (result["outcome"], result.get("id")) == ("refused", named)
