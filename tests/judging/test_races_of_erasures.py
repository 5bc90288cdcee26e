"""Erasures take items last: after every run and every correction that they touch, also of runs that are gone."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from unittest import mock

from judging.services.erasure import items_erase_for_runs
from kindgi.access.models import Project
from kindgi.api.times import now, wire
from kindgi.runs import hooks
from kindgi.runs.services.retention import runs_purge
from tests.judging.queues import old_rule, rules_path
from tests.judging.recounting import assert_all_is_well
from tests.support.parallel import at_once
from tests.support.shops import Shop

THEM = "end-user-1"


def erased_while_others_work(shop: Shop) -> list[int]:
    """The statuses of an end user's erasure, of a correction's removal, and of a rule's change, in a ring if they can.

    The correction is of a run of theirs that retention has deleted, so only its own row can be locked.
    """
    rule = old_rule(shop, at=now() - timedelta(days=60), judgeClassId=shop.judge_class("expert"))
    gone = shop.run(completedAt=wire(now() - timedelta(days=30)), participantId=THEM)
    theirs = shop.run(participantId=THEM)
    correction = shop.correct(gone)
    shop.correct(theirs)
    Project.objects.filter(pk=shop.project.pk).update(retention_days=10)
    assert runs_purge(project=Project.objects.get(pk=shop.project.pk), limit=10) == 1
    admin, editor = shop.admin, shop.editor
    erasing, removing, changing = threading.Event(), threading.Event(), threading.Event()

    def erase() -> Any:
        return admin.post(f"projects/{shop.project.pk}/participants/{THEM}/erase")

    def remove() -> Any:
        assert erasing.wait(10)
        return editor.post(f"corrections/{correction['id']}/unregister")

    def change() -> Any:
        assert removing.wait(10)
        return editor.patch(rules_path(shop, rule["ruleId"]), {"judgeClassId": None})

    with (
        before("kindgi.runs.hooks.participant_erased", say=erasing, wait=changing),
        before("judging.services.closing.rules_read_lock", say=removing, wait=changing),
        before("judging.services.rules._judge_anew", say=changing, wait=None),
    ):
        return [answer.status_code for answer in at_once([erase, remove, change])]


@contextmanager
def before(target: str, *, say: threading.Event, wait: threading.Event | None) -> Iterator[None]:
    """Whoever is about to call ``target`` says so, and waits for another who says so, for a moment."""
    module, _, name = target.rpartition(".")
    original = getattr(__import__(module, fromlist=[name]), name)

    def called(*arguments: Any) -> Any:
        say.set()
        if wait is not None:
            wait.wait(2)
            time.sleep(0.2)
        return original(*arguments)

    with mock.patch(target, called):
        yield


def test_an_erasure_a_removal_and_a_rules_change_at_once_all_come_to_their_end(fresh: Shop):
    assert erased_while_others_work(fresh) == [200, 200, 200]
    assert_all_is_well(fresh)


def test_if_items_were_taken_with_their_runs_they_would_wait_in_a_ring(fresh: Shop):
    """Each is refused by itself then: one of them is told that others are changing the same thing."""
    with (
        mock.patch.object(hooks.runs_erased, "_listeners", []),
        mock.patch.object(hooks.run_erased, "_listeners", [*hooks.run_erased._listeners, items_erase_for_runs]),
    ):
        assert 409 in erased_while_others_work(fresh)
