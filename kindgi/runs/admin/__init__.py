"""Agents and runs in Django admin; what each model's admin does is in the module of its name."""

from kindgi.runs.admin import agents, runs

__all__ = ["agents", "runs"]
