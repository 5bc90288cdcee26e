"""A run that a cap kept out is counted for ever: after retention has taken it, its id is nobody else's."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from judging.models import SkippedRun
from kindgi.access.models import Project
from kindgi.api.times import now, wire
from kindgi.runs.services.retention import runs_purge
from tests.judging.queues import dismiss, old_rule, records, rules_path
from tests.support.shops import Shop, completed

ENDED = wire(now() - timedelta(days=30))


@pytest.fixture
def kept_out(undone: Shop) -> tuple[str, str, str]:
    """The rule, the run that fills its cap, and the id of one that it kept out and retention has taken."""
    rule_id: str = old_rule(undone, at=now() - timedelta(days=60), maxOpen=1)["ruleId"]
    first, left_out = undone.run(), str(uuid4())
    undone.run(left_out, completedAt=ENDED)
    assert [str(one.run_id) for one in SkippedRun.objects.all()] == [left_out]
    Project.objects.filter(pk=undone.project.pk).update(retention_days=10)
    assert runs_purge(project=Project.objects.get(pk=undone.project.pk), limit=10) == 1
    return rule_id, first, left_out


@pytest.mark.parametrize("room", [False, True], ids=["the cap is full", "there is room"])
def test_its_id_is_taken_and_an_import_loses_nothing_else(undone: Shop, kept_out: tuple[str, str, str], room: bool):
    rule_id, first, left_out = kept_out
    if room:
        dismiss(undone, first)
    again = completed(completedAt=ENDED)
    assert undone.admin.refused("PUT", f"runs/{left_out}", again) == (409, "run-already-terminal")
    answered = undone.admin.ok("POST", "runs/import", [{"id": left_out, **again}, *records(3)])
    assert [line["outcome"] for line in answered["results"]] == ["refused", "created", "created", "created"]
    (group,) = undone.editor.ok("GET", rules_path(undone, rule_id, "results"))["groups"]
    assert group["added"] + group["skippedByCap"] == 5
