"""``manage.py create_tenant``: a tenant, its default project, and whoever administers it first."""

from __future__ import annotations

import secrets
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import MaxLengthValidator, validate_slug
from django.db import transaction
from django.utils.text import slugify

from kindgi.access.services.tenants import DEFAULT_PROJECT, tenant_create, user_create
from kindgi.api.errors import ApiError


class Command(BaseCommand):
    """All of it or nothing; a password that it makes is printed this once."""

    help = "Make a tenant with its default project and, by --admin-email, its first tenant admin."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to make."""
        parser.add_argument("name", help="what people call it")
        parser.add_argument("--slug", help="short name for addresses and commands (made from the name if left out)")
        parser.add_argument("--admin-email", metavar="EMAIL", help="the first tenant admin, who may sign in to /admin/")
        parser.add_argument("--password", help="the admin's (made and printed if left out)")

    def handle(self, *, name: str, slug: str | None, admin_email: str | None, **options: Any) -> None:
        """Make it and say what was made."""
        slug = slug if slug is not None else slugify(name)[:100]
        password: str | None = options["password"]
        _check(name=name, slug=slug, admin_email=admin_email, password=password)
        try:
            with transaction.atomic():
                lines = _make(name=name, slug=slug, admin_email=admin_email, password=password)
        except ApiError as refused:
            raise CommandError(refused.message) from None
        self.stdout.write("\n".join(lines))


def _check(*, name: str, slug: str, admin_email: str | None, password: str | None) -> None:
    if not name.strip() or len(name) > 200:
        raise CommandError("The name must have 1 to 200 characters.")
    if password is not None and admin_email is None:
        raise CommandError("--password needs --admin-email.")
    _validate("--slug", validate_slug, slug)
    _validate("--slug", MaxLengthValidator(100), slug)
    _validate("--admin-email", MaxLengthValidator(254), admin_email or "")
    if password is not None:
        _validate("--password", validate_password, password)


def _validate(option: str, validator: Callable[[str], None], value: str) -> None:
    try:
        validator(value)
    except ValidationError as refused:
        raise CommandError(f"{option}: {' '.join(refused.messages)}") from None


def _make(*, name: str, slug: str, admin_email: str | None, password: str | None) -> list[str]:
    tenant = tenant_create(name=name, slug=slug)
    lines = [f"Tenant {name} ({slug}) is made: {tenant.pk}", f"Its default project: {DEFAULT_PROJECT}"]
    if admin_email is not None:
        chosen = password or secrets.token_urlsafe(12)
        user_create(tenant=tenant, email=admin_email, password=chosen, is_tenant_admin=True, is_staff=True)
        lines.append(f"Its admin: {admin_email}")
        lines += [] if password else [f"Their password, shown this once: {chosen}"]
    return lines
