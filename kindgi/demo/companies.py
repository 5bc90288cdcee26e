"""Who is in the demonstration: two companies that don't exist, their projects, people, services and agents.

Both have a project of the slug ``support``, to show that nothing of one can be seen from the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

PASSWORD = "only-for-the-demo"  # noqa: S105 - everybody's, printed by the demo, and refused in production
TENANT_ADMIN, SUPERUSER = "tenant-admin", "superuser"


@dataclass(frozen=True, slots=True)
class ProjectPlan:
    """A project; a company's first is its default one."""

    slug: str
    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody, with their role in each project and their standing as a reviewer."""

    email: str
    name: str
    roles: dict[str, str] = field(default_factory=dict)
    reviewer: str = ""
    tenant_role: str = ""


@dataclass(frozen=True, slots=True)
class Service:
    """A service account with one token, and what it is for."""

    name: str
    description: str
    projects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Release:
    """A version, how many days ago it came out, and which share of its answers has a flaw."""

    version: str
    days_ago: int
    flawed: float


@dataclass(frozen=True, slots=True)
class Pin:
    """A version that the agent's project pinned, from and until so many days ago; ``None`` for still."""

    version: str
    from_days: float
    to_days: float | None


@dataclass(frozen=True, slots=True)
class AgentPlan:
    """An agent; ``tools`` says which of its tools change something, ``since`` which came with a later version."""

    id: str
    project: str
    releases: tuple[Release, ...]
    tools: dict[str, bool]
    since: dict[str, str] = field(default_factory=dict)
    pins: tuple[Pin, ...] = ()

    def tools_of(self, version: str) -> list[dict[str, Any]]:
        """The tools of a version, as it registers them."""
        versions = [release.version for release in self.releases]
        return [
            {"id": tool, "writes": writes}
            for tool, writes in self.tools.items()
            if versions.index(self.since.get(tool, versions[0])) <= versions.index(version)
        ]

    def newest(self, days_ago: float) -> Release:
        """The newest release of that day."""
        return [release for release in self.releases if release.days_ago >= days_ago][-1]

    def live(self, days_ago: float) -> Release:
        """What the project ran that day: the pinned release, else the newest."""
        for pin in self.pins:
            if pin.from_days >= days_ago >= (pin.to_days or 0):
                return next(release for release in self.releases if release.version == pin.version)
        return self.newest(days_ago)

    def unpinned(self) -> list[float]:
        """When, so many days ago, the project let a pin go and followed Latest: a pin may also give way to another."""
        begins = {pin.from_days for pin in self.pins}
        return [pin.to_days for pin in self.pins if pin.to_days is not None and pin.to_days not in begins]


@dataclass(frozen=True, slots=True)
class ClassPlan:
    """A judge class: of the tenant, of a project, or of an agent in it; ``only`` names the service that may give it."""

    name: str
    weight: float
    description: str
    project: str = ""
    agent: str = ""
    least_reviewer: str = ""
    kinds: tuple[str, ...] = ()
    only: str = ""
    retired: bool = False


@dataclass(frozen=True, slots=True)
class Company:
    """A tenant with all that is in it."""

    slug: str
    name: str
    projects: tuple[ProjectPlan, ...]
    people: tuple[Person, ...]
    services: tuple[Service, ...]
    agents: tuple[AgentPlan, ...]
    classes: tuple[ClassPlan, ...]


EXPERTS, COLLEAGUES, TASTERS = "Experts", "Colleagues", "Itinerary tasters"
END_USERS, NIGHT_CHECK = "End users", "Night check"
RUNTIME, APP, CHECKER = "Agent runtime", "Customer app", "Nightly checker"

TRAVEL = Company(
    slug="meridian-travel",
    name="Meridian Travel",
    projects=(
        ProjectPlan("support", "Traveller support", "Bookings, changes, delays and what goes wrong on the way."),
        ProjectPlan("trip-planning", "Trip planning", "Finding the journey that somebody has in mind."),
    ),
    people=(
        Person("ada@meridian-travel.example", "Ada Lindqvist", tenant_role=TENANT_ADMIN),
        Person("root@meridian-travel.example", "Ravi Root", tenant_role=SUPERUSER),
        Person("olu@meridian-travel.example", "Olu Adeyemi", {"support": "owner", "trip-planning": "owner"}, "admin"),
        Person("priya@meridian-travel.example", "Priya Raman", {"support": "admin"}, "senior"),
        Person(
            "tomas@meridian-travel.example", "Tomáš Dvořák", {"support": "editor", "trip-planning": "editor"}, "senior"
        ),
        Person(
            "mei@meridian-travel.example", "Mei Tanaka", {"support": "editor", "trip-planning": "admin"}, "standard"
        ),
        Person("zoe@meridian-travel.example", "Zoë Okonkwo-Brandt", {"support": "editor"}, "standard"),
        Person("lev@meridian-travel.example", "Lev Aronson", {"trip-planning": "editor"}),
        Person("vera@meridian-travel.example", "Vera Salonen", {"support": "viewer", "trip-planning": "viewer"}),
    ),
    services=(
        Service(RUNTIME, "Reports the agents' runs.", ("support", "trip-planning")),
        Service(APP, "Passes on what travellers say of an answer.", ("support", "trip-planning")),
        Service(CHECKER, "Compares each night's calls with the fare rules.", ("support",)),
    ),
    agents=(
        AgentPlan(
            "meridian.concierge",
            "support",
            (
                Release("1.0.0", 120, 0.34),
                Release("1.1.0", 63, 0.27),
                Release("1.2.0", 34, 0.20),
                Release("2.0.0", 11, 0.11),
            ),
            {
                "meridian.bookings.find": False,
                "meridian.bookings.change": True,
                "meridian.bookings.cancel": True,
                "meridian.fares.rules": False,
                "meridian.flights.search": False,
                "meridian.flights.status": False,
                "meridian.vouchers.issue": True,
                "meridian.people.hand_over": True,
            },
            pins=(Pin("1.2.0", 10, 8),),
        ),
        AgentPlan(
            "meridian.trip-matcher",
            "trip-planning",
            (Release("0.9.0", 120, 0.40), Release("1.0.0", 48, 0.26), Release("1.1.0", 16, 0.18)),
            {
                "meridian.catalog.search": False,
                "meridian.prices.quote": False,
                "meridian.weather.outlook": False,
                "meridian.catalog.reviews": False,
            },
            {"meridian.catalog.reviews": "1.0.0"},
            pins=(Pin("1.0.0", 24, 5), Pin("1.1.0", 5, None)),
        ),
    ),
    classes=(
        ClassPlan(
            EXPERTS, 3, "Senior reviewers, who know the fare rules by heart.", least_reviewer="senior", kinds=("user",)
        ),
        ClassPlan(COLLEAGUES, 1, "Whoever works at the desk.", project="support"),
        ClassPlan(END_USERS, 0.5, "Travellers, through the app.", kinds=("service",)),
        ClassPlan(
            NIGHT_CHECK, 0.25, "The program that checks the night's calls.", "support", kinds=("service",), only=CHECKER
        ),
        ClassPlan(
            TASTERS,
            2,
            "They have been there.",
            "trip-planning",
            "meridian.trip-matcher",
            least_reviewer="standard",
        ),
        ClassPlan("Interns 2030", 0.5, "Last summer's interns.", project="support", retired=True),
    ),
)

SHOP = Company(
    slug="acorn-outfitters",
    name="Acorn Outfitters",
    projects=(ProjectPlan("support", "Customer support", "Orders, returns and finding the right thing."),),
    people=(
        Person("bea@acorn-outfitters.example", "Bea Hartmann", tenant_role=TENANT_ADMIN),
        Person("noor@acorn-outfitters.example", "نور الخطيب", {"support": "owner"}, "admin"),
        Person("ines@acorn-outfitters.example", "Inês Carvalho", {"support": "admin"}, "senior"),
        Person("sam@acorn-outfitters.example", "Sam O'Dowd", {"support": "editor"}, "standard"),
        Person("kofi@acorn-outfitters.example", "Kofi Mensah", {"support": "editor"}),
        Person("ella@acorn-outfitters.example", "Ella Virtanen", {"support": "viewer"}),
    ),
    services=(
        Service(RUNTIME, "Reports the agents' runs.", ("support",)),
        Service(APP, "Passes on what customers say of an answer.", ("support",)),
        Service(CHECKER, "Compares each night's refunds with the ledger.", ("support",)),
    ),
    agents=(
        AgentPlan(
            "acorn.orders",
            "support",
            (Release("3.0.0", 120, 0.30), Release("3.1.0", 44, 0.21), Release("3.2.0", 13, 0.12)),
            {
                "acorn.orders.find": False,
                "acorn.orders.refund": True,
                "acorn.orders.cancel": True,
                "acorn.orders.exchange": True,
                "acorn.shipments.track": False,
                "acorn.people.hand_over": True,
            },
        ),
        AgentPlan(
            "acorn.product-finder",
            "support",
            (Release("1.0.0", 120, 0.36), Release("1.1.0", 52, 0.28), Release("2.0.0", 20, 0.15)),
            {"acorn.catalog.search": False, "acorn.stock.check": False, "acorn.prices.compare": False},
            {"acorn.prices.compare": "2.0.0"},
            pins=(Pin("1.1.0", 4, None),),
        ),
    ),
    classes=(
        ClassPlan(EXPERTS, 3, "Senior reviewers and product safety.", least_reviewer="senior", kinds=("user",)),
        ClassPlan(END_USERS, 0.5, "Customers, through the app.", kinds=("service",)),
        ClassPlan(
            NIGHT_CHECK,
            0.25,
            "The program that checks refunds against the ledger.",
            "support",
            kinds=("service",),
            only=CHECKER,
        ),
    ),
)

COMPANIES = (TRAVEL, SHOP)
