"""What every page shows around its own: who is signed in, their projects, and what waits (contract, section 8).

Each part is read when a page first asks for it, once a request; a page that has its project costs
four statements besides the two that find out who is signed in.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from uuid import UUID

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django_htmx.middleware import HtmxDetails

from corrections.models import JudgeClass
from corrections.selectors import judge_classes_of_tenant
from improve.policies import may_review
from improve.selectors.reviewing import Suggestions, suggestions_read
from judging.models import JudgingRule
from judging.selectors.queue_waiting import queue_waiting
from judging.selectors.rules import rules_of
from kindgi.access.callers import Caller
from kindgi.access.errors import ProjectNotFound
from kindgi.access.models import Project, User
from kindgi.access.policies import can_administer, can_write
from kindgi.access.selectors import caller_for_user, projects_to_switch


class ConsoleRequest(HttpRequest):
    """A request of somebody who is signed in, as the views get it."""

    htmx: HtmxDetails
    user: User
    frame: Frame


class Frame:
    """What the top bar shows to ``user``, on the page of a project or of none."""

    def __init__(self, user: User, slug: str | None = None) -> None:
        """For a page of the project with the slug, as the address spells it."""
        self.user = user
        self.slug = slug

    @cached_property
    def caller(self) -> Caller:
        """Who is signed in, as policies know them; raises ``AuthMissing`` for a person of no tenant."""
        return caller_for_user(self.user)

    @cached_property
    def projects(self) -> list[Project]:
        """The projects to switch between, by name."""
        return projects_to_switch(self.caller, self.slug or "")

    @property
    def project(self) -> Project:
        """The project of the page; raises ``ProjectNotFound``, also where there is one that isn't the person's."""
        found = self._found
        if found is None:
            raise ProjectNotFound
        return found

    @property
    def _found(self) -> Project | None:
        return next((project for project in self.projects if project.slug == self.slug), None)

    @cached_property
    def classes(self) -> list[JudgeClass]:
        """The tenant's judge classes, retired ones too."""
        return judge_classes_of_tenant(tenant_id=self.caller.tenant_id)

    @property
    def classes_here(self) -> list[JudgeClass]:
        """Those of :attr:`classes` that apply to runs of the page's project and weren't removed, by name."""
        here = [
            one for one in self.classes if one.unregistered_at is None and one.project_id in (None, self.project.pk)
        ]
        return sorted(here, key=lambda one: one.name.casefold())

    @cached_property
    def rules(self) -> list[JudgingRule]:
        """The rules of the page's project, removed ones too, oldest first."""
        return list(rules_of(self.project))

    @property
    def rules_live(self) -> list[JudgingRule]:
        """Those of :attr:`rules` that weren't removed."""
        return [rule for rule in self.rules if rule.unregistered_at is None]

    @cached_property
    def waiting(self) -> dict[UUID, int]:
        """How many items wait for the person, by project; those without any are missing."""
        asked_for = [proposal_id for asking in self.asked_for.values() for proposal_id in asking]
        return queue_waiting(caller=self.caller, classes=self.classes, asked_for=asked_for)

    @property
    def waiting_in_all(self) -> int:
        """How many items wait for the person in all projects."""
        return sum(self.waiting.values())

    @property
    def waiting_here(self) -> int:
        """How many items wait for the person in the page's project."""
        return self.waiting.get(self.project.pk, 0)

    @cached_property
    def _suggestions(self) -> Suggestions:
        return suggestions_read(caller=self.caller, project=self._found)

    @property
    def asked_for(self) -> Mapping[UUID, list[UUID]]:
        """The suggested changes that ask the person for corrections, by project; not read where they review nothing."""
        return self._suggestions.asking if may_review(self.caller) else {}

    @property
    def suggested(self) -> int:
        """How many changes were suggested in the page's project, whatever became of them."""
        return self._suggestions.here

    @property
    def may_write(self) -> bool:
        """Whether the person may correct runs, change rules and dismiss in the page's project."""
        return can_write(self.caller, self.project.pk)

    @property
    def may_administer(self) -> bool:
        """Whether the person may manage the classes and members of the page's project."""
        return can_administer(self.caller, self.project.pk)

    @property
    def signed_in_as(self) -> str:
        """The person's name with their role in the page's project and on the roster: ``Ines Okafor, editor``."""
        caller = self.caller
        roles = [self.role_here] if self.slug is not None and self.role_here else []
        roles += [_("tenant admin")] if caller.is_tenant_admin else []
        roles += [_("%(role)s reviewer") % {"role": caller.reviewer_role}] if caller.reviewer_role else []
        return ", ".join([str(self.user), *roles])

    @property
    def role_here(self) -> str:
        """The person's role in the page's project; a tenant admin has every right in it without one."""
        return self.caller.role_in(self.project.pk) or ""
