"""App config of the console."""

from __future__ import annotations

from django.apps import AppConfig


class QualityConsoleConfig(AppConfig):
    """The pages that people work in (contract, section 8). It has no tables of its own."""

    name = "quality_console"
    verbose_name = "Quality console"
