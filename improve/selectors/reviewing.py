"""Whose review suggested changes ask for (contract, section 7)."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db.models import QuerySet

from improve.models import Proposal
from judging.hooks import Asker
from kindgi.access.policies import can_write


def proposals_asking(askers: Iterable[Asker]) -> set[UUID]:
    """The suggested changes that ask people to judge their answers, as :func:`improve.policies.is_reviewer` has it.

    One statement for each who is on the roster of reviewers, none for others.
    """
    return {pk for asker in askers if asker.caller.reviewer_role is not None for pk in _asking(asker)}


def _asking(asker: Asker) -> QuerySet[Proposal, UUID]:
    caller, project_id = asker.caller, asker.project_id
    tried = Proposal.objects.filter(tenant_id=caller.tenant_id).exclude(candidate_version="")
    if project_id is not None:
        tried = tried.filter(project_id__in=[project_id] if can_write(caller, project_id) else [])
    elif not caller.sees_every_project:
        tried = tried.filter(project_id__in=[one for one in caller.readable_project_ids() if can_write(caller, one)])
    return tried.exclude(drafted_by=caller.actor).order_by().values_list("pk", flat=True)
