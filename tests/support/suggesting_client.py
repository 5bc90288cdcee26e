"""A program of somebody who uses the public Python client: it suggests changes, and prints what it saw as JSON.

Not part of the tests' process: it is run by a Python of its own, in which ``kindgi`` is the client.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from kindgi.client import Kindgi, KindgiApiError, paginate  # type: ignore[import-not-found]


def sent(model: Any) -> Any:
    """A model as it came over the wire."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def refusal(call: Any) -> list[str]:
    """The error that the client raises."""
    try:
        call()
    except KindgiApiError as error:
        return [type(error).__name__, str(error.server_code)]
    return ["taken", ""]


def story(client: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """What comes of using every method with suggested changes that stand at each status."""
    proposals, at = client.proposals, asked["at"]
    body = asked["body"]
    made, again = proposals.create(**body), proposals.create(body)
    listed = list(paginate(proposals.list, limit=5, agent_id=body["agent_id"]))
    one_status = proposals.list(
        status="in-review", tier="settings-block", scope_kind="project", scope_id=asked["project"]
    )
    return {
        "made": sent(made),
        "again": str(again.id),
        "listed": {str(one.id): one.status for one in listed},
        "types": sorted({type(one.scope).__name__ for one in listed}),
        "in-review": [str(one.id) for one in one_status.data],
        "read": {status: sent(proposals.get(one)) for status, one in at.items()},
        "evaluate": proposals.evaluate(at["draft"], suite_id=asked["test_set"], repetitions=2).status,
        "rescore": proposals.rescore(at["not-better"]).status,
        "request": proposals.request(at["evaluated"], reason="It helps.").status,
        "rollback": sent(proposals.rollback(at["promoted"]))["rolledBack"],
        "withdraw": sent(proposals.withdraw(made.id, reason="No."))["withdrawn"],
        "refused": [
            refusal(lambda: proposals.withdraw(at["rejected"], reason="No.")),
            refusal(lambda: proposals.get("018f0000-0000-7000-8000-000000000000")),
            refusal(lambda: proposals.create(**{**body, "agent_id": "nobody"})),
        ],
    }


if __name__ == "__main__":
    with Kindgi(sys.argv[1], token=sys.argv[2], max_retries=0) as kindgi:
        print(json.dumps(story(kindgi, json.loads(sys.stdin.read()))))
