"""The Judge classes tab says in words what each class is, and names nobody who may give one."""

# ruff: noqa: RUF001 - the reference's own signs

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from tests.builders import browser
from tests.judging.queues import make_rule, rules_path
from tests.quality_console.tabs import tab, text_of
from tests.support.queries import recorded_queries
from tests.support.shops import AGENT, Shop


@pytest.fixture(scope="module")
def classes(shop: Shop) -> dict[str, str]:
    """The reference's two, and one of each other kind."""
    project = {"kind": "project", "projectId": str(shop.project.pk)}
    named = [str(shop.person("editor").pk), str(shop.person("editor:2").pk)]
    found = {
        "expert": shop.judge_class("expert", weight=3, scope=project, assertableBy={"principalKinds": ["user"]}),
        "bot": shop.judge_class("bot", scope=project, assertableBy={"principalKinds": ["service"]}),
        "legal": shop.judge_class("legal", weight=0.5, description="Liability", assertableBy={"principalIds": named}),
        "taster": shop.judge_class("taster", weight=2, scope={**project, "kind": "agent", "agentId": AGENT}),
    }
    for name in ("Echo half", "Support sample"):
        make_rule(shop, name=name, judgeClassId=found["expert"])
    elsewhere = {"kind": "project", "projectId": str(shop.other_project().pk)}
    shop.judge_class("elsewhere", scope=elsewhere)
    shop.admin.ok("POST", f"judge-classes/{shop.judge_class('retired')}/unregister")
    return found


@pytest.mark.parametrize(
    "sentence",
    [
        "Class How much it counts Where it applies Who may give it Rules that want it",
        "expert Restricted Counts 3× an unclassified one This project Only people Echo half, Support sample",
        "bot Restricted Counts the same as an unclassified one This project Only services No rule wants it",
        "legal Restricted Liability Counts 0.5× an unclassified one The whole workspace 2 named people or services",
        "taster Counts 2× an unclassified one shop.desk in this project Anyone who may correct No rule wants it",
        "A share weights each correction by its class.",
        'Corrections in a restricted class are the experts\' corrections: "Count only experts" counts only those.',
    ],
)
def test_the_tab_has_the_references_sentences(shop, classes, sentence):
    found = text_of(tab(shop, "judge-classes"))
    assert sentence in found


@pytest.mark.parametrize(
    "sentence",
    [
        "Remove expert?",
        "No new correction can name it. Corrections that named it keep it, and still count with its weight in trends.",
        "2 rules want its correction (Echo half, Support sample): change them first,"
        " or their items wait for a class nobody can give.",
    ],
)
def test_the_dialog_has_the_references_sentences(shop, classes, sentence):
    assert sentence in text_of(tab(shop, "judge-classes", f"dialog=remove&class={classes['expert']}", by="admin"))


def test_a_class_that_no_rule_wants_is_removed_without_a_warning(shop, classes):
    found = text_of(tab(shop, "judge-classes", f"dialog=remove&class={classes['bot']}", by="admin"))
    assert "Remove bot?" in found
    assert "or their items wait" not in found
    assert "or its items wait" not in found


def test_the_dialog_names_rules_of_other_projects_that_want_a_class_of_all(undone, classes):
    other = replace(undone, project=undone.other_project())
    make_rule(other, by="tenant-admin", name="Far away", judgeClassId=classes["legal"])
    gone = make_rule(other, by="tenant-admin", name="Long gone", judgeClassId=classes["legal"])
    undone.admin.ok("POST", rules_path(other, gone["ruleId"], "unregister"))
    found = text_of(tab(undone, "judge-classes", f"dialog=remove&class={classes['legal']}", by="tenant-admin"))
    assert f"1 rule wants its correction (Far away, {other.project.name}): change it first" in found


def test_only_classes_that_apply_here_and_were_not_removed_are_listed(shop, classes):
    found = text_of(tab(shop, "judge-classes", by="tenant-admin"))
    assert "elsewhere" not in found
    assert "retired" not in found
    assert "Judge classes 4" in found


@pytest.mark.parametrize("role", ["viewer", "editor", "admin", "tenant-admin"])
@pytest.mark.parametrize("query", ["", "dialog=change&class={legal}", "dialog=remove&class={legal}"])
def test_who_may_give_a_class_is_counted_and_never_listed(shop, classes, role, query):
    page = tab(shop, "judge-classes", query.format(**classes), by=role).content.decode()
    for name in ("editor", "editor:2"):
        field = f'value="{shop.person(name).pk}"'
        assert page.count(str(shop.person(name).pk)) == page.count(field), "only as somebody to choose"
        assert f"{field} checked" not in " ".join(page.split())


@pytest.mark.parametrize(
    ("role", "new", "changed"),
    [
        ("viewer", False, []),
        ("editor", False, []),
        ("admin", True, ["bot", "expert", "taster"]),
        ("tenant-admin", True, ["bot", "expert", "legal", "taster"]),
    ],
)
def test_only_buttons_that_the_person_may_use_are_drawn(shop, classes, role, new, changed):
    page = tab(shop, "judge-classes", by=role).content.decode()
    assert ("New class" in page) == new
    assert [name for name in sorted(classes) if f'aria-label="Change {name}"' in page] == changed
    assert [name for name in sorted(classes) if f'aria-label="Remove {name}"' in page] == changed


@pytest.mark.parametrize("role", ["viewer", "editor", "admin"])
@pytest.mark.parametrize("query", ["dialog=change&class={legal}", "dialog=remove&class={legal}"])
def test_a_dialog_that_the_person_may_not_have_is_not_opened(shop, classes, role, query):
    found = tab(shop, "judge-classes", query.format(**classes), by=role)
    assert found.status_code == 200
    assert b"<dialog" not in found.content
    assert b"<dialog" not in tab(shop, "judge-classes", "dialog=new", by="editor").content


@pytest.mark.parametrize(
    "query", ["dialog=x", "dialog=change", "dialog=remove&class=x", "sort=x", "q=%00", "columns=x"]
)
def test_what_the_address_says_in_vain_is_ignored(shop, classes, query):
    found = tab(shop, "judge-classes", query, by="tenant-admin")
    assert found.status_code == 200
    assert b"<dialog" not in found.content
    assert "expert" in text_of(found)


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("", ["bot", "expert", "legal", "taster"]),
        ("-name", ["taster", "legal", "expert", "bot"]),
        ("counts", ["legal", "bot", "taster", "expert"]),
        ("-counts", ["expert", "taster", "bot", "legal"]),
        ("applies", ["taster", "legal", "bot", "expert"]),
        ("given", ["legal", "taster", "expert", "bot"]),
        ("-rules", ["expert", "bot", "legal", "taster"]),
    ],
)
def test_a_columns_head_sorts(shop, classes, sort, order):
    page = tab(shop, "judge-classes", f"sort={sort}").content.decode()
    places = [page.index(f'<span class="what">{name}</span>') for name in order]
    assert all(one < following for one, following in pairwise(places))
    assert page.count("aria-sort=") == 1


def test_columns_and_search_are_in_the_address(shop, classes):
    found = text_of(tab(shop, "judge-classes", "columns=counts&q=LIAB"))
    assert (
        "Class How much it counts Actions legal Restricted Liability Counts 0.5× an unclassified one A share" in found
    )
    assert "expert Restricted" not in found


def test_a_search_that_finds_nothing_says_what_was_asked(shop, classes):
    found = tab(shop, "judge-classes", "q=%3Cb%3E")
    assert "No judge class has “<b>” in its name or description." in text_of(found)
    assert b"<b>" not in found.content.split(b'id="tab"')[1].split(b"<template")[0]


def test_without_classes_the_tab_says_what_they_are_for(module_db):
    found = text_of(tab(Shop.open(), "judge-classes"))
    assert "No judge classes yet" in found
    assert "A share weights each correction by its class." in found


def test_the_statements_are_the_same_for_any_number_of_classes(undone):
    client = browser(undone.person("admin"))
    counts: list[int] = []
    for wanted in (1, 20):
        for number in range(wanted):
            make_rule(undone, name=f"{wanted} {number}", judgeClassId=undone.judge_class())
        with recorded_queries() as statements:
            assert client.get(f"/projects/{undone.project.slug}/quality?tab=judge-classes").status_code == 200
        counts.append(len(statements))
    assert len(set(counts)) == 1, counts
    assert counts[0] <= 12
