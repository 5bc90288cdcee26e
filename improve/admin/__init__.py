"""Suggested changes, test sets and replay endpoints in Django admin."""

from improve.admin import evaluations, proposals, replays

__all__ = ["evaluations", "proposals", "replays"]
