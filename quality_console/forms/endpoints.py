"""Where an agent is replayed (contract, section 7)."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from improve.services.endpoints import MAX_URL


class EndpointForm(forms.Form):
    """The address; the service says which are none."""

    url = forms.CharField(
        label=_("Address"),
        max_length=MAX_URL,
        widget=forms.TextInput({"class": "input", "inputmode": "url", "autocomplete": "off", "spellcheck": "false"}),
        help_text=_("An https:// address that this server can reach."),
        error_messages={"required": _("Type the endpoint's address.")},
    )
