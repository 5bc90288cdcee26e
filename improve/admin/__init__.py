"""Suggested changes, test sets and replay endpoints in Django admin."""

from improve.admin import proposals, replays

__all__ = ["proposals", "replays"]
