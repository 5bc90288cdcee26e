"""Django admin shows superusers the store of Idempotency-Keys, and nobody an answer."""

import pytest

from kindgi.api import admin as keys_admin
from kindgi.api.models import IdempotencyKey
from tests.support.admin_pages import listed, staff_of, superuser, url
from tests.support.shops import Shop

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop():
    return Shop.open()


def test_superusers_see_the_keys_without_their_answers(shop, assert_queries):
    run = shop.run()
    shop.editor.ok("POST", "corrections", {"runId": run, "answer": "right", "why": "a secret why"}, key="k-1")
    root = superuser()
    with assert_queries(at_most=8) as statements:
        page = root.get(url(IdempotencyKey))
    key = IdempotencyKey.objects.get(subject_id=run)
    shown = page.content.decode()
    assert bytes(key.key_hash).hex()[:12] in shown and "a secret why" not in shown
    assert not [statement for statement in statements if '"answer"' in statement]
    assert listed(root, IdempotencyKey, q=run) == listed(root, IdempotencyKey, q=str(shop.tenant.pk)) == [key]
    assert listed(root, IdempotencyKey, q=str(shop.project.pk)) == listed(root, IdempotencyKey, q="k-1") == []
    assert listed(root, IdempotencyKey, state="done") == [key] and listed(root, IdempotencyKey, state="held") == []


def test_a_key_has_no_page_and_nobody_else_sees_any(shop):
    shop.editor.ok("POST", "corrections", {"runId": shop.run(), "answer": "right"}, key="k-1")
    root, staff = superuser(), staff_of(shop.tenant)
    assert root.get(url(IdempotencyKey, "add")).status_code == 403
    assert root.get(url(IdempotencyKey, "change", "AAAA")).status_code in (302, 403)
    assert staff.get(url(IdempotencyKey)).status_code == 403


def test_no_more_keys_are_counted_than_the_bound(shop, monkeypatch):
    monkeypatch.setattr(keys_admin, "COUNTED", 2)
    for number in range(3):
        shop.editor.ok("POST", "corrections", {"runId": shop.run(), "answer": "right"}, key=f"k-{number}")
    root = superuser()
    assert root.get(url(IdempotencyKey)).context["cl"].result_count == 2
    assert len(listed(root, IdempotencyKey, state="done")) == 2
