"""The rules of `make lint` that are our own: they hold, and they notice a breach."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from scripts import house_rules


def test_applications_import_only_those_below_them():
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=settings.BASE_DIR, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_no_view_builds_a_queryset():
    assert house_rules.main() == 0


@pytest.mark.parametrize("breach", ["Run.objects.get(id=1)", "x = get_user_model()._default_manager"])
def test_a_view_that_does_is_found(breach: str):
    assert [line for line, rule in house_rules.queries_in_view(f"import os\n{breach}\n")] == [2]


def test_the_views_are_looked_at_wherever_they_are(tmp_path):
    for name in ("kindgi/runs/api/views.py", "corrections/api/class_views.py", "judging/views/rules.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "kindgi/runs/selectors.py").touch()
    assert len(house_rules.view_files(tmp_path)) == 3
