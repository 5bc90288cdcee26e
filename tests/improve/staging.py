"""Suggested changes brought to each status by the steps that lead there: the product's own, replays included.

An agent with two blocks, six runs that say it should have called another tool, and a replay endpoint
on this machine that does as the suggested settings say.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import uuid4

from improve.models import Evaluation, ReplayJob
from improve.services.running import job_turn
from improve.statuses import Status
from kindgi.api.times import as_of, now
from tests.improve.answering import Answering, Asked, answer, answering
from tests.support.shops import AGENT, Shop

FROM = "1.1.0"
SETTINGS: dict[str, Any] = {
    "id": "manners",
    "kind": "settings",
    "values": {"mode": "as-before"},
    "schema": {"type": "object", "properties": {"mode": {"type": "string"}, "note": {"type": "string"}}},
}
PROMPT: dict[str, Any] = {
    "id": "greeting",
    "kind": "prompt",
    "template": "Greet {{name}}.",
    "parameters": [{"name": "name"}],
}
CASES = 6
CALLED = [{"tool": "shop.refund", "args": {}}]
SHOULD_CALL = [{"tool": "shop.mail", "args": {}}]
REVIEWER = "editor:reviewer"


def _calls(mode: str) -> list[dict[str, Any]]:
    return SHOULD_CALL if mode == "better" else CALLED


def _behaves(connection: socket.socket, asked: Asked, number: int) -> None:
    """As the settings say: ``better`` calls what people said, ``gone`` is no endpoint, any other does as before."""
    blocks = asked.json.get("blocks", {"manners": SETTINGS})
    mode = blocks["manners"]["values"]["mode"]
    if mode == "gone":
        connection.sendall(answer({"error": "gone"}, status="404 Not Found"))
    else:
        connection.sendall(answer({"output": {"response": {"content": "Done."}}, "calls": _calls(mode)}))


@dataclass
class Stage:
    """A shop whose agent can be changed; each ``person`` is one of the shop's, ``by`` who does what."""

    shop: Shop
    server: Answering
    by: str = "editor"
    test_set: str = ""
    runs: list[str] = field(default_factory=list)

    def set_up(self, *, cases: int = CASES) -> None:
        """The version with its blocks, the corrected runs, the test set, the endpoint, and a reviewer."""
        shop = self.shop
        shop.admin.ok("PUT", f"agents/{AGENT}/versions/{FROM}", {"blocks": [SETTINGS, PROMPT]})
        for _ in range(cases):
            self.runs.append(shop.run(calls=CALLED, agent={"id": AGENT, "version": FROM}))
            shop.correct(self.runs[-1], decisions="wrong", shouldCall=SHOULD_CALL)
        made = shop.editor.ok("POST", f"projects/{shop.project.pk}/test-sets", {"agentId": AGENT})
        self.test_set = made["id"]
        endpoint = f"projects/{shop.project.pk}/agents/{AGENT}/replay-endpoint"
        shop.admin.ok("PUT", endpoint, {"url": self.server.url})
        roster = {"userId": str(shop.person(REVIEWER).pk), "role": "standard"}
        shop.admin.ok("POST", "approvals/reviewers", roster)

    def drafted(self, mode: str = "better", *, by: str = "", **body: Any) -> str:
        """The id of a new suggested change, to the settings; no two are the same."""
        values = {"mode": mode, "note": uuid4().hex}
        said = {
            "agentId": AGENT,
            "fromVersion": FROM,
            "change": {"blockId": "manners", "content": {"values": values}},
            "hypothesis": "It should send a mail.",
            **body,
        }
        made: dict[str, Any] = self.shop.api(by or self.by).ok("POST", "proposals", said)
        return str(made["id"])

    def act(self, proposal_id: str, action: str, body: Any = None, *, by: str = "") -> dict[str, Any]:
        """What is answered to an action that succeeds."""
        done: dict[str, Any] = self.shop.api(by or self.by).ok("POST", f"proposals/{proposal_id}/{action}", body)
        return done

    def begun(self, proposal_id: str) -> str:
        """Begin to evaluate it."""
        self.act(proposal_id, "evaluate", {"suiteId": self.test_set})
        return proposal_id

    def evaluated(self, proposal_id: str) -> str:
        """Evaluate it, by a worker's turns."""
        self.begun(proposal_id)
        work(Evaluation.objects.filter(proposal_id=proposal_id).latest("created_at").job)
        return proposal_id

    def unjudged(self, cases: int) -> str:
        """One that is evaluated on so many runs more, where the endpoint answers what nobody has judged."""
        for _ in range(cases):
            self.shop.correct(self.shop.run(agent={"id": AGENT, "version": FROM}))
        made = self.shop.editor.ok("POST", f"projects/{self.shop.project.pk}/test-sets", {"agentId": AGENT})
        self.test_set = made["id"]
        return self.evaluated(self.drafted())

    def in_review(self) -> str:
        """One that waits for a reviewer."""
        proposal_id = self.evaluated(self.drafted())
        self.act(proposal_id, "request")
        return proposal_id

    def decided(self, decision: str) -> str:
        """One that the reviewer decided about."""
        proposal_id = self.in_review()
        self.act(proposal_id, "decide", {"decision": decision, "reason": "As said."}, by=REVIEWER)
        return proposal_id

    def superseded(self) -> str:
        """One that was approved after the project came to run another version."""
        proposal_id = self.in_review()
        version = f"0.1.0-{uuid4().hex}"
        self.shop.admin.ok("PUT", f"agents/{AGENT}/versions/{version}")
        self.shop.admin.ok("PUT", f"projects/{self.shop.project.pk}/agents/{AGENT}/pin", {"version": version})
        self.act(proposal_id, "decide", {"decision": "approve"}, by=REVIEWER)
        self.shop.admin.delete(f"projects/{self.shop.project.pk}/agents/{AGENT}/pin")
        return proposal_id

    def expired(self) -> str:
        """One that nobody decided about in time."""
        with as_of(now() - timedelta(days=30)):
            return self.in_review()

    def refused(self) -> str:
        """One that isn't better, and that somebody asked for all the same."""
        proposal_id = self.evaluated(self.drafted("as-ever"))
        self.act(proposal_id, "request", {"reason": "I like it."})
        return proposal_id

    def rolled_back(self) -> str:
        """One that went live, and was gone back from."""
        proposal_id = self.decided("approve")
        self.act(proposal_id, "rollback", by=REVIEWER)
        return proposal_id

    def withdrawn(self) -> str:
        """One that was withdrawn."""
        proposal_id = self.drafted()
        self.act(proposal_id, "withdraw", {"reason": "It was wrong."})
        return proposal_id

    def at(self, status: Status) -> str:
        """The id of a new suggested change that stands so."""
        proposal_id = self.ways[status]()
        stands = self.shop.editor.ok("GET", f"proposals/{proposal_id}")["status"]
        assert stands == status, f"{stands}, not {status}"
        return proposal_id

    @property
    def ways(self) -> dict[Status, Callable[[], str]]:
        """How each status is come by."""
        return {
            Status.DRAFT: self.drafted,
            Status.EVALUATING: lambda: self.begun(self.drafted()),
            Status.EVALUATED: lambda: self.evaluated(self.drafted()),
            Status.NOT_BETTER: lambda: self.evaluated(self.drafted("as-ever")),
            Status.EVALUATION_FAILED: lambda: self.evaluated(self.drafted("gone")),
            Status.IN_REVIEW: self.in_review,
            Status.PROMOTED: lambda: self.decided("approve"),
            Status.REFUSED: self.refused,
            Status.REJECTED: lambda: self.decided("reject"),
            Status.EXPIRED: self.expired,
            Status.SUPERSEDED: self.superseded,
            Status.ROLLED_BACK: self.rolled_back,
            Status.WITHDRAWN: self.withdrawn,
        }


def work(job: ReplayJob) -> None:
    """Do a job as a worker does, until it is over."""
    turn: int | None = job.turn
    while turn is not None:
        turn = job_turn(job_id=job.pk, turn=turn)


@contextmanager
def staged(shop: Shop, *, by: str = "editor") -> Iterator[Stage]:
    """A stage that is set up, while the block lasts; ``by`` drafts and asks."""
    with answering(_behaves) as server:
        stage = Stage(shop, server, by)
        stage.set_up()
        yield stage


def _answers_news(connection: socket.socket, asked: Asked, number: int) -> None:
    connection.sendall(answer({"output": {"text": "News."}, "calls": []}))


@contextmanager
def unforeseen(shop: Shop) -> Iterator[Stage]:
    """A stage that is set up, whose endpoint answers what nobody foresaw; no run of it is corrected yet."""
    with answering(_answers_news) as server:
        stage = Stage(shop, server)
        stage.set_up(cases=1)
        (made,) = shop.editor.ok("GET", "corrections")["data"]
        shop.editor.ok("POST", f"corrections/{made['id']}/unregister")
        yield stage
