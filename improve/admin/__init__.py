"""Suggested changes, test sets and replay endpoints in Django admin."""

from improve.admin import replays

__all__ = ["replays"]
