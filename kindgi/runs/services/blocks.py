"""Blocks' versions, and agent versions that pin them; an agent's row must be locked (contract, section 7)."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Max

from kindgi.api.ids import new_id
from kindgi.api.times import now
from kindgi.runs.blocks import Block
from kindgi.runs.errors import AgentVersionBlocksFixed
from kindgi.runs.models import AgentVersion, BlockVersion, PinnedBlock
from kindgi.runs.selectors import blocks_of


def blocks_pin(*, version: AgentVersion, blocks: Sequence[Block]) -> bool:
    """Have a version pin blocks, each at the version of its content; whether it didn't already.

    What a version pins never changes: raises :class:`AgentVersionBlocksFixed` where it pins others.
    """
    pinned = {block.block_id: bytes(block.digest) for block in blocks_of(version)}
    if pinned and pinned != {block.id: block.digest for block in blocks}:
        raise AgentVersionBlocksFixed
    if pinned or not blocks:
        return False
    _pin(version, _block_versions(version, blocks))
    return True


def version_derive(*, from_version: AgentVersion, version: str, block: Block) -> tuple[AgentVersion, BlockVersion]:
    """Register a version that is ``from_version`` with one of its blocks changed; it and the block's version.

    It isn't looked at for Latest. One of the name that is just so is that; raises
    :class:`AgentVersionBlocksFixed` for another.
    """
    at = now()
    defaults = {"tools": from_version.tools, "created_at": at, "updated_at": at}
    derived, made = AgentVersion.objects.get_or_create(
        agent_id=from_version.agent_id, version=version, defaults=defaults
    )
    changed = _block_versions(from_version, [block])[0]
    wanted = [changed if one.block_id == block.id else one for one in blocks_of(from_version)]
    if made:
        _pin(derived, wanted)
    elif derived.tools != from_version.tools or {one.pk for one in blocks_of(derived)} != {one.pk for one in wanted}:
        raise AgentVersionBlocksFixed(f'A version "{version}" was registered meanwhile, and it is another.')
    return derived, changed


def _block_versions(version: AgentVersion, blocks: Sequence[Block]) -> list[BlockVersion]:
    """The versions of the blocks' contents, made where a content is new: numbered from 1, one a content."""
    ids = [block.id for block in blocks]
    known = BlockVersion.objects.filter(agent_id=version.agent_id, block_id__in=ids).order_by()
    wanted = known.filter(digest__in=[block.digest for block in blocks])
    found = {(one.block_id, bytes(one.digest)): one for one in wanted}
    last = dict(known.values_list("block_id").annotate(Max("version")))
    missing = [block for block in blocks if (block.id, block.digest) not in found]
    made = [_new(version, block, last.get(block.id, 0) + 1) for block in missing]
    BlockVersion.objects.bulk_create(made)
    found |= {(one.block_id, bytes(one.digest)): one for one in made}
    return [found[block.id, block.digest] for block in blocks]


def _new(version: AgentVersion, block: Block, number: int) -> BlockVersion:
    return BlockVersion(
        agent_id=version.agent_id,
        block_id=block.id,
        version=number,
        kind=block.kind,
        content=block.content,
        declares=block.declares,
        digest=block.digest,
    )


def _pin(version: AgentVersion, blocks: Sequence[BlockVersion]) -> None:
    PinnedBlock.objects.bulk_create(
        PinnedBlock(id=new_id(), agent_version=version, block=block, name=block.block_id, position=position)
        for position, block in enumerate(blocks)
    )
