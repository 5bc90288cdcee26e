"""The editor of a rule: its form, what it would have queued, and what somebody else has changed meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from django.http import QueryDict
from django.utils.translation import gettext as _

from corrections.models import JudgeClass
from judging.models import JudgingRule, JudgingRuleVersion
from judging.selectors.judges import classes_nobody_gives
from judging.selectors.previews import runs_previewed
from judging.selectors.rules_shown import agents_and_flows
from judging.words import rules as words
from kindgi.access.selectors import people_named
from quality_console.forms.rules import RuleForm, initial_of, merged
from quality_console.frame import Frame
from quality_console.rules import class_names, rule_said

_OFFERED = 40


@dataclass(frozen=True, slots=True)
class Preview:
    """What a rule would have queued of the last runs, the newest last; nothing while the form can't be read."""

    runs: list[bool] | None
    takes: str = ""
    note: str = ""
    nobody: str = ""

    @property
    def said(self) -> str:
        """How many of how many."""
        if self.runs is None:
            return _("The preview follows once it's clear which runs, and how much of it.")
        if not self.runs:
            return _("No run has ended yet, so there's nothing to preview.")
        return words.preview(queued=sum(self.runs), last=len(self.runs))


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """What somebody has changed while a person typed."""

    by: str
    version: int
    changes: list[words.Change]


class RuleEditor:
    """``rule`` is what is changed, or a new one is made; ``seen`` the version that the person has changed."""

    def __init__(
        self,
        frame: Frame,
        *,
        rule: JudgingRule | None = None,
        seen: JudgingRuleVersion | None = None,
        typed: QueryDict | None = None,
    ) -> None:
        """``typed`` is what was sent."""
        self.frame, self.rule, self.base = frame, rule, seen or rule
        self.meanwhile: Meanwhile | None = None
        self.is_of_latest = rule is None or (seen is not None and seen.version == rule.version)
        self.form = self._form(initial_of(self.base), typed)

    def _form(self, initial: dict[str, Any], typed: QueryDict | None) -> RuleForm:
        agents, flows = self.known
        return RuleForm(
            typed,
            initial=initial,
            agents=self._offered("agentIds", agents),
            flows=self._offered("flowIds", flows),
            classes=self.classes,
            when=self.base.when if self.base else None,
        )

    @cached_property
    def known(self) -> tuple[list[str], list[str]]:
        """The agents and flows that are known to the project."""
        return agents_and_flows(self.frame.project)

    def _offered(self, key: str, known: list[str]) -> list[str]:
        """The rule's own first: they are ticked."""
        own = self.base.when.get(key, []) if self.base else []
        return list(dict.fromkeys([*own, *known[:_OFFERED]]))

    @cached_property
    def given_by_nobody(self) -> set[UUID]:
        """The classes that nobody could give on the project's runs; one statement."""
        return classes_nobody_gives(project=self.frame.project, class_ids=[one.pk for one in self.frame.classes_here])

    @property
    def classes(self) -> list[tuple[str, str]]:
        """What a rule may want, by the ids of classes; its own too if that was removed."""
        here = self.frame.classes_here
        names = [one.name for one in here]
        own = self.rule.judge_class_id if self.rule else None
        gone = [one for one in self.frame.classes if one.pk == own and one not in here]
        return [
            ("", words.wants(None)),
            *((str(one.pk), self._called(one, is_double=names.count(one.name) > 1)) for one in here),
            *((str(one.pk), _("%(wants)s (removed)") % {"wants": words.wants(one.name)}) for one in gone),
        ]

    def _called(self, one: JudgeClass, *, is_double: bool) -> str:
        wants = words.wants(one.name)
        if one.pk in self.given_by_nobody:
            wants = _("%(wants)s (nobody can give it at present)") % {"wants": wants}
        if one.agent_id:
            return _("%(wants)s, on runs of %(agent)s alone") % {"wants": wants, "agent": one.agent_id}
        if is_double and one.project_id is not None:
            return _("%(wants)s, of this project's class") % {"wants": wants}
        return wants

    @property
    def preview(self) -> Preview:
        """What the rule would have queued as it stands in the form; one statement."""
        form = self.form if self.form.is_bound else self._form({}, _typed(self.form))
        form.is_valid()
        asked = form.asked(None if self.rule is None else str(self.rule.pk))
        nobody = self._nobody(form)
        if asked is None:
            return Preview(None, nobody=nobody)
        note = words.PREVIEW_ESTIMATES if self.rule is None else words.PREVIEW_LEAVES_CAP
        runs = runs_previewed(project=self.frame.project, asked=asked)
        takes = words.takes(form.cleaned_data["share"])
        return Preview(runs, _("%(takes)s.") % {"takes": takes}, str(note), nobody)

    def _nobody(self, form: RuleForm) -> str:
        """What becomes of runs that wait for a class which nobody can give."""
        if form.cleaned_data.get("judge_class", "") not in map(str, self.given_by_nobody):
            return ""
        return _("Nobody can give the class that it wants at present: its runs would wait until somebody can.")

    def bring_together(self, now: JudgingRule) -> None:
        """Put what was typed over the version that there is ``now``, and say what that one has changed."""
        classes = class_names(self.frame.classes)
        name = people_named(tenant_id=self.frame.caller.tenant_id, actors=[now.versioned_by]).get(now.versioned_by)
        self.meanwhile = Meanwhile(
            by=words.who(now.versioned_by, name=name, me=self.frame.caller.actor),
            version=now.version,
            changes=words.version_changes(rule_said(self.base or now, classes), rule_said(now, classes)),
        )
        initial = merged(self.form, now)
        self.rule = self.base = now
        self.form = self._form(initial, None)

    @property
    def applies(self) -> str:
        """From when on what is saved holds."""
        if self.rule is None:
            return str(words.APPLIES_FROM_NOW)
        return _("Applies to runs that end from now on.")


def _typed(form: RuleForm) -> QueryDict:
    """What a form that nobody has touched would send."""
    sent = QueryDict(mutable=True)
    for field in form:
        value = field.value()
        if isinstance(field.field, type(form.fields["agents"])):
            sent.setlist(field.name, list(value or []))
        elif value is True:
            sent[field.name] = "on"
        elif value not in (None, False):
            sent[field.name] = str(value)
    return sent
