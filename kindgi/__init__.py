"""Kindgi Quality: whether an agent's runs were right, and what becomes of those that were not."""

__version__ = "0.1.0"
