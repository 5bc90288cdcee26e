"""``manage.py check_queue``: recount the queue from scratch, and put it right where that is asked for."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.db.models import QuerySet

from judging.services.checking import Findings, queue_check
from judging.services.repairing import queue_repair
from kindgi.access.models import Project
from kindgi.access.selectors import project_by_slug, tenant_by_slug
from kindgi.api.errors import ApiError


class Command(BaseCommand):
    """Project by project, each at one moment: it can be run while everybody works."""

    help = (
        "Recount each project's queue from its runs, corrections and rules: items, lanes, and every count that is "
        "kept. Says what isn't as it must be, with exit status 1."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whose queue, and whether it shall be put right."""
        parser.add_argument("--tenant", metavar="SLUG", help="only this tenant's (default: every tenant's)")
        parser.add_argument("--project", metavar="SLUG", help="only this project's; needs --tenant")
        parser.add_argument(
            "--repair", action="store_true", help="put right what is found; meanwhile whoever changes a queue waits"
        )

    def handle(self, *, tenant: str | None, project: str | None, repair: bool, **options: Any) -> None:
        """A line for each project, and one for each kind of fault."""
        wrong = 0
        for each in _projects(tenant, project):
            findings = self._checked(each)
            if findings.found and repair:
                with transaction.atomic():
                    queue_repair(project=each)
                self.stdout.write("Repaired. Once more:")
                findings = self._checked(each)
            wrong += findings.found.total()
        if wrong:
            sys.exit(1)

    def _checked(self, project: Project) -> Findings:
        with transaction.atomic():
            findings = queue_check(project=project)
        outcome = f"{findings.found.total()} faults" if findings.found else "all is well"
        self.stdout.write(f"{project.tenant.slug}/{project.slug}: {findings.items} items, {outcome}.")
        if findings.found:
            self.stdout.write(str(findings))
        return findings


def _projects(tenant_slug: str | None, project_slug: str | None) -> QuerySet[Project] | list[Project]:
    """All projects, a tenant's, or the one that is named."""
    if tenant_slug is None and project_slug is not None:
        raise CommandError("--project needs --tenant: a slug is unique only in its tenant.")
    try:
        tenant = tenant_by_slug(tenant_slug) if tenant_slug is not None else None
        if tenant is not None and project_slug is not None:
            return [project_by_slug(tenant_id=tenant.pk, slug=project_slug)]
    except ApiError as refused:
        raise CommandError(refused.message) from None
    projects = Project.objects.select_related("tenant").order_by("tenant__slug", "slug")
    return projects if tenant is None else projects.filter(tenant=tenant)
