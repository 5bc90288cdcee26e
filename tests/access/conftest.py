"""A tenant, and who looks at the admin's pages."""

import pytest

from kindgi.access.models import User
from tests.builders import browser, make_tenant, make_user


@pytest.fixture
def tenant():
    return make_tenant()


@pytest.fixture
def superuser():
    return browser(User.objects.create_superuser("root@example.com", "pass"))


@pytest.fixture
def staff(tenant):
    """A tenant admin who may sign in to the admin, and has none of Django's own permissions."""
    return browser(make_user(tenant, admin=True, is_staff=True))
