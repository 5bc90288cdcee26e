"""A project's people and settings are seen by all who may read it, and changed by its admins up to their own role."""

from __future__ import annotations

from typing import Any

import pytest

from kindgi.access.models import Membership, Project, User
from tests.builders import make_user
from tests.quality_console.around import address, client_of, toast, words
from tests.support.shops import Shop

STATEMENTS = 8


def role_of(shop: Shop, user: User) -> str | None:
    return Membership.objects.filter(project=shop.project, user=user).values_list("role", flat=True).first()


def get(shop: Shop, query: str = "", *, by: str = "admin", **options: Any) -> Any:
    return client_of(shop, by).get(f"{address(shop, 'people')}?{query}", **options)


def send(shop: Shop, path: str, *, by: str = "admin", **body: Any) -> Any:
    return client_of(shop, by).post(address(shop, path), body, follow=True)


def test_everybody_with_a_role_is_listed_with_it_and_their_standing_as_a_reviewer(undone: Shop):
    make_user(undone.tenant, "editor", display_name="Ines Okafor", reviewer="senior")
    gone = make_user(undone.tenant, "viewer", display_name="Gone Away")
    User.objects.filter(pk=gone.pk).update(is_active=False)
    said = words(get(undone, by="viewer"))
    assert "Ines Okafor" in said
    assert "Editor Senior reviewer" in said
    assert "Gone Away Deactivated" in said
    assert "Viewer Not on the roster" in said
    assert f"{undone.person('viewer')} You" in said


def test_only_admins_see_what_changes_people(undone: Shop):
    buttons = ("Add a person", "Change the role of", "dialog=settings", "dialog=remove")
    for who, expected in {"viewer": False, "editor": False, "admin": True, "tenant-admin": True}.items():
        undone.person("editor")
        body = get(undone, by=who).content.decode()
        assert [button in body for button in buttons] == [expected] * len(buttons), who
        dialog = get(undone, "dialog=add", by=who).content.decode()
        assert ("<dialog" in dialog) is expected, who


def test_a_person_is_found_by_name_or_email_and_added(undone: Shop):
    ines = make_user(undone.tenant, display_name="Ines Okafor", email="io@example.com")
    make_user(undone.tenant, display_name="Kofi Mensah")
    page = get(undone, "dialog=add&who=okaf")
    assert "Ines Okafor" in words(page)
    assert "Kofi Mensah" not in words(page).partition("Add a person to")[2]
    response = send(undone, "people/add?who=okaf", person=str(ines.pk), role="editor")
    assert toast(response) == "Ines Okafor is added: Editor."
    assert role_of(undone, ines) == "editor"


def test_nobody_of_another_tenant_nor_with_a_role_can_be_added(undone: Shop):
    stranger = make_user(Shop.open().tenant)
    member = undone.person("editor")
    left = make_user(undone.tenant)
    User.objects.filter(pk=left.pk).update(is_active=False)
    for person in (stranger, member, left):
        response = send(undone, "people/add", person=str(person.pk), role="viewer")
        assert response.status_code == 422
        assert "person" in response.context["form"].errors
    assert role_of(undone, stranger) is None
    assert role_of(undone, member) == "editor"


def test_a_form_without_a_person_says_so_and_keeps_the_role(undone: Shop):
    make_user(undone.tenant)
    response = send(undone, "people/add", role="viewer")
    assert response.status_code == 422
    assert "Choose a person." in words(response)
    assert '<option value="viewer" selected>' in response.content.decode()


def test_nobody_gives_or_takes_a_role_above_their_own(undone: Shop):
    newcomer, owner = make_user(undone.tenant), undone.person("owner")
    assert send(undone, "people/add", person=str(newcomer.pk), role="owner").status_code == 422
    assert role_of(undone, newcomer) is None
    offered = get(undone, "dialog=add").content.decode()
    assert 'value="admin"' in offered
    assert 'value="owner"' not in offered
    response = send(undone, f"people/{owner.pk}/role", role="viewer")
    assert response.status_code == 422
    assert "This person's role in the project is above yours." in words(response)
    assert send(undone, f"people/{owner.pk}/remove").status_code == 403
    assert role_of(undone, owner) == "owner"
    assert f"person={owner.pk}" not in get(undone).content.decode()


def test_a_role_is_changed(undone: Shop):
    editor = undone.person("editor")
    assert "Role of" in words(get(undone, f"dialog=role&person={editor.pk}"))
    response = send(undone, f"people/{editor.pk}/role", role="admin")
    assert toast(response) == f"{editor}'s role is now: Admin."
    assert role_of(undone, editor) == "admin"


def test_removing_asks_first_and_says_what_stays(undone: Shop):
    editor = undone.person("editor")
    assert "What they said stays, under their name." in words(get(undone, f"dialog=remove&person={editor.pk}"))
    response = send(undone, f"people/{editor.pk}/remove")
    assert toast(response) == f"{editor} has no role in {undone.project} any more."
    assert role_of(undone, editor) is None
    assert send(undone, f"people/{editor.pk}/remove").status_code == 404


def test_who_removes_themselves_goes_home_and_is_told_before(undone: Shop):
    me = undone.person("admin")
    assert "This is you" in words(get(undone, f"dialog=remove&person={me.pk}"))
    response = send(undone, f"people/{me.pk}/remove")
    assert response.redirect_chain == [("/", 303)]
    assert get(undone).status_code == 404


def test_who_is_no_member_has_no_dialog(undone: Shop):
    for query in ("dialog=role&person=x", "dialog=remove", f"dialog=role&person={make_user(undone.tenant).pk}"):
        assert get(undone, query).status_code == 404
    assert get(undone, "dialog=nothing").status_code == 200


def test_the_settings_are_shown_to_all_and_changed_by_admins(undone: Shop):
    assert "Blind: until a reviewer has saved their own correction" in words(get(undone, by="viewer"))
    response = send(undone, "settings", name="Support desk", description="Parcels.", retention_days="90")
    assert toast(response) == "Saved."
    project = Project.objects.get(pk=undone.project.pk)
    assert (project.name, project.description, project.blind, project.retention_days) == (
        "Support desk",
        "Parcels.",
        False,
        90,
    )
    said = words(get(undone, by="viewer"))
    assert "Open: reviewers see what others said" in said
    assert "Kept for 90 days." in said
    form = get(undone, "dialog=settings").content.decode()
    assert 'value="Support desk"' in form
    assert "checked" not in form.partition('name="blind"')[2].partition(">")[0]
    send(undone, "settings", name="Support desk", blind="on", retention_days="")
    project.refresh_from_db()
    assert (project.blind, project.retention_days, project.description) == (True, None, "")


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"description": "x" * 2001}, "description"),
        ({"retention_days": "0"}, "retention_days"),
        ({"retention_days": "36501"}, "retention_days"),
        ({"retention_days": "soon"}, "retention_days"),
    ],
)
def test_settings_that_cannot_be_are_told_beside_their_field(undone: Shop, said: dict[str, str], field: str):
    response = send(undone, "settings", **{"name": "New", "blind": "on", **said})
    assert response.status_code == 422
    assert list(response.context["form"].errors) == [field]
    assert f'id="id_{field}_error"' in response.content.decode()
    assert Project.objects.get(pk=undone.project.pk).name == undone.project.name


@pytest.mark.parametrize("by", ["viewer", "editor"])
def test_who_is_no_admin_changes_nothing(undone: Shop, by: str):
    other = undone.person("editor:2")
    newcomer = make_user(undone.tenant)
    answers = [
        send(undone, "people/add", by=by, person=str(newcomer.pk), role="viewer"),
        send(undone, f"people/{other.pk}/role", by=by, role="admin"),
        send(undone, f"people/{other.pk}/remove", by=by),
        send(undone, "settings", by=by, name="Mine"),
    ]
    assert [answer.status_code for answer in answers] == [403] * 4
    assert (role_of(undone, newcomer), role_of(undone, other)) == (None, "editor")
    assert Project.objects.get(pk=undone.project.pk).name == undone.project.name


def test_the_list_is_searched_and_sorted_by_its_address(undone: Shop):
    for name, role in {"Zoë": "viewer", "ada": "owner", "Ben": "editor"}.items():
        make_user(undone.tenant, role, display_name=f"{name} Sorted")
    names = [str(row.record.membership.user) for row in get(undone, "q=sorted").context["table"].rows]
    assert names == ["ada Sorted", "Ben Sorted", "Zoë Sorted"]
    by_role = [str(row.record.membership.user) for row in get(undone, "q=SORTED&sort=-role").context["table"].rows]
    assert by_role == ["ada Sorted", "Ben Sorted", "Zoë Sorted"]
    assert "Nobody is called so" in words(get(undone, "q=nobody at all"))


def test_to_htmx_a_refused_form_is_the_dialog_alone_with_what_was_typed(undone: Shop):
    headers = {"HX-Request": "true", "HX-Target": "dialog"}
    path = address(undone, "settings")
    response = client_of(undone, "admin").post(path, {"name": "", "description": "Kept"}, headers=headers)
    assert response.status_code == 422
    body = response.content.decode()
    assert body.lstrip().startswith("<dialog")
    assert "Kept" in body
    saved = client_of(undone, "admin").post(path, {"name": "New", "blind": "on"}, headers=headers)
    assert saved.status_code == 200
    assert address(undone, "people") in saved["HX-Location"]


def test_the_list_costs_the_same_statements_whatever_the_people(undone: Shop, assert_queries):
    get(undone)
    client = client_of(undone, "admin")
    with assert_queries(exact=STATEMENTS):
        client.get(address(undone, "people"))
    for _ in range(20):
        make_user(undone.tenant, "editor", reviewer="standard")
    with assert_queries(exact=STATEMENTS):
        client.get(address(undone, "people"))
