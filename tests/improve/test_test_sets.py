"""Test sets: which corrected runs make cases, what a case holds, and that nothing changes it but an erasure."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest

from tests.builders import Api
from tests.support.queries import assert_queries
from tests.support.shops import AGENT, OUTPUT, Shop

pytestmark = pytest.mark.usefixtures("undone")


def sets(shop: Shop) -> str:
    """Where the project's test sets are."""
    return f"projects/{shop.project.pk}/test-sets"


def make(shop: Shop, **body: Any) -> dict[str, Any]:
    """A new test set of the agent, as it is answered."""
    made: dict[str, Any] = shop.editor.ok("POST", sets(shop), {"agentId": AGENT, **body})
    return made


def cases(shop: Shop, made: dict[str, Any], query: str = "?limit=100") -> list[dict[str, Any]]:
    """Its cases."""
    found: list[dict[str, Any]] = shop.editor.ok("GET", f"{sets(shop)}/{made['id']}/cases{query}")["data"]
    return found


def export(shop: Shop, made: dict[str, Any]) -> list[dict[str, Any]]:
    """Its lines."""
    response = shop.editor.request("GET", f"{sets(shop)}/{made['id']}/export")
    assert response.headers["Content-Type"] == "application/x-ndjson"
    return [json.loads(line) for line in b"".join(response.streaming_content).splitlines()]


def refused(response: Any, status: int, code: str) -> None:
    """Fail unless the answer is this refusal."""
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)


def at(hour: int) -> str:
    """An instant of one day."""
    return f"2026-03-01T{hour:02}:00:00.000Z"


def test_a_case_is_the_run_as_it_was_with_what_people_said_of_it(shop: Shop) -> None:
    calls = [{"tool": "shop.mail", "args": {"to": "a"}}]
    run = shop.run(calls=calls)
    expert = shop.judge_class(weight=3, assertableBy={"principalKinds": ["user"]})
    items = [{"key": "case-a", "pointer": "/matches/0", "rank": 0, "verdict": "wrong"}]
    wrong: dict[str, Any] = {"decisions": "wrong", "shouldCall": [{"tool": "shop.lookup", "args": {"orderId": 1.0}}]}
    shop.correct(run, answer="wrong", shouldSay="Tomorrow.", why="It says nothing.", items=items, **wrong)
    shop.correct(run, by="editor:2", answer="right", correctorGroupId=expert)
    made = make(shop)
    assert (made["cases"], made["version"], made["truncated"], made["minVerdicts"]) == (1, 1, False, 1)
    (case,) = cases(shop, made)
    assert case["caseId"] == run
    assert case["subject"] == {"kind": "agent", "id": AGENT, "version": "1.0.0"}
    assert (case["input"], case["output"], case["calls"]) == ({"message": "Where is it?"}, OUTPUT, calls)
    by_key = {item["key"]: item for item in case["items"]}
    answer = by_key["answer"]
    assert (answer["yes"], answer["no"], answer["yesWeight"], answer["totalWeight"]) == (1, 1, 3, 4)
    assert answer["restricted"] == {"yesWeight": 3, "totalWeight": 3}
    assert answer["reasons"] == [{"verdict": "no", "reason": "It says nothing."}]
    assert (by_key["case-a"]["pointer"], by_key["case-a"]["rank"], by_key["case-a"]["no"]) == ("/matches/0", 0, 1)
    assert by_key["case-a"]["reasons"] == []
    assert case["expected"] == [
        {"calls": [{"tool": "shop.lookup", "args": {"orderId": 1.0}}], "shouldSay": "Tomorrow."}
    ]
    assert export(shop, made) == [case]


def test_a_test_set_stays_as_it_was_made(shop: Shop) -> None:
    run = shop.run()
    group = shop.judge_class(weight=2)
    said = shop.correct(run, answer="wrong", why="No.", correctorGroupId=group)
    made = make(shop)
    before = cases(shop, made)
    shop.admin.ok("PATCH", f"judge-classes/{group}", {"weight": 7})
    shop.editor.ok("POST", f"corrections/{said['id']}/unregister", {})
    shop.correct(run, by="editor:2", answer="right")
    assert cases(shop, made) == before
    again = make(shop)
    assert (again["version"], cases(shop, again)[0]["items"][0]["yes"]) == (2, 1)


def test_weights_are_those_of_the_classes_when_it_is_made(shop: Shop) -> None:
    group = shop.judge_class(weight=2)
    shop.correct(shop.run(), answer="wrong", why="No.", correctorGroupId=group)
    shop.admin.ok("PATCH", f"judge-classes/{group}", {"weight": 7})
    assert cases(shop, make(shop))[0]["items"][0]["totalWeight"] == 7


def test_the_newest_run_by_its_end_comes_first_and_pages_go_on(shop: Shop) -> None:
    runs = [shop.run(createdAt=at(hour), completedAt=at(hour)) for hour in (3, 1, 2)]
    for run in runs:
        shop.correct(run)
    made = make(shop)
    in_order = [runs[0], runs[2], runs[1]]
    assert [case["caseId"] for case in cases(shop, made)] == in_order
    address = f"{sets(shop)}/{made['id']}/cases?limit=2"
    first = shop.editor.ok("GET", address)
    rest = shop.editor.ok("GET", f"{address}&cursor={first['nextCursor']}")
    assert [case["caseId"] for case in [*first["data"], *rest["data"]]] == in_order
    assert rest["hasMore"] is False


def test_since_and_until_are_of_the_end_of_runs(shop: Shop) -> None:
    runs = [shop.run(createdAt=at(0), completedAt=at(hour)) for hour in (1, 2, 3)]
    for run in runs:
        shop.correct(run)
    found = cases(shop, make(shop, since=at(2), until=at(3)))
    assert [case["caseId"] for case in found] == [runs[1]]
    refused(
        shop.editor.request("POST", sets(shop), {"agentId": AGENT, "since": at(3), "until": at(3)}), 400, "bad-input"
    )


def test_versions_classes_experts_and_the_least_verdicts_narrow_it(shop: Shop) -> None:
    plain, expert = shop.judge_class(), shop.judge_class(assertableBy={"principalKinds": ["user"]})
    other = shop.run(agent={"id": AGENT, "version": "0.9.0"})
    several = shop.run()
    shop.correct(other, answer="right")
    shop.correct(several, answer="right", correctorGroupId=plain)
    shop.correct(several, by="editor:2", answer="wrong", why="No.", correctorGroupId=expert)

    def found(**body: Any) -> list[tuple[str, int]]:
        return [
            (one["caseId"], one["items"][0]["yes"] + one["items"][0]["no"]) for one in cases(shop, make(shop, **body))
        ]

    assert sorted(found()) == sorted([(other, 1), (several, 2)])
    assert found(versions=["0.9.0"]) == [(other, 1)]
    assert found(judgeClassIds=[plain]) == [(several, 1)]
    assert found(judgeClassIds=[plain, expert]) == [(several, 2)]
    assert found(expertsOnly=True) == [(several, 1)]
    assert found(minVerdicts=2) == [(several, 2)]
    refused(shop.editor.request("POST", sets(shop), {"agentId": AGENT, "minVerdicts": 3}), 409, "test-set-empty")
    refused(
        shop.editor.request("POST", sets(shop), {"agentId": AGENT, "judgeClassIds": ["no-id"]}), 409, "test-set-empty"
    )


def test_what_is_no_run_of_its_own_makes_no_case(shop: Shop) -> None:
    kept = shop.run()
    left_out = [
        shop.run(replayOf=str(uuid4())),
        shop.run(evalRunId="eval-1"),
        shop.run(input=None),
        shop.run(agent={"id": "shop.other", "version": "1.0.0"}),
        shop.run(agent=None, flow={"id": AGENT, "version": "1.0.0"}),
        shop.run(projectId=str(shop.other_project().pk)),
    ]
    for run in (kept, *left_out):
        shop.correct(run, by="tenant-admin")
    erased = shop.run()
    shop.correct(erased)
    shop.admin.ok("POST", f"runs/{erased}/erase", {})
    taken_back = shop.correct(shop.run())
    shop.editor.ok("POST", f"corrections/{taken_back['id']}/unregister", {})
    assert [case["caseId"] for case in cases(shop, make(shop))] == [kept]


def test_numbers_count_an_agents_test_sets_in_a_project(shop: Shop) -> None:
    shop.correct(shop.run())
    shop.correct(shop.run(agent={"id": "shop.other", "version": "1.0.0"}))
    assert [make(shop)["version"], make(shop, agentId="shop.other")["version"], make(shop)["version"]] == [1, 1, 2]
    listed = shop.editor.ok("GET", f"{sets(shop)}?agentId={AGENT}")["data"]
    assert [one["version"] for one in listed] == [2, 1]


def test_unknown_ones_and_those_of_other_projects_are_not_found(shop: Shop) -> None:
    shop.correct(shop.run())
    made = make(shop)
    elsewhere = f"projects/{shop.other_project().pk}/test-sets"
    for address in (f"{sets(shop)}/{uuid4()}", f"{sets(shop)}/nonsense", f"{elsewhere}/{made['id']}"):
        for more in ("", "/cases", "/export"):
            refused(shop.admin.request("GET", address + more), 404, "test-set-not-found")


def test_making_one_takes_as_many_statements_for_20_runs_as_for_2(shop: Shop) -> None:
    def corrected(count: int) -> None:
        for _ in range(count):
            shop.correct(shop.run(), answer="wrong", why="No.", decisions="wrong", mustNotCall=["shop.mail"])

    counts = []
    for more in (2, 18):
        corrected(more)
        with assert_queries(at_most=40) as sent:
            make(shop)
        counts.append(len(sent))
    assert counts[0] == counts[1]


def test_the_list_of_cases_takes_as_many_statements_for_20_as_for_2(shop: Shop) -> None:
    for _ in range(20):
        shop.correct(shop.run())
    made = make(shop)
    counts = []
    for limit in (2, 20):
        with assert_queries(at_most=10) as sent:
            cases(shop, made, f"?limit={limit}")
        counts.append(len(sent))
    assert counts[0] == counts[1]


@pytest.mark.parametrize(("who", "made"), [("viewer", 403), ("editor", 201), ("admin", 201), ("tenant-admin", 201)])
def test_writers_make_them_and_readers_read_them(shop: Shop, who: str, made: int) -> None:
    shop.correct(shop.run())
    there = make(shop)
    assert shop.api(who).request("POST", sets(shop), {"agentId": AGENT}).status_code == made
    for more in ("", f"/{there['id']}", f"/{there['id']}/cases", f"/{there['id']}/export"):
        assert shop.api(who).request("GET", sets(shop) + more).status_code == 200


def test_strangers_find_no_project(shop: Shop) -> None:
    shop.correct(shop.run())
    there = make(shop)
    stranger = Shop.open().editor
    assert isinstance(stranger, Api)
    refused(stranger.request("POST", sets(shop), {"agentId": AGENT}), 404, "project-not-found")
    for more in ("", f"/{there['id']}", f"/{there['id']}/cases", f"/{there['id']}/export"):
        refused(stranger.request("GET", sets(shop) + more), 404, "project-not-found")
