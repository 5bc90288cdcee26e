"""The dialogs that change how a correction stands: each has an address of its own, and says what it is about."""

from __future__ import annotations

from dataclasses import dataclass

from django.forms import Form
from django.utils.translation import gettext_lazy

from quality_console.forms.corrections import FORMS, initial_of
from quality_console.frame import ConsoleRequest
from quality_console.said.corrections import Said, SaidCorrection

TITLES = {
    "status": gettext_lazy("Won't be fixed?"),
    "link": gettext_lazy("Link a pull request"),
    "note": gettext_lazy("Note"),
    "remove": gettext_lazy("Remove the correction?"),
}


@dataclass(frozen=True)
class CorrectionDialog:
    """A dialog about a correction: ``what`` is one of :data:`TITLES`; ``form`` is ``None`` for a mere question."""

    what: str
    about: SaidCorrection
    form: Form | None

    @property
    def title(self) -> str:
        """Its heading."""
        return str(TITLES[self.what])


def dialog_asked(request: ConsoleRequest, said: Said) -> CorrectionDialog | None:
    """The dialog that the address asks for, where there is such a correction and who looks may use it."""
    return dialog_of(request.GET.get("dialog", ""), request.GET.get("correction", ""), said)


def dialog_of(what: str, correction_id: str, said: Said, *, form: Form | None = None) -> CorrectionDialog | None:
    """A dialog, with the form as it was filled in or as it is at first."""
    about = next((one for one in [*said.mine, *said.others] if str(one.row.pk) == correction_id), None)
    if about is None or what not in TITLES:
        return None
    if what == "remove":
        return CorrectionDialog(what, about, None) if about.may_remove else None
    made = form or FORMS[what](initial=initial_of(what, about.row))
    return CorrectionDialog(what, about, made) if about.may_note else None
