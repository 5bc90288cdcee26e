"""People of a project, and what a project is set to (contract, section 9)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from kindgi.access.models import MOST_RETENTION_DAYS, Project, User
from kindgi.access.services.projects import ProjectChanges
from quality_console.roles import role_means


class RoleForm(forms.Form):
    """A role in a project, of those that the person who gives it has themselves."""

    role = forms.ChoiceField(label=_("Role"))

    def __init__(self, *args: Any, roles: Collection[str], **kwargs: Any) -> None:
        """With the roles to choose from."""
        super().__init__(*args, **kwargs)
        self.fields["role"].choices = [(role, role_means(role)) for role in roles]  # type: ignore[attr-defined]


class AddForm(RoleForm):
    """Whom to add, of those that were found, and as what."""

    person = forms.ChoiceField(
        label=_("Person"), widget=forms.RadioSelect, error_messages={"required": _("Choose a person.")}
    )

    def __init__(self, *args: Any, people: Collection[User], **kwargs: Any) -> None:
        """With the people to choose from."""
        super().__init__(*args, **kwargs)
        self.fields["person"].choices = [(str(one.pk), one) for one in people]  # type: ignore[attr-defined]


class SettingsForm(forms.Form):
    """What a project is called and how it is judged in."""

    name = forms.CharField(label=_("Name"), max_length=200)
    description = forms.CharField(
        label=_("Description"), required=False, max_length=2000, widget=forms.Textarea({"rows": 2})
    )
    blind = forms.BooleanField(label=_("Reviewers correct blind"), required=False)
    retention_days = forms.IntegerField(
        label=_("Days that runs are kept"), required=False, min_value=1, max_value=MOST_RETENTION_DAYS
    )

    @classmethod
    def of(cls, project: Project) -> SettingsForm:
        """The form as the project is."""
        return cls(initial={name: getattr(project, name) for name in cls.base_fields})

    @property
    def changes(self) -> ProjectChanges:
        """What is to be written, of a form that is valid."""
        said = self.cleaned_data
        return ProjectChanges(
            name=said["name"],
            description=said["description"],
            blind=said["blind"],
            retention_days=said["retention_days"],
        )
