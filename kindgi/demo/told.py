"""Tells the history through the services, each thing at the time at which it is said to have happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from heapq import merge
from itertools import groupby
from typing import Any
from uuid import UUID

from corrections.judgments import JudgmentBody
from corrections.services.changing import ChangeBody, correction_change
from corrections.services.classes import ClassBody, judge_class_create, judge_class_unregister
from corrections.services.judging import judgment_record
from corrections.services.recording import correction_record
from corrections.services.removing import correction_remove, judgment_remove
from corrections.services.test_runs.recording import test_run_record
from corrections.services.test_runs.submitting import TestRunBody
from corrections.submissions import CorrectionBody
from judging.services.catch_up import catch_up_begin, catch_up_step
from judging.services.items import queue_item_dismiss, queue_item_reopen
from judging.services.rules import rule_change, rule_create, rule_unregister
from judging.submissions import QueueRecentBody, RuleBody, RuleChangeBody
from kindgi.access.callers import Caller
from kindgi.access.models import Project, Tenant
from kindgi.api.jsontext import decode, encode
from kindgi.api.times import as_of
from kindgi.demo.companies import RUNTIME, AgentPlan, ClassPlan, Company
from kindgi.demo.diary import Told
from kindgi.demo.history import history
from kindgi.demo.judged import done_about
from kindgi.demo.people import callers_of, tenant_admin_of
from kindgi.demo.reviews import Act
from kindgi.demo.rules import RULE_STEPS, RuleStep
from kindgi.demo.tending import Tending, tended
from kindgi.demo.trials import Trial, trials
from kindgi.runs.services.agents import agent_pin_remove, agent_pin_set, agent_version_register
from kindgi.runs.services.erasure import run_erase
from kindgi.runs.services.importing import runs_import

Event = tuple[datetime, Callable[[], None]]


@dataclass(slots=True)
class Stage:
    """A company's tenant with what acting in it needs: who, where, under which class, on which correction."""

    company: Company
    callers: dict[str, Caller]
    projects: dict[str, Project]
    classes: dict[str, str] = field(default_factory=dict)
    said: dict[tuple[str, str], UUID] = field(default_factory=dict)
    judged: dict[tuple[str, str, str], UUID] = field(default_factory=dict)
    rules: dict[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def of(cls, company: Company, tenant: Tenant) -> Stage:
        """The stage as it is before anything happens."""
        projects = {project.slug: project for project in Project.objects.filter(tenant=tenant)}
        return cls(company, callers_of(tenant), projects)

    def report(self, runs: list[Told]) -> None:
        """The runtime reports runs."""
        records = [
            (number, encode({**told.record, "projectId": str(self.projects[told.project].pk)}))
            for number, told in enumerate(runs)
        ]
        for line in runs_import(caller=self.callers[RUNTIME], records=records):
            if line.refusal is not None:
                raise line.refusal

    def act(self, act: Act) -> None:
        """Somebody does something about a run."""
        caller, subject = self.callers[act.who], (act.run_id, act.whose)
        if act.kind == "say":
            self._say(caller, act)
        elif act.kind == "judge":
            self._judge(caller, act)
        elif act.kind == "take-back":
            judgment_remove(caller=caller, judgment_id=str(self.judged[*subject, act.item]))
        elif act.kind == "change":
            body_of_change = decode(encode(act.body), ChangeBody)
            correction_change(caller=caller, correction_id=str(self.said[subject]), body=body_of_change)
        elif act.kind == "remove":
            correction_remove(caller=caller, correction_id=str(self.said[subject]))
        else:
            run_erase(caller=caller, run_id=act.run_id)

    def _say(self, caller: Caller, act: Act) -> None:
        group = {"correctorGroupId": self.classes[act.group]} if act.group else {}
        body = decode(encode({**act.body, **group, "runId": act.run_id}), CorrectionBody)
        correction = correction_record(caller=caller, body=body)
        self.said[act.run_id, act.who] = correction.pk
        for verdict in correction.verdicts.all():
            self.judged[act.run_id, act.who, verdict.item_key] = verdict.pk

    def _judge(self, caller: Caller, act: Act) -> None:
        judge_class = {"judgeClassId": self.classes[act.group]} if act.group else {}
        body = decode(encode({**act.body, **judge_class, "runId": act.run_id}), JudgmentBody)
        verdict = judgment_record(caller=caller, body=body)
        self.judged[act.run_id, act.who, verdict.item_key] = verdict.pk

    def try_out(self, trial: Trial) -> None:
        """The runtime tells what a version did on corrected runs."""
        body = decode(encode(trial.body()), TestRunBody)
        project = self.projects[trial.plan.project]
        test_run_record(caller=self.callers[RUNTIME], project_id=str(project.pk), body=body)

    def release(self, plan: AgentPlan, version: str) -> None:
        """The runtime registers a version of an agent."""
        tools = plan.tools_of(version)
        agent_version_register(caller=self.callers[RUNTIME], agent_id=plan.id, version=version, tools=tools)

    def pin(self, plan: AgentPlan, version: str | None) -> None:
        """The project's owner pins a version, or unpins."""
        project = self.projects[plan.project]
        owner = next(person for person in self.company.people if person.roles.get(plan.project) == "owner")
        caller = self.callers[owner.email]
        if version is None:
            agent_pin_remove(caller=caller, project=project, agent_id=plan.id)
        else:
            agent_pin_set(caller=caller, project=project, agent_id=plan.id, version=version)

    def make_class(self, plan: ClassPlan) -> None:
        """The tenant admin makes a judge class."""
        admin = tenant_admin_of(self.company, self.callers)
        body = decode(encode(self._class_body(plan)), ClassBody)
        self.classes[plan.name] = str(judge_class_create(caller=admin, body=body).pk)

    def retire_class(self, plan: ClassPlan) -> None:
        """The tenant admin retires a judge class."""
        admin = tenant_admin_of(self.company, self.callers)
        judge_class_unregister(caller=admin, judge_class_id=self.classes[plan.name])

    def rule(self, step: RuleStep) -> None:
        """Somebody makes, changes or removes a judging rule, or has a worker catch it up."""
        caller, project = self.callers[step.who], self.projects[step.project]
        if step.kind == "make":
            body = decode(encode({"name": step.name, **self._rule_body(step)}), RuleBody)
            self.rules[step.project, step.name] = str(rule_create(caller=caller, project=project, body=body).pk)
            return
        rule_id = self.rules[step.project, step.name]
        if step.kind == "change":
            change = decode(encode(self._rule_body(step)), RuleChangeBody)
            rule_change(caller=caller, project=project, rule_id=rule_id, body=change)
        elif step.kind == "remove":
            rule_unregister(caller=caller, project=project, rule_id=rule_id)
        else:
            far_back = decode(encode(step.body), QueueRecentBody)
            catch_up = catch_up_begin(caller=caller, project=project, rule_id=rule_id, body=far_back)
            while catch_up_step(catch_up_id=catch_up.pk):
                pass

    def _rule_body(self, step: RuleStep) -> dict[str, Any]:
        if step.wants == "":
            return step.body
        return {**step.body, "judgeClassId": None if step.wants is None else self.classes[step.wants]}

    def tend(self, tending: Tending) -> None:
        """Somebody takes a run out of the queue, or puts it back."""
        caller, project = self.callers[tending.who], self.projects[tending.project]
        if tending.reason is None:
            queue_item_reopen(caller=caller, project=project, run_id=tending.run_id)
        else:
            reason = tending.reason or None
            queue_item_dismiss(caller=caller, project=project, run_id=tending.run_id, reason=reason)

    def _class_body(self, plan: ClassPlan) -> dict[str, Any]:
        scope: dict[str, Any] = {"kind": "agent" if plan.agent else "project" if plan.project else "tenant"}
        if plan.project:
            scope["projectId"] = str(self.projects[plan.project].pk)
        if plan.agent:
            scope["agentId"] = plan.agent
        restriction = {
            "minReviewerRole": plan.least_reviewer,
            "principalKinds": plan.kinds,
            "principalIds": [str(self.callers[plan.only].id)] if plan.only else [],
        }
        body = {"scope": scope, "name": plan.name, "weight": plan.weight, "description": plan.description}
        needed = {name: value for name, value in restriction.items() if value}
        return {**body, "assertableBy": needed} if needed else body


def tell(companies: Iterable[Company], tenants: Iterable[Tenant], now: datetime) -> None:
    """Everything that happened in the companies until ``now``; joins the caller's transaction."""
    stages = {company.slug: Stage.of(company, tenant) for company, tenant in zip(companies, tenants, strict=True)}
    runs = history(now)
    done = done_about(runs, now)
    setting = sorted([*_setting(stages.values(), now), *_rules(stages, now)], key=_when)
    tried = ((trial.at, _later(stages[trial.company.slug].try_out, trial)) for trial in trials(runs, done, now))
    tending = ((one.at, _later(stages[one.company.slug].tend, one)) for one in tended(runs, done, now))
    # Of the things of one moment, runs are reported before somebody acts on them.
    for at, happens in merge(setting, _reports(stages, runs), _acts(stages, done), tried, tending, key=_when):
        with as_of(at):
            happens()


def _when(event: Event) -> datetime:
    return event[0]


def _setting(stages: Iterable[Stage], now: datetime) -> Iterator[Event]:
    """Releases, pins and classes."""
    for stage in stages:
        for plan in stage.company.agents:
            for release in plan.releases:
                yield now - timedelta(days=release.days_ago), _later(stage.release, plan, release.version)
            for pin in plan.pins:
                yield now - timedelta(days=pin.from_days), _later(stage.pin, plan, pin.version)
            for days_ago in plan.unpinned():
                yield now - timedelta(days=days_ago), _later(stage.pin, plan, None)
        for number, judge_class in enumerate(stage.company.classes):
            yield now - timedelta(days=95, minutes=-number), _later(stage.make_class, judge_class)
            if judge_class.retired:
                yield now - timedelta(days=70), _later(stage.retire_class, judge_class)


def _rules(stages: dict[str, Stage], now: datetime) -> Iterator[Event]:
    for step in RULE_STEPS:
        yield now - timedelta(days=step.days_ago), _later(stages[step.company.slug].rule, step)


def _reports(stages: dict[str, Stage], runs: list[Told]) -> Iterator[Event]:
    def batch(told: Told) -> tuple[datetime, str]:
        return told.reported_at, told.company.slug

    for (at, slug), together in groupby(sorted(runs, key=batch), key=batch):
        yield at, _later(stages[slug].report, list(together))


def _acts(stages: dict[str, Stage], done: Iterable[Act]) -> Iterator[Event]:
    for act in done:
        yield act.at, _later(stages[act.company.slug].act, act)


def _later(do: Callable[..., None], *args: Any) -> Callable[[], None]:
    return lambda: do(*args)
