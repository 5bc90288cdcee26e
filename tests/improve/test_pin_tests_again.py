"""A version whose test failed is tested again by itself while the project runs it, after pauses that grow."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from improve.models import JobState, PinTest, ReplayJob
from improve.selectors.pin_tests_again import PAUSES
from improve.services import pin_tests_again
from improve.tasks import resume_jobs
from tests.improve.answering import answering
from tests.improve.deploying import (
    FIXING,
    Deployed,
    after,
    begun,
    failed,
    fails,
    newest,
    path,
    pin,
    runs_recorded,
    set_up,
    statuses,
)
from tests.improve.replays import work
from tests.improve.staging import FROM, REVIEWER, Stage
from tests.support.shops import AGENT, Shop

pytestmark = pytest.mark.usefixtures("again_soon", "taken_back")
SECOND = timedelta(seconds=1)


@pytest.fixture(scope="module")
def deployed() -> Deployed:
    return Deployed()


@pytest.fixture(scope="module")
def stage(shop: Shop, deployed: Deployed) -> Iterator[Stage]:
    with answering(deployed) as server:
        stage = Stage(shop, server)
        set_up(stage, cases=12)
        yield stage


@pytest.fixture
def taken_back(undone: Shop, stage: Stage, deployed: Deployed) -> Iterator[None]:
    """Every test leaves the stage as it was."""
    deployed.down = False
    yield
    deployed.down = False


def test_pinned_while_the_endpoint_is_down_it_is_tested_a_minute_later(stage: Stage, deployed: Deployed):
    first = failed(stage, deployed)
    assert (first.job.problem, first.job.failed) == ("failed-in-a-row", 10)
    assert runs_recorded(stage) == [] and "fixed" not in statuses(stage)
    assert begun(first, PAUSES[0] - SECOND) is None
    again = begun(first, PAUSES[0])
    assert again is not None
    assert (again.how, again.job.version, again.job.of, again.job.state) == ("pin", FIXING, 12, "running")
    assert work(again.job).state == "done"
    (run,) = runs_recorded(stage)
    by = {"kind": "user", "id": str(stage.shop.person("tenant-admin").pk)}
    assert (run["version"], run["how"], run["madeBy"], run["counts"]["fixed"]) == (FIXING, "pin", by, 12)
    assert statuses(stage) == {"fixed"}
    assert begun(again, timedelta(days=1)) is None, "nothing failed any more"


def test_the_pauses_grow_and_then_it_is_left(stage: Stage, deployed: Deployed):
    last = failed(stage, deployed)
    deployed.down = True
    for pause in PAUSES:
        assert begun(last, pause - SECOND) is None
        again = begun(last, pause)
        assert again is not None
        with after(last, pause):
            last = fails(again)
    assert PinTest.objects.count() == 1 + len(PAUSES)
    for days in (1, 7, 30):
        assert begun(last, timedelta(days=days)) is None
    pin(stage)
    assert PinTest.objects.count() == 2 + len(PAUSES), "pinned again, it is tried once more all the same"


def test_pinning_the_same_version_again_begins_it_at_once(stage: Stage, deployed: Deployed):
    first = failed(stage, deployed)
    pin(stage)
    again = newest()
    assert again.pk != first.pk and (again.job.state, again.made_by_id) == ("running", first.made_by_id)
    pin(stage)
    assert newest().pk == again.pk, "it goes on already"
    with after(first, PAUSES[0]):
        resume_jobs()
    assert newest().pk == again.pk, "nor does its pause begin another"
    work(again.job)
    assert statuses(stage) == {"fixed"}
    pin(stage)
    assert newest().pk == again.pk, "it is tested"


def test_a_later_move_ends_the_trying(stage: Stage, deployed: Deployed):
    first = failed(stage, deployed)
    assert stage.shop.admin.delete(path(stage, "pin")).status_code == 200
    unpinned = newest()
    assert (unpinned.how, unpinned.job.version) == ("unpin", FROM)
    with after(first, PAUSES[0]):
        resume_jobs()
    assert newest().pk == unpinned.pk
    stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/7.0.0")
    unpinned.job.refresh_from_db()
    assert (unpinned.job.state, newest().job.version) == (JobState.CANCELLED, "7.0.0")


def test_what_was_cancelled_is_not_begun_again(stage: Stage, deployed: Deployed):
    test = failed(stage, deployed)
    ReplayJob.objects.filter(pk=test.job_id).update(state=JobState.CANCELLED)
    assert begun(test, PAUSES[0]) is None
    pin(stage)
    assert newest().pk == test.pk


def test_moved_away_and_back_without_a_test_the_earlier_one_stays_ended(stage: Stage, deployed: Deployed):
    first = failed(stage, deployed)
    assert stage.shop.admin.delete(path(stage, "replay-endpoint")).status_code == 204
    assert begun(first, PAUSES[0]) is None, "there is nobody to ask"
    pin(stage, FROM)
    assert begun(first, PAUSES[0]) is None
    pin(stage)
    stage.shop.admin.ok("PUT", path(stage, "replay-endpoint"), {"url": stage.server.url})
    assert begun(first, timedelta(days=1)) is None


def test_an_endpoint_that_is_there_again_is_asked(stage: Stage, deployed: Deployed):
    first = failed(stage, deployed)
    assert stage.shop.admin.delete(path(stage, "replay-endpoint")).status_code == 204
    assert begun(first, PAUSES[0]) is None
    stage.shop.admin.ok("PUT", path(stage, "replay-endpoint"), {"url": stage.server.url})
    assert begun(first, PAUSES[0]) is not None


def test_a_new_latest_that_failed_is_tested_again_until_there_is_a_newer(stage: Stage, deployed: Deployed):
    deployed.down = True
    stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/7.0.0")
    first = fails(newest())
    again = begun(first, PAUSES[0])
    assert again is not None and (again.how, again.job.version) == ("latest", "7.0.0")
    with after(first, PAUSES[0]):
        fails(again)
    with after(first, 2 * PAUSES[0]):
        stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/8.0.0")
        newer = fails(newest())
    assert newer.job.version == "8.0.0"
    again = begun(newer, PAUSES[0])
    assert again is not None and again.job.version == "8.0.0", "its pauses are its own"


def test_what_went_live_is_tested_again_as_its_own(stage: Stage, deployed: Deployed):
    proposal_id = stage.in_review()
    deployed.down = True
    live = stage.act(proposal_id, "decide", {"decision": "approve"}, by=REVIEWER)
    first = fails(newest())
    deployed.down = False
    again = begun(first, PAUSES[0])
    assert again is not None and str(again.promotion_id) == live["promotion"]["id"]
    assert (again.job.change, again.job.blocks) == (first.job.change, first.job.blocks) != (None, None)
    work(again.job)
    assert statuses(stage) == {"fixed"}
    assert runs_recorded(stage)[0]["madeBy"]["id"] == str(stage.shop.person(REVIEWER).pk)


def test_with_nothing_said_wrong_any_more_it_ends(stage: Stage, deployed: Deployed):
    first = failed(stage, deployed)
    for one in stage.shop.editor.ok("GET", f"corrections?agentId={AGENT}&limit=100")["data"]:
        stage.shop.editor.ok("POST", f"corrections/{one['id']}/unregister")
    again = begun(first, PAUSES[0])
    assert again is not None and again.job.of == 0
    assert work(again.job).state == "done"
    assert begun(again, timedelta(days=1)) is None and runs_recorded(stage) == []


def test_one_that_cannot_be_begun_is_logged_and_left_for_the_next_time(
    stage: Stage, deployed: Deployed, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    first = failed(stage, deployed)
    with monkeypatch.context() as patched:
        patched.setattr(pin_tests_again, "pin_test_begin_again", lambda test, agent: 1 / 0)
        assert begun(first, PAUSES[0]) is None
    assert f"The test {first.pk} of a version could not be begun again." in caplog.text
    assert begun(first, PAUSES[0]) is not None
