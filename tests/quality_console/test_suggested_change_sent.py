"""What is sent from a suggested change's page: twice, too late, with too little said, or by a link."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from kindgi.api.times import as_of, now
from tests.builders import browser
from tests.improve import suggesting
from tests.improve.suggesting import PROMPT, TEMPLATE
from tests.quality_console.tabs import text_of
from tests.support.shops import AGENT, Shop

REVIEWER = "editor:reviewer"
HTMX = {"HX-Request": "true", "HX-Target": "change"}


@pytest.fixture(scope="module")
def better(shop: Shop) -> str:
    """One that is better, drafted by the editor; there is a reviewer."""
    suggesting.register(shop)
    suggesting.corrected_runs(shop, 7)
    suggesting.reviewer(shop, REVIEWER)
    made = suggesting.draft(shop)
    suggesting.evaluate(shop, made)
    return made


def act(shop: Shop, proposal: str, action: str, *, by: str = "editor", htmx: bool = False, **form: Any) -> Any:
    headers = HTMX if htmx else {}
    return browser(shop.person(by)).post(f"{suggesting.page_of(shop, proposal)}/{action}", form, headers=headers)


def test_an_acts_address_leads_to_the_page(shop, better):
    for action in ("evaluate", "decide", "withdraw", "nothing"):
        for method in ("get", "head"):
            found = getattr(browser(shop.person("editor")), method)(f"{suggesting.page_of(shop, better)}/{action}")
            assert (found.status_code, found["Location"]) == (303, suggesting.page_of(shop, better))


def test_what_is_sent_twice_is_done_once_and_leads_to_the_page(shop, better):
    sent: list[tuple[str, str, dict[str, Any]]] = [
        ("request", "editor", {}),
        ("decide", REVIEWER, {"decision": "approve"}),
        ("rollback", REVIEWER, {}),
    ]
    with transaction.atomic():
        for action, by, form in sent:
            for _ in range(2):
                answer = act(shop, better, action, by=by, **form)
                assert (answer.status_code, answer["Location"]) == (303, suggesting.page_of(shop, better)), action
        promotions = shop.editor.ok("GET", f"proposals/{better}/history")["data"]
        assert [one["step"] for one in promotions][:3] == ["rolled-back", "promoted", "requested"]
        transaction.set_rollback(True)


def test_what_another_did_or_was_done_longer_ago_or_otherwise_is_said_to_be_too_late(shop, better):
    with transaction.atomic():
        act(shop, better, "request")
        assert act(shop, better, "request", by="tenant-admin").status_code == 409
        with as_of(now() + timedelta(minutes=1)):
            assert act(shop, better, "request").status_code == 409
        act(shop, better, "decide", by=REVIEWER, decision="reject", reason="No.")
        assert act(shop, better, "decide", by=REVIEWER, decision="approve").status_code == 409
        transaction.set_rollback(True)


def test_a_tenant_admin_who_doesnt_say_why_is_asked_and_nothing_is_refused_for_good(shop, better):
    with transaction.atomic():
        change = {"blockId": PROMPT, "content": {"template": TEMPLATE + "\nMore."}}
        same = suggesting.draft(shop, change=change)
        suggesting.evaluate(shop, same)
        asked = act(shop, same, "request", by="tenant-admin", reason="  ")
        assert asked.status_code == 422 and "Say why it should go live although it isn't better" in text_of(asked)
        assert shop.editor.ok("GET", f"proposals/{same}")["status"] == "not-better"
        assert act(shop, same, "request", by="tenant-admin", reason="The law.").status_code == 303
        transaction.set_rollback(True)


def test_of_a_version_that_runs_no_more_a_tenant_admin_is_asked_why(shop, better):
    with transaction.atomic():
        shop.admin.ok("PUT", f"agents/{AGENT}/versions/9.0.0")
        asked = act(shop, better, "request", by="tenant-admin")
        assert asked.status_code == 422 and "The project runs another version by now." in text_of(asked)
        transaction.set_rollback(True)


def test_to_htmx_what_is_wrong_or_too_late_is_answered_in_the_pages_part(shop, better):
    with transaction.atomic():
        wrong = act(shop, better, "withdraw", htmx=True)
        assert wrong.status_code == 422 and wrong["HX-Retarget"] == "#change"
        assert wrong.content.decode().strip().startswith('<div id="change">')
        went = act(shop, better, "request", htmx=True, reason="It is safe.")
        assert json.loads(went["HX-Location"])["path"] == suggesting.page_of(shop, better)
        act(shop, better, "decide", by=REVIEWER, decision="reject", reason="No.")
        late = act(shop, better, "withdraw", htmx=True, reason="I <b>typed</b> this.")
        assert late.status_code == 409 and "I &lt;b&gt;typed&lt;/b&gt; this." in late.content.decode()
        transaction.set_rollback(True)


def test_without_the_forms_token_htmx_gets_one_with_which_it_can_be_sent_again(shop, better):
    client = Client(enforce_csrf_checks=True)
    client.force_login(shop.person("editor"))
    address = f"{suggesting.page_of(shop, better)}/withdraw"
    refused = client.post(address, {"reason": "Kept."}, headers=HTMX)
    assert (refused.status_code, refused["HX-Retarget"]) == (403, "#notices") and "send it again" in text_of(refused)
    token = client.cookies["csrftoken"].value
    with transaction.atomic():
        again = client.post(address, {"reason": "Kept."}, headers={**HTMX, "X-CSRFToken": token})
        assert again.status_code == 200 and "HX-Location" in again.headers
        transaction.set_rollback(True)


def test_a_filter_that_leaves_nothing_is_said_at_its_field(shop, better):
    with suggesting.endpoint(shop), transaction.atomic():
        refused = act(shop, better, "evaluate", repetitions=1, since="2031-01-01T00:00")
        assert refused.status_code == 409
        text = refused.content.decode()
        assert 'id="evaluate-since_error"' in text and "No corrected run of those that ended since then" in text
        experts = act(shop, better, "evaluate", repetitions=1, experts_only="on")
        assert 'id="evaluate-experts_only_error"' in experts.content.decode()
        transaction.set_rollback(True)
