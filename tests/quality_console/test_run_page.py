"""The run page: what happened in a run is told whole or in part, whatever came in and however much of it."""

import pytest

from tests import builders


def address(shop, run_id, query="tab=overview"):
    return f"/projects/{shop.project.slug}/runs/{run_id}?{query}"


def looked_at(shop, run_id, query="tab=overview", *, by="editor", status=200, **headers):
    response = builders.browser(shop.person(by)).get(address(shop, run_id, query), headers=headers)
    assert response.status_code == status, response.content.decode()[:2000]
    return response.content.decode()


@pytest.mark.parametrize("tab", ["overview", "corrections"])
def test_a_run_is_shown_to_whoever_may_read_it_and_to_nobody_else(undone, tab):
    run_id = undone.run()
    assert "Your parcel is on its way." in looked_at(undone, run_id, f"tab={tab}")
    assert "Your parcel is on its way." in looked_at(undone, run_id, f"tab={tab}", by="viewer")
