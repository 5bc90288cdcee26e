"""The lists of access: what each shows, page by page, in a number of statements that doesn't grow."""

import pytest

from tests.builders import Api, default_project, make_project, make_service_account, make_tenant, make_user, mint

pytestmark = pytest.mark.django_db


def many_projects(tenant, count):
    for _ in range(count):
        make_project(tenant)


def many_members(tenant, count):
    for _ in range(count):
        make_user(tenant, "viewer", reviewer="standard")


def many_accounts(tenant, count):
    for _ in range(count):
        make_service_account(tenant, "viewer")


def many_tokens(tenant, count):
    person = make_user(tenant)
    for _ in range(count):
        mint(person, project=default_project(tenant))


# Beside the one that authenticates.
LISTS = {
    "projects": (many_projects, 1),
    "projects/{default}/memberships": (many_members, 2),
    "service-accounts": (many_accounts, 2),
    "tokens": (many_tokens, 1),
    "approvals/reviewers": (many_members, 1),
}


@pytest.fixture(params=LISTS)
def listed(request, tenant):
    return request.param.format(default=default_project(tenant).pk), *LISTS[request.param]


def test_two_rows_cost_as_many_statements_as_twenty(tenant, listed, assert_queries):
    path, make, statements = listed
    admin = Api.of(make_user(tenant, admin=True))
    make(tenant, 2)
    with assert_queries(exact=statements + 1):
        admin.ok("GET", path)
    make(tenant, 18)
    with assert_queries(exact=statements + 1):
        assert len(admin.ok("GET", path, query={"limit": 100})["data"]) >= 20


def test_pages_follow_on_each_other_newest_first(tenant, listed):
    path, make, _ = listed
    admin = Api.of(make_user(tenant, admin=True))
    make(tenant, 7)
    whole = admin.ok("GET", path, query={"limit": 100})
    assert whole["hasMore"] is False and "nextCursor" not in whole
    first = [row.get("createdAt", row.get("joinedAt")) for row in whole["data"]]
    assert first == sorted(first, reverse=True)
    paged, query = [], {"limit": 3}
    while True:
        page = admin.ok("GET", path, query=query)
        paged += page["data"]
        if not page["hasMore"]:
            break
        query["cursor"] = page["nextCursor"]
    assert paged == whole["data"]


@pytest.mark.parametrize(
    "query", [{"limit": 0}, {"limit": 101}, {"limit": "x"}, {"cursor": "x"}, {"page": 2}, {"limit": [1, 2]}]
)
def test_a_query_that_cant_be_answered_is_refused(tenant, listed, query):
    admin = Api.of(make_user(tenant, admin=True))
    assert admin.refused("GET", listed[0], query=query) == (400, "bad-input")


def test_an_unknown_parameter_is_named(tenant, listed):
    error = Api.of(make_user(tenant, admin=True)).get(listed[0], colour="red").json()["error"]
    assert "colour" in error["message"]


def test_projects_are_those_that_the_caller_may_read(tenant):
    default, one, two = default_project(tenant), make_project(tenant), make_project(tenant)
    make_project(make_tenant())
    person, boss = make_user(tenant, "viewer", project=one), make_user(tenant, admin=True)
    shown = {
        "member": Api.of(person),
        "outsider": Api.of(make_user(tenant)),
        "tenant admin": Api.of(boss),
        "tenant admin's member token": Api.of(boss, "member"),
        "narrowed": Api.of(boss, project=two),
        "narrowed to what isn't theirs": Api.of(person, project=two),
        "service": Api.of(make_service_account(tenant, "viewer", project=two)),
    }
    assert {who: {row["id"] for row in api.ok("GET", "projects")["data"]} for who, api in shown.items()} == {
        "member": {str(one.pk)},
        "outsider": set(),
        "tenant admin": {str(default.pk), str(one.pk), str(two.pk)},
        "tenant admin's member token": {str(default.pk), str(one.pk), str(two.pk)},
        "narrowed": {str(two.pk)},
        "narrowed to what isn't theirs": set(),
        "service": {str(two.pk)},
    }


def test_tokens_are_the_callers_own_or_the_tenants_for_its_admin(tenant):
    ada, boss = make_user(tenant), make_user(tenant, admin=True)
    mint(make_user(make_tenant(), admin=True))
    theirs, mine = mint(ada), mint(boss)
    own = Api(theirs.secret).ok("GET", "tokens")["data"]
    assert [row["tokenId"] for row in own] == [str(theirs.token.pk)]
    every = Api(mine.secret).ok("GET", "tokens")["data"]
    assert {row["tokenId"] for row in every} == {str(theirs.token.pk), str(mine.token.pk)}
    ceiling = mint(boss, "member")
    below = Api(ceiling.secret).ok("GET", "tokens")["data"]
    assert {row["tokenId"] for row in below} == {str(ceiling.token.pk), str(mine.token.pk)}


def test_service_accounts_and_the_roster_are_the_tenants_own(tenant):
    account = make_service_account(tenant)
    reviewer = make_user(tenant, reviewer="senior")
    other = make_tenant()
    make_service_account(other)
    make_user(other, reviewer="senior")
    admin = Api.of(make_user(tenant, admin=True))
    accounts = admin.ok("GET", "service-accounts")["data"]
    assert [row["serviceAccountId"] for row in accounts] == [str(account.pk)]
    assert Api.of(reviewer).ok("GET", "service-accounts")["data"] == []
    for api in (admin, Api.of(reviewer)):
        assert [row["userId"] for row in api.ok("GET", "approvals/reviewers")["data"]] == [str(reviewer.pk)]
