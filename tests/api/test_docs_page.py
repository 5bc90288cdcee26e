"""`/v1/docs` is a page that people can read: without a token, a script or anybody else's server."""

from html.parser import HTMLParser

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client

from kindgi.api.errors import error_classes
from kindgi.api.openapi.document import document

MAX_BYTES = 300_000


class Page(HTMLParser):
    """What the tests ask of the HTML."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.ids, self.targets, self.attributes = [], [], [], set()
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append(tag)
        self.attributes |= set(found)
        self.ids += [found["id"]] if "id" in found else []
        self.targets += [found[name] for name in ("href", "src") if name in found]


@pytest.fixture(scope="module")
def html():
    response = Client().get("/v1/docs")
    assert (response.status_code, response.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    return response.content.decode()


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


def test_it_shows_every_operation_under_its_id(page):
    shown = [operation["operationId"] for methods in document()["paths"].values() for operation in methods.values()]
    assert set(shown) <= set(page.ids)


def test_it_shows_every_error_code(page):
    assert {known.code for known in error_classes()} <= set(page.ids)


def test_every_link_within_the_page_leads_somewhere(page):
    within = {target[1:] for target in page.targets if target.startswith("#")}
    assert within <= set(page.ids)
    assert sorted(page.ids) == sorted(set(page.ids))


def test_nothing_in_it_runs_or_comes_from_elsewhere(page):
    assert not {"script", "style", "iframe", "img"} & set(page.tags)
    assert not {name for name in page.attributes if name.startswith("on") or name == "style"}
    assert all(target.startswith(("#", "/")) for target in page.targets)


def test_its_stylesheet_is_served(page):
    [sheet] = [target for target in page.targets if target.endswith(".css")]
    assert finders.find(sheet.removeprefix(settings.STATIC_URL)) is not None


def test_it_stays_small(html):
    assert len(html.encode()) < MAX_BYTES


def test_it_shows_limits_and_a_command_to_copy(html):
    assert "at most 4,000 characters" in html
    assert "curl -X POST https://example.com/v1/corrections" in html
