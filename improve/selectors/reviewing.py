"""Whose review suggested changes ask for, and how many a project has (contract, sections 7 and 8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple
from uuid import UUID

from improve.policies import may_review
from judging.hooks import Asker
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.access.policies import can_write
from kindgi.sql import fetch

# As improve.policies.is_reviewer has it; ``homes`` are the projects in which the person writes, or NULL for all.
_ASKS = """
candidate_version <> '' AND drafted_by <> %(me)s AND (%(homes)s::uuid[] IS NULL OR project_id = ANY(%(homes)s::uuid[]))
"""
# Read with every page of the console and the queue's lists, where building the query costs more than it does.
_BY_PROJECT = f"""
SELECT project_id, count(*), coalesce(array_agg(id) FILTER (WHERE {_ASKS}), '{{}}')
FROM improve_proposal WHERE tenant_id = %(tenant)s AND (project_id = %(here)s OR {_ASKS}) GROUP BY project_id
"""  # noqa: S608 - ours


class Suggestions(NamedTuple):
    """How many changes were suggested in a project, and by project the ids of those that ask a person to judge."""

    here: int
    asking: Mapping[UUID, list[UUID]]


def suggestions_read(*, caller: Caller, project: Project | None) -> Suggestions:
    """How many the project has, whatever became of them, and what asks the caller in all projects. One statement."""
    homes = _homes(caller) if may_review(caller) else []
    return _read(caller, homes=homes, here=None if project is None else project.pk)


def _homes(caller: Caller) -> list[UUID] | None:
    """The projects in which the caller writes; ``None`` for all."""
    if caller.sees_every_project:
        return None
    return [project_id for project_id in caller.readable_project_ids() if can_write(caller, project_id)]


def proposals_asking(askers: Iterable[Asker]) -> set[UUID]:
    """The suggested changes that ask people to judge their answers, as :func:`improve.policies.is_reviewer` has it.

    One statement for each who is on the roster of reviewers, none for others.
    """
    return {
        pk
        for caller, project_id in askers
        if may_review(caller) and can_write(caller, project_id)
        for pk in _read(caller, homes=[project_id], here=None).asking.get(project_id, [])
    }


def _read(caller: Caller, *, homes: list[UUID] | None, here: UUID | None) -> Suggestions:
    found = fetch(_BY_PROJECT, {"tenant": caller.tenant_id, "me": caller.actor, "homes": homes, "here": here})
    counts = {project_id: count for project_id, count, _ in found}
    return Suggestions(counts.get(here, 0), {project_id: asking for project_id, _, asking in found})
