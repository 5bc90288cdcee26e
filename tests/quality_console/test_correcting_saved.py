"""Saving a correction in the console: once, by who typed it, of what was seen; and taking it back."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from corrections.models import Correction
from tests.builders import browser
from tests.judging.queues import dismiss, make_rule, queued_runs
from tests.support.shops import AGENT, TOOLS, VERSION, Shop

HX = {"HX-Request": "true", "HX-Target": "correction"}


def address(shop: Shop, run_id: str) -> str:
    return f"/projects/{shop.project.slug}/runs/{run_id}"


def seen(client: Client, shop: Shop, run_id: str) -> dict[str, str]:
    """What the form was opened with."""
    form = client.get(f"{address(shop, run_id)}?tab=corrections&from=").context["form"]
    return dict(form.seen)


def save(client: Client, shop: Shop, run_id: str, **said: str) -> Any:
    return client.post(f"{address(shop, run_id)}/correct", {"do": "save", "class": "", **said})


def told(response: Any) -> list[tuple[str, str]]:
    """The sentences that the next page shows, each with the address of its Undo."""
    return [(str(message), message.extra_tags) for message in response.wsgi_request._messages]


def live(run_id: str) -> int:
    return Correction.objects.filter(run_id=run_id, unregistered_at=None).count()


@pytest.fixture
def waiting(undone: Shop) -> str:
    """A run that waits for anybody."""
    make_rule(undone, name="Everything", when={})
    undone.run()
    return queued_runs(undone)[0]


def test_a_saved_one_goes_on_by_a_get_and_offers_to_be_undone(undone: Shop, waiting: str):
    client = browser(undone.person("editor"))
    response = save(client, undone, waiting, answer="right", decisions="right", **seen(client, undone, waiting))
    assert (response.status_code, response.url) == (303, f"{address(undone, waiting)}?tab=corrections&whose=mine")
    ((sentence, undo),) = told(response)
    assert sentence.startswith("Saved. The run left the queue") and undo.endswith("/undo") and live(waiting) == 1


def test_to_htmx_it_goes_on_by_a_header(undone: Shop, waiting: str):
    client = browser(undone.person("editor"))
    said = {"do": "next", "class": "", "answer": "right"}
    response = client.post(f"{address(undone, waiting)}/correct", said, headers=HX)
    assert response.headers["HX-Redirect"].startswith(f"/projects/{undone.project.slug}/quality")


def test_what_is_sent_again_since_its_answer_was_lost_is_saved_once(undone: Shop, waiting: str):
    client = browser(undone.person("editor"))
    said = {"answer": "wrong", "why": "No", **seen(client, undone, waiting)}
    first, again = save(client, undone, waiting, **said), save(client, undone, waiting, **said)
    assert first.status_code == again.status_code == 303 and Correction.objects.filter(run_id=waiting).count() == 1
    assert told(again)[-1][1].endswith("/undo")


def test_what_is_unchanged_is_said_so_and_cannot_be_undone(undone: Shop, waiting: str):
    client = browser(undone.person("editor"))
    save(client, undone, waiting, answer="wrong", why="No")
    response = save(client, undone, waiting, answer="wrong", why="No", **seen(client, undone, waiting))
    assert told(response)[-1] == ("Nothing was changed.", "") and Correction.objects.filter(run_id=waiting).count() == 1


def test_another_pointer_or_class_is_a_change(undone: Shop, waiting: str):
    expert, client = undone.judge_class(), browser(undone.person("editor"))
    for said in ({"i:/matches/0": "right"}, {"i:/matches/1": "right"}, {"i:/matches/1": "right", "class": expert}):
        assert told(save(client, undone, waiting, **said, **seen(client, undone, waiting)))[-1][0].startswith("Saved.")
    assert Correction.objects.filter(run_id=waiting).count() == 3 and live(waiting) == 1


def test_a_newer_one_of_the_same_person_is_told_first(undone: Shop, waiting: str):
    client = browser(undone.person("editor"))
    before = seen(client, undone, waiting)
    undone.correct(waiting, answer="wrong", why="Elsewhere")
    response = save(client, undone, waiting, answer="right", **before)
    # What /v1 recorded for the person by a token is theirs.
    assert response.status_code == 409 and "in another window" in response.content.decode()
    assert save(client, undone, waiting, answer="right", **before, do="save-anyway").status_code == 303


def test_a_run_that_was_dismissed_meanwhile_is_told_first(undone: Shop, waiting: str):
    client = browser(undone.person("editor"))
    before = seen(client, undone, waiting)
    dismiss(undone, waiting, reason="A test")
    response = save(client, undone, waiting, answer="right", **before)
    assert response.status_code == 409 and "dismissed this run" in response.content.decode() and live(waiting) == 0
    assert save(client, undone, waiting, answer="right", **before, do="save-anyway").status_code == 303


def test_what_somebody_else_typed_is_not_saved_as_ones_own_unasked(undone: Shop, waiting: str):
    before = seen(browser(undone.person("editor")), undone, waiting)
    other = browser(undone.person("editor:2"))
    response = save(other, undone, waiting, answer="right", **before)
    assert response.status_code == 409 and "You are signed in as" in response.content.decode() and live(waiting) == 0


def test_a_run_that_was_erased_is_told_and_what_was_typed_comes_back(undone: Shop, waiting: str):
    client = browser(undone.person("editor"))
    before = seen(client, undone, waiting)
    undone.admin.ok("POST", f"runs/{waiting}/erase")
    response = save(client, undone, waiting, answer="wrong", why="Still here", **before)
    assert response.status_code == 409
    assert "This run was erased." in response.content.decode() and "Still here" in response.content.decode()


def test_a_flows_run_is_asked_only_about_its_answer(undone: Shop):
    run_id = undone.run(flow={"id": "intake", "version": "1"})
    client = browser(undone.person("editor"))
    page = client.get(f"{address(undone, run_id)}?tab=corrections").content.decode()
    assert 'name="answer"' in page and 'name="decisions"' not in page
    assert save(client, undone, run_id, answer="right").status_code == 303


def test_undo_is_for_ones_own_and_once(undone: Shop, waiting: str):
    client, other = browser(undone.person("editor")), browser(undone.person("editor:2"))
    ((_, undo),) = told(save(client, undone, waiting, answer="wrong", why="No"))
    assert other.post(undo).status_code == 404 and live(waiting) == 1
    assert client.post(undo).status_code == 303 and live(waiting) == 0
    assert told(client.post(undo))[-1][0] == "It was taken back already."


def test_a_correction_for_an_end_user_leaves_ones_own_to_be_made(undone: Shop, waiting: str):
    client = browser(undone.person("editor"))
    save(client, undone, waiting, answer="wrong", why="No", participant="client-1")
    page = client.get(f"{address(undone, waiting)}?tab=corrections")
    assert page.context["form"] is not None and page.context["form"].typed.participant == ""


def test_a_viewer_is_refused(undone: Shop, waiting: str):
    assert save(browser(undone.person("viewer")), undone, waiting, answer="right").status_code == 403


@pytest.mark.parametrize("tools", [True, False], ids=["of its tools", "any tool"])
def test_a_tool_that_is_named_beside_add_is_saved_with_the_rest(undone: Shop, tools: bool):
    version = VERSION if tools else "0.1.0"
    run_id = undone.run(agent={"id": AGENT, "version": version, "via": "explicit"})
    client = browser(undone.person("editor"))
    assert save(client, undone, run_id, decisions="wrong", **{"add-tool": TOOLS[1]}).status_code == 303
    (made,) = undone.editor.ok("GET", f"corrections?runId={run_id}")["data"]
    assert [call["tool"] for call in made["shouldCall"]] == [TOOLS[1]]


def test_a_tool_that_no_call_can_be_added_of_is_said_and_stays_as_it_was_typed(undone: Shop):
    run_id = undone.run(agent={"id": AGENT, "version": "0.1.0", "via": "explicit"})
    name = "x" * 201
    client = browser(undone.person("editor"))
    answer = save(client, undone, run_id, decisions="wrong", **{"add-tool": name, "m-1": "never"})
    assert answer.status_code == 422
    assert "No call can be added of the tool that you named." in answer.content.decode()
    assert f'value="{name}"' in answer.content.decode()
