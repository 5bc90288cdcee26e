"""A class is made, changed and removed by who may, as /v1 does it; what is wrong is said where it was typed."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.builders import browser
from tests.quality_console.tabs import tab, text_of
from tests.support.shops import AGENT, Shop

NEW = {"name": "expert", "weight": "3", "where": "project", "named": "anybody"}


def send(shop: Shop, path: str, body: dict[str, Any], *, by: str = "admin", **options: Any) -> Any:
    """POST a form of the tab's."""
    return browser(shop.person(by)).post(f"/projects/{shop.project.slug}/judge-classes{path}", body, **options)


def the_class(shop: Shop, name: str = "expert") -> dict[str, Any]:
    """The live class of the name, as its admin reads it."""
    found: list[dict[str, Any]] = shop.admin.ok("GET", "judge-classes?limit=100")["data"]
    [one] = [one for one in found if one["name"] == name and "unregisteredAt" not in one]
    return one


def change_form(shop: Shop, class_id: str, *, by: str = "admin", **said: Any) -> dict[str, Any]:
    """What the change dialog holds when it is opened, with what is typed over it."""
    page = tab(shop, "judge-classes", f"dialog=change&class={class_id}", by=by).content.decode()
    dialog = page.split("<dialog")[1]
    checked = [tag for tag in re.findall(r"<input[^>]*>", dialog) if " checked" in tag]
    held: dict[str, Any] = {}
    for tag in [*checked, *re.findall(r'<input type="text"[^>]*>', dialog)]:
        fields = dict(re.findall(r'(name|value)="([^"]*)"', tag))
        held.setdefault(fields["name"], []).append(fields.get("value", ""))
    held["reviewers"] = re.findall(r'<option value="(\w*)" selected', dialog)
    held["description"] = re.findall(r"<textarea[^>]*>\s*(.*?)</textarea>", dialog, re.DOTALL)
    return held | said


def test_a_class_is_made_with_what_was_typed(undone):
    people = [str(undone.person(name).pk) for name in ("editor", "viewer")]
    said = {"kinds": ["user"], "reviewers": "senior", "named": "choose", "people": people}
    made = send(undone, "", {**NEW, **said, "description": "One\r\ntwo"})
    assert (made.status_code, made.url) == (303, f"/projects/{undone.project.slug}/quality?tab=judge-classes")
    found = the_class(undone)
    assert found["scope"] == {"kind": "project", "projectId": str(undone.project.pk)}
    assert (found["weight"], found["description"]) == (3, "One\ntwo")
    restriction = found["assertableBy"]
    assert (restriction["minReviewerRole"], restriction["principalKinds"]) == ("senior", ["user"])
    assert restriction["principalIds"] == people


def test_nothing_chosen_restricts_nothing(undone):
    send(undone, "", NEW)
    assert "assertableBy" not in the_class(undone)


@pytest.mark.parametrize(
    ("by", "said", "scope"),
    [
        ("admin", {"where": "agent", "agent": AGENT}, {"kind": "agent", "agentId": AGENT}),
        ("tenant-admin", {"where": "tenant"}, {"kind": "tenant"}),
    ],
)
def test_a_class_applies_where_it_was_said_to(undone, by, said, scope):
    assert send(undone, "", {**NEW, **said}, by=by).status_code == 303
    assert scope.items() <= the_class(undone)["scope"].items()


@pytest.mark.parametrize(
    ("said", "field", "error"),
    [
        ({"name": " "}, "name", "A class needs a name."),
        ({"name": "taken"}, "name", 'There\'s already a judge class "taken" there.'),
        ({"name": "n" * 101}, "name", "Ensure this value has at most 100 characters (it has 101)."),
        ({"weight": "many"}, "weight", "A weight is a number, 0 or more."),
        ({"weight": "-1"}, "weight", "A weight is a number, 0 or more."),
        ({"weight": "1e999"}, "weight", "A weight is a number, 0 or more."),
        ({"weight": "nan"}, "weight", "A weight is a number, 0 or more."),
        ({"weight": ""}, "weight", "A weight is a number, 0 or more."),
        ({"where": "agent"}, "agent", "Say which agent, by its id."),
        ({"named": "choose"}, "people", "Choose whom it names."),
    ],
)
def test_what_is_wrong_is_said_beside_its_field_and_what_was_typed_stays(undone, said, field, error):
    project = {"kind": "project", "projectId": str(undone.project.pk)}
    undone.judge_class("taken", scope=project)
    typed = {**NEW, "description": "What I typed", "kinds": ["service"], **said}
    refused = send(undone, "", typed)
    page = refused.content.decode()
    assert refused.status_code == 422
    assert f'id="id_{field}_error"' in page
    assert error in text_of(refused)
    assert "What I typed</textarea>" in page
    assert re.search(r'value="service"[^>]*checked', page)
    if "name" not in said:
        assert 'value="expert"' in page
    assert f'name="{field}"' in page
    part = send(undone, "", typed, headers={"HX-Request": "true", "HX-Target": "dialog"})
    assert part.status_code == 422
    assert part.content.decode().strip().startswith("<dialog")


def test_a_class_is_changed_in_all_that_the_form_has(undone):
    send(undone, "", {**NEW, "kinds": ["user"], "reviewers": "senior", "description": "Old"})
    class_id = the_class(undone)["id"]
    held = change_form(undone, class_id)
    assert held["name"] == ["expert"]
    assert (held["weight"], held["kinds"], held["reviewers"]) == (["3"], ["user"], ["senior"])
    said = {**held, "name": "senior", "weight": "0.25", "kinds": ["user", "service"], "reviewers": ""}
    assert send(undone, f"/{class_id}/change", said).status_code == 303
    found = the_class(undone, "senior")
    assert (found["id"], found["weight"], found["description"]) == (class_id, 0.25, "Old")
    assert found["assertableBy"]["principalKinds"] == ["service", "user"]
    assert "minReviewerRole" not in found["assertableBy"]


def test_saving_what_is_there_changes_nothing(undone):
    people = [str(undone.person("editor").pk), "a-token-of-no-person"]
    body = {"weight": 1e22, "assertableBy": {"principalIds": people, "minReviewerRole": "admin"}}
    class_id = undone.judge_class("legal", scope={"kind": "project", "projectId": str(undone.project.pk)}, **body)
    before = the_class(undone, "legal")
    assert send(undone, f"/{class_id}/change", change_form(undone, class_id)).status_code == 303
    after = the_class(undone, "legal")
    assert {**after, "updatedAt": None} == {**before, "updatedAt": None}


@pytest.mark.parametrize(
    ("said", "ids"),
    [
        ({"named": "keep"}, ["editor"]),
        ({"named": "choose", "people": "viewer"}, ["viewer"]),
        ({"named": "anybody"}, None),
    ],
)
def test_who_is_named_is_kept_replaced_or_nobody(undone, said, ids):
    scope = {"kind": "project", "projectId": str(undone.project.pk)}
    named = {"principalIds": [str(undone.person("editor").pk)]}
    class_id = undone.judge_class("legal", scope=scope, assertableBy=named)
    if "people" in said:
        said = {**said, "people": [str(undone.person(said["people"]).pk)]}
    send(undone, f"/{class_id}/change", {**change_form(undone, class_id), **said})
    found = the_class(undone, "legal").get("assertableBy")
    assert (found and found["principalIds"]) == (ids and [str(undone.person(name).pk) for name in ids])


def test_nobody_can_be_named_who_is_not_of_the_project(undone):
    stranger = str(undone.person("tenant-admin").pk)
    refused = send(undone, "", {**NEW, "named": "choose", "people": [stranger]})
    assert refused.status_code == 422


def test_a_class_is_removed_and_keeps_its_corrections(undone):
    class_id = undone.judge_class("gone", scope={"kind": "project", "projectId": str(undone.project.pk)})
    correction = undone.correct(undone.run(), correctorGroupId=class_id)
    removed = send(undone, f"/{class_id}/remove?tab=judge-classes&q=go&dialog=remove&class={class_id}", {})
    assert (removed.status_code, removed.url) == (
        303,
        f"/projects/{undone.project.slug}/quality?tab=judge-classes&q=go",
    )
    assert "unregisteredAt" in undone.admin.ok("GET", f"judge-classes/{class_id}")
    assert undone.editor.ok("GET", f"corrections/{correction['id']}")["correctorGroupId"] == class_id
    assert "gone" not in text_of(tab(undone, "judge-classes"))


def test_a_class_that_was_removed_meanwhile_is_said_in_the_form_and_what_was_typed_stays(undone):
    send(undone, "", NEW)
    class_id = the_class(undone)["id"]
    said = change_form(undone, class_id, name="Typed in vain")
    undone.admin.ok("POST", f"judge-classes/{class_id}/unregister")
    refused = send(undone, f"/{class_id}/change", said)
    assert refused.status_code == 409
    assert "The judge class was removed; it can't be changed." in text_of(refused)
    assert 'value="Typed in vain"' in refused.content.decode()


def test_htmx_is_led_back_to_the_tab_with_what_was_done(undone):
    made = send(undone, "", NEW, headers={"HX-Request": "true", "HX-Target": "dialog"})
    assert "/quality?tab=judge-classes" in made.headers["HX-Location"]
    client = browser(undone.person("admin"))
    client.post(f"/projects/{undone.project.slug}/judge-classes", {**NEW, "name": "second"})
    assert "second was made." in text_of(client.get(f"/projects/{undone.project.slug}/quality?tab=judge-classes"))


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_who_is_no_admin_changes_nothing(undone, role):
    class_id = undone.judge_class("kept", scope={"kind": "project", "projectId": str(undone.project.pk)})
    for path, body in (("", NEW), (f"/{class_id}/change", {**NEW, "name": "new"}), (f"/{class_id}/remove", {})):
        assert send(undone, path, body, by=role).status_code == 403
    assert the_class(undone, "kept")["id"] == class_id
    assert ">expert<" not in tab(undone, "judge-classes").content.decode()


def test_a_project_admin_changes_no_class_of_the_tenant(undone):
    class_id = undone.judge_class("everybody's")
    assert send(undone, f"/{class_id}/change", {**NEW, "name": "mine"}).status_code == 403
    assert send(undone, f"/{class_id}/remove", {}).status_code == 403
    assert send(undone, "", {**NEW, "where": "tenant"}).status_code == 422
    assert the_class(undone, "everybody's")["id"] == class_id


def test_a_class_of_another_project_is_not_found_from_here(undone):
    other = {"kind": "project", "projectId": str(undone.other_project().pk)}
    class_id = undone.judge_class("far", scope=other)
    for path, body in ((f"/{class_id}/change", NEW), (f"/{class_id}/remove", {})):
        assert send(undone, path, body, by="tenant-admin").status_code == 404
    assert send(undone, "/not-an-id/remove", {}, by="tenant-admin").status_code == 404


@pytest.mark.parametrize("path", ["", "/01900000-0000-7000-8000-000000000000/change"])
def test_a_get_changes_nothing(undone, path):
    address = f"/projects/{undone.project.slug}/judge-classes{path}"
    assert browser(undone.person("admin")).get(address).status_code == 405
