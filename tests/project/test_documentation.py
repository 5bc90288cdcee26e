"""Every variable that the settings read is in README.md's table and in .env.example."""

import re

import pytest
from django.conf import settings

READ = re.compile(r'\b(?:env\.\w+|whole_number|seconds|one_of|_every)\(\s*"([A-Z_]+)"')


@pytest.fixture(scope="module")
def variables() -> set[str]:
    sources = (settings.BASE_DIR / "kindgi" / "settings").glob("*.py")
    return {name for path in sources for name in READ.findall(path.read_text())}


def test_the_settings_read_variables_at_all(variables):
    assert {"SECRET_KEY", "DATABASE_URL", "WEB_WORKERS"} <= variables


def test_readme_lists_them(variables):
    assert variables == set(re.findall(r"^\| `([A-Z_]+)`", (settings.BASE_DIR / "README.md").read_text(), re.MULTILINE))


def test_the_example_lists_them(variables):
    assert variables == set(
        re.findall(r"^# ?([A-Z_]+)=", (settings.BASE_DIR / ".env.example").read_text(), re.MULTILINE)
    )
