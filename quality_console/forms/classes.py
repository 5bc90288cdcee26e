"""Judge classes, made and changed by a form (contract, section 5).

A restriction's names are only counted, also for who may change them: a change keeps those that are
named, or names others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from msgspec import UNSET, UnsetType

from corrections.models import JudgeClass
from corrections.services.classes import (
    AgentScope,
    AssertableBy,
    ClassBody,
    ClassChangeBody,
    ProjectScope,
    Scope,
    TenantScope,
)
from judging.words.parts import number
from kindgi.access.models import Project, User

MOST_NAMED = 100
KINDS = [("user", _("People")), ("service", _("Services"))]
REVIEWERS = [
    ("", _("Whether they review or not")),
    ("standard", _("Reviewers of any role")),
    ("senior", _("Senior reviewers or above")),
    ("admin", _("Admin reviewers")),
]
ANYBODY, KEEP, CHOOSE = "anybody", "keep", "choose"
PROJECT, AGENT, TENANT = "project", "agent", "tenant"


class ClassForm(forms.Form):
    """What a new class and a changed one have in common; ``people`` are those who can be named."""

    name = forms.CharField(
        label=_("Name"),
        max_length=100,
        widget=forms.TextInput(attrs={"autofocus": True, "autocomplete": "off"}),
        error_messages={"required": _("A class needs a name.")},
    )
    weight = forms.FloatField(
        label=_("Weight"),
        min_value=0,
        help_text=_("A correction without a class counts 1; with 3 it counts three times as much."),
        error_messages={
            "required": _("A weight is a number, 0 or more."),
            "invalid": _("A weight is a number, 0 or more."),
            "min_value": _("A weight is a number, 0 or more."),
        },
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )
    description = forms.CharField(
        label=_("What it is"), required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 2})
    )
    kinds = forms.MultipleChoiceField(
        label=_("Only"), required=False, choices=KINDS, widget=forms.CheckboxSelectMultiple
    )
    reviewers = forms.ChoiceField(label=_("Reviewers"), required=False, choices=REVIEWERS)
    named = forms.ChoiceField(label=_("Named people"), required=False, widget=forms.RadioSelect)
    people = forms.MultipleChoiceField(label=_("These people"), required=False, widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, people: Sequence[User], named_now: int = 0, **kwargs: Any) -> None:
        """``named_now`` is how many the class names already."""
        super().__init__(*args, **kwargs)
        keep = ngettext("Only the %(count)s who is named now", "Only the %(count)s who are named now", named_now)
        self._choices("named").choices = [
            (ANYBODY, gettext("Nobody by name")),
            *([(KEEP, keep % {"count": number(named_now)})] if named_now else []),
            (CHOOSE, gettext("Only these people")),
        ]
        self._choices("people").choices = [(str(person.pk), str(person)) for person in people]

    def _choices(self, field: str) -> forms.ChoiceField:
        return cast(forms.ChoiceField, self.fields[field])

    def clean(self) -> dict[str, Any]:
        """Who is to be named must be."""
        found = super().clean() or self.cleaned_data
        if found.get("named") == CHOOSE and "people" not in self.errors:
            if not found.get("people"):
                self.add_error("people", gettext("Choose whom it names."))
            elif len(found["people"]) > MOST_NAMED:
                message = gettext("A class names up to %(count)s.") % {"count": number(MOST_NAMED)}
                self.add_error("people", message)
        return found

    @property
    def description_said(self) -> str:
        """The description; browsers send the ends of lines in their own way."""
        return str(self.cleaned_data["description"]).replace("\r\n", "\n")

    def restriction(self, *, named_now: Sequence[str] = ()) -> AssertableBy | None:
        """Who may give the class; ``None`` for anybody who may correct."""
        said = self.cleaned_data
        named = {KEEP: list(named_now), CHOOSE: said["people"]}.get(said["named"], [])
        if not (said["kinds"] or said["reviewers"] or named):
            return None
        return AssertableBy(
            min_reviewer_role=said["reviewers"] or UNSET,
            principal_kinds=said["kinds"] or UNSET,
            principal_ids=named or UNSET,
        )


class NewClassForm(ClassForm):
    """A new class, and where it applies; only who may have one there is offered the whole tenant."""

    where = forms.ChoiceField(label=_("Where it applies"), widget=forms.RadioSelect)
    agent = forms.CharField(
        label=_("Agent"), required=False, max_length=200, help_text=_("Its id, as its runs have it.")
    )

    def __init__(self, *args: Any, scopes: Sequence[str], **kwargs: Any) -> None:
        """``scopes`` are those that the person may administer."""
        kwargs["initial"] = {"where": scopes[0] if scopes else PROJECT, "named": ANYBODY, "weight": "1"}
        super().__init__(*args, **kwargs)
        said = {
            PROJECT: gettext("This project"),
            AGENT: gettext("One agent in this project"),
            TENANT: gettext("The whole workspace"),
        }
        self._choices("where").choices = [(scope, said[scope]) for scope in scopes]

    def clean(self) -> dict[str, Any]:
        """An agent's class names it."""
        found = super().clean()
        if found.get("where") == AGENT and not found.get("agent"):
            self.add_error("agent", gettext("Say which agent, by its id."))
        return found

    def body(self, project: Project) -> ClassBody:
        """What is to be made."""
        said = self.cleaned_data
        scopes: dict[str, Scope] = {
            PROJECT: ProjectScope(project_id=str(project.pk)),
            AGENT: AgentScope(project_id=str(project.pk), agent_id=said["agent"]),
            TENANT: TenantScope(),
        }
        restriction: AssertableBy | UnsetType | None = self.restriction()
        return ClassBody(
            scope=scopes[said["where"]],
            name=said["name"],
            weight=said["weight"],
            description=self.description_said,
            assertable_by=UNSET if restriction is None else restriction,
        )


class ChangeClassForm(ClassForm):
    """What a class says now, to be changed."""

    def __init__(self, *args: Any, judge_class: JudgeClass, **kwargs: Any) -> None:
        """Of the class."""
        self.judge_class = judge_class
        kwargs["named_now"] = len(judge_class.principal_ids)
        kwargs["initial"] = {
            "name": judge_class.name,
            "weight": repr(judge_class.weight).removesuffix(".0"),
            "description": judge_class.description,
            "kinds": judge_class.principal_kinds,
            "reviewers": judge_class.min_reviewer_role,
            "named": KEEP if judge_class.principal_ids else ANYBODY,
        }
        super().__init__(*args, **kwargs)

    def body(self) -> ClassChangeBody:
        """What is to be changed: all of it, as it is in the form."""
        said = self.cleaned_data
        return ClassChangeBody(
            name=said["name"],
            weight=said["weight"],
            description=self.description_said,
            assertable_by=self.restriction(named_now=self.judge_class.principal_ids),
        )
