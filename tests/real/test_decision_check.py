"""The check of decisions on real agents' calls, and on changes of them of which it is known how they come out.

The runs lie beside the project where its makers work; a clone elsewhere has none, and skips these tests.
"""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

RUNS = Path(settings.BASE_DIR).parent / "shared" / "data" / "runs.jsonl"

pytestmark = pytest.mark.skipif(not RUNS.exists(), reason="the real runs aren't here")


def test_every_change_of_every_real_run_comes_out_as_demanded() -> None:
    out = StringIO()
    call_command("decision_check_selftest", str(RUNS), stdout=out)
    first, _, *rows, _ = out.getvalue().splitlines()
    assert first == "351 runs read, 335 of them completed with calls."
    assert len(rows) == 9
    for row in rows:
        tried, as_demanded, otherwise, _ = (int(count) for count in row.split()[-4:])
        assert tried == as_demanded >= 335, row
        assert otherwise == 0, row
