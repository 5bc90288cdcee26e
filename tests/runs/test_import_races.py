"""Eight connections import the same runs at once: each run is there once, nothing is lost, nobody waits in a ring."""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any
from unittest import mock
from uuid import uuid4

from kindgi.runs import hooks
from kindgi.runs.models import Run, RunContent
from kindgi.runs.services import recording
from tests.support.parallel import at_once
from tests.support.racing import PATIENCE, wait_until, waiting
from tests.support.shops import Shop, completed

OUTCOMES = ("created", "updated", "unchanged", "refused")


def load(api: Any, records: list[dict[str, Any]]) -> dict[str, Any]:
    body = b"\n".join(json.dumps(record).encode() for record in records)
    response = api.post("runs/import", body, content_type="application/x-ndjson")
    assert response.status_code == 200, response.content
    answer: dict[str, Any] = response.json()
    return answer


def counted(answers: list[Any]) -> Counter[str]:
    failed = [answer for answer in answers if isinstance(answer, Exception)]
    assert not failed, failed[0]
    total: Counter[str] = Counter()
    for answer in answers:
        total.update({name: answer[name] for name in OUTCOMES if answer[name]})
    return total


def check_each_once(run_ids: list[str]) -> None:
    found = Run.objects.filter(run_id__in=run_ids)
    assert found.count() == len(run_ids)
    assert RunContent.objects.filter(run__in=found).count() == RunContent.objects.count() == len(run_ids)
    assert all(run.content_id is not None for run in found)


def test_the_same_runs_in_any_order_are_each_created_once(fresh: Shop):
    records = [{"id": str(uuid4()), **completed()} for _ in range(120)]
    orders = [random.Random(number).sample(records, len(records)) for number in range(8)]
    api = fresh.editor
    total = counted(at_once([lambda order=order: load(api, order) for order in orders]))  # type: ignore[misc]
    assert total == {"created": 120, "unchanged": 7 * 120}
    check_each_once([record["id"] for record in records])


def test_overlapping_parts_of_them_too(fresh: Shop):
    records = [{"id": str(uuid4()), **completed()} for _ in range(120)]
    load(fresh.editor, records[::5])
    parts = [random.Random(number).sample(records, 70) for number in range(8)]
    api = fresh.editor
    total = counted(at_once([lambda part=part: load(api, part) for part in parts]))  # type: ignore[misc]
    every = {record["id"] for record in records[::5]} | {record["id"] for part in parts for record in part}
    assert total["refused"] == 0 and total["created"] == len(every) - 24
    check_each_once(sorted(every))


def test_runs_that_move_on_end_once_each(fresh: Shop):
    run_ids = [str(uuid4()) for _ in range(60)]
    ended: list[str] = []
    api = fresh.editor

    def moves(seed: int) -> list[dict[str, Any]]:
        order = random.Random(seed).sample(run_ids, len(run_ids))
        return [{"id": run_id, **completed(status=status)} for run_id in order for status in ("running", "completed")]

    with mock.patch.object(hooks, "run_ended", lambda runs: ended.extend(str(run.run_id) for run in runs)):
        answers = at_once([lambda seed=seed: load(api, moves(seed)) for seed in range(8)])  # type: ignore[misc]
    total = counted(answers)
    assert total["created"] == 60 and total["updated"] == 60
    # Whoever comes later finds them ended: `running` is refused then, and `completed` changes nothing.
    assert total["refused"] == total["unchanged"] == 7 * 60
    assert sorted(ended) == sorted(run_ids)
    check_each_once(run_ids)


def test_eight_connections_report_one_new_run(fresh: Shop):
    run_id, api = str(uuid4()), fresh.editor
    answers = at_once([lambda: api.put(f"runs/{run_id}", completed())] * 8)
    assert Counter(answer.status_code for answer in answers) == {201: 1, 200: 7}
    check_each_once([run_id])


def in_the_worst_order(shop: Shop, *, keeping: bool = False) -> list[Any]:
    """Three imports, of which two each want a run that the other holds.

    B has made its lower run and waits for C to commit the higher one. Then A locks the higher one and waits for B
    to commit the lower one, while B goes on to the higher one; ``keeping`` what it made, if so told.
    """
    low, high = sorted(str(uuid4()) for _ in range(2))
    api = shop.editor
    made_by_c, committed_by_c, seen_by_b = threading.Event(), threading.Event(), threading.Event()
    create = recording._create

    def creating(caller: Any, missing: list[Any], ended: list[Any]) -> bool:
        name = threading.current_thread().name
        if name == "B":
            made_by_c.wait(PATIENCE)
        made_all = create(caller, missing, ended)
        if name == "C":
            made_by_c.set()
            wait_until(lambda: waiting() > 0)  # for B
        elif name == "B" and not seen_by_b.is_set():
            seen_by_b.set()
            wait_until(lambda: waiting() > 0)  # for A
        return made_all or keeping

    def importing(name: str, ids: list[str], *, after: threading.Event | None = None) -> Callable[[], Any]:
        def run() -> Any:
            threading.current_thread().name = name
            if after is not None:
                after.wait(PATIENCE)
            answer = load(api, [{"id": run_id, **completed()} for run_id in ids])
            if name == "C":
                committed_by_c.set()
            return answer

        return run

    works = [importing("C", [high]), importing("B", [low, high]), importing("A", [low, high], after=committed_by_c)]
    with mock.patch.object(recording, "_create", creating):
        return at_once(works)


def test_three_imports_that_meet_in_the_worst_order_all_succeed(fresh: Shop):
    assert counted(in_the_worst_order(fresh)) == {"created": 2, "unchanged": 3}


def test_control_an_import_that_keeps_what_it_made_waits_in_a_ring(fresh: Shop):
    answers = in_the_worst_order(fresh, keeping=True)
    (refused,) = (answer for answer in answers if isinstance(answer, Exception))
    assert "lock-timeout" in str(refused)
