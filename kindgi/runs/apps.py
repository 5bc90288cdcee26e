"""App config of agents and their runs."""

from django.apps import AppConfig


class RunsConfig(AppConfig):
    """Agents, versions, pins and the runs that runtimes report (contract, section 3)."""

    name = "kindgi.runs"
    label = "runs"
    verbose_name = "Runs"
