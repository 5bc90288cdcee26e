"""JSON values compared by value; what all apps share (:mod:`kindgi.api.json_values`)."""

from __future__ import annotations

from kindgi.api.json_values import Number, canonical, elements, members, parse

__all__ = ["Number", "canonical", "elements", "members", "parse"]
