"""The judging rules of the demonstration: who made which when, what became of it. Knows no database.

Every project has some. Among them are one of all that an agent does, live runs at a share, one with a
cap that wants an expert, flows'; one that was changed twice, one that was removed, and some of which
little can be said yet. Two were brought to runs that had ended before they were made.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from kindgi.demo.companies import EXPERTS, SHOP, TASTERS, TRAVEL, Company

# So many days ago a rule was made for the concierge's first version and its newest, and brought to what had ended:
# of these two versions, all that nobody had corrected was in the queue then, and what ended since is.
FIRST_AND_NEWEST_SINCE = 10.5

Kind = Literal["make", "change", "remove", "catch-up"]


@dataclass(frozen=True, slots=True)
class RuleStep:
    """Something that ``who`` (an email) did about the rule ``name`` so many days ago.

    ``body`` is that of /v1, but for the class that it ``wants``, which is named; ``None`` lets go of it.
    """

    days_ago: float
    company: Company
    project: str
    who: str
    name: str
    kind: Kind
    body: dict[str, Any] = field(default_factory=dict)
    wants: str | None = ""


_Row = tuple[float, str, str, Kind, dict[str, Any], str | None]


def _agent(agent_id: str, **more: Any) -> dict[str, Any]:
    return {"agentIds": [agent_id], **more}


_OLU, _PRIYA, _MEI, _TOMAS = (f"{name}@meridian-travel.example" for name in ("olu", "priya", "mei", "tomas"))
_NOOR, _INES, _SAM = (f"{name}@acorn-outfitters.example" for name in ("noor", "ines", "sam"))
_CONCIERGE, _MATCHER = (plan.id for plan in TRAVEL.agents)
_ORDERS, _FINDER = (plan.id for plan in SHOP.agents)
_BOTH = [TRAVEL.agents[0].releases[0].version, TRAVEL.agents[0].releases[-1].version]

_SUPPORT: tuple[_Row, ...] = (
    (87, _PRIYA, "For the interns", "make", {"when": _agent(_CONCIERGE, versions=["1.0.0"]), "sample": 0.2}, ""),
    (69, _PRIYA, "For the interns", "remove", {}, ""),
    (60, _TOMAS, "Delays that the flow handled", "make", {"when": {"flowIds": ["meridian.delay-care"]}}, ""),
    (29, _OLU, "Fare rules, by an expert", "make", {"when": _agent(_CONCIERGE), "maxOpen": 15}, EXPERTS),
    (FIRST_AND_NEWEST_SINCE, _PRIYA, "First and newest", "make", {"when": _agent(_CONCIERGE, versions=_BOTH)}, ""),
    (FIRST_AND_NEWEST_SINCE - 0.01, _PRIYA, "First and newest", "catch-up", {"last": 1000}, ""),
    (9, _OLU, "Live, one in five", "make", {"when": _agent(_CONCIERGE, versions=["live"]), "sample": 0.2}, ""),
)
_PLANNING: tuple[_Row, ...] = (
    (18, _MEI, "Every match", "make", {"when": _agent(_MATCHER)}, ""),
    (30, _OLU, "Tasters, live", "make", {"when": _agent(_MATCHER, versions=["live"]), "sample": 0.25}, TASTERS),
)
_SHOP_SUPPORT: tuple[_Row, ...] = (
    (42, _INES, "Orders and returns", "make", {"when": _agent(_ORDERS), "sample": 0.5, "maxOpen": 12}, ""),
    (24, _INES, "Orders and returns", "change", {"maxOpen": None}, EXPERTS),
    (6, _NOOR, "Orders and returns", "change", {"sample": 0.25}, None),
    (20, _SAM, "Finder, live", "make", {"when": _agent(_FINDER, versions=["live"]), "sample": 0.25}, ""),
    (19.9, _SAM, "Finder, live", "catch-up", {"last": 200}, ""),
    (58, _NOOR, "Returns that the flow took in", "make", {"when": {"flowIds": ["acorn.returns-intake"]}}, ""),
)

RULE_STEPS = tuple(
    RuleStep(days_ago, company, project, who, name, kind, body, wants)
    for company, project, steps in (
        (TRAVEL, "support", _SUPPORT),
        (TRAVEL, "trip-planning", _PLANNING),
        (SHOP, "support", _SHOP_SUPPORT),
    )
    for days_ago, who, name, kind, body, wants in steps
)
