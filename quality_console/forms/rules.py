"""A rule as people type it, and what it says to the services, which take it as /v1 does (contract, section 6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, cast

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy

from judging.matching import LIVE
from judging.models import JudgingRule, JudgingRuleVersion
from judging.models.rules import MOST_OPEN
from judging.selectors.previews import Asked
from judging.submissions import RuleBody, RuleChangeBody, check_rule
from kindgi.api.errors import ApiError
from kindgi.api.jsontext import decode, encode
from quality_console.forms.rule_fields import LONGEST_NAME, LinesField, NamesField, share_read, share_typed

MOST_NAMES, LONGEST_VERSION = 50, 100
LAST = 100
_TEXT = {"class": "input", "autocomplete": "off"}
_BESIDE = {
    "/name": "name",
    "/sample": "share",
    "/maxOpen": "cap",
    "/judgeClassId": "judge_class",
    "/when/agentIds": "more_agents",
    "/when/flowIds": "more_flows",
    "/when/versions": "versions",
}
_TOGETHER = (("share", "unit"), ("of", "agents", "more_agents", "flows", "more_flows"), ("which", "versions"))
"""Fields that say one thing together: who has changed one of them has changed all."""
_RUNS = frozenset({*_TOGETHER[1], *_TOGETHER[2], "dry_runs"})


class RuleForm(forms.Form):
    """A rule. ``of`` says whether ``agents`` or ``flows`` count, or neither; ``which`` what counts of ``versions``."""

    OF: ClassVar[list[tuple[str, Any]]] = [("any", _("Any")), ("agents", _("Agents")), ("flows", _("Flows"))]
    WHICH: ClassVar[list[tuple[str, Any]]] = [
        ("any", _("Any version")),
        ("live", _("The live version")),
        ("these", _("These versions…")),
    ]
    UNITS: ClassVar[list[tuple[str, Any]]] = [("percent", _("Percent")), ("one-in", _("1 in"))]

    version = forms.IntegerField(required=False, widget=forms.HiddenInput)
    name = forms.CharField(
        label=pgettext_lazy("of a rule", "Name"),
        max_length=200,
        widget=forms.TextInput({**_TEXT, "autofocus": True}),
        error_messages={"required": _("Give the rule a name.")},
    )
    of = forms.ChoiceField(choices=OF, widget=forms.RadioSelect, label=_("Runs of"))
    agents = NamesField(required=False, label=_("Agents"))
    more_agents = LinesField(longest=LONGEST_NAME, label=_("Other agents"), help_text=_("An id a line."))
    flows = NamesField(required=False, label=_("Flows"))
    more_flows = LinesField(longest=LONGEST_NAME, label=_("Other flows"), help_text=_("An id a line."))
    which = forms.ChoiceField(choices=WHICH, label=_("Versions"))
    versions = LinesField(
        longest=LONGEST_VERSION, label=_("These versions"), help_text=_("One a line; live for the live version.")
    )
    dry_runs = forms.BooleanField(required=False, label=_("Take them too"))
    share = forms.CharField(
        label=_("Share taken"), max_length=40, widget=forms.TextInput({**_TEXT, "inputmode": "decimal"})
    )
    unit = forms.ChoiceField(choices=UNITS, widget=forms.RadioSelect, label=_("Share taken in"))
    cap = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_OPEN,
        label=_("Cap"),
        widget=forms.TextInput({**_TEXT, "inputmode": "numeric"}),
        help_text=_("No new items while this many are open. Empty: no cap."),
    )
    judge_class = forms.ChoiceField(
        required=False,
        label=_("What it wants"),
        error_messages={"invalid_choice": _("This class isn't there any more. Choose another.")},
    )
    enabled = forms.BooleanField(required=False, label=_("Queue runs as they end"))

    def __init__(
        self,
        *args: Any,
        agents: Sequence[str] = (),
        flows: Sequence[str] = (),
        classes: Sequence[tuple[str, str]] = (),
        when: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """With the agents, flows and classes to choose among; ``when`` is what the rule has been about so far."""
        super().__init__(*args, **kwargs)
        self.auto_id = "rule-%s"
        self.when = dict(when or {})
        self._offer("agents", agents)
        self._offer("flows", flows)
        self._choices("judge_class", classes)

    def _offer(self, name: str, known: Iterable[str]) -> None:
        ticked = self[name].value() or []
        self._choices(name, [(one, one) for one in dict.fromkeys([*known, *ticked])])

    def _choices(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        cast(forms.ChoiceField, self.fields[name]).choices = list(choices)

    def clean_share(self) -> float:
        """The share itself, over 0 and up to 1."""
        return share_read(self.cleaned_data["share"], unit=self.data.get("unit", ""))

    def clean(self) -> dict[str, Any]:
        """What several fields say together; then what /v1 would refuse, beside the field that it is about."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        self._check_names("agents", _("Choose an agent, or take any."))
        self._check_names("flows", _("Choose a flow, or take any."))
        if cleaned.get("which") == "these" and "versions" in cleaned:
            self._check_count("versions", cleaned["versions"], _("Name a version, or take any."))
        if not self.errors:
            self._check_body()
        return cleaned

    def _check_names(self, kind: str, none: Any) -> None:
        if self.cleaned_data.get("of") != kind or f"more_{kind}" in self.errors:
            return
        self._check_count(kind, self._names(kind), none)

    def _check_count(self, field: str, names: Sequence[str], none: Any) -> None:
        if not names:
            self.add_error(field, none)
        elif len(names) > MOST_NAMES:
            message = ngettext("Up to %(count)d.", "Up to %(count)d.", MOST_NAMES) % {"count": MOST_NAMES}
            self.add_error(field, message)

    def _check_body(self) -> None:
        try:
            check_rule(self.body())
        except ApiError as refusal:
            self.refuse(refusal)

    def refuse(self, refusal: ApiError) -> None:
        """Say a refusal of the service beside the field that it is about, or over all of them."""
        place = str((refusal.details or {}).get("path", ""))
        field = next((name for begin, name in _BESIDE.items() if place.startswith(begin)), None)
        if field is None and refusal.code == "judge-class-not-found":
            field = "judge_class"
        self.add_error(field, refusal.message.removeprefix(f"{place}: "))

    def _names(self, kind: str) -> list[str]:
        return list(dict.fromkeys([*self.cleaned_data.get(kind, []), *self.cleaned_data.get(f"more_{kind}", [])]))

    def _when(self) -> dict[str, Any]:
        """Which runs; what this form doesn't show stays as it is."""
        shown = {"agentIds", "flowIds", "versions", "includeDryRuns"}
        when = {key: value for key, value in self.when.items() if key not in shown}
        if self.cleaned_data["of"] != "any":
            key = "agentIds" if self.cleaned_data["of"] == "agents" else "flowIds"
            when[key] = self._names(self.cleaned_data["of"])
        if self.cleaned_data["which"] != "any":
            when["versions"] = [LIVE] if self.cleaned_data["which"] == "live" else self.cleaned_data["versions"]
        return {**when, "includeDryRuns": True} if self.cleaned_data["dry_runs"] else when

    def _said(self) -> dict[str, Any]:
        typed = self.cleaned_data
        return {
            "name": typed["name"],
            "sample": typed["share"],
            "maxOpen": typed["cap"],
            "judgeClassId": typed["judge_class"] or None,
            "enabled": typed["enabled"],
        }

    def body(self) -> RuleBody:
        """The new rule as /v1 takes it; raises ``BadInput``."""
        return decode(encode({**self._said(), "when": self._when()}), RuleBody)

    def change(self) -> RuleChangeBody:
        """What was changed, and nothing else, as /v1 takes it; raises ``BadInput``."""
        changed = self.changed_together
        keys = {
            "name": "name",
            "share": "sample",
            "cap": "maxOpen",
            "judge_class": "judgeClassId",
            "enabled": "enabled",
        }
        said = {key: value for key, value in self._said().items() if key in {keys.get(name) for name in changed}}
        if not _RUNS.isdisjoint(changed):
            said["when"] = self._when()
        return decode(encode(said), RuleChangeBody)

    @property
    def changed_together(self) -> set[str]:
        """The fields that say something else than they did at first."""
        changed = set(self.changed_data) - {"version"}
        for names in _TOGETHER:
            if not changed.isdisjoint(names):
                changed |= set(names)
        return changed

    def asked(self, rule_id: str | None) -> Asked | None:
        """What is to be tried out, of a rule that is there by its own sample; ``None`` while it can't be told."""
        if not (_RUNS | {"share", "unit"}).isdisjoint(self.errors):
            return None
        asked = {**self._when(), "sample": self.cleaned_data["share"], "last": LAST}
        return decode(encode(asked if rule_id is None else {**asked, "ruleId": rule_id}), Asked)


def initial_of(rule: JudgingRule | JudgingRuleVersion | None) -> dict[str, Any]:
    """What the form says at first: of a version of a rule, or of a new one."""
    if rule is None:
        return {"of": "agents", "which": "any", "share": "100", "unit": "percent", "enabled": True, "judge_class": ""}
    when, versions = rule.when, list(rule.when.get("versions", ()))
    share, unit = share_typed(rule.sample)
    return {
        "version": rule.version,
        "name": rule.name,
        "of": "agents" if "agentIds" in when else "flows" if "flowIds" in when else "any",
        "agents": list(when.get("agentIds", ())),
        "flows": list(when.get("flowIds", ())),
        "which": "any" if not versions else "live" if versions == [LIVE] else "these",
        "versions": [] if versions == [LIVE] else versions,
        "dry_runs": when.get("includeDryRuns", False),
        "share": share,
        "unit": unit,
        "cap": rule.max_open,
        "judge_class": str(rule.judge_class_id or ""),
        "enabled": rule.enabled,
    }


def merged(form: RuleForm, now: JudgingRule) -> dict[str, Any]:
    """What was typed over the version that was seen, brought to the one that there is now."""
    typed = {name: form[name].value() for name in form.changed_together}
    return {**initial_of(now), **typed, "version": now.version}
