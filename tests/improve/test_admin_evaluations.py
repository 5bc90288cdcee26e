"""Test sets and evaluations in the admin: looked at by whoever administers the tenant, and never changed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from improve.models import Evaluation
from tests.improve.staging import Stage, staged
from tests.support.admin_pages import staff_of
from tests.support.shops import AGENT, Shop


@pytest.fixture(scope="module")
def stage(shop: Shop) -> Iterator[Stage]:
    with staged(shop) as stage:
        stage.evaluated(stage.drafted())
        yield stage


@pytest.mark.usefixtures("undone")
def test_a_tenants_admin_looks_at_its_own_and_changes_nothing(stage: Stage) -> None:
    evaluation = Evaluation.objects.get()
    ours = {"testset": stage.test_set, "evaluation": str(evaluation.pk)}
    admin = staff_of(stage.shop.tenant)
    foreign = Shop.open()
    stranger = staff_of(foreign.tenant)
    for model, pk in ours.items():
        listed = admin.get(f"/admin/improve/{model}/").content.decode()
        shown = admin.get(f"/admin/improve/{model}/{pk}/change/").content.decode()
        assert pk in listed and (AGENT if model == "testset" else "6 got better") in shown
        assert 'name="_save"' not in shown
        assert pk not in stranger.get(f"/admin/improve/{model}/").content.decode()
        assert stranger.get(f"/admin/improve/{model}/{pk}/change/").status_code in (302, 404)
        for path in (f"{pk}/delete/", "add/"):
            assert admin.post(f"/admin/improve/{model}/{path}").status_code == 403
