"""``manage.py create_token``: an API token, whose secret is printed once."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils.dateparse import parse_datetime

from kindgi.access.callers import Caller, operator_in
from kindgi.access.models import ServiceAccount, Token, TokenRole, User
from kindgi.access.selectors import project_by_slug, service_account_by_name, tenant_by_slug, user_get
from kindgi.access.services.tokens import TokenSpec, token_mint
from kindgi.api.errors import ApiError


class Command(BaseCommand):
    """The secret alone goes to standard output, so that it can be piped; what it is of goes to standard error."""

    help = "Mint an API token for a user or a service account, and print its secret once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """For whom, and what it may do."""
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        principal = parser.add_mutually_exclusive_group(required=True)
        principal.add_argument("--user", metavar="EMAIL", help="the person whom it acts for")
        principal.add_argument("--service-account", metavar="NAME", help="the service account that it acts for")
        parser.add_argument(
            "--role", choices=TokenRole.values, default=TokenRole.MEMBER, help="the most that it may do"
        )
        parser.add_argument("--project", metavar="SLUG", help="narrow it to one project")
        parser.add_argument("--label", default="", help="what it is for")
        parser.add_argument("--expires", metavar="ISO", help="when it expires, in ISO 8601 (UTC without an offset)")

    def handle(self, **options: Any) -> None:
        """Mint it."""
        try:
            with transaction.atomic():
                token, secret = _mint(options)
        except ApiError as refused:
            raise CommandError(refused.message) from None
        self.stderr.write(f"Token {token.pk} for {token.user or token.service_account}, secret shown this once:")
        self.stdout.write(secret)


def _mint(options: dict[str, Any]) -> tuple[Token, str]:
    label: str = options["label"]
    if len(label) > 200:
        raise CommandError("The label must have up to 200 characters.")
    caller = operator_in(tenant_by_slug(options["tenant"]).pk)
    project = project_by_slug(tenant_id=caller.tenant_id, slug=options["project"]) if options["project"] else None
    spec = TokenSpec(role=options["role"], project=project, label=label, expires_at=_instant(options["expires"]))
    minted = token_mint(caller=caller, principal=_principal(caller, options), spec=spec)
    return minted.token, minted.secret


def _principal(caller: Caller, options: dict[str, Any]) -> User | ServiceAccount:
    if options["user"] is not None:
        return user_get(tenant_id=caller.tenant_id, email=options["user"])
    return service_account_by_name(tenant_id=caller.tenant_id, name=options["service_account"])


def _instant(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    if found is None:
        raise CommandError(f"--expires: {text} isn't an instant such as 2030-01-31T12:00:00Z.")
    return found if found.tzinfo else found.replace(tzinfo=UTC)
