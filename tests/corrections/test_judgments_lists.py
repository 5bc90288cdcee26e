"""``GET /v1/judgments``: live verdicts of both doors, newest first, by filters, in stable pages, at a fixed cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kindgi.access.selectors import caller_for_user
from kindgi.api.times import as_of
from tests.builders import default_project
from tests.corrections.judging import correct, judge, judgment
from tests.support.queries import recorded_queries
from tests.support.shops import CheckedApi, Shop

START = datetime(2026, 3, 1, tzinfo=UTC)
UNKNOWN = "018f0000-0000-7000-8000-000000000000"
CONTENT = ["runs_runcontent", "runcopy", "item_value"]


@dataclass
class Filed:
    """Judgments of all kinds by a name each, which is their reason."""

    shop: Shop
    other: str
    judge_class: str
    runs: dict[str, str] = field(default_factory=dict)

    def judge(self, name: str, run: str, by: str, key: str = "answer", *, right: bool = True, **more: Any) -> str:
        body = judgment(self.runs[run], key, right=right) | {"reason": name, **more}
        return str(self.shop.api(by).ok("POST", "judgments", body)["id"])

    def listed(self, api: Any = None, **query: Any) -> set[str]:
        found = (api or self.shop.admin).ok("GET", "judgments", query={"limit": 100, **query})["data"]
        names = [row["reason"] for row in found]
        assert len(names) == len(set(names))
        return set(names)


@pytest.fixture(scope="module")
def filed(shop: Shop) -> Filed:
    """Ten live judgments of five runs in two projects, two of them of one correction, and three that are gone."""
    filed = Filed(shop, str(shop.other_project().pk), shop.judge_class())
    filed.runs = {
        "agent": shop.run(),
        "newer": shop.run(agent={"id": "shop.desk", "version": "2.0.0"}),
        "spaced": shop.run(agent={"id": " shop.desk ", "version": "1.0.0"}),
        "flow": shop.run(flow={"id": "onboarding", "version": "1.0.0"}),
        "other": shop.run(projectId=filed.other),
    }
    gone = filed.judge("removed", "agent", "editor:2")
    shop.admin.ok("POST", f"judgments/{gone}/unregister")
    filed.judge("superseded", "agent", "editor")
    filed.judge("yes", "agent", "editor")
    filed.judge("no", "agent", "editor", "a", right=False)
    filed.judge("decisions", "agent", "editor", "kindgi:correction", right=False)
    filed.judge("classed", "agent", "editor:2", right=False, judgeClassId=filed.judge_class)
    filed.judge("end-user", "agent", "service", participantId="p")
    filed.judge("spaced-user", "agent", "service", participantId=" p ")
    filed.judge("spaced", "spaced", "editor")
    filed.judge("flow", "flow", "editor")
    filed.judge("other", "other", "tenant-admin")
    shop.correct(filed.runs["newer"], decisions="right", answer="wrong", why="corrected")
    filed.judge("newer", "newer", "editor", "kindgi:correction")
    return filed


OF_THE_RUN = "yes no decisions classed end-user spaced-user"
LIVE = f"{OF_THE_RUN} spaced flow other newer corrected"
# The query, and whom it finds; {…} is filled in from the fixture.
FOUND: list[tuple[dict[str, Any], str]] = [
    ({}, LIVE),
    ({"runId": "{agent}"}, OF_THE_RUN),
    ({"runId": "{AGENT}"}, OF_THE_RUN),
    ({"runId": UNKNOWN}, ""),
    ({"runId": "nothing"}, ""),
    ({"agentId": "shop.desk"}, f"{OF_THE_RUN} other newer corrected"),
    ({"agentId": " shop.desk "}, "spaced"),
    ({"agentId": "onboarding"}, ""),
    ({"agentVersion": "2.0.0"}, "newer corrected"),
    ({"agentVersion": "1.0.0", "agentId": "shop.desk"}, f"{OF_THE_RUN} other"),
    ({"flowId": "onboarding"}, "flow"),
    ({"flowId": "shop.desk"}, ""),
    ({"verdict": "yes"}, "yes end-user spaced-user spaced flow other newer"),
    ({"verdict": "no"}, "no decisions classed corrected"),
    ({"judgeClassId": "{class}"}, "classed"),
    ({"judgeClassId": "nothing"}, ""),
    ({"participantId": "p"}, "end-user"),
    ({"participantId": " p "}, "spaced-user"),
    ({"participantId": "P"}, ""),
    ({"scopeKind": "tenant"}, LIVE),
    ({"scopeKind": "tenant", "scopeId": "{tenant}"}, LIVE),
    ({"scopeKind": "tenant", "scopeId": "{other}"}, ""),
    ({"scopeKind": "tenant", "scopeId": "nothing"}, ""),
    ({"scopeKind": "project", "scopeId": "{other}"}, "other"),
    ({"scopeKind": "project", "scopeId": "nothing"}, ""),
    ({"runId": "{agent}", "verdict": "no", "agentId": "shop.desk", "judgeClassId": "{class}"}, "classed"),
    ({"runId": "{agent}", "participantId": "p", "verdict": "no"}, ""),
]
REFUSED: list[dict[str, Any]] = [
    {"verdict": "right"},
    {"verdict": "yes,no"},
    {"verdict": ["yes", "no"]},
    {"verdict": ""},
    {"scopeKind": "agent"},
    {"scopeKind": "project"},
    {"scopeId": "x"},
    {"runId": ["a", "b"]},
    {"runId": ""},
    {"participantId": "a\0b"},
    {"include": "removed"},
    {"status": "open"},
    {"correctorGroupId": UNKNOWN},
    {"limit": "0"},
    {"limit": "101"},
    {"cursor": "AAAA"},
    {"run_id": "x"},
]


@pytest.mark.parametrize(("query", "names"), FOUND, ids=[str(query) for query, _ in FOUND])
def test_a_filter_finds_exactly_its_own(filed: Filed, query: dict[str, Any], names: str):
    places = {
        **filed.runs,
        "AGENT": filed.runs["agent"].upper(),
        "class": filed.judge_class,
        "other": filed.other,
        "tenant": str(filed.shop.tenant.pk),
    }
    assert filed.listed(**{name: value.format(**places) for name, value in query.items()}) == set(names.split())


@pytest.mark.parametrize("query", REFUSED, ids=str)
def test_what_a_filter_cannot_read_is_refused(filed: Filed, query: dict[str, Any]):
    assert filed.shop.admin.refused("GET", "judgments", query=query) == (400, "bad-input")


def test_everyone_finds_only_what_they_may_read(filed: Filed):
    here, admin = set(LIVE.split()) - {"other"}, filed.shop.person("tenant-admin")
    assert filed.listed(filed.shop.api("viewer")) == here
    assert filed.listed(CheckedApi.of(admin, project=default_project(filed.shop.tenant))) == here
    assert filed.listed(CheckedApi.of(admin, "member")) == set(LIVE.split())
    assert filed.listed(Shop.open().admin) == set()


def page(shop: Shop, **query: Any) -> dict[str, Any]:
    found: dict[str, Any] = shop.editor.ok("GET", "judgments", query=query)
    return found


def test_they_come_newest_first_as_they_were_answered(undone: Shop):
    run_id = undone.run()
    bodies = [judgment(run_id, key) | {"reason": key} for key in ("answer", "kindgi:correction", "a")]
    made = [undone.editor.ok("POST", "judgments", body) for body in bodies]
    assert page(undone, runId=run_id) == {"data": made[::-1], "hasMore": False}


def judge_at(shop: Shop, run_id: str, second: int, participant: str) -> list[str]:
    """What is said at that second after ``START``, at either door: one verdict, or two at once."""
    caller = caller_for_user(shop.person("editor"))
    with as_of(START + timedelta(seconds=second)):
        if second % 2:
            made = judge(caller, run_id, "answer", participant=participant)
        else:
            made = correct(caller, run_id, answer="right", decisions="right", participantId=participant)
    return [str(verdict.pk) for verdict in made.verdicts.all()]


@given(
    seconds=st.lists(st.integers(0, 2), min_size=1, max_size=7),
    limit=st.integers(1, 4),
    between=st.lists(st.integers(0, 2), max_size=3),
)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_pages_neither_skip_nor_repeat_however_many_share_a_time(
    undone: Shop, seconds: list[int], limit: int, between: list[int]
):
    assert undone.editor  # made outside of what is undone after each example
    with transaction.atomic():
        run_id = undone.run()
        before = [pk for n, second in enumerate(seconds) for pk in judge_at(undone, run_id, second, f"before {n}")]
        seen, query, inserted = [], {"runId": run_id, "limit": limit}, iter(between)
        while True:
            found = page(undone, **query)
            seen += [row["id"] for row in found["data"]]
            times = [row["createdAt"] for row in found["data"]]
            assert times == sorted(times, reverse=True)
            if not found["hasMore"]:
                break
            query["cursor"] = found["nextCursor"]
            second = next(inserted, None)
            if second is not None:
                judge_at(undone, run_id, second, f"between {len(seen)}")
        transaction.set_rollback(True)
    assert len(seen) == len(set(seen))
    assert set(before) <= set(seen), "what was there when the reading began is all read"


def test_a_judgment_that_goes_between_two_pages_moves_no_other(undone: Shop):
    run_id = undone.run()
    made = [undone.editor.ok("POST", "judgments", judgment(run_id, f"k{n}"))["id"] for n in range(6)][::-1]
    first = page(undone, runId=run_id, limit=2)
    for gone in (made[0], made[1], made[3]):
        undone.editor.ok("POST", f"judgments/{gone}/unregister")
    rest = page(undone, runId=run_id, limit=2, cursor=first["nextCursor"])
    assert [row["id"] for row in rest["data"]] == [made[2], made[4]] and rest["hasMore"]


@pytest.mark.parametrize("rows", [2, 20, 100])
def test_a_page_takes_two_statements_of_any_size(undone: Shop, assert_queries: Callable[..., Any], rows: int):
    run_id, editor = undone.run(), undone.editor
    for number in range(rows):
        judge(caller_for_user(undone.person("editor")), run_id, f"k{number}")
    with assert_queries(exact=2):  # the token, the verdicts with their corrections
        found = editor.ok("GET", "judgments", query={"limit": 100, "runId": run_id})
    assert len(found["data"]) == rows


@pytest.mark.parametrize(
    "query", [{}, {"verdict": "yes", "agentId": "shop.desk"}, {"participantId": "p", "flowId": "x"}], ids=str
)
def test_a_list_never_reads_content(undone: Shop, query: dict[str, str]):
    editor = undone.editor
    editor.ok("POST", "judgments", judgment(undone.run(), "a") | {"item": {"key": "a", "pointer": "/matches/0"}})
    with recorded_queries() as statements:
        editor.ok("GET", "judgments", query=query)
    assert len(statements) <= 3
    assert not [statement for statement in statements for name in CONTENT if name in statement]


def test_reading_one_takes_a_fixed_number_of_statements(undone: Shop, assert_queries: Callable[..., Any]):
    run_id, editor = undone.run(), undone.editor
    undone.correct(run_id, items=[{"key": f"k{n}", "verdict": "right"} for n in range(50)])
    one = page(undone, runId=run_id)["data"][0]
    with assert_queries(exact=3):  # the token, the verdict with its correction, the copy with its content
        editor.ok("GET", f"judgments/{one['id']}")


def test_recording_takes_at_most_12_statements_with_key_class_and_pointer(
    undone: Shop, assert_queries: Callable[..., Any]
):
    run_id, editor = undone.run(), undone.editor
    body = judgment(run_id, "a") | {
        "item": {"key": "a", "pointer": "/matches/0"},
        "judgeClassId": undone.judge_class(assertableBy={"principalKinds": ["user"]}),
    }
    with assert_queries(at_most=12):
        editor.ok("POST", "judgments", body, key="first")
    with assert_queries(at_most=15):  # which also takes back the first
        editor.ok("POST", "judgments", body, key="second")
