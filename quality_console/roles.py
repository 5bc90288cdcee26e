"""What people may do, in words (contract, section 9)."""

from __future__ import annotations

from uuid import UUID

from django.utils.translation import gettext, pgettext_lazy

from kindgi.access.callers import Caller

_ROLES = {
    "viewer": pgettext_lazy("role in a project", "Viewer"),
    "editor": pgettext_lazy("role in a project", "Editor"),
    "admin": pgettext_lazy("role in a project", "Admin"),
    "owner": pgettext_lazy("role in a project", "Owner"),
}
_MEANS = {
    "viewer": pgettext_lazy("role in a project", "reads"),
    "editor": pgettext_lazy("role in a project", "also corrects runs, changes rules, dismisses"),
    "admin": pgettext_lazy("role in a project", "also manages classes and people, erases runs"),
    "owner": pgettext_lazy("role in a project", "also deletes the project"),
}
_REVIEWERS = {
    "standard": pgettext_lazy("reviewer", "Standard reviewer"),
    "senior": pgettext_lazy("reviewer", "Senior reviewer"),
    "admin": pgettext_lazy("reviewer", "Admin reviewer"),
}


def role_label(role: str) -> str:
    """A role in a project: ``Editor``."""
    return str(_ROLES[role])


def role_means(role: str) -> str:
    """A role in a project with what it adds to those below it: ``Editor: also corrects runs …``."""
    return gettext("%(role)s: %(means)s") % {"role": _ROLES[role], "means": _MEANS[role]}


def reviewer_label(role: str) -> str:
    """A role on the roster: ``Senior reviewer``; empty for none."""
    return str(_REVIEWERS[role]) if role else ""


def role_of(caller: Caller, project_id: UUID) -> str:
    """What the caller is in a project that they may read: a tenant admin is that everywhere."""
    return gettext("Tenant admin") if caller.is_tenant_admin else role_label(caller.role_in(project_id) or "viewer")
