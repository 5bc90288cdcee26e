"""Suggested changes, test sets and replay endpoints over /v1 (contract, section 7)."""
