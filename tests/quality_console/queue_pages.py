"""The To correct tab of a shop's project, as tests ask for it and read it."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from django.test import Client
from django.urls import reverse

from tests.builders import browser
from tests.support.shops import Shop


def client_of(shop: Shop, by: str = "editor") -> Client:
    """Somebody's browser."""
    return browser(shop.person(by))


def tab(shop: Shop, query: str = "", *, by: str = "editor") -> str:
    """The page's HTML."""
    response = client_of(shop, by).get(f"{address(shop)}?tab=to-correct&{query}")
    assert response.status_code == 200, response.content
    return response.content.decode()


def address(shop: Shop) -> str:
    """Of the section."""
    return reverse("quality", args=[shop.project.slug])


def post(shop: Shop, name: str, query: str = "", *, by: str = "editor", **body: Any) -> str:
    """What the page says that follows: its text."""
    response = client_of(shop, by).post(f"{reverse(name, args=[shop.project.slug])}?{query}", body, follow=True)
    assert response.status_code == 200, response.content
    return words(response.content.decode())


def rows(html: str) -> list[str]:
    """The runs of the page's rows, by the ids that their links have."""
    return re.findall(r'<a class="what" href="/projects/[^/]+/runs/([0-9a-f-]{36})', html)


def words(html: str) -> str:
    """What can be read, with single blanks."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def links(html: str) -> dict[str, str]:
    """Where links lead, by what they say."""
    found = re.findall(r'<a\b[^>]*?href="([^"]*)"[^>]*>(.*?)</a>', html, flags=re.DOTALL)
    return {words(label): unescape(href) for href, label in found}


def toast(html: str) -> str:
    """What is said after a change."""
    found = re.search(r"data-toast>\s*<span>(.*?)</span>", html, flags=re.DOTALL)
    return unescape(found[1]) if found else ""


def undo(html: str) -> str:
    """The address that takes the change back."""
    found = re.search(r'data-toast>.*?<form method="post" action="([^"]*)"', html, flags=re.DOTALL)
    return unescape(found[1]) if found else ""
