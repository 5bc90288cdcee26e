"""``PATCH /v1/corrections/{id}``: what can be changed by hand, what that clears, what it keeps (section 4)."""

from __future__ import annotations

from typing import Any

import pytest

from corrections.models import Correction
from tests.support.shops import Shop

WRONG = {"answer": "wrong", "why": "w"}
BY_HAND = ["open", "being-fixed", "with-owner", "wont-fix"]
FIXED_IN = {"version": "1.1.0", "how": "pin", "by": {"kind": "user", "id": "u"}, "at": "2026-01-01T00:00:00.000Z"}
REOPENED_IN = {"version": "1.2.0", "how": "latest", "at": "2026-01-02T00:00:00.000Z"}
LINKS = [
    {"kind": "improve-run", "id": "42"},
    {"kind": "suggested-change", "id": "x" * 200},
    {"kind": "pull-request", "url": "https://example.com/pulls/7?a=b#c"},
    {"kind": "pull-request", "url": "http://localhost:8000/\u00e9"},
]
NO_LINKS = [
    {},
    "improve-run",
    {"kind": "improve-run"},
    {"kind": "improve-run", "id": ""},
    {"kind": "improve-run", "id": "x" * 201},
    {"kind": "improve-run", "id": "what somebody said"},
    {"kind": "suggested-change", "id": "7\n"},
    {"kind": "suggested-change", "id": "\u00e9"},
    {"kind": "improve-run", "id": "1", "url": "https://example.com"},
    {"kind": "suggested-change", "url": "https://example.com"},
    {"kind": "pull-request", "id": "1"},
    {"kind": "pull-request", "url": "example.com/pulls/7"},
    {"kind": "pull-request", "url": "javascript:alert(1)"},
    {"kind": "pull-request", "url": "https://"},
    {"kind": "pull-request", "url": "https://example.com/a b"},
    {"kind": "pull-request", "url": "https://example.com\n"},
    {"kind": "pull-request", "url": "https://example.com/" + "x" * 2000},
    {"kind": "issue", "id": "1"},
]


def change(shop: Shop, made: dict[str, Any], **changes: Any) -> dict[str, Any]:
    changed: dict[str, Any] = shop.editor.ok("PATCH", f"corrections/{made['id']}", changes)
    return changed


def test_only_what_is_named_changes(undone: Shop):
    made = undone.correct(undone.run(), **WRONG)
    changed = change(undone, made, statusNote="Seen")
    note = changed.pop("statusNote")
    assert changed == {**made, "updatedAt": changed["updatedAt"]}
    assert note == {"text": "Seen", "by": made["madeBy"], "at": changed["updatedAt"]}
    assert undone.editor.ok("GET", f"corrections/{made['id']}")["statusNote"] == note


@pytest.mark.parametrize("status", BY_HAND)
def test_a_status_can_be_set_by_hand_and_says_nothing_of_the_sorting(undone: Shop, status: str):
    made = undone.correct(undone.run(), **WRONG)
    changed = change(undone, made, status=status)
    assert changed["status"] == status
    assert (changed["sortedTo"], changed["sorted"]) == (made["sortedTo"], made["sorted"])


@pytest.mark.parametrize("status", ["fixed", "removed", "closed", "", None, 1, "Open"])
def test_no_other_status_can_be_set_by_hand(undone: Shop, status: Any):
    made = undone.correct(undone.run(), **WRONG)
    body = {"status": status}
    assert undone.editor.refused("PATCH", f"corrections/{made['id']}", body) == (400, "bad-input")
    assert undone.editor.ok("GET", f"corrections/{made['id']}")["status"] == "open"


@pytest.mark.parametrize("status", BY_HAND)
def test_a_status_set_by_hand_clears_what_a_test_run_said(undone: Shop, status: str):
    made = undone.correct(undone.run(), **WRONG)
    Correction.objects.filter(pk=made["id"]).update(status="open", fixed_in=FIXED_IN, reopened_in=REOPENED_IN)
    before = undone.editor.ok("GET", f"corrections/{made['id']}")
    assert (before["fixedIn"], before["reopenedIn"]) == (FIXED_IN, REOPENED_IN)
    changed = change(undone, made, status=status)
    assert changed["status"] == status
    assert "fixedIn" not in changed and "reopenedIn" not in changed


def test_a_resort_alone_keeps_what_a_test_run_said(undone: Shop):
    made = undone.correct(undone.run(), **WRONG)
    Correction.objects.filter(pk=made["id"]).update(fixed_in=FIXED_IN, reopened_in=REOPENED_IN)
    for body in ({"sortedTo": "developer"}, {"sortedTo": None}, {"statusNote": "x"}, {"link": LINKS[0]}):
        changed = change(undone, made, **body)
        assert (changed["fixedIn"], changed["reopenedIn"]) == (FIXED_IN, REOPENED_IN)


def test_a_resort_keeps_a_recorded_right(undone: Shop):
    made = undone.correct(undone.run())
    changed = change(undone, made, sortedTo="developer")
    assert (changed["status"], changed["fixedIn"]) == ("fixed", made["fixedIn"])


def test_a_status_by_hand_clears_a_recorded_right(undone: Shop):
    changed = change(undone, undone.correct(undone.run()), status="open")
    assert changed["status"] == "open" and "fixedIn" not in changed


@pytest.mark.parametrize("sorted_to", ["improve", "developer", "owner"])
def test_whoever_sorts_is_named_with_their_reason(undone: Shop, sorted_to: str):
    made = undone.correct(undone.run(), decisions="right")
    changed = change(undone, made, sortedTo=sorted_to, reason="It is theirs.")
    assert changed["sortedTo"] == sorted_to
    assert changed["sorted"] == {"by": made["madeBy"], "reason": "It is theirs.", "at": changed["updatedAt"]}
    without = change(undone, made, sortedTo={"improve": "owner"}.get(sorted_to, "improve"))
    assert without["sorted"] == {"by": made["madeBy"], "at": without["updatedAt"]}, "an earlier reason is not its own"


def test_null_unsorts(undone: Shop):
    changed = change(undone, undone.correct(undone.run(), **WRONG), sortedTo=None)
    assert "sortedTo" not in changed and "sorted" not in changed and changed["status"] == "open"


@pytest.mark.parametrize("sorted_to", ["rule", "nobody", "", 1, []])
def test_it_is_sorted_to_nobody_else(undone: Shop, sorted_to: Any):
    made = undone.correct(undone.run(), **WRONG)
    body = {"sortedTo": sorted_to}
    assert undone.editor.refused("PATCH", f"corrections/{made['id']}", body) == (400, "bad-input")


@pytest.mark.parametrize("link", LINKS, ids=str)
def test_it_can_be_linked_to_what_fixes_it_and_unlinked(undone: Shop, link: dict[str, str]):
    made = undone.correct(undone.run(), **WRONG)
    assert change(undone, made, link=link)["link"] == link
    assert undone.editor.ok("GET", f"corrections/{made['id']}")["link"] == link
    assert "link" not in change(undone, made, link=None)


@pytest.mark.parametrize("link", NO_LINKS, ids=lambda link: str(link)[:60])
def test_it_can_be_linked_to_nothing_else(undone: Shop, link: Any):
    made = undone.correct(undone.run(), **WRONG)
    assert undone.editor.refused("PATCH", f"corrections/{made['id']}", {"link": link}) == (400, "bad-input")


def test_a_note_can_be_written_over_and_taken_away(undone: Shop):
    made = undone.correct(undone.run(), **WRONG)
    assert change(undone, made, statusNote="n" * 4000)["statusNote"]["text"] == "n" * 4000
    assert change(undone, made, statusNote="\N{CAT}")["statusNote"]["text"] == "\N{CAT}"
    assert "statusNote" not in change(undone, made, statusNote=None)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"reason": "only that"},
        {"statusNote": ""},
        {"statusNote": "n" * 4001},
        {"statusNote": {"text": "x"}},
        {"statusNote": "a\0b"},
        {"status": "open", "reason": "r" * 4001},
        {"status": "open", "reason": None},
        {"decisions": "right"},
        {"why": "x"},
        {"fixedIn": FIXED_IN},
        {"status": "open", "unregisteredAt": None},
        [],
        None,
    ],
    ids=lambda body: str(body)[:60],
)
def test_what_makes_no_change_by_hand_is_bad_input(undone: Shop, body: Any):
    made = undone.correct(undone.run(), **WRONG)
    sent = b"null" if body is None else body
    assert undone.editor.refused("PATCH", f"corrections/{made['id']}", sent) == (400, "bad-input")
    assert undone.editor.ok("GET", f"corrections/{made['id']}")["updatedAt"] == made["updatedAt"]


def test_what_is_already_so_is_no_change(undone: Shop):
    made = undone.correct(undone.run(), **WRONG)
    first = change(undone, made, status="being-fixed", sortedTo="developer", statusNote="n", link=LINKS[0])
    again = change(undone, made, status="being-fixed", sortedTo="developer", statusNote="n", link=LINKS[0])
    assert again == first
    assert len(undone.editor.ok("GET", f"corrections/{made['id']}/history")["data"]) == 2


def test_a_service_and_another_person_may_change_it_too(undone: Shop):
    made = undone.correct(undone.run(), **WRONG)
    for name in ("service", "editor:2", "admin", "tenant-admin"):
        changed = undone.api(name).ok("PATCH", f"corrections/{made['id']}", {"statusNote": name})
        assert changed["statusNote"]["by"]["kind"] == ("service" if name == "service" else "user")
        assert changed["madeBy"] == made["madeBy"]


def test_a_viewer_may_read_but_not_change_it(undone: Shop):
    made = undone.correct(undone.run(), **WRONG)
    viewer = undone.api("viewer")
    viewer.ok("GET", f"corrections/{made['id']}")
    assert viewer.refused("PATCH", f"corrections/{made['id']}", {"status": "open"}) == (403, "permission-denied")


def test_a_superseded_one_cannot_be_changed(undone: Shop):
    made = undone.correct(undone.run(), **WRONG)
    undone.correct(made["runId"])
    refused = undone.editor.refused("PATCH", f"corrections/{made['id']}", {"status": "open"})
    assert refused == (409, "correction-superseded")


@pytest.mark.parametrize(
    "correction_id", ["nothing", "018f0000-0000-7000-8000-000000000000", "%00", "%ff", "\N{CAT}", "0" * 300]
)
def test_an_unknown_one_is_not_found_whatever_its_id_looks_like(undone: Shop, correction_id: str):
    for method, path, body in (
        ("GET", "", None),
        ("PATCH", "", {"status": "open"}),
        ("POST", "/unregister", None),
        ("GET", "/history", None),
    ):
        status, code = undone.editor.refused(method, f"corrections/{correction_id}{path}", body)
        assert status == 404 and code in ("correction-not-found", "route-not-found")


def test_a_retry_with_its_key_changes_nothing_again(undone: Shop):
    made = undone.correct(undone.run(), **WRONG)
    first = undone.editor.patch(f"corrections/{made['id']}", {"status": "wont-fix"}, key="k")
    change(undone, made, status="open")
    retry = undone.editor.patch(f"corrections/{made['id']}", {"status": "wont-fix"}, key="k")
    assert (retry.status_code, retry.content) == (200, first.content)
    assert undone.editor.ok("GET", f"corrections/{made['id']}")["status"] == "open"
