"""A run as its page has it: the row, its content and its version's tools, and whether it can be corrected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple
from uuid import UUID

from django.utils.translation import gettext, gettext_lazy

from corrections.selectors import run_copy_of
from kindgi.access.models import Project
from kindgi.api.ids import parse_id
from kindgi.rows import fresh
from kindgi.runs.errors import RunNotFound
from kindgi.runs.models import Run, RunContent, RunStatus, Via
from kindgi.runs.selectors import run_to_show
from quality_console.frame import ConsoleRequest
from quality_console.presenting.runs import RunTexts, present_run
from quality_console.presenting.shown import RunShown
from quality_console.presenting.steps import ToolCalls
from quality_console.times import sentence_with_time

RAN_AS = {
    Via.LIVE: gettext_lazy("ran as the live version"),
    Via.LATEST: gettext_lazy("ran as the latest version"),
    Via.EXPLICIT: gettext_lazy("ran as the version that was asked for"),
    Via.CONVERSATION: gettext_lazy("ran as its conversation's version"),
    Via.FLOW_PIN: gettext_lazy("ran as the version that its flow pins"),
}


class Standing(StrEnum):
    """What has become of a run; only one that has an answer can be corrected."""

    COMPLETED = "completed"
    ERASED = "erased"
    PURGED = "purged"
    GOING = "going"
    SUSPENDED = "suspended"
    FAILED = "failed"
    CANCELLED = "cancelled"


_STANDINGS = {
    RunStatus.COMPLETED: Standing.COMPLETED,
    RunStatus.PENDING: Standing.GOING,
    RunStatus.RUNNING: Standing.GOING,
    RunStatus.SUSPENDED: Standing.SUSPENDED,
    RunStatus.FAILED: Standing.FAILED,
    RunStatus.CANCELLED: Standing.CANCELLED,
}


class Told(NamedTuple):
    """What has become of a run, and what that means for whoever looks at it."""

    what: str
    so: str


@dataclass(frozen=True)
class RunOnPage:
    """A run with what its page is made of.

    A ``purged`` one is gone: its row is made of what its corrections keep, and was never saved.
    ``tools`` is ``None`` where they were never registered.
    """

    run: Run
    content: RunContent | None
    tools: Sequence[Mapping[str, Any]] | None
    purged: bool = False

    @property
    def id(self) -> UUID:
        """The id that the world knows it by."""
        return self.run.run_id

    @property
    def ran(self) -> str:
        """The agent's or the flow's id."""
        return self.run.agent_id or self.run.flow_id

    @property
    def version(self) -> str:
        """Its version."""
        return self.run.agent_version if self.run.is_agents else self.run.flow_version

    @cached_property
    def texts(self) -> RunTexts:
        """The JSON texts of the content."""
        return RunTexts.of(self.content)

    @cached_property
    def calls(self) -> ToolCalls:
        """Its calls of tools."""
        return ToolCalls(self.texts.calls, self.texts.output)

    def shown(self, steps_from: int = 0) -> RunShown:
        """The run as a page shows it, with the steps from an index on; made once."""
        if steps_from not in self._shown:
            self._shown[steps_from] = present_run(
                self.texts,
                tools=self.tools,
                created_at=None if self.purged else self.run.created_at,
                completed_at=self.run.completed_at,
                steps_from=steps_from,
            )
        return self._shown[steps_from]

    @cached_property
    def _shown(self) -> dict[int, RunShown]:
        return {}

    @property
    def standing(self) -> Standing:
        """What has become of it."""
        if self.purged:
            return Standing.PURGED
        if self.run.content_erased_at is not None:
            return Standing.ERASED
        return _STANDINGS[RunStatus(self.run.status)]

    @property
    def can_be_corrected(self) -> bool:
        """Whether anybody can correct it."""
        return self.standing == Standing.COMPLETED

    @property
    def takes_words(self) -> bool:
        """Whether anything may be written about it still: of an erased one nothing may (contract, section 3)."""
        return self.run.content_erased_at is None and not (self.purged and self.content is None)

    @property
    def told(self) -> Told | None:
        """In words why it can't be corrected, and ``None`` where it can."""
        return _told(self)

    @property
    def ran_as(self) -> str:
        """Why that version ran, where its reporter said so."""
        return str(RAN_AS[Via(self.run.agent_via)]) if self.run.agent_via else ""


def run_get_for_page(request: ConsoleRequest, run_id: str) -> RunOnPage:
    """The run of the page's project; of one that was purged what its corrections keep of it.

    One statement, a second one where the run isn't there. Raises :class:`RunNotFound`.
    """
    project = request.frame.project
    try:
        found = run_to_show(project=project, run_id=run_id)
    except RunNotFound:
        return _purged(project, run_id)
    return RunOnPage(found.run, found.content, found.tools)


def _purged(project: Project, run_id: str) -> RunOnPage:
    parsed = parse_id(run_id)
    copy = None if parsed is None else run_copy_of(project=project, run_id=parsed)
    if copy is None:
        raise RunNotFound(run_id)
    first = copy.correction
    of_agent = first.subject_kind == "agent"
    run = fresh(
        Run,
        tenant_id=project.tenant_id,
        project_id=project.pk,
        run_id=copy.run_id,
        flow_id="" if of_agent else first.subject_id,
        flow_version="" if of_agent else first.subject_version,
        agent_id=first.subject_id if of_agent else "",
        agent_version=first.subject_version if of_agent else "",
        # Nothing else can be corrected.
        status=RunStatus.COMPLETED,
        participant_id=copy.participant_id,
    )
    return RunOnPage(run, copy.content, None, purged=True)


def _told(page: RunOnPage) -> Told | None:
    never = gettext("It can't be corrected any more.")
    no_answer = gettext("There is no answer to correct.")
    later = gettext("It can be corrected once it has completed.")
    erased_at = page.run.content_erased_at
    told = {
        Standing.ERASED: Told(sentence_with_time(_erased, erased_at) if erased_at else "", never),
        Standing.PURGED: Told(
            gettext("This run was deleted, since the project keeps runs for a limited time only."),
            gettext("What its corrections keep of it is shown here. It can't be corrected any more."),
        ),
        Standing.GOING: Told(gettext("This run isn't finished yet."), later),
        Standing.SUSPENDED: Told(gettext("This run is suspended."), later),
        Standing.FAILED: Told(gettext("This run failed."), no_answer),
        Standing.CANCELLED: Told(gettext("This run was cancelled."), no_answer),
    }
    return told.get(page.standing)


def _erased(when: str) -> str:
    return gettext("This run was erased %(when)s.") % {"when": when}
