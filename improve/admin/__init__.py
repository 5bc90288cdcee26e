"""Suggested changes, test sets and replay endpoints in Django admin."""
