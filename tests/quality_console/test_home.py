"""Who signs in sees what waits for them in each of their projects, and nothing of anybody else's."""

from __future__ import annotations

from tests.builders import browser, make_project, make_tenant, make_user
from tests.judging.queues import make_rule
from tests.quality_console.around import client_of, words
from tests.support.shops import Shop

STATEMENTS = 7


def test_who_isnt_signed_in_is_led_to_sign_in_and_back(shop: Shop):
    response = browser().get("/")
    assert response.status_code == 302
    assert response["Location"] == "/sign-in?next=/"


def test_each_project_says_how_many_runs_wait_and_those_with_some_come_first(undone: Shop):
    make_rule(undone)
    undone.run()
    undone.run()
    quiet = make_project(undone.tenant, name="A quiet one")
    page = client_of(undone, "tenant-admin").get("/")
    said = words(page)
    assert f"2 to correct in 1 project of {undone.tenant.name}." in said
    assert said.index("2 runs") < said.index("A quiet one")
    assert said.index(undone.project.name) < said.index("A quiet one")
    assert "Nothing waits" in said
    body = page.content.decode()
    assert f'action="/projects/{undone.project.slug}/queue/start"' in body
    assert f'action="/projects/{quiet.slug}/queue/start"' not in body


def test_a_viewer_sees_their_projects_and_role_but_nothing_waits_for_them(undone: Shop):
    make_rule(undone)
    undone.run()
    make_project(undone.tenant, name="Somebody else's")
    page = client_of(undone, "viewer").get("/")
    said = words(page)
    assert f"Nothing waits for you in {undone.tenant.name}." in said
    assert f"{undone.project.name} Nothing waits Viewer" in said
    assert "Somebody else's" not in said
    assert "queue/start" not in page.content.decode()


def test_who_is_in_no_project_is_told_how_they_get_into_one(undone: Shop):
    said = words(browser(make_user(undone.tenant)).get("/"))
    assert "You aren't in any project yet" in said


def test_links_to_what_admins_do_are_for_those_who_may(undone: Shop):
    admin = undone.person("tenant-admin")
    staff = make_user(undone.tenant, admin=True, is_staff=True)
    links = {
        who: [part in browser(person).get("/").content.decode() for part in ('"/service-accounts"', '"/admin/"')]
        for who, person in {"editor": undone.person("editor"), "admin": admin, "staff": staff}.items()
    }
    assert links == {"editor": [False, False], "admin": [True, False], "staff": [True, True]}


def test_a_hundred_projects_are_searched_and_read_page_by_page(undone: Shop):
    for number in range(103):
        make_project(undone.tenant, name=f"Desk {number:03}")
    client = client_of(undone, "tenant-admin")
    first, second, third = (client.get("/", {"page": number}) for number in (1, 2, 3))
    seen = [row.project.name for page in (first, second, third) for row in page.context["rows"]]
    assert len(seen) == len(set(seen)) == 104
    assert 'rel="next"' in second.content.decode()
    assert 'rel="next"' not in third.content.decode()
    found = client.get("/", {"q": "dESK 042"})
    assert [row.project.name for row in found.context["rows"]] == ["Desk 042"]
    assert "No project is called so" in words(client.get("/", {"q": "100%_nothing"}))


def test_a_page_that_is_none_is_the_first_and_no_search_is_an_error(undone: Shop):
    client = client_of(undone, "editor")
    for query in ({"page": "0"}, {"page": "-3"}, {"page": "x"}, {"page": "9" * 40}, {"q": "\0"}, {"q": "x" * 5000}):
        assert client.get("/", query).status_code == 200, query


def test_the_page_costs_the_same_statements_whatever_the_projects(undone: Shop, assert_queries):
    client = client_of(undone, "tenant-admin")
    client.get("/")
    with assert_queries(exact=STATEMENTS):
        client.get("/")
    for _ in range(20):
        make_project(undone.tenant)
    make_rule(undone)
    undone.run()
    with assert_queries(exact=STATEMENTS):
        client.get("/")


def test_another_tenant_with_the_same_names_sees_only_its_own(undone: Shop):
    make_rule(undone)
    undone.run()
    rival = make_tenant(name="Rival")
    said = words(browser(make_user(rival, admin=True)).get("/"))
    assert "Nothing waits for you in Rival." in said
    assert undone.tenant.name not in said


def test_markup_in_a_name_is_text(undone: Shop):
    make_project(undone.tenant, name="<b>Bold</b> & <script>alert(1)</script>")
    body = client_of(undone, "tenant-admin").get("/").content.decode()
    assert "<script>alert" not in body
    assert "&lt;b&gt;Bold" in body
