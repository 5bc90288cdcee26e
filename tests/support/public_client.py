"""A program of somebody who uses the public Python client: it judges a run, and prints what it saw as JSON.

Not part of the tests' process: it is run by a Python of its own, in which ``kindgi`` is the client.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
from typing import Any

from kindgi.client import (  # type: ignore[import-not-found]
    AsyncKindgi,
    Kindgi,
    KindgiApiError,
    apaginate,
    models,
    paginate,
)

Saw = dict[str, Any]
DECISIONS = {"key": "kindgi:correction"}


class Story:
    """What is done with a client of either kind: the answers of ``Kindgi`` are there at once, and else awaited."""

    def __init__(self, client: Any, viewer: Any, run_id: str, waiting_id: str) -> None:
        """``viewer`` may read and not write; the run ``waiting_id`` has no output yet."""
        self.client, self.viewer, self.run_id, self.waiting_id = client, viewer, run_id, waiting_id

    async def told(self) -> Saw:
        """All of it."""
        return {**await self.judged(), **await self.paged(), **await self.removed(), "refused": await self.refused()}

    async def judged(self) -> Saw:
        """A judgment, its retry, what it reads as, and one that replaces it."""
        item = {"key": "answer", "pointer": "/response/content"}
        answer = {"run_id": self.run_id, "item": item, "verdict": "yes", "reason": "Right", "idempotency_key": "once"}
        made, again = await self.judge(**answer), await self.judge(**answer)
        body = models.CreateJudgmentBody(run_id=self.run_id, item={"key": "answer"}, verdict="no")
        later = await awaited(self.client.judgments.create(body))
        return {
            "made": sent(made),
            "again": again.id,
            "read": sent(await awaited(self.client.judgments.get(made.id))),
            "later": later.id,
        }

    async def paged(self) -> Saw:
        """The decisions and two end users' judgments, page by page."""
        for user in ("u1", "u2"):
            await self.judge(item={"key": "a"}, verdict="yes", participant_id=user)
        listed = {"calls": [{"tool": "shop.refund", "args": {"id": 1}}], "notCalled": ["shop.mail"]}
        await self.judge(item=DECISIONS, verdict="no", correction=listed)
        pages = self.client.judgments.list
        if isinstance(self.client, AsyncKindgi):
            found = [one async for one in apaginate(pages, run_id=self.run_id, limit=1)]
        else:
            found = list(paginate(pages, run_id=self.run_id, limit=1))
        no = await awaited(pages(run_id=self.run_id, verdict="no"))
        return {"paged": [sent(one) for one in found], "no": [one.item.key for one in no.data]}

    async def removed(self) -> Saw:
        """One of them taken back."""
        found = await awaited(self.client.judgments.list(run_id=self.run_id, participant_id="u1"))
        (one,) = found.data
        answer = await awaited(self.client.judgments.unregister(one.id))
        left = await awaited(self.client.judgments.list(run_id=self.run_id, participant_id="u1"))
        gone = await awaited(self.client.judgments.get(one.id))
        return {"removed": [sent(answer), one.id, len(left.data), gone.unregistered_at is not None]}

    async def refused(self) -> list[list[str]]:
        """What isn't taken: the client's error, the code and the sentence."""
        answer = {"key": "answer"}
        return [
            await refusal(self.judge(run_id=self.waiting_id, item=answer, verdict="yes")),
            await refusal(self.judge(run_id="nope", item=answer, verdict="yes")),
            await refusal(self.judge(item={"key": "k", "pointer": "/no/such"}, verdict="yes")),
            await refusal(self.judge(item=DECISIONS, verdict="yes")),
            await refusal(self.judge(item=DECISIONS, verdict="no", correction={"calls": [], "notCalled": []})),
            await refusal(self.judge(item=answer, verdict="yes", judge_class_id="nothing")),
            await refusal(self.judge(by=self.viewer, item=answer, verdict="yes")),
            await refusal(awaited(lambda: self.client.judgments.get("018f0000-0000-7000-8000-000000000000"))),
        ]

    async def judge(self, *, by: Any = None, **fields: Any) -> Any:
        """One judgment of the run, unless another is named."""
        return await awaited((by or self.client).judgments.create(**{"run_id": self.run_id, **fields}))


async def awaited(answer: Any) -> Any:
    """An answer, once it is there; a function is called first."""
    answer = answer() if inspect.isfunction(answer) else answer
    return await answer if inspect.isawaitable(answer) else answer


async def refusal(call: Any) -> list[str]:
    """The error that the client raises."""
    try:
        await call
    except KindgiApiError as error:
        return [type(error).__name__, str(error.server_code), error.message]
    return ["taken", "", ""]


def sent(model: Any) -> Any:
    """A model as it came over the wire."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def main(kind: str, url: str, editor: str, viewer: str, *run_ids: str) -> None:
    """Tell the story with the client of that kind, and print what was seen."""
    made = Kindgi if kind == "Kindgi" else AsyncKindgi
    clients = [made(url, token=token, max_retries=0) for token in (editor, viewer)]
    try:
        print(json.dumps(await Story(*clients, *run_ids).told()))
    finally:
        for client in clients:
            await awaited(client.aclose() if kind == "AsyncKindgi" else client.close())


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
