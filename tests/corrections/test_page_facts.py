"""The page of ``POST /v1/corrections``, sentence by sentence: each is quoted, and shown to hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kindgi.api.bodies import MAX_BYTES
from kindgi.api.errors import BadInput
from kindgi.api.openapi.document import document
from tests.builders import Api, make_token
from tests.support.shops import OUTPUT, Shop

Check = Callable[[Shop], Any]
FACTS: dict[str, Check] = {}
RIGHT = {"answer": "right"}
WRONG: dict[str, Any] = {"decisions": "wrong", "mustNotCall": ["shop.mail"]}


def fact(*quotes: str) -> Callable[[Check], Check]:
    """Let the function show what the page says."""

    def mark(check: Check) -> Check:
        FACTS.update(dict.fromkeys(quotes, check))
        return check

    return mark


def refused(shop: Shop, by: str = "editor", run_id: str | None = None, **body: Any) -> tuple[int, str]:
    return shop.api(by).refused("POST", "corrections", {"runId": run_id or shop.run(), **body})


@fact("Records whether a finished run's decisions and answer were right, and what was right instead")
def records(shop: Shop) -> None:
    made = shop.correct(shop.run(), answer="wrong", shouldSay="It is lost.", **WRONG)
    assert (made["decisions"], made["mustNotCall"]) == ("wrong", ["shop.mail"])
    assert (made["answer"], made["shouldSay"]) == ("wrong", "It is lost.")


@fact(
    "optionally under a corrector group that applies to the run's project or agent",
    "Optional. When given it must exist and apply to the run.",
)
def group_applies(shop: Shop) -> None:
    project, other = str(shop.project.pk), str(shop.other_project().pk)
    for scope, applies in (
        ({"kind": "tenant"}, True),
        ({"kind": "project", "projectId": project}, True),
        ({"kind": "project", "projectId": other}, False),
        ({"kind": "agent", "projectId": project, "agentId": "shop.desk"}, True),
        ({"kind": "agent", "projectId": project, "agentId": "shop.other"}, False),
        ({"kind": "agent", "projectId": other, "agentId": "shop.desk"}, False),
    ):
        group = shop.judge_class(scope=scope)
        if applies:
            assert shop.correct(shop.run(), correctorGroupId=group)["correctorGroupId"] == group
        else:
            assert refused(shop, **RIGHT, correctorGroupId=group) == (400, "corrector-group-not-applicable")
    assert refused(shop, **RIGHT, correctorGroupId="nothing") == (400, "corrector-group-not-applicable")


@fact("Each item's `pointer` (a JSON Pointer) must resolve in the run's output.")
def pointer_resolves(shop: Shop) -> None:
    for pointer, resolves in (("/matches/2", True), ("/matches/3", False)):
        body = {"runId": shop.run(), "items": [{"key": "k", "pointer": pointer, "verdict": "right"}]}
        assert shop.editor.post("corrections", body).status_code == (201 if resolves else 400)


@fact(
    "an end user's correction stays open and unsorted",
    '`decisions: "wrong"` goes to the agent\'s owner (`with-owner`)',
    "a wrong answer goes to Improve (`open`)",
    "nothing wrong is `fixed` as `recorded-right`",
)
def sorted_at_save(shop: Shop) -> None:
    end_users = shop.correct(shop.run(), **WRONG, participantId="p")
    owners = shop.correct(shop.run(), **WRONG)
    improves = shop.correct(shop.run(), answer="wrong", why="w")
    right = shop.correct(shop.run(), **RIGHT)
    assert (end_users["status"], "sortedTo" in end_users) == ("open", False)
    assert (owners["status"], owners["sortedTo"]) == ("with-owner", "owner")
    assert (improves["status"], improves["sortedTo"]) == ("open", "improve")
    assert (right["status"], right["fixedIn"]["how"]) == ("fixed", "recorded-right")


@fact("The first correction of a run also stores a copy of the run's input and output.")
def copies(shop: Shop) -> None:
    run_id = shop.run()
    first, second = shop.correct(run_id), shop.correct(run_id, by="editor:2")
    for made in (first, second):
        copy = shop.editor.ok("GET", f"corrections/{made['id']}")["run"]
        assert (copy["input"], copy["output"]) == ({"message": "Where is it?"}, OUTPUT)
        assert copy["capturedAt"] == first["createdAt"]


@fact("`madeBy` is the authenticated caller, never the body.")
def made_by(shop: Shop) -> None:
    assert refused(shop, **RIGHT, madeBy={"kind": "user", "id": "x"}) == (400, "bad-input")
    assert shop.correct(shop.run())["madeBy"] == {"kind": "user", "id": str(shop.person("editor").pk)}


@fact("A second correction by the same caller for the same run and `participantId` supersedes the earlier one.")
def supersedes(shop: Shop) -> None:
    run_id = shop.run()
    first, other = shop.correct(run_id), shop.correct(run_id, participantId="p")
    second = shop.correct(run_id, **WRONG)
    read = shop.editor.ok("GET", f"corrections/{first['id']}")
    assert read["supersededBy"] == second["id"] and "unregisteredAt" in read
    assert "supersededBy" not in shop.editor.ok("GET", f"corrections/{other['id']}")


@fact("Needs `write` on the run's project.", "`permission-denied`: not allowed to correct this run.")
def needs_write(shop: Shop) -> None:
    assert refused(shop, by="viewer", **RIGHT) == (403, "permission-denied")


@fact(
    "the same key from someone else in the workspace is their own request",
    "Retries with the same key return the original response byte-identical",
)
def idempotent(shop: Shop) -> None:
    body = {"runId": shop.run(), **RIGHT}
    first, retry = (shop.editor.post("corrections", body, key="k") for _ in range(2))
    assert (retry.status_code, retry.content) == (201, first.content)
    assert shop.api("editor:2").post("corrections", body, key="k").json()["id"] != first.json()["id"]


@fact("Idempotency-Key string >= 1 characters")
def key_length(shop: Shop) -> None:
    body = {"runId": shop.run(), **RIGHT}
    assert shop.editor.post("corrections", body, key="").json()["error"]["code"] == BadInput.code
    assert shop.editor.post("corrections", body, key="k").status_code == 201


@fact(
    "At least one of `decisions`, `answer` and `items`.", "It says at least one of `decisions`, `answer` and `items`."
)
def at_least_one(shop: Shop) -> None:
    assert refused(shop, why="w") == (400, "bad-input")
    for said in ({"decisions": "right"}, RIGHT, {"items": [{"key": "k", "verdict": "right"}]}):
        shop.correct(shop.run(), **said)


@fact(
    '`decisions: "wrong"` needs an entry in `shouldCall` or `mustNotCall`',
    '`answer: "wrong"` needs `shouldSay` or `why`',
)
def wrong_needs(shop: Shop) -> None:
    assert refused(shop, decisions="wrong") == (400, "bad-input")
    assert refused(shop, answer="wrong") == (400, "bad-input")


@fact('Only with `decisions: "wrong"`', 'Only with `answer: "wrong"`')
def only_with(shop: Shop) -> None:
    assert refused(shop, decisions="right", mustNotCall=["shop.mail"]) == (400, "bad-input")
    assert refused(shop, answer="right", shouldSay="x") == (400, "bad-input")


@fact("A tool can't be in both.")
def not_in_both(shop: Shop) -> None:
    both: dict[str, Any] = {"shouldCall": [{"tool": "shop.mail"}], "mustNotCall": ["shop.mail"]}
    assert refused(shop, decisions="wrong", **both) == (400, "bad-input")


@fact("Left out, only the call is checked.", "an empty object asks only that the tool was called")
def args_left_out(shop: Shop) -> None:
    made = shop.correct(shop.run(), decisions="wrong", shouldCall=[{"tool": "shop.mail"}])
    assert made["shouldCall"] == [{"tool": "shop.mail", "args": {}}]


@fact("Each key once.")
def keys_once(shop: Shop) -> None:
    assert refused(shop, items=[{"key": "k", "verdict": "right"}] * 2) == (400, "bad-input")


@fact("Present (true) when the corrector group was restricted (`assertableBy`) when the correction was recorded")
def expert(shop: Shop) -> None:
    open_to_all, restricted = shop.judge_class(), shop.judge_class(assertableBy={"principalKinds": ["user"]})
    assert "expert" not in shop.correct(shop.run(), correctorGroupId=open_to_all)
    assert shop.correct(shop.run(), correctorGroupId=restricted)["expert"] is True


@fact(
    "`corrector-group-not-allowed`: the corrector group is restricted (`assertableBy`) and the caller may not assert it"
)
def not_allowed(shop: Shop) -> None:
    for_services = shop.judge_class(assertableBy={"principalKinds": ["service"]})
    assert refused(shop, **RIGHT, correctorGroupId=for_services) == (403, "corrector-group-not-allowed")
    shop.correct(shop.run(), by="service", correctorGroupId=for_services)


@fact("`run-not-finished`: the run has no output to correct yet.")
def not_finished(shop: Shop) -> None:
    assert refused(shop, run_id=shop.run(status="running", output=None), **RIGHT) == (409, "run-not-finished")


@fact("`run-erased`: an erasure cleared the run's content (a person's words were removed); there's nothing to correct.")
def erased(shop: Shop) -> None:
    run_id = shop.run()
    shop.admin.ok("POST", f"runs/{run_id}/erase")
    assert refused(shop, run_id=run_id, **RIGHT) == (410, "run-erased")


@fact("`request-too-large`; `details.maxBytes` says how much")
def too_large(shop: Shop) -> None:
    response = shop.editor.post("corrections", b" " * (MAX_BYTES + 1))
    assert response.status_code == 413
    assert response.json()["error"]["details"] == {"maxBytes": MAX_BYTES}


@fact("Missing / malformed / expired / revoked bearer token.")
def tokens(shop: Shop) -> None:
    expired = make_token(shop.person("editor"), expired=True)
    for secret, code in ((None, "auth-missing"), ("no token", "auth-missing"), (expired, "auth-expired")):
        assert Api(secret).refused("POST", "corrections", RIGHT) == (401, code)


@fact("`updatedAt`: When it last changed: `createdAt` until something changes it.")
def updated(shop: Shop) -> None:
    made = shop.correct(shop.run())
    assert made["updatedAt"] == made["createdAt"]
    changed = shop.editor.ok("PATCH", f"corrections/{made['id']}", {"statusNote": "Seen"})
    assert changed["updatedAt"] >= changed["createdAt"] == made["createdAt"]


@fact("`unregisteredAt`: Set when the correction was removed or superseded.", "`removed` can't come back")
def unregistered(shop: Shop) -> None:
    made = shop.correct(shop.run())
    shop.editor.ok("POST", f"corrections/{made['id']}/unregister")
    read = shop.editor.ok("GET", f"corrections/{made['id']}")
    assert read["status"] == "removed" and "unregisteredAt" in read
    assert shop.editor.refused("PATCH", f"corrections/{made['id']}", {"status": "open"}) == (409, "correction-removed")


@fact("requestId: Server-assigned request id; also echoed via `X-Request-Id` header.")
def request_id(shop: Shop) -> None:
    response = shop.editor.post("corrections", {})
    assert response.json()["error"]["requestId"] == response.headers["X-Request-Id"]


@fact("400, 401, 403, 404, 409, 410, 413, 500, 503")
def documented(shop: Shop) -> None:
    responses = document()["paths"]["/v1/corrections"]["post"]["responses"]
    assert {"201", "400", "401", "403", "404", "409", "410", "413", "500", "503"} <= responses.keys()


@pytest.mark.parametrize("quote", FACTS)
def test_the_page_says_so(undone: Shop, quote: str):
    FACTS[quote](undone)
