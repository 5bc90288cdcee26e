"""A project's suggested changes by what they wait for, as the console's tab lists them (contract, sections 7 and 8)."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from improve.models import Proposal
from improve.policies import is_reviewer
from improve.selectors.proposals import proposal_standings
from improve.standing import Standing
from improve.statuses import Action, Status
from improve.words.standing import Group, group_of
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.api.ids import parse_id

MOST_AGENTS = 200


def standings_by_group(
    *, project: Project, caller: Caller, text: str = "", agent_id: str = ""
) -> dict[Group, list[Standing]]:
    """The project's suggested changes by group, what moved last first; groups without any are missing.

    Those alone whose words, block or version have ``text``, of the agent where one is named. Four
    statements at most, however many there are; without the contents that are suggested.
    """
    proposals = list(_found(project, text, agent_id))
    found: dict[Group, list[Standing]] = {}
    for one in proposal_standings(caller=caller, proposals=proposals):
        found.setdefault(group_for(caller, one), []).append(one)
    for rows in found.values():
        rows.sort(key=lambda one: (one.proposal.updated_at, one.proposal.created_at, one.proposal.pk), reverse=True)
    return {group: found[group] for group in Group if group in found}


def group_for(caller: Caller, standing: Standing) -> Group:
    """The group for whoever looks: of what waits for a decision, whether it would be theirs."""
    if standing.status == Status.IN_REVIEW:
        return group_of(standing.status, may_decide=Action.DECIDE in standing.can)
    return group_of(standing.status, may_decide=is_reviewer(caller, standing.proposal))


def proposal_tried_by(*, project: Project, evaluation_id: str) -> Proposal | None:
    """The project's suggested change that an evaluation tries, without its content, or ``None``. One statement."""
    parsed = parse_id(evaluation_id)
    tried = Proposal.objects.filter(project=project, evaluations=parsed).defer("content")
    return tried.first() if parsed else None


def agents_with_proposals(project: Project) -> list[str]:
    """The agents that have any, by their ids; the first 200. One statement."""
    agents = Proposal.objects.filter(project=project).order_by("agent_id").values_list("agent_id", flat=True)
    return list(agents.distinct()[:MOST_AGENTS])


def _found(project: Project, text: str, agent_id: str) -> QuerySet[Proposal]:
    found = Proposal.objects.filter(project=project).defer("content")
    if agent_id:
        found = found.filter(agent_id=agent_id)
    for word in text.replace("\0", "").split():
        said = Q(hypothesis__icontains=word) | Q(block_name__icontains=word)
        found = found.filter(said | Q(from_version__icontains=word) | Q(candidate_version__icontains=word))
    return found.order_by()
