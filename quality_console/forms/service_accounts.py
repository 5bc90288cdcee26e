"""A new service account (contract, section 9)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from kindgi.access.models import Project, ProjectRole
from quality_console.roles import role_label, role_means


class GrantForm(forms.Form):
    """A role in a project, or none."""

    project = forms.ChoiceField(label=_("Project"))
    role = forms.ChoiceField(label=_("Role"), initial=ProjectRole.EDITOR)

    def __init__(self, *args: Any, projects: Collection[Project], **kwargs: Any) -> None:
        """With the projects to choose from."""
        super().__init__(*args, **kwargs)
        self._projects = {str(project.pk): project for project in projects}
        self.fields["project"].choices = [(key, one.name) for key, one in self._projects.items()]  # type: ignore[attr-defined]
        self.fields["role"].choices = [(role, role_means(role)) for role in ProjectRole.values]  # type: ignore[attr-defined]

    @property
    def chosen(self) -> Project:
        """The project, of a form that is valid."""
        return self._projects[self.cleaned_data["project"]]


class AccountForm(forms.Form):
    """What the account is, and its first role; further roles are given on its page."""

    name = forms.CharField(label=_("Name"), max_length=200)
    description = forms.CharField(label=_("Description"), required=False, max_length=500)
    is_tenant_admin = forms.BooleanField(label=_("Tenant admin: may do everything, in every project"), required=False)
    project = forms.ChoiceField(label=_("Project"), required=False)
    role = forms.ChoiceField(label=_("Role in it"), initial=ProjectRole.EDITOR)

    def __init__(self, *args: Any, projects: Collection[Project], **kwargs: Any) -> None:
        """With the projects to choose from."""
        super().__init__(*args, **kwargs)
        self._projects = {str(project.pk): project for project in projects}
        none = [("", _("None yet"))]
        self.fields["project"].choices = none + [(key, one.name) for key, one in self._projects.items()]  # type: ignore[attr-defined]
        self.fields["role"].choices = [(role, role_label(role)) for role in ProjectRole.values]  # type: ignore[attr-defined]

    @property
    def roles(self) -> dict[Project, str]:
        """Its role by project, of a form that is valid."""
        project = self._projects.get(self.cleaned_data["project"])
        return {} if project is None else {project: self.cleaned_data["role"]}
