"""What the Suggested changes tab shows, read together (contract, section 8)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.http import QueryDict

from improve.selectors.board import agents_with_proposals, standings_by_group
from improve.standing import Standing
from improve.words.standing import HOLDS, Group, group_head
from kindgi.access.selectors import people_named
from quality_console.changes.rows import ChangeRow, row_of
from quality_console.frame import Frame
from quality_console.views.numbered import NumberedPage, page_of

PER_PAGE = 25
# Of each group, where all of them are shown.
PER_GROUP = 10
_LONGEST_SEARCH = 200


@dataclass(frozen=True, slots=True)
class GroupShown:
    """A group with its rows; ``left`` counts those that aren't among them."""

    group: Group
    head: str
    rows: list[ChangeRow]
    left: int


class ChangesTab:
    """The tab as an address asks for it: ``q``, ``agent``, and one ``group`` alone by pages; six statements at most."""

    holds = HOLDS

    def __init__(self, frame: Frame, query: QueryDict) -> None:
        """Read what is asked for; what nobody could ask for counts as not asked."""
        self.frame, self.query = frame, query
        self.text = query.get("q", "").replace("\0", "").strip()[:_LONGEST_SEARCH]
        self.agent = query.get("agent", "").replace("\0", "")
        asked = query.get("group", "")
        self.alone = Group(asked) if asked in set(Group) else None

    @property
    def narrows(self) -> bool:
        """Whether only some are asked for."""
        return bool(self.text or self.agent)

    @cached_property
    def found(self) -> dict[Group, list[Standing]]:
        """Those that were asked for, by group."""
        frame = self.frame
        return standings_by_group(project=frame.project, caller=frame.caller, text=self.text, agent_id=self.agent)

    @cached_property
    def agents(self) -> list[str]:
        """The agents to choose between; the one that is asked for is among them."""
        known = agents_with_proposals(self.frame.project)
        return known if not self.agent or self.agent in known else [*known, self.agent]

    @cached_property
    def _page(self) -> tuple[list[Standing], NumberedPage]:
        alone = [] if self.alone is None else self.found.get(self.alone, [])
        return page_of(alone, self.query, per_page=PER_PAGE)

    @property
    def pages(self) -> NumberedPage | None:
        """Which page of the one group is shown; ``None`` where all groups are."""
        return None if self.alone is None else self._page[1]

    @cached_property
    def groups(self) -> list[GroupShown]:
        """The groups that have any, in their order, with the rows that are shown."""
        if self.alone is not None:
            rows = {self.alone: self._page[0]} if self._page[0] else {}
        else:
            rows = {group: every[:PER_GROUP] for group, every in self.found.items()}
        names = people_named(
            tenant_id=self.frame.caller.tenant_id,
            actors={one.proposal.drafted_by for some in rows.values() for one in some},
        )
        return [
            GroupShown(
                group=group,
                head=group_head(group, len(self.found[group])),
                rows=[row_of(one, names=names, me=self.frame.caller.actor) for one in some],
                left=0 if self.alone else len(self.found[group]) - len(some),
            )
            for group, some in rows.items()
        ]
