"""Signing in, and changing the own password (contract, section 9)."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import password_validation
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.utils.functional import lazystr
from django.utils.translation import gettext_lazy as _


class SignInForm(AuthenticationForm):
    """Email and password. A refusal doesn't say which of them is wrong, nor whether there is such a person."""

    error_messages = {  # noqa: RUF012 - Django's own is such a dict
        "invalid_login": _("This email and this password don't go together, or the person has been deactivated."),
        "inactive": _("This person has been deactivated."),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """The email as an email: phones show its keyboard."""
        super().__init__(*args, **kwargs)
        email = {"autocomplete": "username", "autofocus": True, "autocapitalize": "none", "spellcheck": "false"}
        self.fields["username"].widget = forms.EmailInput({**email, "maxlength": 254})
        self.fields["username"].label = _("Email")


class PasswordForm(PasswordChangeForm):
    """The password that is, and twice the one that shall be."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """What a password must be as sentences, which a screen reader says with its field."""
        super().__init__(*args, **kwargs)
        rules = " ".join(map(str, password_validation.password_validators_help_texts()))
        self.fields["new_password1"].help_text = lazystr(rules)
        self.fields["new_password2"].help_text = ""
        self.fields["old_password"].label = _("Password now")
        self.fields["new_password2"].label = _("New password again")
