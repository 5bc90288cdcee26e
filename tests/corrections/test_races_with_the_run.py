"""A correction that waited for the run's end sees the run as it ended (contract, sections 3 and 4)."""

from __future__ import annotations

import threading
from typing import Any

from django.db import connection, transaction

from kindgi.runs.content import pack
from kindgi.runs.models import Run, RunContent
from tests.support.parallel import at_once, wait_until_somebody_waits
from tests.support.shops import Shop


def correct_while_it_ends(shop: Shop) -> tuple[Any, str]:
    """The answer to a correction that is sent while the run's end is being recorded, and the run's id."""
    run_id = shop.run(status="running", output={"matches": ["partial"]})
    editor = shop.editor
    locked = threading.Event()

    def end() -> None:
        with transaction.atomic():
            run = Run.objects.select_for_update(no_key=True).get(run_id=run_id)
            locked.set()
            wait_until_somebody_waits()
            RunContent.objects.filter(run=run).update(output=pack(b'{"matches":["FINAL"]}'))
            Run.objects.filter(pk=run.pk).update(status="completed", completed_at=run.created_at)

    def correct() -> Any:
        locked.wait(timeout=10)
        item = {"key": "first", "pointer": "/matches/0", "verdict": "right"}
        return editor.post("corrections", {"runId": run_id, "items": [item]})

    _, answer = at_once([end, correct])
    connection.close()
    return answer, run_id


def test_an_items_value_is_of_the_output_that_the_run_ended_with(fresh: Shop) -> None:
    answer, _ = correct_while_it_ends(fresh)
    assert answer.status_code == 201, answer.content
    read = fresh.editor.ok("GET", f"corrections/{answer.json()['id']}")
    assert read["items"][0]["value"] == "FINAL"
    assert read["run"]["output"] == {"matches": ["FINAL"]}
