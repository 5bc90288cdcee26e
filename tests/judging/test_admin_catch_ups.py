"""Django admin begins catch-ups as /v1 does, and shows how far each is and what it did."""

from __future__ import annotations

from typing import Any

import pytest

from judging import tasks
from judging.admin import catch_ups
from judging.models import CatchUp, QueueItem
from judging.services.catch_up import catch_up_run
from tests.judging.queues import make_rule, rules_path
from tests.support.admin_pages import listed, problems, staff_of, superuser, url
from tests.support.shops import Shop

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop() -> Shop:
    return Shop.open()


@pytest.fixture
def staff(shop: Shop) -> Any:
    return staff_of(shop.tenant)


@pytest.fixture
def sent(monkeypatch: Any) -> list[Any]:
    """What was handed to the worker."""
    messages: list[Any] = []
    monkeypatch.setattr(catch_ups, "send", lambda *message: messages.append(message))
    return messages


def begin(client: Any, rule: dict[str, Any], **fields: str) -> Any:
    """The answer to the form."""
    typed = {"rule": rule["ruleId"], "last": "", "since_0": "", "since_1": ""}
    return client.post(url(CatchUp, "add"), {**typed, **fields})


def shown(client: Any, page: str | None = None) -> str:
    return " ".join(client.get(page or url(CatchUp)).content.decode().split())


def test_one_is_begun_for_a_worker_and_shows_what_it_did(shop: Shop, staff: Any, sent: list[Any]):
    for _ in range(3):
        shop.run()
    rule = make_rule(shop, name="Support sample")
    assert problems(begin(staff, rule, last="2")) == ""
    job = CatchUp.objects.get()
    assert sent == [(tasks.catch_up, str(job.pk))] and (job.state, job.of, job.last) == ("running", 2, 2)
    assert "0 of 2 looked at: 0 queued, 0 already queued, 0 already reviewed so far" in shown(staff)
    catch_up_run(catch_up_id=job.pk)
    assert QueueItem.objects.count() == 2
    for page in (None, url(CatchUp, "change", job.pk)):
        told = shown(staff, page)
        assert "2 queued, 0 already queued, 0 already reviewed: 2 matches among the last 2 runs." in told
        assert "Support sample" in told
        assert not [word for word in ("Your parcel", "Where is it?", "case-a") if word in told]


def test_it_says_who_asked_for_it(shop: Shop, staff: Any, sent: list[Any]):
    rule = make_rule(shop)
    begin(staff, rule, since_0="2026-01-01", since_1="00:00:00")
    assert sent == [], "there is nothing to do where no run has ended"
    told = shown(staff)
    assert "the runs completed since Jan. 1, 2026" in told and shop.tenant.users.get(is_staff=True).email in told


def test_one_whose_rule_was_removed_says_so(shop: Shop, staff: Any, sent: list[Any]):
    shop.run()
    rule = make_rule(shop)
    begin(staff, rule, last="10")
    shop.editor.ok("POST", rules_path(shop, rule["ruleId"], "unregister"))
    catch_up_run(catch_up_id=CatchUp.objects.get().pk)
    assert "The rule was removed meanwhile." in shown(staff)
    assert "The judging rule was removed" in problems(begin(staff, rule, last="10"))


@pytest.mark.parametrize(
    ("field", "fields"),
    [
        ("__all__", {}),
        ("last", {"last": "0"}),
        ("last", {"last": "1001"}),
        ("last", {"last": "many"}),
        ("since", {"since_0": "2026-13-01", "since_1": "00:00:00"}),
    ],
)
def test_what_v1_refuses_is_refused_beside_its_field(
    shop: Shop, staff: Any, sent: list[Any], field: str, fields: dict[str, str]
):
    response = begin(staff, make_rule(shop), **fields)
    assert list(response.context["adminform"].form.errors) == [field]
    assert sent == [] and not CatchUp.objects.exists()


def test_a_tenant_admin_sees_and_catches_up_their_own_tenant(shop: Shop, staff: Any, sent: list[Any]):
    theirs = Shop.open()
    mine, other = make_rule(shop), make_rule(theirs)
    begin(staff, mine, last="1")
    response = begin(staff, other, last="1")
    assert list(response.context["adminform"].form.errors) == ["rule"]
    begin(superuser(), other, last="1")
    own, foreign = (CatchUp.objects.get(rule_id=rule["ruleId"]) for rule in (mine, other))
    assert listed(staff, CatchUp) == [own] and set(listed(superuser(), CatchUp)) >= {own, foreign}
    assert listed(staff, CatchUp, q="Every") == listed(staff, CatchUp, q=mine["ruleId"]) == [own]
    assert listed(staff, CatchUp, q=str(foreign.pk)) == []
    assert staff.get(url(CatchUp, "change", own.pk)).status_code == 200
    assert staff.get(url(CatchUp, "change", foreign.pk)).status_code == 302, "as for an id that nothing has"


def test_one_that_was_begun_is_only_read(shop: Shop, staff: Any, sent: list[Any]):
    begin(staff, make_rule(shop), last="1")
    job = CatchUp.objects.get()
    for client in (staff, superuser()):
        assert client.post(url(CatchUp, "change", job.pk), {"last": "2"}).status_code == 403
        assert client.post(url(CatchUp, "delete", job.pk), {"post": "yes"}).status_code == 403
        assert b"delete_selected" not in client.get(url(CatchUp)).content


def test_two_rows_cost_as_many_statements_as_twenty(shop: Shop, staff: Any, sent: list[Any], assert_queries: Any):
    clients, rule = (superuser(), staff), make_rule(shop)
    few = []
    for _ in range(2):
        begin(staff, rule, last="1")
    for client in clients:
        client.get(url(CatchUp))
        with assert_queries(at_most=14) as statements:
            client.get(url(CatchUp))
        few.append(len(statements))
    for _ in range(18):
        begin(staff, make_rule(shop), last="1")
    for client, count in zip(clients, few, strict=True):
        with assert_queries(exact=count):
            assert len(client.get(url(CatchUp)).context["cl"].result_list) == 20
