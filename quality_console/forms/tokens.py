"""A new API token (contract, section 9)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from kindgi.access.models import Project, TokenRole
from kindgi.access.services.tokens import TokenSpec
from kindgi.api.times import now

_ROLES = {
    TokenRole.MEMBER: _("Member: what you may do in projects"),
    TokenRole.ADMIN: _("Admin: also what tenant admins may do"),
}


class TokenForm(forms.Form):
    """What the token is to be. Only a tenant admin is offered an admin's.

    ``once`` is the form's own number, by which a page that is sent again makes no second token.
    """

    label = forms.CharField(
        label=_("Label"), max_length=200, help_text=_("What it is for: you tell it from your other tokens by it.")
    )
    role = forms.ChoiceField(label=_("What it may do"))
    project = forms.ChoiceField(
        label=_("Where"), required=False, help_text=_("Of one project it sees nothing of the others.")
    )
    expires_at = forms.DateTimeField(
        label=_("Expires"),
        required=False,
        widget=forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"],
        help_text=_("Without a time it works until it is revoked."),
    )
    once = forms.UUIDField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, roles: Collection[str], projects: Collection[Project], **kwargs: Any) -> None:
        """With the roles and projects to choose from."""
        super().__init__(*args, **kwargs)
        self._projects = {str(project.pk): project for project in projects}
        self.fields["role"].choices = [(role, label) for role, label in _ROLES.items() if role in roles]  # type: ignore[attr-defined]
        every = [("", _("Every project"))]
        self.fields["project"].choices = every + [(key, one.name) for key, one in self._projects.items()]  # type: ignore[attr-defined]
        if len(roles) == 1:
            self.fields["role"].widget = forms.HiddenInput()

    def clean_expires_at(self) -> Any:
        """A time that is still to come."""
        expires_at = self.cleaned_data["expires_at"]
        if expires_at is not None and expires_at <= now():
            raise forms.ValidationError(_("This time has passed."))
        return expires_at

    @property
    def spec(self) -> TokenSpec:
        """What is to be made, of a form that is valid."""
        said = self.cleaned_data
        project = self._projects.get(said["project"])
        return TokenSpec(role=said["role"], project=project, label=said["label"], expires_at=said["expires_at"])
