"""``manage.py purge_runs``: delete the runs that are past their project's retention."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from kindgi.access.models import Project
from kindgi.access.selectors import project_by_slug, tenant_by_slug
from kindgi.api.errors import ApiError
from kindgi.runs.services.retention import runs_purge


class Command(BaseCommand):
    """Batch by batch, each its own transaction, so that no request waits for long."""

    help = (
        "Delete the runs that ended longer ago than their project's retention setting says; corrections and their "
        "copies stay. Run it daily."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whose runs, and how many at once."""
        parser.add_argument("--tenant", metavar="SLUG", help="only this tenant's (default: every tenant's)")
        parser.add_argument("--project", metavar="SLUG", help="only this project's; needs --tenant")
        parser.add_argument("--batch", metavar="N", type=int, default=500, help="runs a transaction (default: 500)")

    def handle(self, *, tenant: str | None, project: str | None, batch: int, **options: Any) -> None:
        """Purge each project with a retention until none of its runs is left to purge, and say how many it were."""
        if batch < 1:
            raise CommandError("--batch takes 1 or more.")
        try:
            projects = _projects(tenant, project)
        except ApiError as refused:
            raise CommandError(refused.message) from None
        for each in projects:
            total = 0
            while purged := _batch_purge(each, batch):
                total += purged
            self.stdout.write(f"{each.tenant.slug}/{each.slug}: {total} purged.")


def _projects(tenant_slug: str | None, project_slug: str | None) -> list[Project]:
    """The projects with a retention: all, a tenant's, or the one that is named."""
    projects = Project.objects.filter(retention_days__isnull=False).select_related("tenant")
    if tenant_slug is None:
        if project_slug is not None:
            raise CommandError("--project needs --tenant: a slug is unique only in its tenant.")
        return list(projects.order_by("tenant__slug", "slug"))
    tenant = tenant_by_slug(tenant_slug)
    if project_slug is None:
        return list(projects.filter(tenant=tenant).order_by("slug"))
    named = project_by_slug(tenant_id=tenant.pk, slug=project_slug)
    if named.retention_days is None:
        raise CommandError(f"The project {project_slug!r} has no retention: it keeps its runs for ever.")
    return [named]


def _batch_purge(project: Project, limit: int) -> int:
    with transaction.atomic():
        return runs_purge(project=project, limit=limit)
