"""The demonstration's suggested changes stand in each status, and were really tried; its endpoint runs again later."""

from __future__ import annotations

import subprocess
import time

import httpx
import pytest

from corrections.models import Correction, Status
from improve.models import CaseReplay, Evaluation, PinTest, Proposal, ReplayEndpoint, ReplayJob
from improve.selectors.statuses import with_status
from kindgi.access.models import User
from kindgi.api.times import now
from kindgi.demo import endpoint
from kindgi.demo.companies import PASSWORD
from kindgi.demo.lookups import AGENT, LIVE
from kindgi.runs.models import AgentPin
from tests.builders import browser


def test_they_stand_in_as_many_ways_as_there_are_to_be_seen(demo):
    stands = sorted(with_status(Proposal.objects.all(), now()).values_list("stands", flat=True))
    assert stands == ["draft", "evaluation-failed", "in-review", "not-better", "promoted", "withdrawn"]
    assert {proposal.agent_id for proposal in Proposal.objects.all()} == {AGENT}
    assert Proposal.objects.exclude(hypothesis="").count() == 6


def test_each_was_tried_on_the_corrected_runs_one_by_one(demo):
    assert ReplayJob.objects.filter(state="running").count() == 0
    for evaluation in Evaluation.objects.exclude(finding="failed"):
        assert evaluation.job.answered == evaluation.job.of == evaluation.test_set.cases
        assert evaluation.results.count() == evaluation.test_set.cases
    assert not CaseReplay.objects.filter(state="answered", output=None).exists()
    failed = Evaluation.objects.get(finding="failed")
    assert (failed.job.problem, failed.job.detail) == ("failed-in-a-row", "10 status-4xx 401")
    assert Evaluation.objects.filter(finding="better").count() == 2


def test_the_one_that_went_live_is_pinned_and_fixed_what_it_was_for(demo):
    assert AgentPin.objects.get(agent__agent_id=AGENT).version.version == LIVE
    test = PinTest.objects.get()
    fixed = Correction.objects.filter(subject_id=AGENT, status=Status.FIXED, fixed_in__how="pin")
    assert test.test_run is not None and fixed.count() == test.test_run.counts["fixed"] > 10
    assert set(fixed.values_list("fixed_in__version", flat=True)) == {LIVE}


def test_nothing_of_it_is_in_the_future_and_each_thing_came_after_what_it_needs(demo):
    for proposal in Proposal.objects.all():
        assert proposal.created_at < proposal.updated_at <= now() or not proposal.evaluations.exists()
        for evaluation in proposal.evaluations.all():
            assert proposal.created_at < evaluation.created_at <= (evaluation.finished_at or now()) <= now()
        for promotion in proposal.promotions.all():
            assert promotion.evaluation.created_at < promotion.created_at <= now()


def test_who_is_named_can_decide_on_the_page_that_is_named(demo):
    decides = User.objects.by_email(demo["decides"]).get()
    assert decides.check_password(PASSWORD)
    page = browser(decides).get(demo["toDecide"])
    assert page.status_code == 200 and "Make it live" in page.content.decode()


@pytest.fixture
def taken(demo):
    found = endpoint.taken_up()
    assert found is not None
    return found


def test_its_endpoint_runs_again_on_a_port_of_its_own_with_the_secret_that_it_has(taken):
    port, secret = taken
    assert ReplayEndpoint.objects.get(agent_id=AGENT).url == endpoint.address(port)
    with running(port, secret):
        assert endpoint.taken_up() is None, "it is another demonstration's"
    assert endpoint.taken_up() is not None


def test_an_endpoint_that_somebody_set_elsewhere_stays_where_it_is(demo):
    ReplayEndpoint.objects.filter(agent_id=AGENT).update(url="https://agents.example.com/replay")
    assert endpoint.taken_up() is None
    ReplayEndpoint.objects.filter(agent_id=AGENT).update(url=endpoint.address(9))


class running:
    """The endpoint as the demonstration starts it."""

    def __init__(self, port: int, secret: str):
        self.port, self.secret = port, secret

    def __enter__(self):
        self.process = subprocess.Popen(endpoint.command(self.port), env={"REPLAY_SECRET": self.secret})
        deadline = time.monotonic() + 30
        while True:
            try:
                assert httpx.post(endpoint.address(self.port), json={}).status_code == 401
                return
            except httpx.ConnectError:
                assert time.monotonic() < deadline and self.process.poll() is None
                time.sleep(0.05)

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
