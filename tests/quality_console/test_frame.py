"""What every page has around its own: the theme, the viewer's zone, what it may load, and pages whole or in part."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import get_resolver, reverse

from tests.builders import browser, make_user
from tests.quality_console.around import address, client_of, words
from tests.support.shops import Shop

TEMPLATES = sorted((settings.BASE_DIR / "templates").rglob("*.html"))
COMMENT = re.compile(r"\{#.*?#\}|\{% comment.*?endcomment %\}|<!--.*?-->", re.DOTALL)
URL = re.compile(r"""\{%\s*url\s+["']([^"']+)["']""")
# What a strict policy forbids: it would be dead on the page.
INLINE = {
    "a style attribute": re.compile(r"<[^>]*\sstyle\s*="),
    "a style element": re.compile(r"<style\b"),
    "a script in the page": re.compile(r"<script(?![^>]*\bsrc=)"),
    "a handler": re.compile(r"<[^>]*\son[a-z]+\s*="),
    "a script as an address": re.compile(r"""=["']?\s*javascript:"""),
    "a handler of HTMX": re.compile(r"\bhx-on\b|\bhx-vars\b|=\s*['\"]js:"),
}


def get(client: Client, path: str, **headers: str) -> Any:
    return client.get(path, headers=headers)


def theme_on(response: Any) -> str:
    return (re.search(r'<html[^>]*data-theme="(\w+)"', response.content.decode()) or ["", ""])[1]


def test_a_theme_is_remembered_until_the_system_shall_decide_again(undone: Shop):
    client = client_of(undone)
    assert theme_on(client.get("/")) == ""
    for theme in ("dark", "light"):
        assert client.post("/theme", {"theme": theme})["Location"] == "/"
        assert theme_on(client.get("/")) == theme
        assert f'content="{theme}"' in client.get("/").content.decode()
    client.post("/theme", {"theme": ""})
    assert theme_on(client.get("/")) == ""


def test_what_is_no_theme_is_none_and_never_reaches_the_page(undone: Shop):
    client = client_of(undone)
    client.cookies["theme"] = 'dark"><script>'
    assert theme_on(client.get("/")) == ""
    assert "<script>" not in client.get("/").content.decode()
    client.post("/theme", {"theme": "pink"})
    assert theme_on(client.get("/")) == ""


def test_choosing_a_theme_leads_back_to_where_it_was_chosen_on_this_site_alone(undone: Shop):
    client = client_of(undone)
    here = "http://testserver/account/tokens?dialog=new"
    assert client.post("/theme", {"theme": "dark"}, headers={"Referer": here})["Location"] == here
    elsewhere = client.post("/theme", {"theme": "dark"}, headers={"Referer": "https://evil.example/"})
    assert elsewhere["Location"] == "/"
    assert client.post("/theme", {"theme": "dark"}, headers={"HX-Request": "true"}).status_code == 204


def test_who_is_signed_out_chooses_a_theme_too(shop: Shop):
    client = browser()
    client.post("/theme", {"theme": "dark"})
    assert theme_on(client.get("/sign-in")) == "dark"


@pytest.mark.parametrize(
    ("cookie", "zone"),
    [
        ("America/New_York", "America/New_York"),
        ("Asia/Kolkata", "Asia/Kolkata"),
        ("Mars/Olympus", "UTC"),
        ("../../etc/passwd", "UTC"),
        ("", "UTC"),
        ("\0", "UTC"),
    ],
)
def test_times_are_in_the_zone_that_the_browser_names_or_in_utc(undone: Shop, cookie: str, zone: str):
    undone.run(createdAt="2026-07-01T16:30:00Z", completedAt="2026-07-01T16:31:00Z")
    client = client_of(undone)
    client.cookies["timezone"] = cookie
    page = client.get(address(undone, "runs"))
    assert f"Times are in {zone}." in words(page)
    shown = {"America/New_York": "12:30 PM", "Asia/Kolkata": "10 PM", "UTC": "4:30 PM"}[zone]
    assert f'<time datetime="2026-07-01T16:30:00.000Z" title="2026-07-01T16:30:00.000Z">1 Jul, {shown}</time>' in (
        page.content.decode().replace("1 Jul 2026, ", "1 Jul, ")
    )


def test_one_readers_zone_is_not_the_next_ones(undone: Shop):
    first, second = client_of(undone), client_of(undone, "viewer")
    first.cookies["timezone"] = "Asia/Tokyo"
    first.get("/")
    assert "Times are in UTC." in words(second.get("/"))


def test_every_page_loads_only_what_this_server_has_as_files(undone: Shop):
    signed_in = client_of(undone)
    staff = browser(make_user(undone.tenant, admin=True, is_staff=True))
    pages = {
        "/": signed_in,
        "/sign-in": browser(),
        "/account/tokens": signed_in,
        "/account/password": signed_in,
        address(undone, "runs"): signed_in,
        address(undone, "people"): signed_in,
        address(undone, "quality"): signed_in,
        "/projects/nowhere/quality": signed_in,
        "/service-accounts": signed_in,
        "/admin/": staff,
        "/admin/login/": browser(),
        "/v1/docs": browser(),
    }
    for path, client in pages.items():
        policy = client.get(path)["Content-Security-Policy"]
        parts = {part.split()[0]: part.split()[1:] for part in policy.split(";") if part.strip()}
        assert parts["default-src"] == parts["frame-ancestors"] == parts["base-uri"] == ["'none'"], path
        assert parts["style-src"] == ["'self'"], path
        # The API's documentation has no scripts and no forms.
        own = ["'none'"] if path == "/v1/docs" else ["'self'"]
        assert parts.get("script-src", parts["default-src"]) == parts["form-action"] == own, path
    answer = undone.api("editor").get("identity/whoami")
    assert "Content-Security-Policy" not in answer


def test_a_page_is_not_kept_by_anybody_and_differs_by_how_it_is_asked_for(undone: Shop):
    for path in (
        "/",
        "/account/tokens",
        address(undone, "runs"),
        address(undone, "people"),
        address(undone, "quality"),
    ):
        response = client_of(undone).get(path)
        assert {"HX-Request", "HX-Target", "HX-History-Restore-Request"} <= {
            name.strip() for name in response["Vary"].split(",")
        }, path
        assert "no-store" in response["Cache-Control"], path
        assert response["X-Content-Type-Options"] == "nosniff", path


def test_htmx_gets_the_part_that_it_swaps_and_for_the_history_or_another_target_the_whole_page(undone: Shop):
    client, path = client_of(undone), address(undone, "runs")
    part = get(client, path, **{"HX-Request": "true", "HX-Target": "tab"}).content.decode()
    assert "<html" not in part
    for headers in (
        {"HX-Request": "true", "HX-Target": "tab", "HX-History-Restore-Request": "true"},
        {"HX-Request": "true", "HX-Target": "somewhere"},
        {"HX-Request": "true"},
        {"HX-Target": "tab"},
    ):
        assert "<html" in get(client, path, **headers).content.decode(), headers


def test_what_is_not_for_somebody_is_a_page_with_a_way_home_and_an_id_for_the_log(undone: Shop):
    response = client_of(undone).get("/projects/nowhere/runs")
    assert response.status_code == 404
    assert "There's nothing here for you" in words(response)
    assert re.search(r"Request \S+", words(response))
    assert 'href="/"' in response.content.decode()


def test_to_htmx_a_refusal_is_a_notice_that_leaves_the_page_as_it_is(undone: Shop):
    headers = {"HX-Request": "true", "HX-Target": "dialog"}
    for client, path, status in (
        (client_of(undone), "/projects/nowhere/runs", 404),
        (client_of(undone), "/service-accounts", 403),
        (browser(), "/", 401),
    ):
        response = client.get(path, headers=headers)
        assert response.status_code == status
        assert (response["HX-Retarget"], response["HX-Reswap"]) == ("#notices", "innerHTML")
        assert "<html" not in response.content.decode()
        assert 'role="alert"' in response.content.decode()


def test_who_is_signed_out_is_led_back_to_the_whole_address(undone: Shop):
    path = address(undone, "quality")
    response = browser().get(f"{path}?tab=rules&q=a b")
    assert response["Location"] == f"/sign-in?next={path}%3Ftab%3Drules%26q%3Da%2520b"


def test_the_switcher_names_each_project_of_ones_own_with_what_waits_there(undone: Shop):
    other = undone.other_project()
    body = client_of(undone, "tenant-admin").get(address(undone, "runs")).content.decode()
    for project in (undone.project, other):
        assert f'href="{reverse("quality", args=[project.slug])}"' in body
    assert reverse("quality", args=[other.slug]) not in client_of(undone).get(address(undone, "runs")).content.decode()


@pytest.mark.parametrize("section", ["runs", "people", "quality"])
def test_the_section_that_is_shown_is_marked_in_the_top_bar(undone: Shop, section: str):
    body = client_of(undone).get(address(undone, section)).content.decode()
    bar = body.partition('<nav aria-label="Project">')[2].partition("</nav>")[0]
    marked = re.findall(r'href="([^"]+)"\s+aria-current="page"', bar)
    assert marked == [address(undone, section)]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(settings.BASE_DIR / "templates")))
def test_no_template_has_what_the_policy_forbids(path: Path):
    source = COMMENT.sub("", path.read_text())
    assert [what for what, pattern in INLINE.items() if pattern.search(source)] == []


def test_the_search_for_inline_code_finds_it():
    bad = [
        '<p class="a" style="color: red">',
        "<style>p {}</style>",
        "<script>go()</script>",
        '<button class="b" onclick="go()">',
        '<a href="javascript:go()">',
        '<button hx-on:click="go()">',
    ]
    for source, (what, pattern) in zip(bad, INLINE.items(), strict=True):
        assert pattern.search(source), what
    assert not any(pattern.search('<script src="/static/a.js" defer></script>') for pattern in INLINE.values())


def test_a_page_links_its_stylesheets_the_tokens_first(undone: Shop):
    head = client_of(undone).get("/").content.decode().partition("</head>")[0]
    sheets = re.findall(r'<link rel="stylesheet" href="/static/([^"]+)"', head)
    assert sheets == ["tokens.css", "quality_console/console.css"]
    # axe would put what a stylesheet imports into the page, which the policy forbids.
    assert not [path for path in (settings.BASE_DIR / "static").rglob("*.css") if "@import" in path.read_text()]


def test_every_address_that_a_template_names_is_one():
    named = {name for path in TEMPLATES for name in URL.findall(COMMENT.sub("", path.read_text()))}
    ours = {name for name in get_resolver().reverse_dict if isinstance(name, str)}
    assert {"quality", "run", "home", "tokens"} <= named
    assert {name for name in named if ":" not in name} - ours == set()
    for name in named:
        if ":" in name:
            reverse(name)
