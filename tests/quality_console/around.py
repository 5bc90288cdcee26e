"""The pages around the queue as tests ask for them and read them."""

from __future__ import annotations

import html
import re
from typing import Any

from django.test import Client

from tests.builders import browser
from tests.support.shops import Shop

_TAGS = re.compile(r"<(script|style|svg|head)\b.*?</\1>|<[^>]*>", re.DOTALL)


def client_of(shop: Shop, by: str = "editor") -> Client:
    """A browser of a person of the shop."""
    return browser(shop.person(by))


def words(response: Any) -> str:
    """What a page says, without its markup, each space a single one."""
    return " ".join(html.unescape(_TAGS.sub(" ", response.content.decode())).split())


def toast(response: Any) -> str:
    """What a page says of what was just done."""
    found = re.search(r"data-toast>\s*<span>(.*?)</span>", response.content.decode(), re.DOTALL)
    return html.unescape(found[1]).strip() if found else ""


def address(shop: Shop, rest: str) -> str:
    """The address of a page of the shop's project."""
    return f"/projects/{shop.project.slug}/{rest}"
