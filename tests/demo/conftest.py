"""Fixtures: the demonstration's data, loaded once for a module's tests and undone after them."""

import tempfile
from pathlib import Path

import pytest
from django.conf import settings
from django.test import override_settings

from kindgi.demo.data import load
from tests.support.shops import module_db

__all__ = ["demo", "module_db", "var"]


@pytest.fixture(scope="module")
def var():
    """A folder of its own for the record of the demonstration."""
    with tempfile.TemporaryDirectory(prefix="kindgi-test-") as folder, override_settings(VAR_DIR=Path(folder)):
        yield settings.VAR_DIR


@pytest.fixture(scope="module")
def demo(module_db, var):
    """What loading everything returned."""
    return load(empty=False)
