"""A test run that starts by itself is recorded by a bounded part of its answers; what is left out is left unchecked."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from improve.models import CaseReplay, PinTest
from improve.selectors import pin_tests as selectors
from improve.selectors.pin_tests import replays_to_record
from improve.services import pin_tests
from tests.improve.staging import REVIEWER, Stage, work

pytestmark = pytest.mark.usefixtures("taken_back")


def went_live(stage: Stage) -> dict[str, Any]:
    """The test run of a candidate that went live, which does what people said."""
    proposal_id = stage.in_review()
    stage.act(proposal_id, "decide", {"decision": "approve"}, by=REVIEWER)
    work(PinTest.objects.select_related("job").get().job)
    found: dict[str, Any] = stage.shop.editor.ok("GET", f"projects/{stage.shop.project.pk}/test-runs")["data"][0]
    return found


def test_what_fits_is_checked(stage: Stage, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(selectors, "BATCH", 2)
    run = went_live(stage)
    assert (run["replays"], run["counts"]["fixed"]) == (len(stage.runs),) * 2


def test_what_does_not_fit_is_left_unchecked_and_counted_so(stage: Stage, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pin_tests, "MOST_BYTES", 1)
    run = went_live(stage)
    assert (run["replays"], run["counts"]["unchecked"], run["counts"]["fixed"]) == (*[len(stage.runs)] * 2, 0)


def test_answers_are_taken_in_order_while_they_fit(stage: Stage, monkeypatch: pytest.MonkeyPatch):
    went_live(stage)
    job = PinTest.objects.get().job
    whole = list(pin_tests._bounded(replays_to_record(job)))
    sizes = [len(bytes(one.calls)) + len(bytes(one.output)) for one in whole]  # type: ignore[arg-type]
    monkeypatch.setattr(pin_tests, "MOST_BYTES", sum(sizes[:2]))
    bounded = list(pin_tests._bounded(replays_to_record(job)))
    assert [one.run_id for one in bounded] == [str(one.run_id) for one in CaseReplay.objects.filter(job=job)]
    assert [one.output is not UNSET for one in bounded] == [True, True, *[False] * (len(sizes) - 2)]
    assert len(sizes) > 2
