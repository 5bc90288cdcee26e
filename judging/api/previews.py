"""The parameters of a preview: a rule's fields in a query string (contract, section 6)."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

from django.http import QueryDict

from judging.selectors.previews import Asked
from kindgi.api.errors import BadInput
from kindgi.api.filters import check_parameters
from kindgi.api.jsontext import decode, encode

PREVIEW_PARAMETERS = (
    ("agentIds", "Runs of these agents, separated by commas. Not with `flowIds`."),
    ("flowIds", "Runs of these flows, separated by commas. Not with `agentIds`."),
    ("versions", "These versions, separated by commas; `live` for the agent's live one."),
    ("status", "`completed`."),
    ("includeDryRuns", "`true`: dry runs too."),
    ("sample", "The share of matching runs; without it 1, or that of the rule of `ruleId`."),
    ("last", "How many runs to look at, 1 to 500; 100 without it."),
    ("ruleId", "Sample as this rule does; without it, the count is an estimate."),
)
_LISTS = ("agentIds", "flowIds", "versions", "status")
_FLAGS = {"true": True, "false": False}


def preview_asked(query: QueryDict) -> Asked:
    """What is asked for; raises ``BadInput``."""
    check_parameters(query, {name for name, _ in PREVIEW_PARAMETERS})
    asked: Asked = decode(encode({name: _value(name, str(text)) for name, text in query.items()}), Asked)
    return asked


def _value(name: str, text: str) -> Any:
    """A parameter as JSON would have it; what can't be read stays text, which its type then refuses."""
    if name in _LISTS:
        return text.split(",")
    if name == "includeDryRuns":
        return _FLAGS.get(text, text)
    if name == "last" and text.isascii() and text.isdecimal() and len(text) < 10:
        return int(text)
    if name == "sample":
        with suppress(ValueError):
            if math.isfinite(share := float(text)):
                return share
            raise BadInput("/sample: a share is over 0, and up to 1.", details={"path": "/sample"})
    return text
