"""Runs are dismissed, reopened and handed out from the To correct tab: what can be done is, and the rest is said."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse

from kindgi.api.times import as_of, now
from tests.judging.queues import dismiss, import_runs, item_of, make_rule, old_rule, queued_runs, records, states
from tests.quality_console.queue_pages import address, client_of, links, rows, tab, toast, undo, words
from tests.support.shops import Shop


def filled(shop: Shop, number: int) -> list[str]:
    """So many runs that wait for anybody, oldest first."""
    old_rule(shop)
    import_runs(shop, *records(number))
    return queued_runs(shop)


def send(shop: Shop, name: str, query: str = "", *, by: str = "editor", **body):
    return client_of(shop, by).post(f"{reverse(name, args=[shop.project.slug])}?{query}", body, follow=True)


def test_the_dialog_asks_about_one_run_by_its_name_and_about_several_by_their_number(undone: Shop):
    runs = filled(undone, 2)
    one = tab(undone, f"dialog=dismiss&run={runs[0]}&whose=everyone")
    assert "Dismiss this run?" in words(one)
    assert f"shop.desk 1.0.0, {runs[0][:8]}" in words(one.partition("<dialog")[2])
    assert f'action="/projects/{undone.project.slug}/queue/dismiss?whose=everyone"' in one
    several = tab(undone, f"dialog=dismiss&run={runs[0]}&run={runs[1]}")
    assert "Dismiss 2 runs?" in words(several)
    # What is under the dialog is the list as it is without it.
    assert "dialog" not in links(several)["Finished"]
    assert several.count('type="hidden" name="dialog"') == 1


def test_to_htmx_the_dialog_is_answered_alone(undone: Shop):
    (run,) = filled(undone, 1)
    response = client_of(undone).get(
        f"{address(undone)}?tab=to-correct&dialog=dismiss&run={run}",
        headers={"HX-Request": "true", "HX-Target": "dialog"},
    )
    page = response.content.decode()
    assert "<dialog" in page
    assert "<table" not in page


def test_a_run_is_dismissed_with_a_reason_and_undo_puts_it_back(undone: Shop):
    runs = filled(undone, 2)
    response = send(undone, "queue-dismiss", "whose=everyone", run=runs[0], reason="A test order")
    assert response.redirect_chain[0][0] == f"{address(undone)}?tab=to-correct&whose=everyone"
    page = response.content.decode()
    assert toast(page) == "1 run dismissed: A test order."
    assert rows(page) == [runs[1]]
    item = item_of(undone, runs[0])
    assert item is not None
    assert (item["state"], item["reason"]) == ("dismissed", "A test order")
    page = client_of(undone).post(undo(page), follow=True).content.decode()
    assert toast(page) == "1 run is back in the queue."
    assert states(undone) == {runs[0]: "open", runs[1]: "open"}


def test_undoing_a_reopening_dismisses_for_the_reason_that_there_was(undone: Shop):
    (run,) = filled(undone, 1)
    dismiss(undone, run, reason="Twice & more")
    page = send(undone, "queue-reopen", "state=dismissed", only=run).content.decode()
    assert toast(page) == "1 run is back in the queue."
    client_of(undone).post(undo(page))
    item = item_of(undone, run)
    assert item is not None
    assert (item["state"], item["reason"]) == ("dismissed", "Twice & more")


def test_of_several_those_are_dismissed_that_still_wait_and_the_others_are_told(undone: Shop):
    runs = filled(undone, 5)
    undone.correct(runs[1])
    dismiss(undone, runs[2], by="admin", reason="First")
    undone.admin.ok("POST", f"runs/{runs[3]}/erase")
    unknown = "11111111-1111-4111-8111-111111111111"
    page = send(undone, "queue-dismiss", run=[*runs, unknown], reason="A test order").content.decode()
    assert toast(page) == (
        "2 runs dismissed: A test order. 1 had been corrected meanwhile. 1 had been erased meanwhile."
        " 1 isn't in the queue. 1 had been dismissed already."
    )
    assert parse_qs(urlsplit(undo(page)).query)["run"] == sorted([runs[0], runs[4]])
    item = item_of(undone, runs[2])
    assert item is not None
    assert item["reason"] == "First"


def test_of_several_those_are_reopened_that_can_be(undone: Shop):
    runs = filled(undone, 4)
    for run in runs:
        dismiss(undone, run)
    undone.correct(runs[1])
    undone.admin.ok("POST", f"runs/{runs[2]}/erase")
    page = send(undone, "queue-reopen", "state=dismissed", run=runs).content.decode()
    said = toast(page)
    assert said.startswith("2 runs are back in the queue. 1 has the corrections that it needs"), said
    assert said.endswith("1 can't come back: its content is gone."), said
    assert states(undone)[runs[1]] == "judged"
    assert undo(page).count("run=") == 2


def test_nothing_ticked_changes_nothing(undone: Shop):
    filled(undone, 1)
    assert toast(send(undone, "queue-reopen").content.decode()) == ""
    assert toast(send(undone, "queue-dismiss").content.decode()) == ""


@pytest.mark.parametrize("name", ["queue-start", "queue-dismiss", "queue-reopen"])
def test_who_may_not_write_changes_nothing_and_a_get_never_does(undone: Shop, name: str):
    (run,) = filled(undone, 1)
    there = reverse(name, args=[undone.project.slug])
    assert client_of(undone, "viewer").post(there, {"run": run}).status_code == 403
    assert client_of(undone).get(f"{there}?run={run}").status_code == 405
    assert states(undone) == {run: "open"}


@pytest.mark.parametrize(("reason", "status"), [("x" * 501, 422), ("ab\r\n" * 166, 303), ("a\0b", 422), (" ", 303)])
def test_a_reason_has_up_to_500_characters_and_one_that_is_longer_stays_typed(undone: Shop, reason: str, status: int):
    (run,) = filled(undone, 1)
    response = client_of(undone).post(
        reverse("queue-dismiss", args=[undone.project.slug]), {"run": run, "reason": reason}
    )
    assert response.status_code == status
    if status == 422:
        page = response.content.decode()
        assert "<dialog" in page
        assert 'aria-invalid="true"' in page
        assert 'aria-describedby="id_reason_error"' in page
        assert 'id="id_reason_error"' in page
        assert states(undone) == {run: "open"}
    else:
        assert states(undone) == {run: "dismissed"}


def test_start_hands_out_the_oldest_that_nobody_holds_and_two_people_get_two(undone: Shop):
    runs = filled(undone, 2)
    there = reverse("queue-start", args=[undone.project.slug])
    first, second = (client_of(undone, by).post(there).headers["Location"] for by in ("editor", "admin"))
    assert [urlsplit(one).path.rpartition("/")[2] for one in (first, second)] == runs
    assert "tab=corrections" in first


def test_start_leads_back_to_the_run_that_one_has_open_oneself_when_no_other_is_free(undone: Shop):
    runs = filled(undone, 2)
    there = reverse("queue-start", args=[undone.project.slug])
    undone.api("admin").ok("POST", f"projects/{undone.project.pk}/judging-queue/{runs[0]}/hold")
    for _ in range(2):
        location = client_of(undone).post(there).headers["Location"]
        assert urlsplit(location).path.endswith(runs[1])


def test_start_goes_by_the_filters_of_the_list_and_hands_them_on(undone: Shop):
    make_rule(undone, name="All", when={})
    undone.run()
    flow = undone.run(flow={"id": "orders", "version": "1.0.0"})
    there = reverse("queue-start", args=[undone.project.slug])
    location = urlsplit(client_of(undone).post(f"{there}?agent=flow:orders&state=erased").headers["Location"])
    assert location.path.endswith(flow)
    assert "agent=flow%3Aorders" in location.query


def test_start_says_where_nothing_waits_and_until_when_others_hold_what_does(undone: Shop):
    old_rule(undone)
    assert toast(send(undone, "queue-start").content.decode()) == "Nothing waits for you"
    import_runs(undone, *records(3))
    at = now()
    with as_of(at):
        for run in queued_runs(undone):
            undone.api("admin").ok("POST", f"projects/{undone.project.pk}/judging-queue/{run}/hold")
        said = toast(send(undone, "queue-start").content.decode())
    until = at + timedelta(minutes=5)
    assert said == f"3 are held by others, the first of them until {until:%-I:%M %p}.".replace(":00 ", " ")
