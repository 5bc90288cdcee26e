"""Who may give a judge class, and who sees whom it names (contract, section 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from tests.builders import Api, make_service_account, make_user, mint
from tests.support.shops import CheckedApi, Shop


@dataclass
class Judge:
    """Somebody who may correct, and their id as a class names it."""

    api: Api
    id: str


@pytest.fixture
def judges(undone: Shop) -> dict[str, Judge]:
    """People off the roster and on each of its steps, and services with and without a reviewer role."""
    found: dict[str, Judge] = {}
    for name in ("nobody", "standard", "senior", "admin"):
        user = make_user(undone.tenant, "editor", reviewer=None if name == "nobody" else name)
        found[name] = Judge(CheckedApi.of(user), str(user.pk))
    service = make_service_account(undone.tenant, "editor")
    for name, spec in (("service", {}), ("senior service", {"reviewer_role": "senior"})):
        minted = mint(service, **spec)
        found[name] = Judge(CheckedApi(minted.secret), str(minted.token.pk))
    lowered = mint(make_user(undone.tenant, "editor", reviewer="admin"), reviewer_role="standard")
    found["admin's standard token"] = Judge(CheckedApi(lowered.secret), str(lowered.token.user_id))
    return found


PEOPLE = ["nobody", "standard", "senior", "admin", "admin's standard token"]
SERVICES = ["service", "senior service"]
# A restriction (ids by the judges' names), and who may give a class that has it.
RESTRICTIONS: list[tuple[dict[str, Any] | None, list[str]]] = [
    (None, PEOPLE + SERVICES),
    ({"minReviewerRole": "standard"}, ["standard", "senior", "admin", "senior service", "admin's standard token"]),
    ({"minReviewerRole": "senior"}, ["senior", "admin", "senior service"]),
    ({"minReviewerRole": "admin"}, ["admin"]),
    ({"principalKinds": ["user"]}, PEOPLE),
    ({"principalKinds": ["service"]}, SERVICES),
    ({"principalKinds": ["service", "user"]}, PEOPLE + SERVICES),
    ({"principalIds": ["nobody"]}, ["nobody"]),
    ({"principalIds": ["service", "senior"]}, ["service", "senior"]),
    ({"minReviewerRole": "senior", "principalKinds": ["user"]}, ["senior", "admin"]),
    ({"minReviewerRole": "senior", "principalKinds": ["service"]}, ["senior service"]),
    ({"minReviewerRole": "senior", "principalIds": ["nobody", "senior"]}, ["senior"]),
    ({"principalKinds": ["user"], "principalIds": ["service", "senior"]}, ["senior"]),
    ({"minReviewerRole": "admin", "principalKinds": ["user"], "principalIds": ["senior", "service"]}, []),
]


@pytest.mark.parametrize(("restriction", "allowed"), RESTRICTIONS, ids=[str(one) for one, _ in RESTRICTIONS])
def test_each_part_that_is_set_must_hold(
    undone: Shop, judges: dict[str, Judge], restriction: dict[str, Any] | None, allowed: list[str]
):
    body: dict[str, Any] = {} if restriction is None else {"assertableBy": _with_ids(restriction, judges)}
    group, run_id = undone.judge_class(**body), undone.run()
    for name, judge in judges.items():
        sent = {"runId": run_id, "answer": "right", "correctorGroupId": group}
        if name in allowed:
            assert judge.api.ok("POST", "corrections", sent).get("expert") == (None if restriction is None else True)
        else:
            assert judge.api.refused("POST", "corrections", sent) == (403, "corrector-group-not-allowed"), name


def _with_ids(restriction: dict[str, Any], judges: dict[str, Judge]) -> dict[str, Any]:
    ids = [judges[name].id for name in restriction.get("principalIds", [])]
    return {**restriction, **({"principalIds": ids} if ids else {})}


# A restriction, who asks, and the sentence that says why not.
REFUSALS = [
    (
        {"minReviewerRole": "senior"},
        "nobody",
        '"expert" may be given only by a reviewer of role senior or above, and you aren\'t on the roster of reviewers.',
    ),
    (
        {"minReviewerRole": "admin"},
        "senior",
        '"expert" may be given only by a reviewer of role admin or above, and you are senior.',
    ),
    ({"principalKinds": ["user"]}, "service", '"expert" may be given only by people.'),
    ({"principalKinds": ["service"]}, "nobody", '"expert" may be given only by services.'),
    ({"principalIds": ["senior"]}, "nobody", '"expert" names who may give it, and you aren\'t among them.'),
]


@pytest.mark.parametrize(("restriction", "who", "message"), REFUSALS, ids=[message for *_, message in REFUSALS])
def test_a_refusal_says_why_in_words(
    undone: Shop, judges: dict[str, Judge], restriction: dict[str, Any], who: str, message: str
):
    group = undone.judge_class("expert", assertableBy=_with_ids(restriction, judges))
    sent = {"runId": undone.run(), "answer": "right", "correctorGroupId": group}
    error = judges[who].api.post("corrections", sent).json()["error"]
    assert error["message"] == message
    assert judges["senior"].id not in str(error), "whom a class names is for the admins of its scope"


def test_not_even_an_admin_gives_a_class_that_is_not_theirs_to_give(undone: Shop):
    group = undone.judge_class(assertableBy={"principalKinds": ["service"]})
    body = {"runId": undone.run(), "answer": "right", "correctorGroupId": group}
    assert undone.admin.refused("POST", "corrections", body) == (403, "corrector-group-not-allowed")


@pytest.mark.parametrize(
    "restriction",
    [
        {},
        {"minReviewerRole": "junior"},
        {"minReviewerRole": None},
        {"principalKinds": []},
        {"principalKinds": ["person"]},
        {"principalKinds": ["service_account"]},
        {"principalIds": []},
        {"principalIds": [""]},
        {"principalIds": [1]},
        {"principalIds": [str(number) for number in range(101)]},
        {"principalCount": 3},
        [],
        "senior",
    ],
    ids=lambda restriction: str(restriction)[:40],
)
def test_a_malformed_restriction_is_bad_input(undone: Shop, restriction: Any):
    body = {"scope": {"kind": "tenant"}, "name": "expert", "weight": 1, "assertableBy": restriction}
    assert undone.admin.refused("POST", "judge-classes", body) == (400, "bad-input")
    group = undone.judge_class(assertableBy={"minReviewerRole": "senior"})
    assert undone.admin.refused("PATCH", f"judge-classes/{group}", {"assertableBy": restriction}) == (400, "bad-input")
    assert undone.admin.ok("GET", f"judge-classes/{group}")["assertableBy"] == {"minReviewerRole": "senior"}


def test_a_hundred_principals_can_be_named(undone: Shop):
    ids = [str(uuid4()) for _ in range(100)]
    group = undone.judge_class(assertableBy={"principalIds": ids})
    assert undone.admin.ok("GET", f"judge-classes/{group}")["assertableBy"] == {
        "principalIds": ids,
        "principalCount": 100,
    }


def test_a_principal_is_known_by_their_id_in_capitals_too(undone: Shop):
    ids = [str(undone.person("editor").pk).upper()]
    group = undone.judge_class(assertableBy={"principalIds": ids})
    assert undone.admin.ok("GET", f"judge-classes/{group}")["assertableBy"]["principalIds"] == ids
    assert undone.correct(undone.run(), correctorGroupId=group)["expert"] is True


def test_changing_it_replaces_the_whole_restriction_and_null_lifts_it(undone: Shop):
    group = undone.judge_class(assertableBy={"minReviewerRole": "senior", "principalKinds": ["user"]})
    path = f"judge-classes/{group}"
    changed = undone.admin.ok("PATCH", path, {"assertableBy": {"principalKinds": ["service"]}})
    assert changed["assertableBy"] == {"principalKinds": ["service"]}
    assert undone.admin.ok("PATCH", path, {"weight": 2})["assertableBy"] == {"principalKinds": ["service"]}
    assert "assertableBy" not in undone.admin.ok("PATCH", path, {"assertableBy": None})


@pytest.mark.parametrize(
    ("scope", "sees"),
    [
        ("tenant", ["tenant-admin"]),
        ("project", ["tenant-admin", "owner", "admin", "member-token"]),
        ("agent", ["tenant-admin", "owner", "admin", "member-token"]),
    ],
)
def test_only_admins_of_its_scope_see_whom_a_class_names(undone: Shop, scope: str, sees: list[str]):
    project = {"projectId": str(undone.project.pk)} if scope != "tenant" else {}
    agent = {"agentId": "shop.desk"} if scope == "agent" else {}
    ids = [str(undone.person("editor").pk), str(uuid4())]
    group = undone.judge_class(scope={"kind": scope, **project, **agent}, assertableBy={"principalIds": ids})
    undone.apis["member-token"] = CheckedApi.of(undone.person("tenant-admin"), "member")
    for name in ("viewer", "editor", "service", "admin", "owner", "tenant-admin", "member-token"):
        expected = {"principalCount": 2, **({"principalIds": ids} if name in sees else {})}
        api = undone.api(name)
        assert api.ok("GET", f"judge-classes/{group}")["assertableBy"] == expected, name
        (listed,) = api.ok("GET", "judge-classes")["data"]
        assert listed["assertableBy"] == expected, name
