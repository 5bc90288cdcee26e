"""Fixtures for all tests. Databases, counted queries and served processes are made in tests/support."""

import gc
import os
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from pytest_django.plugin import DjangoDbBlocker

from tests.support import databases, queries
from tests.support.servers import ServedProject

environment = pytest.StashKey[dict[str, str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Hold the test server in the process that outlives the workers, lest it stop and start between them."""
    # What is collected stays to the end: looking for garbage in it took a quarter of the time that collecting takes.
    gc.disable()
    server = settings.DATABASES["default"].get("EMBEDDED")
    if server is not None and not hasattr(config, "workerinput"):
        server.acquire()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Begin with the long ones, after all others have put the tests into their order."""
    done = yield
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
    return done


def pytest_collection_finish() -> None:
    """From here on there is garbage, but not among what was collected."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Remember the environment, as the test finds it."""
    item.stash[environment] = _environment()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Tests come in any order: none leaves the environment to the next other than it was."""
    done = yield
    assert _environment() == item.stash[environment], "the test changed the environment for those after it"
    return done


def _environment() -> dict[str, str]:
    # Not pytest's own, which names the test, nor what is said for as long as the browser is open.
    own = ("PYTEST_", "DJANGO_ALLOW_ASYNC_UNSAFE")
    return {name: value for name, value in os.environ.items() if not name.startswith(own)}


@pytest.fixture(scope="session")
def django_db_setup(
    request: pytest.FixtureRequest, django_test_environment: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """In place of pytest-django's own: each test process copies a migrated template (``--create-db`` remakes it)."""
    worker = getattr(request.config, "workerinput", {}).get("workerid", "main")
    with django_db_blocker.unblock():
        name = databases.create(worker=worker, rebuild=request.config.getoption("create_db"))
    yield
    with django_db_blocker.unblock():
        databases.drop(name)


@pytest.fixture
def assert_queries() -> Callable[..., object]:
    """``with assert_queries(exact=3): ...`` or ``at_most=``; see tests/support/queries.py."""
    return queries.assert_queries


@pytest.fixture
def served(transactional_db: None) -> Iterator[ServedProject]:
    """The project, served by the production server; ``served.url``, ``.kill9()``, ``.restart()``, ``.stop()``."""
    project = ServedProject()
    project.start()
    yield project
    project.kill9()
