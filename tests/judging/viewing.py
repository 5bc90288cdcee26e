"""The console's lists of a shop's queue, as tests ask for them and as they must be."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID

from corrections.models import JudgeClass
from corrections.selectors import judge_classes_of_tenant
from judging.lanes import tallies_read, unmet_rules
from judging.models import JudgingRule, QueueItem
from judging.queue_view import QueueView, Sort, Subject
from judging.selectors.queue_pages import queue_page
from judging.selectors.queue_waiting import judge_of
from kindgi.access.callers import Caller
from tests.builders import make_caller
from tests.support.shops import Shop

Key: TypeAlias = Any


def caller_of(shop: Shop, by: str) -> Caller:
    return make_caller(shop.person(by))


def view_of(shop: Shop, *, by: str = "editor", **asked: Any) -> QueueView:
    """What the person asks for: everyone's of what waits, unless ``asked`` says else."""
    classes = judge_classes_of_tenant(shop.tenant.pk)
    judge = judge_of(caller=caller_of(shop, by), project=shop.project, classes=classes, asked_for=())
    return QueueView(project=shop.project, judge=judge, **{"for_me": False, **asked})


def read(view: QueueView, size: int) -> tuple[list[str], list[str]]:
    """The runs of a view read forward from its beginning by pages of ``size``, and back from its end."""
    forward: list[str] = []
    page = queue_page(view, limit=size)
    assert page.previous is None
    pages = [page]
    while pages[-1].next is not None:
        pages.append(queue_page(view, after=pages[-1].next, limit=size))
    forward = [run for page in pages for run in runs_of(page.rows)]
    backward = runs_of(pages[-1].rows)
    page = pages[-1]
    while page.previous is not None:
        page = queue_page(view, before=page.previous, limit=size)
        backward = runs_of(page.rows) + backward
        assert page.next is not None or not page.rows
    return forward, backward


def runs_of(rows: list[QueueItem]) -> list[str]:
    return [str(item.run_id) for item in rows]


class Brute:
    """All that a queue has, sorted and counted in memory, by what the items and rules say and not by lanes."""

    def __init__(self, shop: Shop) -> None:
        self.items = list(QueueItem.objects.filter(project=shop.project).prefetch_related("entries"))
        self.rules = {rule.pk: rule for rule in JudgingRule.objects.filter(project=shop.project)}
        self.classes = {one.pk: one for one in JudgeClass.objects.filter(tenant=shop.tenant)}

    def rule_ids(self, item: QueueItem) -> set[UUID]:
        return {entry.rule_id for entry in item.entries.all()}

    def wanted(self, item: QueueItem) -> set[UUID | None]:
        """What is still wanted, by class."""
        wants = {pk: self.rules[pk].judge_class_id for pk in self.rule_ids(item)}
        return {wants[pk] for pk in unmet_rules(wants, wants, tallies_read(item.counted))}

    def is_for(self, view: QueueView, item: QueueItem) -> bool:
        every = {self.rules[pk].judge_class_id for pk in self.rule_ids(item)}
        wanted = self.wanted(item) if item.state == "open" else every
        return view.judge.writes and bool(wanted & {None, *view.judge.class_ids})

    def matching(self, view: QueueView) -> list[QueueItem]:
        """Of the rule and of what ran, in any state, for anybody."""
        return [
            item
            for item in self.items
            if (view.rule_id is None or view.rule_id in self.rule_ids(item))
            and (view.subject is None or view.subject == subject_of(item))
        ]

    def rows(self, view: QueueView, at: datetime) -> list[str]:
        found = [item for item in self.matching(view) if item.state == view.state]
        found = [item for item in found if not view.for_me or self.is_for(view, item)]
        plain = view.sort in (Sort.ADDED, Sort.FINISHED)
        if plain:
            found.sort(key=lambda item: (self.at(view, item), item.pk), reverse=view.descending)
        else:
            found.sort(key=lambda item: (item.created_at, item.pk))
            found.sort(key=lambda item: self.key(view.sort, item, at), reverse=view.descending)
        return runs_of(found)

    @staticmethod
    def at(view: QueueView, item: QueueItem) -> datetime:
        return item.completed_at if view.sort == Sort.FINISHED else item.created_at

    def key(self, sort: Sort, item: QueueItem, at: datetime) -> Key:
        if sort == Sort.RAN:
            return subject_of(item).id
        if sort == Sort.WHY:
            return sorted(self.rules[pk].name.lower() for pk in self.rule_ids(item))
        if sort == Sort.STANDS:
            names = {self.classes[pk].name.lower() for pk in self.wanted(item) if pk is not None}
            return [str(int(bool(item.counted))), *sorted(names)]
        return item.held_until is None or item.held_until <= at


def subject_of(item: QueueItem) -> Subject:
    return Subject("agent", item.agent_id) if item.agent_id else Subject("flow", item.flow_id)
