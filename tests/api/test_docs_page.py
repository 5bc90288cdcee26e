"""`/v1/docs` is a page that people can read: without a token, a script or anybody else's server."""

import json
import shlex
from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client

from kindgi.api.errors import error_classes
from kindgi.api.openapi.document import document
from tests.support.openapi import operation_at

MAX_BYTES = 500_000


class Page(HTMLParser):
    """What the tests ask of the HTML."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.ids, self.targets, self.attributes = [], [], [], set()
        self.commands, self.is_command = [], False
        self.feed(html)

    def handle_data(self, data):
        if self.is_command:
            self.commands[-1] += data

    def handle_endtag(self, tag):
        self.is_command = self.is_command and tag != "pre"

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.is_command = self.is_command or tag == "pre"
        self.commands += [""] if tag == "pre" else []
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


def test_its_stylesheets_are_served_the_tokens_first(page):
    sheets = [target.removeprefix(settings.STATIC_URL) for target in page.targets if target.endswith(".css")]
    assert sheets == ["tokens.css", "api/docs.css"]
    assert all(finders.find(sheet) for sheet in sheets)


def test_it_stays_small(html):
    assert len(html.encode()) < MAX_BYTES


def test_it_shows_limits_and_what_is_required(html):
    assert "at most 4,000 characters" in html
    assert "<em>required</em>" in html


def test_each_operation_comes_with_a_command_that_a_shell_takes(page):
    assert len(page.commands) == sum(len(methods) for methods in document()["paths"].values())
    for command in page.commands:
        words = [word for word in shlex.split(command) if word != "\n"]
        assert words[0] == "curl"
        [url] = [word for word in words if word.startswith("https://example.com/v1/")]
        assert operation_at(words[2] if words[1] == "-X" else "GET", urlsplit(url).path)
        if "-d" in words:
            json.loads(words[words.index("-d") + 1])
