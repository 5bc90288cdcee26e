"""What is sent of a suggested change and its steps, checked for shape (contract, section 7). Knows no database."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from kindgi.api.errors import BadInput
from kindgi.api.ids import parse_id
from kindgi.api.operations import Body
from kindgi.runs.blocks import BlockContent
from kindgi.runs.models import BlockKind
from kindgi.runs.records import Name, Version

MOST_EVIDENCE = 100
LONGEST_TEXT = 2000
TIERS = {BlockKind.SETTINGS: "settings-block", BlockKind.PROMPT: "prompt-block"}

Tier = Literal["settings-block", "prompt-block"]
Text = Annotated[str, Meta(min_length=1, max_length=LONGEST_TEXT)]


class ProjectScope(Body, tag_field="kind", tag="project"):
    """The project that the change is for."""

    project_id: Annotated[str, Meta(min_length=1)]


class BlockChange(Body):
    """New content for a block that the agent version pins."""

    block_id: Name
    content: BlockContent
    from_version: (
        Annotated[str, Meta(max_length=20, description="The block's version, where it should be checked.")] | UnsetType
    ) = UNSET


class EvidenceBody(Body):
    """Verdicts that speak for the change: of the agent's runs in the project."""

    judgment_ids: Annotated[list[str], Meta(max_length=MOST_EVIDENCE)] = msgspec.field(default_factory=list)


class ProposalBody(Body):
    """A suggested change of one block of an agent version. Without `scope` it is for the default project."""

    agent_id: Name
    from_version: Annotated[Version, Meta(description="The agent version that is changed.")]
    change: BlockChange
    hypothesis: Annotated[Text, Meta(description="What the change should improve, and why.")]
    scope: ProjectScope | UnsetType = UNSET
    tier: Annotated[Tier, Meta(description="What kind of block it is, where it should be checked.")] | UnsetType = UNSET
    evidence: EvidenceBody | UnsetType = UNSET


class ReasonBody(Body):
    """Why, where anybody wants to say."""

    reason: Text | UnsetType = UNSET


class WithdrawBody(Body):
    """Why it is withdrawn."""

    reason: Text


class DecideBody(Body):
    """What the reviewer decides; a rejection says why."""

    decision: Literal["approve", "reject"]
    reason: Text | UnsetType = UNSET


def check_proposal(body: ProposalBody) -> None:
    """What the types can't say. Raises :class:`BadInput`."""
    check_text(body.hypothesis, "/hypothesis")


def check_text(text: str, place: str) -> None:
    """Refuse a text of nothing but space. Raises :class:`BadInput`."""
    if not text.strip():
        raise BadInput(f"{place}: It has no words.", details={"path": place})


def reason_of(body: ReasonBody | DecideBody) -> str:
    """The reason, empty for none. Raises :class:`BadInput`."""
    if isinstance(body.reason, UnsetType):
        return ""
    check_text(body.reason, "/reason")
    return body.reason


def evidence_of(body: ProposalBody) -> list[UUID]:
    """The verdicts' ids, each once, in their order. Raises :class:`BadInput` naming what is no id."""
    sent = [] if isinstance(body.evidence, UnsetType) else body.evidence.judgment_ids
    found: dict[UUID, None] = {}
    for index, text in enumerate(sent):
        parsed = parse_id(text)
        if parsed is None:
            raise no_verdict(index, text)
        found[parsed] = None
    return list(found)


def no_verdict(index: int, text: str) -> BadInput:
    """The refusal of evidence that is no verdict of the agent in the project."""
    place = f"/evidence/judgmentIds/{index}"
    return BadInput(
        f'{place}: "{text[:100]}" is no judgment of a run of the agent in the project.', details={"path": place}
    )
