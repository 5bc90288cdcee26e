"""The editor says of a class that nobody can give it at present, and of none that somebody can."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from corrections.models import JudgeClass
from corrections.policies import class_refusal
from judging.selectors.judges import classes_nobody_gives
from kindgi.api.times import as_of, now
from tests.builders import make_caller, make_project, make_user, mint
from tests.judging.queues import make_rule
from tests.quality_console.rule_forms import NEW, dialog_of, sent
from tests.support.shops import Shop

SAID = "nobody can give it at present"


def nobody_gives(shop: Shop, **restriction: Any) -> bool:
    made = shop.judge_class(assertableBy=restriction) if restriction else shop.judge_class()
    [one] = JudgeClass.objects.filter(pk=made)
    return bool(classes_nobody_gives(project=shop.project, class_ids=[one.pk]))


def test_the_editor_says_so(undone: Shop):
    lost = undone.judge_class("admins", assertableBy={"minReviewerRole": "admin"})
    undone.judge_class("anybody")
    html = dialog_of(undone, "dialog=new")
    assert f"An admins correction ({SAID})" in html
    assert html.count(SAID) == 1
    answer = sent(undone, "new", {**NEW, "judge_class": lost, "preview": "1"}, **{"HX-Request": "true"})
    assert "Nobody can give the class that it wants at present" in answer.content.decode()
    assert sent(undone, "new", {**NEW, "judge_class": lost}).status_code == 303


def test_a_class_without_conditions_can_be_given(undone: Shop):
    assert not nobody_gives(undone)


@pytest.mark.parametrize(
    ("role", "least", "is_lost"),
    [("senior", "senior", False), ("admin", "senior", False), ("standard", "senior", True)],
)
def test_a_reviewer_gives_what_their_standing_allows(undone: Shop, role: str, least: str, is_lost: bool):
    make_user(undone.tenant, "editor", reviewer=role)
    assert nobody_gives(undone, minReviewerRole=least) == is_lost


def test_who_may_not_correct_in_the_project_gives_nothing(undone: Shop):
    make_user(undone.tenant, "viewer", reviewer="admin")
    make_user(undone.tenant, "owner", project=make_project(undone.tenant), reviewer="admin")
    assert nobody_gives(undone, minReviewerRole="standard")
    make_user(undone.tenant, admin=True, reviewer="standard")
    assert not nobody_gives(undone, minReviewerRole="standard")


def test_a_person_who_is_named_must_be_able_to(undone: Shop):
    viewer, editor = (make_user(undone.tenant, role) for role in ("viewer", "editor"))
    assert nobody_gives(undone, principalIds=[str(viewer.pk)])
    assert not nobody_gives(undone, principalIds=[str(viewer.pk), str(editor.pk).upper()])
    assert nobody_gives(undone, principalIds=[str(editor.pk)], principalKinds=["service"])


def test_a_service_gives_by_a_token_that_holds(undone: Shop):
    token = mint(undone.person("service")).token
    caller = make_caller(undone.person("service"))
    named = undone.judge_class(assertableBy={"principalKinds": ["service"]})
    assert class_refusal(caller, JudgeClass.objects.get(pk=named)) is None
    assert not nobody_gives(undone, principalKinds=["service"], principalIds=[str(token.pk)])
    undone.admin.ok("POST", f"tokens/{token.pk}/revoke")
    assert nobody_gives(undone, principalKinds=["service"], principalIds=[str(token.pk)])
    short = mint(undone.person("service"), expires_at=now() + timedelta(hours=1)).token
    assert not nobody_gives(undone, principalIds=[str(short.pk)])
    with as_of(now() + timedelta(hours=2)):
        assert nobody_gives(undone, principalIds=[str(short.pk)])


def test_a_rule_of_another_class_says_nothing(undone: Shop):
    rule = make_rule(undone)
    assert SAID not in dialog_of(undone, f"dialog=change&rule={rule['ruleId']}")
