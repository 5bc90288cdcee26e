"""A company that has used the console for some days: every role, runs of every shape, and whatever can be said of them.

Made through /v1, as of the times at which it would have happened. The runs have names, by which tests find them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, ClassVar
from uuid import uuid4

from django.db import transaction

from kindgi.access.models import Project
from kindgi.api.times import as_of, now, wire
from tests.browser.shapes import LONG_AGENT, LONG_NAME, SHAPES, WRITES, trend_run
from tests.builders import make_project, make_user
from tests.improve import suggesting
from tests.judging.queues import change_rule, dismiss, import_runs, make_rule, rules_path
from tests.support.shops import AGENT, TOOLS, Shop

NEWER, NEWEST = "1.1.0", "2.0.0"
TREND_VERSIONS = {"1.0.0": 4, NEWER: 11}
TREND_RUNS = 12
DESK = "shop.refunds"
SUGGESTED = {
    "in review": "Refund at once. The desk looks orders up that are to be refunded, and customers wait.",
    "draft": "Raise the look-back for “my most recent order” to 90 days",
    "going on": "Offer the cheaper parcel first when the customer names a budget",
    "not better": "Ask for the order's number before the name",
    "failed": "ענה בשפת הלקוח. " + LONG_NAME,
    "rejected": "Confirm each exchange before making it",
    "withdrawn": "Never split a payment across two cards",
}


@dataclass
class World(Shop):
    """A shop with a history. ``runs``, ``rules``, ``classes`` and ``changes`` (suggested ones) hold ids by names."""

    runs: dict[str, str] = field(default_factory=dict)
    rules: dict[str, str] = field(default_factory=dict)
    classes: dict[str, str] = field(default_factory=dict)
    changes: dict[str, str] = field(default_factory=dict)
    long_project: Project | None = None

    NAMES: ClassVar[dict[str, str]] = {
        "viewer": "Vera Vlček",
        "editor": "Ed Itor",
        "editor:2": "יעל כהן",
        "senior": "Sena Oyelaran",
        "admin": "Ada Lindqvist",
        "tenant-admin": "",  # known by the email alone
        "long": LONG_NAME,
    }

    @classmethod
    @transaction.atomic
    def built(cls) -> World:
        """A new one, with everything in it."""
        world = cls.open()
        assert isinstance(world, cls)
        world._hire()
        begin = now() - timedelta(days=3)
        world._make_agents()
        with as_of(begin):
            world._make_classes()
            world._make_rules()
        world._report(begin)
        with as_of(begin + timedelta(days=1)):
            world._change_rules()
        world._say()
        world._close()
        world._suggest(begin - timedelta(days=1))
        return world

    def path(self, rest: str = "", *, project: Project | None = None) -> str:
        """The address of the project's page: ``world.path("quality?tab=rules")``."""
        return f"/projects/{(project or self.project).slug}/{rest}"

    def run_path(self, name: str, tab: str = "corrections") -> str:
        """The address of the run's page."""
        return self.path(f"runs/{self.runs[name]}?tab={tab}")

    def _hire(self) -> None:
        roles: dict[str, Any] = {name: {"role": name.partition(":")[0]} for name in ("viewer", "editor", "editor:2")}
        roles |= {"admin": {"role": "admin"}, "tenant-admin": {"admin": True}, "long": {"role": "viewer"}}
        roles["senior"] = {"role": "editor", "reviewer": "senior"}
        self.apis.clear()
        for name, fields in roles.items():
            self.people[name] = make_user(self.tenant, **fields, display_name=self.NAMES[name])
        self.long_project = make_project(self.tenant, name=LONG_NAME)
        grants = [{"kind": "project", "projectId": str(self.project.pk), "role": "editor"}]
        account = self.admin.ok("POST", "service-accounts", {"name": "Nightly checker", "grants": grants})
        for_bot = {"for": {"kind": "service-account", "id": account["serviceAccountId"]}, "role": "member"}
        self.admin.ok("POST", "tokens", {**for_bot, "label": "Nightly checker"})
        for label in ("Laptop", "An old laptop"):
            token = self.editor.ok("POST", "tokens", {"role": "member", "label": label})
        self.editor.ok("POST", f"tokens/{token['tokenId']}/revoke")

    def _make_agents(self) -> None:
        tools = [{"id": tool, "writes": tool in WRITES} for tool in TOOLS]
        for version in ("1.0.0", NEWER, NEWEST):
            self.admin.ok("PUT", f"agents/{AGENT}/versions/{version}", {"tools": tools})
        self.admin.ok("PUT", f"agents/{LONG_AGENT}/versions/1.0.0", {"tools": tools})

    def _make_classes(self) -> None:
        made: dict[str, dict[str, Any]] = {
            "expert": {"weight": 3, "assertableBy": {"minReviewerRole": "senior", "principalKinds": ["user"]}},
            "bot": {"weight": 1, "assertableBy": {"principalKinds": ["service"]}},
            "nobody": {"weight": 2, "assertableBy": {"minReviewerRole": "admin"}},
            "colleague": {"weight": 0.5, "description": "Whoever sits beside you."},
            LONG_NAME[:100]: {"weight": 1},
            "former": {"weight": 2},
        }
        for name, body in made.items():
            self.classes[name] = self.judge_class(name, **body)
        self.admin.ok("POST", f"judge-classes/{self.classes['former']}/unregister")

    def _make_rules(self) -> None:
        everything = {"agentIds": [AGENT]}
        newest = {**everything, "versions": [NEWEST]}
        made: dict[str, dict[str, Any]] = {
            "Everything": {"when": everything},
            "Support sample": {"when": everything, "sample": 0.5, "judgeClassId": self.classes["expert"]},
            "Bot review": {"when": newest, "judgeClassId": self.classes["bot"], "maxOpen": 2},
            "For nobody": {"when": newest, "judgeClassId": self.classes["nobody"]},
            "Parcels": {"when": {"flowIds": ["shop.parcels"], "includeDryRuns": True}},
            "Off": {"when": everything, "enabled": False},
            "Stopped": {"when": everything, "sample": 0.1},
            LONG_NAME: {"when": {"agentIds": [LONG_AGENT, AGENT], "versions": ["live", "1.0.0", NEWER]}},
        }
        for name, body in made.items():
            self.rules[name] = make_rule(self, name=name, **body)["ruleId"]

    def _report(self, begin: datetime) -> None:
        """Each run ends half an hour after the one before; those that charts are made of come first."""
        trend = {
            f"{version} #{number}": trend_run(version, number)
            for version in TREND_VERSIONS
            for number in range(TREND_RUNS)
        }
        every = timedelta(minutes=30)
        for number, (name, body) in enumerate({**trend, **SHAPES}.items(), start=1):
            self.runs[name] = str(uuid4())
            at = wire(begin + number * every)
            times = {"createdAt": at, **({} if body["status"] == "running" else {"completedAt": at})}
            record = {"id": self.runs[name], **body, **times}
            with as_of(begin + number * every):
                import_runs(self, record)

    def _change_rules(self) -> None:
        rule = {"ruleId": self.rules["Bot review"]}
        change_rule(self, rule, name="Bot review of a few", maxOpen=5)
        change_rule(self, rule, name="Bot review", maxOpen=None, sample=0.5)
        self.editor.ok("POST", rules_path(self, self.rules["Stopped"], "unregister"))

    def _say(self) -> None:
        for version, right in TREND_VERSIONS.items():
            for number in range(TREND_RUNS):
                by, group = ("senior", {"correctorGroupId": self.classes["expert"]}) if number < 6 else ("editor:2", {})
                said: dict[str, Any] = (
                    {"answer": "right"} if number < right else {"answer": "wrong", "why": "Too late."}
                )
                self.correct(self.runs[f"{version} #{number}"], by=by, **said, **group)
        run = self.runs["corrected"]
        self.correct(run, by="editor:2", answer="wrong", why="It isn't on its way.", shouldSay="It left today. 📦")
        wrong: dict[str, Any] = {"decisions": "wrong", "shouldCall": [{"tool": TOOLS[0], "args": {"order": "A-17"}}]}
        expert = {"correctorGroupId": self.classes["expert"]}
        kept = self.correct(run, by="senior", **wrong, mustNotCall=[TOOLS[1]], **expert)
        items = [{"key": "case-a", "pointer": "/matches/0", "rank": 0, "verdict": "right"}]
        items += [{"key": "case-b", "pointer": "/matches/1", "rank": 1, "verdict": "wrong"}]
        self.correct(run, by="editor", answer="right", items=items)
        change = {
            "status": "being-fixed",
            "statusNote": "On it.",
            "link": {"kind": "pull-request", "url": "https://github.example/shop/pull/17"},
        }
        self.api("senior").ok("PATCH", f"corrections/{kept['id']}", change)
        for_kim = {"answer": "wrong", "why": "I am Kim.", "participantId": "customer-17"}
        self.correct(self.runs["for a customer"], **for_kim)
        self.correct(self.runs["seen by others"], by="editor:2", answer="wrong", why="It should have asked first.")

    def _close(self) -> None:
        dismiss(self, self.runs["dismissed"], reason="A test order")
        dismiss(self, self.runs["dismissed too"], by="editor:2")
        self.correct(self.runs["corrected, then erased"], by="editor:2", answer="wrong", why="Jo is no customer.")
        for name in ("erased", "corrected, then erased"):
            self.api("admin").ok("POST", f"runs/{self.runs[name]}/erase")

    def _suggest(self, at: datetime) -> None:
        """Suggested changes of another agent in most statuses; ``at`` is when its runs ended, before all others."""
        suggesting.register(self, agent=DESK)
        times = {"createdAt": wire(at), "completedAt": wire(at)}
        said = suggesting.corrected_runs(self, 12, right=3, agent=DESK, by="editor:2", **times)
        evidence = {"judgmentIds": [pk for one in said[:6] for pk in suggesting.judgments(self, one)]}
        suggesting.reviewer(self, "admin")
        for name, words in SUGGESTED.items():
            template = f"{suggesting.TEMPLATE}\n{words}"
            prompt = {"change": {"blockId": suggesting.PROMPT, "content": {"template": template}}}
            change = {} if name == "in review" else prompt
            said_of: dict[str, Any] = {"hypothesis": words, "evidence": evidence, **change}
            self.changes[name] = suggesting.draft(self, by="editor:2", agent=DESK, **said_of)
        for name in ("in review", "not better", "rejected"):
            suggesting.evaluate(self, self.changes[name], by="editor:2", agent=DESK)
        suggesting.request(self, self.changes["in review"], by="editor:2", reason="Both that changed are test orders.")
        suggesting.request(self, self.changes["rejected"], by="tenant-admin", reason="It reads better.")
        suggesting.decide(self, self.changes["rejected"], "reject", by="admin", reason="It says the same.")
        suggesting.evaluate(self, self.changes["failed"], by="editor:2", agent=DESK, fails=True)
        suggesting.begin(self, self.changes["going on"], by="editor:2")
        self.api("editor:2").ok(
            "POST", f"proposals/{self.changes['withdrawn']}/withdraw", {"reason": "The tool does it."}
        )
