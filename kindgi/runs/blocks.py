"""What an agent version's blocks are: checked, and kept as they were sent (contract, section 7). Knows no database."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated

from msgspec import UNSET, Meta, Raw, UnsetType

from kindgi.api.errors import BadInput
from kindgi.api.json_values import canonical, members, parse
from kindgi.api.jsontext import decode_span, encode
from kindgi.api.operations import Body
from kindgi.runs.block_schemas import LONGEST_SCHEMA, check_values
from kindgi.runs.models import BlockKind, BlockVersion
from kindgi.runs.records import Name

MAX_BLOCKS = 50
LONGEST = 200_000
_NAMED = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")

Template = Annotated[str, Meta(max_length=LONGEST, description="The prompt; `{{name}}` stands for a parameter.")]
Values = Annotated[
    Raw, Meta(description="The settings by name; kept to the byte.", extra_json_schema={"type": "object"})
]


class Parameter(Body):
    """What a template may name."""

    name: Name
    type: Annotated[str, Meta(max_length=50)] | UnsetType = UNSET
    description: Annotated[str, Meta(max_length=2000)] | UnsetType = UNSET
    required: bool | UnsetType = UNSET
    default: Annotated[Raw, Meta(description="Any JSON value.")] | UnsetType = UNSET


class PromptBlock(Body, tag_field="kind", tag="prompt"):
    """A prompt. Where parameters are declared, its template names no others."""

    id: Name
    template: Template
    parameters: Annotated[list[Parameter], Meta(max_length=100)] | UnsetType = UNSET


class SettingsBlock(Body, tag_field="kind", tag="settings"):
    """Settings, which satisfy their JSON Schema where they have one (draft 2020-12 unless its `$schema` says else)."""

    id: Name
    values: Values
    schema: (
        Annotated[
            Raw,
            Meta(description="A JSON Schema; nothing that it names is fetched.", extra_json_schema={"type": "object"}),
        ]
        | UnsetType
    ) = UNSET


Blocks = Annotated[list[PromptBlock | SettingsBlock], Meta(max_length=MAX_BLOCKS)]


class BlockContent(Body):
    """What a block holds: a prompt's `template`, or settings' `values`."""

    template: Template | UnsetType = UNSET
    values: Values | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class Block:
    """A block that was checked: ``content`` and ``declares`` are JSON texts, as they were sent."""

    id: str
    kind: BlockKind
    content: str
    declares: str

    @property
    def digest(self) -> bytes:
        """Of all that it says, whatever the order of its keys and the space between them."""
        return _digest(self.kind, self.content, self.declares)


def blocks_checked(sent: Iterable[PromptBlock | SettingsBlock]) -> list[Block]:
    """The blocks in their order, each named once; raises :class:`BadInput` with the place of what is wrong."""
    found: dict[str, Block] = {}
    for index, block in enumerate(sent):
        place = f"/blocks/{index}"
        if block.id in found:
            raise BadInput(f'{place}: the block "{block.id}" is there more than once.', details={"path": place})
        found[block.id] = _checked(block, place)
    return list(found.values())


def content_checked(sent: BlockContent, *, of: BlockVersion, place: str) -> Block:
    """New content for a block, by what its version declares; raises :class:`BadInput`."""
    holds_template = not isinstance(sent.template, UnsetType)
    if holds_template == (not isinstance(sent.values, UnsetType)):
        raise BadInput(f"{place}: Exactly one of template and values is a block's content.", details={"path": place})
    if holds_template != (of.kind == BlockKind.PROMPT):
        wanted = "template" if of.kind == BlockKind.PROMPT else "values"
        raise BadInput(f'{place}: "{of.block_id}" is a block of {of.kind}: it holds {wanted}.', details={"path": place})
    declared = members(of.declares.encode())
    if isinstance(sent.template, str):
        parameters = declared.get("parameters")
        listed = UNSET if parameters is None else decode_span(bytes(parameters), list[Parameter], place)
        block: PromptBlock | SettingsBlock = PromptBlock(id=of.block_id, template=sent.template, parameters=listed)
    else:
        block = SettingsBlock(id=of.block_id, values=_raw(sent.values), schema=declared.get("schema", UNSET))
    checked = _checked(block, place)
    return Block(checked.id, checked.kind, checked.content, of.declares)


def _checked(block: PromptBlock | SettingsBlock, place: str) -> Block:
    if isinstance(block, PromptBlock):
        return _prompt(block, place)
    values = bytes(block.values)
    if values[:1] != b"{":
        raise BadInput(f"{place}/values: Settings are an object.", details={"path": f"{place}/values"})
    if len(values) > LONGEST:
        raise BadInput(f"{place}/values: Settings have up to {LONGEST:,} bytes.", details={"path": f"{place}/values"})
    declares = "{}"
    if not isinstance(block.schema, UnsetType):
        check_values(values, bytes(block.schema), place)
        declares = encode({"schema": block.schema}).decode()
    return Block(block.id, BlockKind.SETTINGS, encode({"values": block.values}).decode(), declares)


def _prompt(block: PromptBlock, place: str) -> Block:
    declares = "{}"
    if not isinstance(block.parameters, UnsetType):
        names = [parameter.name for parameter in block.parameters]
        if len(set(names)) != len(names):
            raise BadInput(f"{place}/parameters: A parameter is there more than once.")
        for named in _NAMED.findall(block.template):
            if named not in names:
                raise BadInput(
                    f'{place}/template: It names "{named[:100]}", which isn\'t among the parameters.',
                    details={"path": f"{place}/template", "parameter": named[:100]},
                )
        declares = encode({"parameters": block.parameters}).decode()
        if len(declares) > LONGEST_SCHEMA:
            raise BadInput(f"{place}/parameters: They have up to {LONGEST_SCHEMA:,} bytes.")
    return Block(block.id, BlockKind.PROMPT, encode({"template": block.template}).decode(), declares)


def _digest(kind: str, content: str, declares: str) -> bytes:
    said = [kind, parse(content.encode()), parse(declares.encode())]
    return sha256(canonical(said).encode()).digest()


def _raw(value: Raw | UnsetType) -> Raw:
    return Raw(b"null") if isinstance(value, UnsetType) else value
