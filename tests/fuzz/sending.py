"""Odd requests: how they are written down, sent and judged. ``@run@`` and the like stand for ids of what is there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.db import transaction
from django.http import HttpResponse

from kindgi.access.models import Reviewer, User
from tests.builders import Api, make_user, mint
from tests.support.openapi import assert_answer_is_documented
from tests.support.shops import AGENT, VERSION, Shop

CORPUS = Path(__file__).parent / "corpus"
PLACE = re.compile(rb"@([a-z]+)@")
TOO_LONG_FOR_PYTHON = re.compile(rb"\d{4300}")


@dataclass(frozen=True)
class Odd:
    """A request: ``path`` below /v1/ with its query, as it goes over the wire; ``headers`` besides the token."""

    method: str
    path: str
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)

    def written(self) -> dict[str, Any]:
        """As it is kept in the corpus."""
        try:
            body = {"body": self.body.decode("utf-8")} if self.body else {}
        except UnicodeDecodeError:
            body = {"hex": self.body.hex()}
        headers = {"headers": self.headers} if self.headers else {}
        return {"method": self.method, "path": self.path, **body, **headers}

    @classmethod
    def read(cls, kept: dict[str, Any]) -> Odd:
        """From the corpus; ``body`` may be a list of texts and ``[text, times]``."""
        body = kept.get("body", "")
        parts = [body] if isinstance(body, str) else [one if isinstance(one, str) else one[0] * one[1] for one in body]
        sent = bytes.fromhex(kept["hex"]) if "hex" in kept else "".join(parts).encode("utf-8")
        return cls(kept["method"], kept["path"], sent, kept.get("headers", {}))


@dataclass
class Field:
    """Where odd requests are sent: a shop in which everything that they may name is there once."""

    api: Api
    names: dict[str, str]

    @classmethod
    def of(cls, shop: Shop) -> Field:
        member, outsider = make_user(shop.tenant, "viewer", reviewer="senior"), make_user(shop.tenant)
        run_id = shop.run(calls=[{"tool": "t", "args": {}}])
        shop.admin.ok("PUT", f"projects/{shop.project.pk}/agents/{AGENT}/pin", {"version": VERSION})
        names = {
            "run": run_id,
            "going": shop.run(status="running"),
            "flow": shop.run(flow={"id": "f", "version": "1"}),
            "correction": shop.correct(run_id, by="service")["id"],
            "judgment": shop.editor.ok("GET", "judgments", query={"runId": run_id})["data"][0]["id"],
            "class": shop.judge_class(),
            "restricted": shop.judge_class(assertableBy={"principalKinds": ["service"]}),
            "project": shop.project.pk,
            "empty": shop.other_project().pk,
            "agent": AGENT,
            "version": VERSION,
            "user": outsider.pk,
            "member": member.pk,
            "reviewer": Reviewer.objects.get(user=member).pk,
            "account": shop.person("service").pk,
            "token": mint(_user(shop)).token.pk,
            "new": "018f0000-0000-7000-8000-000000000000",
        }
        return cls(Api(shop.admin.secret), {name: str(value) for name, value in names.items()})

    def send(self, odd: Odd) -> Any:
        """The answer; whatever the request did is undone."""
        path = self._placed(odd.path.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
        headers = {"Content-Type": "application/json", **odd.headers}
        with undone():
            return self.api.request(odd.method, f"/v1/{path}", self._placed(odd.body), headers=headers)

    def _placed(self, text: bytes) -> bytes:
        return PLACE.sub(lambda found: self.names.get(found[1].decode(), found[0].decode()).encode(), text)


def _user(shop: Shop) -> User:
    person: User = shop.person("editor")
    return person


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def judge(odd: Odd, response: HttpResponse) -> None:
    """Fail unless the answer is one that the OpenAPI document knows, and not a fault of the server's."""
    assert response.status_code < 500, f"{odd.written()} → {response.status_code}"
    assert response.headers["X-Request-Id"] and response.headers["Cache-Control"] == "no-store"
    if response.status_code >= 400:
        error = json.loads(response.content)["error"]
        assert error["code"] and error["message"] and error["requestId"] == response.headers["X-Request-Id"]
    if not TOO_LONG_FOR_PYTHON.search(response.content):
        path = PLACE.sub(b"x", odd.path.partition("?")[0].encode("utf-8", "surrogatepass")).decode("utf-8", "replace")
        assert_answer_is_documented(odd.method, f"/v1/{path}", response)


def keep(odd: Odd, problem: BaseException) -> Path:
    """Write a request that was answered wrongly into the corpus, where it is sent again before any other."""
    written = {"about": f"Found by fuzzing: {problem!r:.300}", "requests": [odd.written()]}
    digest = sha256(json.dumps(written["requests"]).encode()).hexdigest()[:12]
    path = CORPUS / f"found-{digest}.json"
    path.write_text(json.dumps(written, indent=1, ensure_ascii=True) + "\n")
    return path


def corpus() -> list[tuple[str, dict[str, Any]]]:
    """Every request of the corpus with where it is written."""
    found = []
    for path in sorted(CORPUS.glob("*.json")):
        for number, kept in enumerate(json.loads(path.read_text())["requests"], start=1):
            found.append((f"{path.stem} {number}: {kept.get('why', kept['path'])}", kept))
    return found
