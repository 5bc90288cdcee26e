"""What a project runs of an agent, and what going back from a suggested change would have it run (contract, section 7).

Whoever acts on it has the agent's row locked.
"""

from __future__ import annotations

from improve.models import Promotion, Proposal
from improve.selectors.candidates import candidate_taken
from kindgi.access.models import Project
from kindgi.runs.models import Agent, PinChange
from kindgi.runs.selectors import agent_get, agent_pin_get


def version_live(*, project: Project, agent: Agent) -> str:
    """What the project runs: what it pins, or Latest; empty for neither."""
    pin = agent_pin_get(project=project, agent=agent)
    if pin is not None:
        return pin.version.version
    return agent.latest.version if agent.latest else ""


def version_instead(proposal: Proposal, *, agent: Agent) -> str:
    """What the project runs instead of the version that is changed: pinning the candidate would undo that.

    Empty where it runs that version, or the candidate, or nothing that is known.
    """
    live = version_live(project=proposal.project, agent=agent)
    if live == proposal.from_version or (live == proposal.candidate_version and not candidate_taken(proposal, agent)):
        return ""
    return live


def version_run_instead(proposal: Proposal) -> str:
    """The same, without the lock; up to four statements."""
    return version_instead(proposal, agent=agent_get(tenant_id=proposal.tenant_id, agent_id=proposal.agent_id))


def pinned_before(proposal: Proposal, *, agent: Agent) -> str:
    """What the project pinned before the suggested change's own version, empty for nothing.

    Where somebody pinned that by hand already, it is what they pinned it in the place of.
    """
    pin = agent_pin_get(project=proposal.project, agent=agent)
    if pin is None or pin.version.version != proposal.candidate_version:
        return pin.version.version if pin else ""
    changes = PinChange.objects.filter(project=proposal.project, agent=agent).order_by("-created_at", "-pk")
    newest = changes.filter(to_version=proposal.candidate_version).values_list("from_version", flat=True).first()
    return newest or ""


def version_before(promotion: Promotion, *, agent: Agent) -> str:
    """What is pinned where the promotion is gone back from, empty for nothing: Latest is followed again.

    What was pinned before, or what ran by being Latest: where that is Latest no more, it is pinned.
    """
    if promotion.pin_before:
        return promotion.pin_before
    latest = agent.latest.version if agent.latest else ""
    proposal, ran = promotion.proposal, promotion.live_version
    if ran == proposal.candidate_version:  # pinned by hand before it was asked for: it changed this one
        ran = proposal.from_version
    return "" if ran == latest else ran


def version_to_go_back_to(proposal: Proposal, promotion: Promotion) -> str:
    """The same of a suggested change that is live now; two statements."""
    promotion.proposal = proposal
    agent = agent_get(tenant_id=proposal.tenant_id, agent_id=proposal.agent_id)
    return version_before(promotion, agent=agent)
