"""Fixtures for all tests. Databases, counted queries and served processes are made in tests/support."""

from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from pytest_django.plugin import DjangoDbBlocker

from tests.support import databases, queries
from tests.support.servers import ServedProject


def pytest_configure(config: pytest.Config) -> None:
    """Hold the test server in the process that outlives the workers, lest it stop and start between them."""
    server = settings.DATABASES["default"].get("EMBEDDED")
    if server is not None and not hasattr(config, "workerinput"):
        server.acquire()


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
