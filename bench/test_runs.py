"""How long a test run of many corrections takes, and for how long of it the corrected runs are locked.

    .venv/bin/python bench/test_runs.py [--corrections 10000] [--times 3]

Each run has one correction that says its decisions and its answer were wrong. The first test run of
a pair fixes all of them, the second reopens them, so that every correction is moved each time.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from correcting import body_of, seed
from support import project, tenant_with_token

CALLS = [{"tool": "orders.track", "args": {"orderId": "A-1001"}}]


def correct(tenant: Any, home: Any, ids: list[str]) -> None:
    """One correction a run."""
    from django.db import transaction

    from corrections.services.recording import correction_record
    from corrections.submissions import CorrectionBody
    from kindgi.access.callers import operator_in
    from kindgi.api.jsontext import decode

    with transaction.atomic():
        for run_id in ids:
            correction_record(caller=operator_in(tenant.pk), body=decode(body_of(run_id), CorrectionBody))


def test_run(tenant: Any, home: Any, ids: list[str], *, right: bool) -> tuple[float, float, dict[str, int]]:
    """Seconds that it took, seconds of it under locks, and its counts."""
    from django.db import transaction

    from corrections.services.test_runs import recording
    from corrections.services.test_runs.submitting import TestRunBody
    from kindgi.access.callers import operator_in
    from kindgi.api.jsontext import decode

    output = {"response": {"content": "It arrives on Friday."}}
    replays = [{"runId": run_id, "calls": CALLS if right else [], "output": output} for run_id in ids]
    sent = {"agentId": "bench.agent", "version": "2.0.0", "how": "pin", "replays": replays}
    body = json.dumps(sent).encode()
    locked_at = 0.0
    lock = recording.corrections_lock

    def locking(*args: Any) -> Any:
        nonlocal locked_at
        locked_at = time.perf_counter()
        return lock(*args)

    recording.corrections_lock = locking
    begun = time.perf_counter()
    with transaction.atomic():
        made = recording.test_run_record(
            caller=operator_in(tenant.pk), project_id=str(home.pk), body=decode(body, TestRunBody)
        )
    ended = time.perf_counter()
    recording.corrections_lock = lock
    return ended - begun, ended - locked_at, made.counts


def main() -> None:
    """Print a line a test run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corrections", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    with project("test_runs"):
        tenant, home, _ = tenant_with_token()
        ids = seed(tenant, home, 2000, options.corrections)[: options.corrections]
        correct(tenant, home, ids)
        for turn in range(options.times * 2):
            took, locked, counts = test_run(tenant, home, ids, right=turn % 2 == 0)
            print(f"{took:6.2f} s, {locked:5.2f} s of it under locks: {counts}", flush=True)


if __name__ == "__main__":
    main()
