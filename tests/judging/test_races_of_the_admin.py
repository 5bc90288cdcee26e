"""Actions of the admin beside others: all that they change is locked first, and who has to give way is told so."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock
from uuid import UUID

import pytest
from django.db import OperationalError, connection, transaction
from django.test.utils import CaptureQueriesContext

from corrections.models import Correction, Verdict
from judging.models import JudgingRule, QueueItem
from judging.services.locking import rules_change_lock
from kindgi.access.models import Project
from kindgi.runs.models import Run
from kindgi.runs.selectors import runs_lock
from tests.judging.queues import change_rule, dismiss, make_rule, old_rule, rules_path
from tests.support.admin_pages import act, staff_of, url
from tests.support.parallel import at_once
from tests.support.racing import pausing
from tests.support.shops import Shop

OTHERS = "Others are changing the same thing right now."


def erased_in_a_ring(shop: Shop) -> tuple[bool, int, int]:
    """Two runs are erased while the second is corrected and a rule changes: whether both were, and the answers.

    Without the runs' locks the erasure waits for the correction's run, the correction for the rules
    that the change holds, and the change for the first run's item, which the erasure holds.
    """
    rule = make_rule(shop, judgeClassId=shop.judge_class("expert"))
    runs = [Run.objects.get(run_id=run_id) for run_id in sorted([shop.run(), shop.run()])]
    shop.correct(str(runs[0].run_id))
    editor, service, staff = shop.editor, shop.api("service"), staff_of(shop.tenant)
    erasing, correcting = threading.Event(), threading.Event()

    def erase() -> Any:
        answer = act(staff, Run, "erase", *runs, confirmed="yes")
        correcting.set()
        return answer

    def correct() -> Any:
        erasing.wait(10)
        return service.post("corrections", {"runId": str(runs[1].run_id), "answer": "right"})

    def change() -> Any:
        correcting.wait(10)
        return editor.patch(rules_path(shop, rule["ruleId"]), {"judgeClassId": None})

    with (
        pausing("kindgi.runs.admin.runs.run_erase", reached=erasing),
        pausing("corrections.services.recording.live_verdicts", reached=correcting),
    ):
        erased, corrected, changed = at_once([erase, correct, change])
    return b"2 runs erased." in erased.content, corrected.status_code, changed.status_code


def test_runs_that_are_erased_together_are_locked_before_the_first_is_erased(fresh: Shop):
    assert erased_in_a_ring(fresh) == (True, 410, 200)


def test_control_without_the_runs_locks_one_of_the_three_has_to_give_way(fresh: Shop):
    with mock.patch("kindgi.runs.admin.runs.lock_runs"):
        erased, corrected, changed = erased_in_a_ring(fresh)
    assert not erased or 409 in (corrected, changed)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("model", "action", "table"),
    [
        (Run, "erase", "runs_run"),
        (Correction, "remove", "runs_run"),
        (Verdict, "remove", "runs_run"),
        (QueueItem, "dismiss", "judging_queueitem"),
        (QueueItem, "reopen", "judging_queueitem"),
    ],
)
def test_an_action_locks_all_first_in_the_order_of_their_ids(model: Any, action: str, table: str):
    shop = Shop.open()
    rule = old_rule(shop)
    change_rule(shop, rule, judgeClassId=shop.judge_class("expert"))
    runs = sorted([shop.run() for _ in range(2)])
    for run_id in runs:
        shop.correct(run_id)
        if action == "reopen":
            dismiss(shop, run_id)
    staff, rows = staff_of(shop.tenant), model.objects.filter(tenant_id=shop.tenant.pk, run_id__in=runs)
    with CaptureQueriesContext(connection) as captured:
        assert b"2 " in act(staff, model, action, *rows.order_by("-run_id"), confirmed="yes").content
    statements = [query["sql"] for query in captured]
    first = next(one for one in statements if "FOR NO KEY UPDATE" in one)
    assert f"FROM {table}" in first and "ORDER BY run_id FOR NO KEY UPDATE" in first
    assert 0 < first.index(UUID(runs[0]).hex) < first.index(UUID(runs[1]).hex)
    assert not [
        one for one in statements[: statements.index(first)] if one.startswith(("UPDATE judging", "UPDATE corr"))
    ]


@contextmanager
def held(shop: Shop, run: Run, *, limit: str) -> Iterator[None]:
    """Somebody else holds the projects, a run and the rules, and who waits for that gives up by ``limit``."""
    holding, done = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            list(Project.objects.select_for_update().filter(tenant=shop.tenant))
            runs_lock(tenant_id=shop.tenant.pk, run_ids=[run.run_id])
            rules_change_lock(shop.project.pk)
            holding.set()
            done.wait(10)
        connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    assert holding.wait(10)
    with connection.cursor() as cursor:
        cursor.execute(f"SET {limit} = '100ms'")
        try:
            yield
        finally:
            cursor.execute(f"RESET {limit}")
            done.set()
            holder.join()


def typed(shop: Shop) -> dict[str, Any]:
    """A rule's form as a browser sends it."""
    hidden = {"versions-TOTAL_FORMS": "0", "versions-INITIAL_FORMS": "0"}
    return {"project": shop.project.pk, "name": "Typed", "sample": "1", "enabled": "on", **hidden}


def test_who_waits_too_long_is_told_by_an_action_a_form_and_a_deletion(fresh: Shop):
    run, staff = Run.objects.get(run_id=fresh.run()), staff_of(fresh.tenant)
    empty = fresh.other_project()
    with held(fresh, run, limit="lock_timeout"):
        assert OTHERS in act(staff, Run, "erase", run, confirmed="yes").content.decode()
        form = staff.post(url(JudgingRule, "add"), typed(fresh)).content.decode()
        assert OTHERS in form and 'value="Typed"' in form
        deleted = staff.post(url(Project, "delete", empty.pk), {"post": "yes"}, follow=True)
        assert OTHERS in deleted.content.decode()
    assert "1 runs erased." in act(staff, Run, "erase", run, confirmed="yes").content.decode()
    assert staff.post(url(JudgingRule, "add"), typed(fresh)).status_code == 302


def test_another_error_of_the_database_stays_what_it_is(fresh: Shop):
    run, staff = Run.objects.get(run_id=fresh.run()), staff_of(fresh.tenant)
    with held(fresh, run, limit="statement_timeout"), pytest.raises(OperationalError, match="statement timeout"):
        act(staff, Run, "erase", run, confirmed="yes")
