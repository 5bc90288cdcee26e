"""App config of improve."""

from __future__ import annotations

from django.apps import AppConfig


class ImproveConfig(AppConfig):
    """Changes that are suggested to agents, tried on corrected runs, and made live (contract, section 7)."""

    name = "improve"
    verbose_name = "Suggested changes"
