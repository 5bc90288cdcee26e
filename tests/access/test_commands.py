"""``create_tenant`` and ``create_token``: what they make, what they print, and one line when they can't."""

import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from kindgi.access.models import Project, Tenant, Token, User
from tests.builders import Api, browser, default_project, make_service_account, make_tenant, make_user

pytestmark = pytest.mark.django_db


def run(*arguments):
    """What the command prints to standard output and to standard error."""
    out, err = StringIO(), StringIO()
    call_command(*arguments, stdout=out, stderr=err, no_color=True)
    return out.getvalue(), err.getvalue()


def refusal(*arguments):
    with pytest.raises(CommandError) as refused:
        run(*arguments)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_tenant_has_its_default_project_and_an_admin_who_can_sign_in():
    out, _ = run("create_tenant", "Acme & Söhne", "--admin-email", "ada@example.com")
    tenant = Tenant.objects.get(slug="acme-sohne")
    assert (tenant.name, Project.objects.get(tenant=tenant).is_default) == ("Acme & Söhne", True)
    assert str(tenant.pk) in out and "ada@example.com" in out
    [password] = re.findall(r"shown this once: (\S+)", out)
    client = browser()
    assert client.login(username="ada@example.com", password=password)
    assert client.get("/admin/").status_code == 200
    ada = User.objects.get(tenant=tenant)
    assert (ada.is_tenant_admin, ada.is_superuser) == (True, False)


def test_a_given_password_is_not_printed():
    out, err = run(
        "create_tenant", "Acme", "--slug", "a", "--admin-email", "ada@example.com", "--password", "dover-sole-9"
    )
    assert "dover-sole-9" not in out + err
    assert browser().login(username="ada@example.com", password="dover-sole-9")


def test_a_tenant_alone_is_enough():
    run("create_tenant", "Acme")
    assert not User.objects.exists()


def test_the_longest_that_fit_are_made():
    email = f"{'x' * 64}@{'example.' * 23}ex.com"[:254]
    run("create_tenant", "x" * 200, "--slug", "x" * 100, "--admin-email", email)
    assert User.objects.filter(email=email, tenant__slug="x" * 100).exists()


def test_what_cant_be_made_is_said_in_one_line_and_leaves_nothing():
    make_user(make_tenant("taken"), email="ada@example.com")
    assert "'taken'" in refusal("create_tenant", "Other", "--slug", "taken")
    assert "Ada@example.com" in refusal("create_tenant", "New", "--admin-email", "Ada@example.com")
    assert "isn't an email" in refusal("create_tenant", "New", "--admin-email", "nobody")
    assert "--password" in refusal("create_tenant", "New", "--admin-email", "b@example.com", "--password", "123")
    assert "--admin-email" in refusal("create_tenant", "New", "--password", "dover-sole-9")
    assert "--slug" in refusal("create_tenant", "New", "--slug", "not a slug")
    assert "--slug" in refusal("create_tenant", "日本")
    assert "1 to 200" in refusal("create_tenant", " ")
    assert "1 to 200" in refusal("create_tenant", "x" * 201)
    assert "--slug" in refusal("create_tenant", "New", "--slug", "x" * 101)
    assert "--admin-email" in refusal("create_tenant", "New", "--admin-email", f"{'x.' * 30}@{'example.' * 30}com")
    assert Tenant.objects.count() == 1


def test_a_persons_token_is_printed_once_and_alone():
    tenant = make_tenant("acme")
    ada = make_user(tenant, admin=True, email="ada@example.com")
    out, err = run("create_token", "--tenant", "acme", "--user", "ADA@example.com", "--role", "admin", "--label", "CI")
    secret = out.strip()
    assert re.fullmatch(r"kgi_[A-Za-z0-9_-]{43}", secret) and secret not in err
    me = Api(secret).ok("GET", "identity/whoami")
    assert (me["userId"], me["role"]) == (str(ada.pk), "admin")
    shown = Api(secret).ok("GET", f"tokens/{me['tokenId']}")
    assert shown["label"] == "CI" and "createdBy" not in shown, "nobody of the tenant made it"


def test_a_service_accounts_token_can_be_narrowed_and_expire():
    tenant = make_tenant("acme")
    account = make_service_account(tenant, "editor", name="runtime")
    options = ["--project", "default", "--expires", "2999-01-02T03:04:05"]
    out, _ = run("create_token", "--tenant", "acme", "--service-account", "runtime", *options)
    me = Api(out.strip()).ok("GET", "identity/whoami")
    assert me["principal"] == {"kind": "service-account", "id": str(account.pk)}
    assert (me["role"], me["projectId"]) == ("member", str(default_project(tenant).pk))
    assert me["expiresAt"] == "2999-01-02T03:04:05.000Z"


def test_what_a_token_cant_be_for_is_said_in_one_line():
    tenant, other = make_tenant("acme"), make_tenant("other")
    make_user(tenant, email="ada@example.com")
    make_user(other, email="ben@example.com")
    ada = ["create_token", "--tenant", "acme", "--user", "ada@example.com"]
    assert "'nope'" in refusal("create_token", "--tenant", "nope", "--user", "ada@example.com")
    assert "no such person" in refusal("create_token", "--tenant", "acme", "--user", "ben@example.com")
    assert "'app'" in refusal("create_token", "--tenant", "acme", "--service-account", "app")
    assert "'nope'" in refusal(*ada, "--project", "nope")
    assert "--expires" in refusal(*ada, "--expires", "tomorrow")
    assert "--expires" in refusal(*ada, "--expires", "2030-13-01T00:00:00Z")
    assert "future" in refusal(*ada, "--expires", "2001-01-01T00:00:00Z")
    assert "200" in refusal(*ada, "--label", "x" * 201)
    assert "one of the arguments" in refusal("create_token", "--tenant", "acme")
    assert "not allowed with" in refusal(*ada, "--service-account", "app")
    assert "--role" in refusal(*ada, "--role", "owner")
    assert not Token.objects.exists()
