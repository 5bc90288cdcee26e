"""What changes service accounts (contract, section 9)."""

from __future__ import annotations

from collections.abc import Mapping

from kindgi.access import errors
from kindgi.access.callers import Caller
from kindgi.access.models import Project, ServiceAccount, ServiceAccountGrant
from kindgi.access.policies import check_tenant_admin
from kindgi.access.services.constraints import refusing
from kindgi.api.errors import ApiError
from kindgi.api.times import now


def service_account_create(
    *,
    caller: Caller,
    name: str,
    description: str = "",
    is_tenant_admin: bool = False,
    roles: Mapping[Project, str] | None = None,
) -> ServiceAccount:
    """The new account with its roles by project; raises ``PermissionDenied``, :class:`ServiceAccountNameTaken`.

    The projects must be of the caller's tenant: take them from a selector.
    """
    check_tenant_admin(caller)
    account = ServiceAccount(
        tenant_id=caller.tenant_id,
        name=name,
        description=description,
        is_tenant_admin=is_tenant_admin,
        created_by=caller.actor,
    )
    with refusing(_name_taken(name)):
        account.save(force_insert=True)
        ServiceAccountGrant.objects.bulk_create(
            ServiceAccountGrant(service_account=account, project=project, role=role)
            for project, role in (roles or {}).items()
        )
    return account


def service_account_update(*, caller: Caller, account: ServiceAccount) -> None:
    """Write the account's changed name, description and tenant admin's power.

    Raises ``PermissionDenied``, :class:`ServiceAccountNameTaken`, :class:`ServiceAccountNotFound`.
    """
    check_tenant_admin(caller)
    live = ServiceAccount.objects.filter(pk=account.pk, unregistered_at__isnull=True)
    changes = {name: getattr(account, name) for name in ("name", "description", "is_tenant_admin")}
    with refusing(_name_taken(account.name)):
        if not live.update(**changes):
            raise errors.ServiceAccountNotFound


def service_account_grant(
    *, caller: Caller, account: ServiceAccount, project: Project, role: str
) -> ServiceAccountGrant:
    """The account's role in the project, which replaces the one that it had there.

    Raises ``PermissionDenied``, :class:`ProjectNotFound`, :class:`ServiceAccountNotFound`.
    """
    check_tenant_admin(caller)
    if not ServiceAccount.objects.filter(pk=account.pk, unregistered_at__isnull=True).exists():
        raise errors.ServiceAccountNotFound("The service account is unregistered.")
    if project.tenant_id != account.tenant_id:
        raise errors.ProjectNotFound
    with refusing({}):
        grant, _ = ServiceAccountGrant.objects.update_or_create(
            service_account=account, project=project, defaults={"role": role}
        )
    return grant


def service_account_ungrant(*, caller: Caller, grant: ServiceAccountGrant) -> None:
    """Take the role away; a second time changes nothing. Raises ``PermissionDenied``."""
    check_tenant_admin(caller)
    ServiceAccountGrant.objects.filter(pk=grant.pk).delete()


def service_account_unregister(*, caller: Caller, account: ServiceAccount) -> None:
    """Take the account away with its grants; its tokens no longer work. A second time changes nothing."""
    check_tenant_admin(caller)
    live = ServiceAccount.objects.filter(pk=account.pk, unregistered_at__isnull=True)
    if live.update(unregistered_at=now(), is_tenant_admin=False):
        ServiceAccountGrant.objects.filter(service_account=account).delete()


def _name_taken(name: str) -> dict[str, ApiError]:
    taken = errors.ServiceAccountNameTaken(f"Another service account is named {name!r}.", details={"name": name})
    return {"service_account_name_once": taken}
