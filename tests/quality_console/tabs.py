"""Tabs of the Quality section as tests ask for them and read them."""

from __future__ import annotations

import html
import re
from typing import Any

from tests.builders import browser
from tests.support.shops import Shop

# Marks inside of a sentence; whatever else is a tag parts two texts.
INLINE = re.compile(r"</?(a|span|b|time|wbr)\b[^>]*>")
TAGS = re.compile(r"<(script|style|svg)\b.*?</\1>|<[^>]*>", re.DOTALL)


def tab(shop: Shop, name: str, query: str = "", *, by: str = "viewer", **options: Any) -> Any:
    """The tab as somebody of the role gets it; ``options`` are the client's (``headers``)."""
    address = f"/projects/{shop.project.slug}/quality?tab={name}&{query}"
    return browser(shop.person(by)).get(address, **options)


def text_of(response: Any) -> str:
    """What a page says, without its markup, each space a single one."""
    return " ".join(html.unescape(TAGS.sub(" ", INLINE.sub("", response.content.decode()))).split())
