"""Drafting a suggested change: which block, what it holds, and the corrections that speak for it (section 7)."""

from __future__ import annotations

from functools import cached_property
from json import JSONDecodeError

from django.http import QueryDict
from django.utils.translation import gettext
from msgspec import Raw

from corrections.models import Verdict
from improve.selectors.evidence import verdicts_named, wrong_verdicts
from improve.suggesting import MOST_EVIDENCE, BlockChange, EvidenceBody, ProjectScope, ProposalBody
from kindgi.api.errors import BadInput, NotFound
from kindgi.api.ids import parse_id
from kindgi.api.json_values import parse
from kindgi.api.jsontext import check_depth
from kindgi.runs.blocks import BlockContent
from kindgi.runs.errors import AgentNotFound, AgentVersionNotFound
from kindgi.runs.models import BlockKind, BlockVersion
from kindgi.runs.selectors import agent_get, agent_version_get, blocks_of
from quality_console.changes.evidence import Piece, pieces_of
from quality_console.forms.changes import DraftForm
from quality_console.frame import Frame
from quality_console.presenting.clusters import printable
from quality_console.presenting.content_diffs import text_of_content
from quality_console.presenting.diffs import even
from quality_console.presenting.spans import encoded, fields, string_of


class Draft:
    """A draft as the address asks for it: ``agent``, ``version``, ``block``, and ``evidence``, a verdict's id each.

    Raises ``NotFound`` where it names no version.
    """

    def __init__(self, frame: Frame, query: QueryDict, sent: QueryDict | None = None) -> None:
        """With what was ``sent``, where it was."""
        self.frame, self.query, self.sent = frame, query, sent
        self.agent_id, self.version = (query.get(name, "").replace("\0", "") for name in ("agent", "version"))
        if not (self.agent_id and self.version):
            raise NotFound(gettext("Which version of which agent is to be changed isn't said."))
        self.blocks = self._blocks()

    def _blocks(self) -> list[BlockVersion]:
        """The version's blocks; none of a version that was never registered, as of one without any."""
        try:
            agent = agent_get(tenant_id=self.frame.caller.tenant_id, agent_id=self.agent_id)
            return blocks_of(agent_version_get(agent=agent, version=self.version))
        except (AgentNotFound, AgentVersionNotFound):
            return []

    @cached_property
    def block(self) -> BlockVersion | None:
        """The block that is changed; the first where none is named, ``None`` where the version has none.

        A form that was sent to show another block says which by ``show``.
        """
        sent = self.sent or QueryDict()
        asked = sent.get("show") or sent.get("block") or self.query.get("block", "")
        return next((one for one in self.blocks if one.block_id == asked), self.blocks[0] if self.blocks else None)

    @property
    def is_prompt(self) -> bool:
        """Whether it is a prompt's template rather than settings."""
        return self.block is not None and self.block.kind == BlockKind.PROMPT

    @cached_property
    def content(self) -> str:
        """What the block holds now, to be changed."""
        return "" if self.block is None else printable(text_of_content(self.block.content))

    @property
    def can_be_typed(self) -> bool:
        """Whether a page can hold the content as it is, or it has characters that none can."""
        if self.block is None or not self.is_prompt:
            return True
        return even(self._template) == self.content

    @property
    def _template(self) -> str:
        found = fields(encoded(self.block.content if self.block else "{}"))
        return string_of(found.get("template", b'""')) or ""

    @cached_property
    def named(self) -> list[Verdict]:
        """The verdicts that the address names, of the project alone."""
        ids = [parsed for text in self.query.getlist("evidence")[:MOST_EVIDENCE] if (parsed := parse_id(text))]
        found = verdicts_named(project=self.frame.project, ids=ids)
        return [one for one in found if one.correction.subject_id == self.agent_id]

    @cached_property
    def offered(self) -> list[Piece]:
        """Those, and the newest others that say something was wrong in runs of the version."""
        named = {one.pk for one in self.named}
        others = wrong_verdicts(project=self.frame.project, agent_id=self.agent_id, version=self.version)
        return pieces_of(self.frame, [*self.named, *(one for one in others if one.pk not in named)])

    @cached_property
    def form(self) -> DraftForm:
        """The form, as it was sent or as it is begun."""
        label = gettext("The prompt's template") if self.is_prompt else gettext("The settings' values, as JSON")
        ids = [str(one.verdict.pk) for one in self.offered]
        if self.shows_another:
            typed = self.kept.get(self._name(self.block), self.content)
            said = {"content": typed, "hypothesis": self._said("hypothesis"), "evidence": self._sent_evidence}
            return DraftForm(initial=said, evidence=ids, label=label)
        if self.sent is not None:
            return DraftForm(self.sent, evidence=ids, label=label)
        initial = {"content": self.content, "evidence": [str(one.pk) for one in self.named]}
        return DraftForm(initial=initial, evidence=ids, label=label)

    @property
    def shows_another(self) -> bool:
        """Whether the form was sent only to show another block: what was typed stays."""
        return self.sent is not None and bool(self.sent.get("show"))

    @cached_property
    def kept(self) -> dict[str, str]:
        """What was typed into each block, by its id, among it what the form shows no more."""
        if self.sent is None:
            return {}
        names = {one.block_id: f"kept-{number}" for number, one in enumerate(self.blocks)}
        names[self._said("block")] = "content"
        # One that was emptied was typed into as well; one whose field wasn't sent wasn't.
        return {block_id: even(self._said(name)) for block_id, name in names.items() if name in self.sent}

    @property
    def put_by(self) -> list[tuple[str, str]]:
        """The fields of a form that keep what was typed into the blocks that aren't shown."""
        hidden = [(f"kept-{number}", one.block_id) for number, one in enumerate(self.blocks) if one != self.block]
        return [(name, self.kept[block_id]) for name, block_id in hidden if block_id in self.kept]

    def _said(self, name: str) -> str:
        return "" if self.sent is None else self.sent.get(name, "").replace("\0", "")

    @property
    def _sent_evidence(self) -> list[str]:
        return [] if self.sent is None else self.sent.getlist("evidence")

    @staticmethod
    def _name(block: BlockVersion | None) -> str:
        return "" if block is None else block.block_id

    @property
    def ticked(self) -> set[str]:
        """The verdicts that are ticked."""
        return {str(one) for one in self.form["evidence"].value() or []}

    def body(self) -> ProposalBody:
        """As /v1 takes it, of a form that is valid; raises ``BadInput`` where the values aren't JSON."""
        said = self.form.cleaned_data
        block_id = self.block.block_id if self.block else ""
        return ProposalBody(
            agent_id=self.agent_id,
            from_version=self.version,
            change=BlockChange(block_id=block_id, content=self._content(said["content"])),
            hypothesis=said["hypothesis"],
            scope=ProjectScope(project_id=str(self.frame.project.pk)),
            evidence=EvidenceBody(judgment_ids=said["evidence"]),
        )

    def _content(self, typed: str) -> BlockContent:
        if not self.is_prompt:
            return BlockContent(values=Raw(_json(typed)))
        template, text = self._template, even(typed)
        # A browser's line ends are its own: the template keeps those that it had.
        if template.count("\r\n") == template.count("\n") and "\r" in template:
            text = text.replace("\n", "\r\n")
        return BlockContent(template=text)


def _json(typed: str) -> bytes:
    """The text, which must be JSON, to the byte; raises ``BadInput``."""
    text = encoded(typed.strip())
    check_depth(text)
    try:
        parse(text)
    except ValueError as error:
        raise BadInput(_not_json(error), details={"path": "/change/content/values"}) from None
    return text


def _not_json(error: ValueError) -> str:
    """That it isn't JSON, and where it stops being it where that is known."""
    if not isinstance(error, JSONDecodeError):
        return gettext("This isn't JSON.")
    return gettext("This isn't JSON: something is wrong at line %(line)s, column %(column)s.") % {
        "line": error.lineno,
        "column": error.colno,
    }
