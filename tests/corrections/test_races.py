"""Sixteen connections correct one run at once. Each guard is taken away once, to show that the test would notice."""

from __future__ import annotations

from collections import Counter
from unittest import mock

import pytest

from corrections.models import Correction, RunCopy, Verdict
from corrections.services import recording
from tests.support.parallel import at_once, without_constraint
from tests.support.racing import histories_are_gapless, meeting, without_the_runs_lock
from tests.support.shops import Shop

SAID = {"decisions": "right", "answer": "right", "items": [{"key": "a", "pointer": "/matches/0", "verdict": "right"}]}
KEYS = ["a", "answer", "kindgi:correction"]
READ = "corrections.services.recording.live_verdicts"


def all_post(shop: Shop, run_id: str, people: list[str]) -> Counter[int]:
    """Each of ``people`` corrects the run at the same moment; how many were answered with which status."""
    apis = [shop.api(name) for name in people]  # made one after the other
    works = [lambda api=api: api.post("corrections", {"runId": run_id, **SAID}) for api in apis]
    with meeting(READ, len(people)):
        answers = at_once(works)
    return Counter(getattr(answer, "status_code", 0) for answer in answers)


def live_by_key(run_id: str) -> dict[str, int]:
    return dict(Counter(Verdict.objects.filter(run_id=run_id, unregistered_at=None).values_list("item_key", flat=True)))


def test_one_caller_at_sixteen_connections_leaves_one_live_correction(fresh: Shop):
    run_id = fresh.run()
    assert all_post(fresh, run_id, ["editor"] * 16) == {201: 16}
    assert live_by_key(run_id) == dict.fromkeys(KEYS, 1)
    alive = Correction.objects.get(run_id=run_id, unregistered_at=None)
    gone = Correction.objects.filter(run_id=run_id).exclude(pk=alive.pk)
    assert gone.count() == 15 and gone.filter(superseded_by=None).count() == 0
    assert len(set(gone.values_list("superseded_by", flat=True))) == 15, "each took the place of one"
    assert RunCopy.objects.filter(run_id=run_id).count() == 1
    assert histories_are_gapless(run_id)


def test_the_lock_alone_keeps_one_live_verdict(fresh: Shop):
    run_id = fresh.run()
    with without_constraint("corrections_verdict", "verdict_one_live"):
        assert all_post(fresh, run_id, ["editor"] * 16) == {201: 16}
        assert live_by_key(run_id) == dict.fromkeys(KEYS, 1)


def test_the_index_alone_keeps_one_live_verdict_whoever_forgets_to_lock(fresh: Shop):
    run_id = fresh.run()
    with without_the_runs_lock():
        statuses = all_post(fresh, run_id, ["editor"] * 16)
    assert statuses[201] >= 1 and statuses.total() == 16 and statuses[201] < 16
    assert live_by_key(run_id) == dict.fromkeys(KEYS, 1)
    assert Correction.objects.filter(run_id=run_id).count() == statuses[201], "what was refused left nothing"
    assert histories_are_gapless(run_id)


def test_control_without_lock_and_index_there_are_several_live_verdicts(fresh: Shop):
    run_id = fresh.run()
    with without_constraint("corrections_verdict", "verdict_one_live"), without_the_runs_lock():
        all_post(fresh, run_id, ["editor"] * 16)
        assert max(live_by_key(run_id).values()) > 1


def test_sixteen_callers_keep_one_copy_and_each_their_verdicts(fresh: Shop):
    run_id = fresh.run()
    assert all_post(fresh, run_id, [f"editor:{n}" for n in range(16)]) == {201: 16}
    assert live_by_key(run_id) == dict.fromkeys(KEYS, 16)
    copy = RunCopy.objects.get(run_id=run_id)
    assert copy.created_at == min(Correction.objects.filter(run_id=run_id).values_list("created_at", flat=True))


def test_control_without_the_constraint_there_is_a_copy_for_each(fresh: Shop):
    run_id = fresh.run()
    with without_constraint("corrections_runcopy", "run_copied_once"), mock.patch.object(recording, "Unless", list):
        all_post(fresh, run_id, [f"editor:{n}" for n in range(4)])
        assert RunCopy.objects.filter(run_id=run_id).count() == 4


@pytest.mark.parametrize("participants", [["p"], ["p", "q", "r", "s"]], ids=len)
def test_an_apps_end_users_have_one_live_correction_each(fresh: Shop, participants: list[str]):
    run_id, api = fresh.run(), fresh.api("service")
    bodies = [{"runId": run_id, **SAID, "participantId": participants[n % len(participants)]} for n in range(16)]
    with meeting(READ, 16):
        answers = at_once([lambda body=body: api.post("corrections", body) for body in bodies])  # type: ignore[misc]
    assert {answer.status_code for answer in answers} == {201}
    alive = Correction.objects.filter(run_id=run_id, unregistered_at=None)
    assert sorted(alive.values_list("participant_id", flat=True)) == participants
    assert live_by_key(run_id) == dict.fromkeys(KEYS, len(participants))
