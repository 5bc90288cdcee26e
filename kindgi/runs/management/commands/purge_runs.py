"""``manage.py purge_runs``: delete the runs that are past their project's retention."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from kindgi.access.models import Project
from kindgi.access.selectors import project_by_slug, tenant_by_slug
from kindgi.api.errors import ApiError
from kindgi.runs.services.retention import MOST, runs_purge_all


class Command(BaseCommand):
    """Batch by batch, each its own transaction, so that no request waits for long."""

    help = (
        "Delete the runs that ended longer ago than their project's retention setting says; corrections and their "
        "copies stay. A worker does it by itself, every PURGE_EVERY_SECONDS."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whose runs, and how many at once."""
        parser.add_argument("--tenant", metavar="SLUG", help="only this tenant's (default: every tenant's)")
        parser.add_argument("--project", metavar="SLUG", help="only this project's; needs --tenant")
        parser.add_argument(
            "--batch", metavar="N", type=int, default=MOST, help=f"most runs a transaction (default: {MOST})"
        )

    def handle(self, *, tenant: str | None, project: str | None, batch: int, **options: Any) -> None:
        """Purge each project with a retention until none of its runs is left to purge, and say how many it were."""
        if batch < 1:
            raise CommandError("--batch takes 1 or more.")
        try:
            projects = _projects(tenant, project)
        except ApiError as refused:
            raise CommandError(refused.message) from None
        for each, purged in runs_purge_all(projects, most=batch):
            self.stdout.write(f"{each.tenant.slug}/{each.slug}: {purged} purged.")


def _projects(tenant_slug: str | None, project_slug: str | None) -> list[Project] | None:
    """The projects with a retention: a tenant's, the one that is named, or ``None`` for all."""
    if tenant_slug is None:
        if project_slug is not None:
            raise CommandError("--project needs --tenant: a slug is unique only in its tenant.")
        return None
    tenant = tenant_by_slug(tenant_slug)
    if project_slug is None:
        projects = Project.objects.filter(tenant=tenant, retention_days__isnull=False)
        return list(projects.select_related("tenant").order_by("slug"))
    named = project_by_slug(tenant_id=tenant.pk, slug=project_slug)
    if named.retention_days is None:
        raise CommandError(f"The project {project_slug!r} has no retention: it keeps its runs for ever.")
    return [named]
