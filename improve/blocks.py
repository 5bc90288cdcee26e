"""A version's blocks with one of them changed, as replay requests carry them (contract, section 7). Pure.

Content is kept as it was sent, to the byte: JSON texts are put together, never parsed and written anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Raw

from improve.models import Proposal
from kindgi.api.jsontext import encode
from kindgi.runs.models import BlockVersion


class Changed(NamedTuple):
    """JSON texts: the ``change`` of a suggested change, and the content of all ``blocks`` with it made, by block id."""

    change: str
    blocks: str


def changed_blocks(*, proposal: Proposal, pinned: Sequence[BlockVersion]) -> Changed:
    """The suggested change of the blocks that its version pins, as :func:`job_begin` takes both.

    ``pinned`` are the version's blocks (:func:`kindgi.runs.selectors.blocks_of`), ``proposal.block`` is one of them.
    """
    contents = {block.block_id: block.content for block in pinned}
    return Changed(change_text(proposal), blocks_text(contents | {proposal.block_name: proposal.content}))


def change_text(proposal: Proposal) -> str:
    """``{blockId, fromVersion, content}`` of a suggested change; ``proposal.block`` is the block's version."""
    change = {
        "blockId": proposal.block_name,
        "fromVersion": str(proposal.block.version),
        "content": Raw(proposal.content.encode()),
    }
    return encode(change).decode()


def blocks_text(contents: Mapping[str, str]) -> str:
    """The content of blocks, JSON texts, by block id."""
    return encode({block_id: Raw(content.encode()) for block_id, content in contents.items()}).decode()
