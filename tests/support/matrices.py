"""Permission matrices: a table of addresses against all kinds of callers, each request of which is undone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.http import HttpResponse

from kindgi.access.callers import operator_in
from kindgi.access.models import User
from kindgi.access.services.memberships import membership_add
from kindgi.access.services.service_accounts import service_account_unregister
from kindgi.access.services.tokens import token_revoke
from tests.builders import make_service_account, make_token, make_user, mint
from tests.support.shops import CheckedApi, Shop

UNKNOWN = "018f0000-0000-7000-8000-000000000000"
# Nobody of these gets further than the door, at any address.
NOT_LET_IN = {
    "stranger": "auth-missing",
    "unknown": "auth-missing",
    "expired": "auth-expired",
    "revoked": "auth-revoked",
    "deactivated": "auth-revoked",
    "unregistered": "auth-revoked",
}
# outsider: of the tenant, with no role in the project. elsewhere: an admin of the project, by a token that
# is narrowed to another one. ceiling: a tenant admin's member token. narrowed: a tenant admin's token that is
# narrowed to the project. rival: an admin of another tenant, where everything has the same names and ids.
LET_IN = [
    "outsider", "elsewhere", "viewer", "editor", "service", "admin", "owner", "ceiling", "narrowed", "tenant", "rival",
]  # fmt: skip


@dataclass
class Row:
    """One line of a matrix: ``variant`` is what stands between the path and the statuses."""

    method: str
    path: str
    variant: str
    statuses: dict[str, int]

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.variant}".strip()


def rows(matrix: str) -> list[Row]:
    """The lines of a table whose first line names ``LET_IN`` by their first three letters."""
    header, *lines = matrix.strip("\n").splitlines()
    assert header.split() == [who[:3] for who in LET_IN]
    found = []
    for line in lines:
        words = line.split()
        count = len(words) - len(LET_IN)
        statuses = dict(zip(LET_IN, map(int, words[count:]), strict=True))
        found.append(Row(words[0], words[1], " ".join(words[2:count]), statuses))
    return found


@dataclass
class World:
    """A shop, its twin in another tenant, who may ask, and what the names in the paths and bodies stand for."""

    shop: Shop
    twin: Shop
    secrets: dict[str, str | None] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, shop: Shop) -> World:
        """Everybody whom a matrix names, and everybody who isn't let in."""
        world = cls(shop, Shop.open())
        world.secrets = {role: shop.api(role).secret for role in ("viewer", "editor", "service", "admin", "owner")}
        tenant_admin = shop.person("tenant-admin")
        world.secrets |= {
            "tenant": shop.admin.secret,
            "ceiling": make_token(tenant_admin, "member"),
            "narrowed": make_token(tenant_admin, project=shop.project),
            "outsider": make_token(make_user(shop.tenant)),
            "elsewhere": world._narrowed_elsewhere(),
            "rival": world.twin.admin.secret,
        }
        world._add_who_is_not_let_in()
        return world

    def _narrowed_elsewhere(self) -> str:
        person, other = self.shop.person("admin"), self.shop.other_project()
        assert isinstance(person, User)
        membership_add(caller=operator_in(self.shop.tenant.pk), project=other, user=person, role="admin")
        self.names["elsewhere"] = str(other.pk)
        return make_token(person, project=other)

    def _add_who_is_not_let_in(self) -> None:
        tenant, owner = self.shop.tenant, self.shop.person("owner")
        gone, account = make_user(tenant, "owner"), make_service_account(tenant, "owner")
        revoked = mint(owner)
        self.secrets |= {
            "stranger": None,
            "unknown": "kgi_" + "A" * 43,
            "expired": make_token(owner, expired=True),
            "revoked": revoked.secret,
            "deactivated": make_token(gone),
            "unregistered": make_token(account),
        }
        operator = operator_in(tenant.pk)
        token_revoke(caller=operator, token=revoked.token)
        User.objects.filter(pk=gone.pk).update(is_active=False)
        service_account_unregister(caller=operator, account=account)

    def ask(self, who: str, row: Row, body: Any = None, *, path: str | None = None) -> Any:
        """One request whose effect is undone."""
        with transaction.atomic():
            response: HttpResponse = CheckedApi(self.secrets[who]).request(
                row.method, path or row.path.format(**self.names), self._filled(body)
            )
            transaction.set_rollback(True)
        return response

    def _filled(self, body: Any) -> Any:
        if isinstance(body, str):
            return body.format(**self.names)
        if isinstance(body, dict):
            return {name: self._filled(value) for name, value in body.items()}
        return [self._filled(value) for value in body] if isinstance(body, list) else body


def anonymous(path: str) -> str:
    """A path with ``*`` for each of its parameters, spelled as in a matrix or as in a URL pattern."""
    return "/".join("*" if part[:1] in "<{" and part else part for part in path.split("/"))
