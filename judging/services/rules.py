"""Rules: made, changed, removed; every change is a new version (contract, sections 6 and 10)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import UnsetType

from corrections.errors import JudgeClassNotFound
from corrections.models import JudgeClass
from corrections.selectors import judge_class_of_tenant
from judging import errors
from judging.matching import When, when_stored
from judging.models import JudgingRule, JudgingRuleVersion
from judging.policies import check_change_rules
from judging.selectors.queue import corrected_runs_waiting_for, others_wait
from judging.selectors.rules import rule_get, rules_live
from judging.services.locking import rules_change_lock
from judging.services.queueing import items_lock, items_save
from judging.submissions import RuleBody, RuleChangeBody, check_rule
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.api.errors import BadInput
from kindgi.api.ids import new_id
from kindgi.api.times import now

MOST_RULES = 1000
_SETTINGS = ("name", "when", "sample", "max_open", "judge_class_id", "enabled")


def rule_create(*, caller: Caller, project: Project, body: RuleBody) -> JudgingRule:
    """Version 1 of a rule, for runs that end from now on; needs write access.

    Raises ``PermissionDenied``, ``BadInput``, ``JudgeClassNotFound``.
    """
    check_change_rules(caller, project)
    check_rule(body)
    rules_change_lock(project.pk)
    if rules_live(project).count() >= MOST_RULES:
        raise BadInput(f"A project has up to {MOST_RULES:,} rules; remove one that is needed no more.")
    at = now()
    rule = JudgingRule(
        id=new_id(), created_at=at, tenant_id=project.tenant_id, project=project, version=0, name="", sample=1.0
    )
    _set(rule, body)
    _save_version(caller, rule, at)
    return rule


def rule_change(*, caller: Caller, project: Project, rule_id: str, body: RuleChangeBody) -> JudgingRule:
    """A new version of a rule that wasn't removed; the version that there is, where nothing differs.

    Its waiting items want what it wants from now on: those that this satisfies close, in the same
    transaction. Raises :class:`JudgingRuleNotFound`, ``PermissionDenied``, ``BadInput``,
    ``JudgeClassNotFound``.
    """
    rule = _locked(caller, project, rule_id)
    check_rule(body)
    if rule.unregistered_at is not None:
        raise errors.JudgingRuleNotFound("The judging rule was removed; it can't be changed any more.")
    before = _settings(rule)
    _set(rule, body)
    if _settings(rule) == before:
        return rule
    if rule.judge_class_id != before["judge_class_id"]:
        _check_others_dont_wait(rule)
    at = now()
    _save_version(caller, rule, at)
    if rule.judge_class_id != before["judge_class_id"]:
        _judge_anew(rule, at)
    return rule


def rule_lock(*, caller: Caller, project: Project, rule_id: str) -> JudgingRule:
    """The rule as it is, which nobody else changes until the transaction ends; a removed one too.

    For who changes a rule by what they saw of it. Raises :class:`JudgingRuleNotFound`, ``PermissionDenied``.
    """
    return _locked(caller, project, rule_id)


def rule_unregister(*, caller: Caller, project: Project, rule_id: str) -> bool:
    """Stop a rule; whether it wasn't stopped already.

    It queues nothing more. Its versions and items stay, and these keep what it last wanted.
    Raises :class:`JudgingRuleNotFound`, ``PermissionDenied``.
    """
    rule = _locked(caller, project, rule_id)
    if rule.unregistered_at is not None:
        return False
    rule.unregistered_at = now()
    rule.save(update_fields=["unregistered_at"])
    return True


def _locked(caller: Caller, project: Project, rule_id: str) -> JudgingRule:
    seen = rule_get(project=project, rule_id=rule_id)
    check_change_rules(caller, project)
    rules_change_lock(project.pk)
    return JudgingRule.objects.get(pk=seen.pk)


def _settings(rule: JudgingRule) -> dict[str, Any]:
    return {name: getattr(rule, name) for name in _SETTINGS}


def _set(rule: JudgingRule, body: RuleBody | RuleChangeBody) -> None:
    """Set what ``body`` says; an absent field stays as it is."""
    for name in ("name", "sample", "max_open", "enabled"):
        value = getattr(body, name)
        if not isinstance(value, UnsetType):
            setattr(rule, name, value)
    if isinstance(body.when, When):
        rule.when = when_stored(body.when)
    if not isinstance(body.judge_class_id, UnsetType):
        rule.judge_class_id = None if body.judge_class_id is None else _class(rule, body.judge_class_id).pk
    _check_class_meets_runs(rule)


def _class(rule: JudgingRule, judge_class_id: str) -> JudgeClass:
    """The class, if it applies to runs of the project and wasn't removed; raises ``JudgeClassNotFound``."""
    found = judge_class_of_tenant(tenant_id=rule.tenant_id, judge_class_id=judge_class_id)
    if found is None or found.project_id not in (None, rule.project_id):
        raise JudgeClassNotFound
    if found.unregistered_at is not None and found.pk != rule.judge_class_id:
        raise JudgeClassNotFound(f'The judge class "{found.name}" was removed; no correction can name it any more.')
    return found


def _check_class_meets_runs(rule: JudgingRule) -> None:
    """A class of one agent is given on that agent's runs alone: others would wait for ever."""
    agent_id = _agent_of_class(rule)
    if agent_id and set(rule.when.get("agentIds", [])) != {agent_id}:
        raise BadInput(
            f'The judge class applies to the agent "{agent_id}" alone, so the rule\'s when.agentIds must name it alone.'
        )


def _check_others_dont_wait(rule: JudgingRule) -> None:
    """... nor is it given on runs of other agents that wait for the rule already."""
    agent_id = _agent_of_class(rule)
    if agent_id and others_wait(rule, agent_id=agent_id):
        raise BadInput(
            f'The judge class applies to the agent "{agent_id}" alone, and runs of others wait for the rule, which '
            "nobody could correct then. Make another rule, or see to these first."
        )


def _agent_of_class(rule: JudgingRule) -> str:
    """The one agent that the class which the rule wants applies to; empty where there is no such."""
    if rule.judge_class_id is None:
        return ""
    return JudgeClass.objects.filter(pk=rule.judge_class_id).values_list("agent_id", flat=True)[0]


def _save_version(caller: Caller, rule: JudgingRule, at: datetime) -> None:
    """Write the rule as its next version."""
    rule.version += 1
    rule.versioned_at, rule.versioned_by = at, caller.actor
    rule.save()
    JudgingRuleVersion.objects.create(
        id=new_id(), created_at=at, rule=rule, version=rule.version, created_by=caller.actor, **_settings(rule)
    )


def _judge_anew(rule: JudgingRule, at: datetime) -> None:
    """Find anew what those waiting items of the rule want of which something is said already; close the satisfied.

    No run is locked: its verdicts may change meanwhile, but whoever changes them waits for the
    rules' lock and then judges the item himself. So what an item has counted is what counts here.
    """
    items = items_lock(tenant_id=rule.tenant_id, run_ids=corrected_runs_waiting_for(rule))
    for locked in items:
        locked.judge(at)
    items_save(items, at=at)
