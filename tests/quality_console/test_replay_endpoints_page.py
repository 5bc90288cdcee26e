"""Where agents are replayed, on a page: project admins set it, its secret is shown once, others see whom to ask."""

from __future__ import annotations

import re
from typing import Any

from tests.builders import browser
from tests.quality_console.tabs import text_of
from tests.support.shops import AGENT, Shop

URL = "http://127.0.0.1:9/replay"


def address(shop: Shop, what: str = "") -> str:
    return f"/projects/{shop.project.slug}/replay-endpoints{what}?agent={AGENT}"


def secret_in(answer: Any) -> str:
    found = re.search(r'id="secret"\s+value="([^"]+)"', answer.content.decode())
    return found[1] if found else ""


def test_an_admin_sets_moves_rotates_and_removes_one(undone: Shop):
    admin = browser(undone.person("admin"))
    undone.run()
    assert "No agent has one." in text_of(admin.get(address(undone)))
    made = admin.post(address(undone), {"url": URL})
    assert made.status_code == 200 and secret_in(made).startswith("whsec_")
    shown = admin.get(address(undone))
    assert not secret_in(shown) and "whsec_" not in shown.content.decode()
    moved = admin.post(address(undone), {"url": f"{URL}/2"})
    assert moved.status_code == 303
    rotated = admin.post(address(undone, "/rotate"))
    assert secret_in(rotated) not in ("", secret_in(made))
    assert "The secret before the last one signs too until" in text_of(admin.get(address(undone)))
    assert admin.post(address(undone, "/remove")).status_code == 303
    assert "No agent has one." in text_of(admin.get(address(undone)))


def test_what_is_no_address_is_said_beside_the_field(undone: Shop):
    admin = browser(undone.person("admin"))
    for url in (
        "",
        "ftp://agents.example.com",
        "http://169.254.169.254/latest",
        "https://user:word@agents.example.com/",
    ):
        refused = admin.post(address(undone), {"url": url})
        assert refused.status_code == 422
        assert f'value="{url}"' in refused.content.decode() or not url


def test_who_writes_reads_the_address_and_whom_to_ask(undone: Shop):
    undone.api("admin").ok("PUT", f"projects/{undone.project.pk}/agents/{AGENT}/replay-endpoint", {"url": URL})
    page = text_of(browser(undone.person("editor")).get(address(undone)))
    assert URL in page and "Admins of the project set an agent's replay endpoint." in page
    assert "Rotate the secret" not in page
