"""Where agents are replayed, on a page: project admins set it, its secret is shown once, others see whom to ask."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from improve.models import ReplayEndpoint
from improve.selectors.endpoints import replay_endpoint_get
from improve.services.endpoints import keys_of
from kindgi.api.times import as_of, now
from tests.builders import browser
from tests.improve.answering import GOOD, Asked, answer, answering, says
from tests.quality_console.tabs import text_of
from tests.support.parallel import at_once
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
    rotated = admin.post(address(undone, "/rotate"), {"once": "1"})
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
        assert "/url" not in text_of(refused)


def test_who_writes_reads_the_address_and_whom_to_ask(undone: Shop):
    undone.api("admin").ok("PUT", f"projects/{undone.project.pk}/agents/{AGENT}/replay-endpoint", {"url": URL})
    page = text_of(browser(undone.person("editor")).get(address(undone)))
    assert URL in page and "Admins of the project set an agent's replay endpoint." in page
    assert "Rotate the secret" not in page


def signing(shop: Shop) -> tuple[str, ...]:
    return keys_of(replay_endpoint_get(project=shop.project, agent_id=AGENT))


def test_a_form_that_is_sent_again_at_once_shows_the_same_secret_and_later_that_it_was_shown(undone: Shop):
    admin = browser(undone.person("admin"))
    made = admin.post(address(undone), {"url": URL, "once": "first"})
    assert secret_in(admin.post(address(undone), {"url": URL, "once": "first"})) == secret_in(made)
    for form in ({"once": "second"}, {"once": "third", "again": "yes"}):
        rotated = admin.post(address(undone, "/rotate"), form)
        signs = signing(undone)
        assert secret_in(admin.post(address(undone, "/rotate"), form)) == secret_in(rotated) == signs[0]
        with as_of(now() + timedelta(minutes=3)):
            late = admin.post(address(undone, "/rotate"), form)
        assert late.status_code == 409 and "The secret was rotated, and shown once." in text_of(late)
        assert not secret_in(late) and signing(undone) == signs
    other = browser(undone.person("admin:other")).post(address(undone, "/rotate"), {"once": "third"})
    assert other.status_code == 409 and not secret_in(other)


def test_within_the_day_it_is_rotated_again_only_by_a_form_that_says_what_that_does(undone: Shop):
    admin = browser(undone.person("admin"))
    admin.post(address(undone), {"url": URL})
    admin.post(address(undone, "/rotate"), {"once": "1"})
    signs = signing(undone)
    refused = admin.post(address(undone, "/rotate"), {"once": "2"})
    assert refused.status_code == 409 and "rotating again makes that one useless now" in text_of(refused)
    assert signing(undone) == signs
    page = admin.get(address(undone)).content.decode()
    assert 'name="again"' in page and page.count(f"/rotate?agent={AGENT}") == 1


def test_of_two_clicks_at_one_time_one_rotates_and_both_show_its_secret(fresh: Shop):
    admin = browser(fresh.person("admin"))
    admin.post(address(fresh), {"url": URL})
    before = signing(fresh)
    answers = at_once([lambda: admin.post(address(fresh, "/rotate"), {"once": "1"})] * 2)
    assert {secret_in(one) for one in answers} == {signing(fresh)[0]}
    assert signing(fresh)[1:] == before


@pytest.mark.parametrize("what", ["/rotate", "/remove", "/check"])
def test_what_is_left_of_an_act_in_the_address_bar_leads_to_the_page(undone: Shop, what: str):
    found = browser(undone.person("admin")).get(address(undone, what))
    assert (found.status_code, found["Location"]) == (303, address(undone))


def test_it_is_tried_outside_of_a_transaction_and_what_came_back_is_shown(fresh: Shop):
    admin, seen = browser(fresh.person("admin")), []

    def look(sock: Any, asked: Asked, number: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND xact_start IS NOT NULL AND backend_type = 'client backend'"
            )
            seen.append(cursor.fetchone()[0])
        sock.sendall(answer(GOOD))

    with answering(look) as server:
        assert "Try it" in text_of(admin.post(address(fresh), {"url": server.url}))
        shown = admin.post(address(fresh, "/check"))
    assert seen == [0] and shown.status_code == 200 and "It answers, in" in text_of(shown)
    with answering(says(b"<h1>Hello</h1>")) as server:
        admin.post(address(fresh), {"url": server.url})
        assert "The answer isn't JSON." in text_of(admin.post(address(fresh, "/check")))


def test_an_agent_that_there_isnt_is_offered_no_form(undone: Shop):
    found = browser(undone.person("admin")).get(address(undone).replace(AGENT, "no.such"))
    assert found.status_code == 200 and "There's no such agent" in text_of(found)
    assert 'name="url"' not in found.content.decode()


def test_a_rotation_doesnt_move_when_the_address_was_set(undone: Shop):
    admin = browser(undone.person("admin"))
    admin.post(address(undone), {"url": URL})
    before = ReplayEndpoint.objects.get(project=undone.project).updated_at
    admin.post(address(undone, "/rotate"))
    assert ReplayEndpoint.objects.get(project=undone.project).updated_at == before
