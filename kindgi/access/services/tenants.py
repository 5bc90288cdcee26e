"""What makes tenants and people: whoever runs the installation does, not a caller of /v1."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from kindgi.access import errors
from kindgi.access.models import Project, Tenant, User
from kindgi.access.services.constraints import refusing
from kindgi.api.errors import ApiError, BadInput
from kindgi.api.times import now

DEFAULT_PROJECT = "default"


def tenant_create(*, name: str, slug: str) -> Tenant:
    """The new tenant, with its default project; raises :class:`TenantSlugTaken`."""
    tenant = Tenant(name=name, slug=slug)
    taken = errors.TenantSlugTaken(f"Another tenant has the slug {slug!r}.", details={"slug": slug})
    with refusing({"access_tenant_slug_key": taken}):
        tenant.save(force_insert=True)
    at = now()
    Project.objects.create(
        tenant=tenant, name="Default", slug=DEFAULT_PROJECT, is_default=True, created_at=at, updated_at=at
    )
    return tenant


def user_create(
    *,
    tenant: Tenant,
    email: str,
    password: str | None = None,
    display_name: str = "",
    is_tenant_admin: bool = False,
    is_staff: bool = False,
) -> User:
    """The new person, who can't sign in with a password when there is none.

    Raises :class:`UserEmailTaken`, whatever the tenant and case of the other's, and ``BadInput`` for what is no email.
    """
    try:
        validate_email(email)
    except ValidationError:
        raise BadInput(f"{email!r} isn't an email address.") from None
    with refusing(_email_taken(email)):
        return User.objects.create_user(
            email,
            password,
            tenant=tenant,
            display_name=display_name,
            is_tenant_admin=is_tenant_admin,
            is_staff=is_staff,
        )


def user_update(*, user: User) -> None:
    """Write what was changed of a person; raises :class:`UserEmailTaken`."""
    with refusing(_email_taken(user.email)):
        user.save(force_update=True)


def _email_taken(email: str) -> dict[str, ApiError]:
    taken = errors.UserEmailTaken(f"Somebody has the email {email} already.")
    return {"access_user_email_key": taken, "user_email_once": taken}
