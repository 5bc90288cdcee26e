"""A shop's suggested changes in whatever status a test needs, each come there through /v1 and a real endpoint."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

from improve.models import Evaluation, ReplayJob
from kindgi.access.models import User
from tests.builders import browser
from tests.improve.answering import Asked, answer, answering
from tests.improve.replays import work
from tests.support.shops import AGENT, TOOLS, Shop

FROM, BLOCK, PROMPT = "2.4.0", "routing", "order-changes"
LOOKUP, REFUND = TOOLS[0], TOOLS[1]
TEMPLATE = "\n".join(
    [
        "You are the desk of a shop.",
        "Answer in the customer's own language.",
        "Look every order up before you say anything of it.",
        "When a customer wants an address changed:",
        "- Look the order up. Only a pending order's address can change.",
        "- Call shop.lookup with the order that the customer gave.",
        "- Read the new address to the customer and wait for a yes.",
        "Never promise what you can't do.",
    ]
)
SETTINGS = '{"tool": "shop.lookup", "days": 30, "limits": {"refund": 1, "mail": 2}}'
SAID = {"response": {"content": "Your parcel is on its way."}}


def register(shop: Shop, *, agent: str = AGENT) -> None:
    """A version of the agent with two blocks: settings that name the tool that it calls, and a prompt."""
    tools = json.dumps([{"id": tool, "writes": tool != LOOKUP} for tool in TOOLS])
    prompt = json.dumps({"id": PROMPT, "kind": "prompt", "template": TEMPLATE})
    settings = f'{{"id": "{BLOCK}", "kind": "settings", "values": {SETTINGS}}}'
    body = f'{{"tools": {tools}, "blocks": [{settings}, {prompt}]}}'
    shop.admin.ok("PUT", f"agents/{agent}/versions/{FROM}", body.encode())


def corrected_runs(
    shop: Shop, count: int = 10, *, by: str = "editor", right: int = 0, agent: str = AGENT, **body: Any
) -> list[dict[str, Any]]:
    """Corrections, newest last: so many say that the other tool should have been called, and ``right`` that all was."""
    made = []
    for number in range(count + right):
        order = f"A-{number}"
        run = shop.run(
            agent={"id": agent, "version": FROM, "via": "live"},
            input={"message": f"Where is {order}?"},
            output=SAID,
            calls=[{"tool": LOOKUP, "args": {"order": order}}],
            **body,
        )
        wrong: dict[str, Any] = {"decisions": "wrong", "shouldCall": [{"tool": REFUND, "args": {"order": order}}]}
        made.append(shop.correct(run, by=by, **(wrong if number < count else {"decisions": "right"})))
    return made


def judgments(shop: Shop, correction: dict[str, Any]) -> list[str]:
    """The ids of a correction's verdicts."""
    found = shop.editor.ok("GET", f"judgments?runId={correction['runId']}")["data"]
    return [one["id"] for one in found]


def draft(shop: Shop, *, by: str = "editor", tool: str = REFUND, agent: str = AGENT, **said: Any) -> str:
    """The id of a new suggestion: that another tool is called, unless ``said`` says else."""
    body = {
        "agentId": agent,
        "fromVersion": FROM,
        "change": {"blockId": BLOCK, "content": {"values": {**json.loads(SETTINGS), "tool": tool}}},
        "hypothesis": "Refund at once. The desk looks orders up that are to be refunded.",
        "scope": {"kind": "project", "projectId": str(shop.project.pk)},
        **said,
    }
    return str(shop.api(by).ok("POST", "proposals", body)["id"])


@contextmanager
def endpoint(shop: Shop, *, fails: bool = False, agent: str = AGENT) -> Iterator[None]:
    """The agent's endpoint while the block lasts: it calls the tool that the settings name, of the order asked for."""

    def behave(connection: socket.socket, asked: Asked, number: int) -> None:
        connection.sendall(answer({}, status="500 Internal Server Error") if fails else answer(_did(asked.json)))

    with answering(behave) as server:
        address = f"projects/{shop.project.pk}/agents/{quote(agent, safe='')}/replay-endpoint"
        shop.admin.ok("PUT", address, {"url": server.url})
        yield


def _did(asked: dict[str, Any]) -> dict[str, Any]:
    order = asked["input"]["message"].removeprefix("Where is ").removesuffix("?")
    tool = asked["blocks"][BLOCK]["values"]["tool"]
    return {"output": SAID, "calls": [{"tool": tool, "args": {"order": order}}]}


def begin(shop: Shop, proposal: str, *, by: str = "editor", **form: Any) -> ReplayJob:
    """Have it evaluated, by its page; the job, which nobody works on yet."""
    sent = browser(shop.person(by)).post(f"{page_of(shop, proposal)}/evaluate", {"repetitions": 1, **form})
    assert sent.status_code == 303, sent.content.decode()
    return job_of(proposal)


def evaluate(
    shop: Shop, proposal: str, *, by: str = "editor", fails: bool = False, agent: str = AGENT, **form: Any
) -> None:
    """Evaluate it to the end."""
    with endpoint(shop, fails=fails, agent=agent):
        work(begin(shop, proposal, by=by, **form))


def page_of(shop: Shop, proposal: str) -> str:
    """The address of its page."""
    return f"/projects/{shop.project.slug}/suggested-changes/{proposal}"


def job_of(proposal: str) -> ReplayJob:
    """The job of its latest evaluation."""
    return Evaluation.objects.select_related("job").filter(proposal_id=proposal).latest("created_at").job


def reviewer(shop: Shop, name: str = "editor:reviewer") -> User:
    """A person of the project who is on the roster."""
    person: User = shop.person(name)
    shop.admin.ok("POST", "approvals/reviewers", {"userId": str(person.pk), "role": "senior"})
    return person


def request(shop: Shop, proposal: str, *, by: str = "editor", **body: Any) -> None:
    """Ask for it to go live."""
    shop.api(by).ok("POST", f"proposals/{proposal}/request", body)


def decide(shop: Shop, proposal: str, decision: str = "approve", *, by: str, **body: Any) -> None:
    """Decide about it."""
    shop.api(by).ok("POST", f"proposals/{proposal}/decide", {"decision": decision, **body})
