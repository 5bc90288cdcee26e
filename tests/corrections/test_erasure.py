"""``POST /v1/runs/{runId}/erase``: a person's words go from every answer and every table; the structure stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import connection

from corrections.models import Verdict
from kindgi.runs.content import unpack
from kindgi.runs.models import Run, RunContent
from tests.support.shops import Shop, completed

WORDS = "what-nobody-may-read-any-more"
ODD = "\\u0000 \\ud800"  # what PostgreSQL's own JSON functions refuse
ADDRESS = {"kind": "pull-request", "url": f"https://example.com/{WORDS}"}
DECISIONS = b'"decisions":"wrong","shouldCall":[{"tool":"shop.mail","args":{"a":"%s"}},{"tool":"shop.refund"}]'


class Story:
    """A run of which everything was said that can be said, each with a key, by several people."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        said: dict[str, Any] = {
            "input": {"q": WORDS},
            "output": {"a": [WORDS]},
            "calls": [{"tool": "t", "args": {"x": WORDS}}],
        }
        self.run_id = shop.run(status="running", **said, failureMessage=WORDS)
        self.retries: list[Callable[[], Any]] = []
        self.write("PUT", f"runs/{self.run_id}", completed(**said))
        self.first = self.correct("editor", answer="wrong", shouldSay=WORDS, why=WORDS)
        self.second = self.correct("editor", why=WORDS, items=[{"key": "i", "pointer": "/a/0", "verdict": "wrong"}])
        raw = b'{"runId":"%s",%s}' % (self.run_id.encode(), DECISIONS % f"{WORDS} {ODD}".encode())
        self.third = self.write("POST", "corrections", raw, by="service")
        self.removed = self.correct("editor:2", answer="wrong", why=WORDS)
        for change in (
            {"statusNote": WORDS, "reason": WORDS},
            {"sortedTo": "developer", "reason": WORDS, "link": ADDRESS},
            {"statusNote": f"{WORDS} again", "link": {"kind": "improve-run", "id": "7"}},
        ):
            for made in (self.second, self.third):
                self.write("PATCH", f"corrections/{made['id']}", change)
        self.write("PATCH", f"corrections/{self.removed['id']}", {"link": ADDRESS})
        self.write("POST", f"corrections/{self.removed['id']}/unregister", by="editor:2")

    def write(self, method: str, path: str, body: Any = None, *, by: str = "editor") -> Any:
        """A write with its own key, which can be sent again."""
        api, key = self.shop.api(by), str(uuid4())
        self.retries.append(lambda: api.request(method, path, body, key=key))
        return api.ok(method, path, body, key=key)

    def correct(self, by: str, **said: Any) -> Any:
        return self.write("POST", "corrections", {"runId": self.run_id, **said}, by=by)

    @property
    def made(self) -> list[Any]:
        return [self.first, self.second, self.third, self.removed]

    def reads(self) -> dict[str, bytes]:
        """Every answer that tells of the run, by what was asked."""
        paths = ["runs", f"runs/{self.run_id}", f"runs/{self.run_id}?include=input,calls"]
        paths += ["corrections?limit=100&include=removed,superseded", f"corrections?runId={self.run_id}"]
        for made in self.made:
            paths += [f"corrections/{made['id']}", f"corrections/{made['id']}/history"]
        return {path: self.shop.admin.get(path).content for path in paths}

    def erase(self) -> Any:
        return self.shop.admin.ok("POST", f"runs/{self.run_id}/erase", key="erase")


@pytest.fixture
def story(undone: Shop) -> Story:
    return Story(undone)


def said(texts: dict[str, bytes]) -> list[str]:
    return [where for where, text in texts.items() if WORDS.encode() in text]


def test_no_answer_says_the_words_any_more(story: Story):
    before = story.reads()
    # All but the list of runs and a superseded correction's history tell of them, so that the test is known to look.
    silent = [where for where in before if where not in said(before)]
    assert silent == [f"corrections/{story.first['id']}/history"]
    erased = story.erase()
    assert WORDS not in str(erased)
    assert said(story.reads()) == []


def test_no_retry_says_the_words_any_more(story: Story):
    kept = [retry() for retry in story.retries]
    assert {answer.headers.get("X-Idempotent-Replay") for answer in kept} == {"true"}
    story.erase()
    answers = [retry() for retry in story.retries]
    assert not [answer for answer in answers if WORDS.encode() in answer.content]
    withheld = [answer for answer in answers if answer.status_code == 409]
    assert {answer.json()["error"]["code"] for answer in withheld} == {"idempotency-key-replay-withheld"}
    details = [answer.json()["error"]["details"]["status"] for answer in withheld]
    assert details == [answer.status_code for answer in kept[: len(withheld)]]
    # Taking a correction back said nothing, and so is said again.
    assert [answer.content for answer in answers[len(withheld) :]] == [kept[-1].content]


def test_no_table_holds_the_words_any_more(story: Story):
    assert tables_with_words() != [] and content_with_words()
    story.erase()
    assert tables_with_words() == []
    assert not content_with_words()


def tables_with_words() -> list[str]:
    """Tables that hold the words as text or as the bytes of a kept answer."""
    found = []
    with connection.cursor() as cursor:
        for table in sorted(model._meta.db_table for model in apps.get_models()):
            cursor.execute(
                f'SELECT count(*) FROM "{table}" AS t WHERE t::text LIKE %s OR t::text LIKE %s',  # noqa: S608 - ours
                [f"%{WORDS}%", f"%{WORDS.encode().hex()}%"],
            )
            found += [table] if cursor.fetchone()[0] else []
    return found


def content_with_words() -> bool:
    packed = [part for row in RunContent.objects.values_list("input", "output", "calls") for part in row]
    packed += list(Verdict.objects.values_list("item_value", flat=True))
    return any(WORDS.encode() in (unpack(part) or b"") for part in packed)


def test_the_runs_structure_stays(story: Story):
    path = f"runs/{story.run_id}"
    before = story.shop.editor.ok("GET", path, query={"include": "input,calls"})
    erased = story.erase()
    after = story.shop.editor.ok("GET", path, query={"include": "input,calls"})
    assert after == erased and after["updatedAt"] == after["contentErasedAt"]
    gone = {"input", "output", "calls", "failureMessage"}
    assert before.keys() - after.keys() == gone and after.keys() - before.keys() == {"contentErasedAt"}
    changed = {"updatedAt"}
    assert {name: after[name] for name in before if name not in gone | changed} == {
        name: before[name] for name in before if name not in gone | changed
    }


def test_what_was_said_stays_without_its_words(story: Story):
    before = [story.shop.editor.ok("GET", f"corrections/{made['id']}") for made in story.made]
    story.erase()
    for was in before:
        now = story.shop.editor.ok("GET", f"corrections/{was['id']}")
        for name in ("why", "shouldSay", "statusNote"):
            was.pop(name, None)
        if was.get("link") == ADDRESS:
            del was["link"]
        was.get("sorted", {}).pop("reason", None)
        for item in was.get("items", []):
            item.pop("value", None)
        for call in was.get("shouldCall", []):
            call["args"] = {}
        for part in ("input", "output", "calls"):
            del was["run"][part]
        assert now == was


def test_the_history_stays_without_its_words(story: Story):
    path = f"corrections/{story.second['id']}/history"
    before = story.shop.editor.ok("GET", path)["data"]
    story.erase()
    for was, now in zip(before, story.shop.editor.ok("GET", path)["data"], strict=True):
        was.pop("why", None)
        for side in ("from", "to"):
            was.get(side, {}).pop("statusNote", None)
            if was.get(side, {}).get("link") == ADDRESS:
                del was[side]["link"]
        assert now == {name: value for name, value in was.items() if value != {} or name == "to"}


def test_erasing_again_changes_nothing(story: Story):
    first = story.erase()
    reads = story.reads()
    again = story.shop.admin.ok("POST", f"runs/{story.run_id}/erase")
    assert again == first and story.reads() == reads


def test_other_runs_and_other_tenants_keep_their_words(story: Story):
    other, twin = Story(story.shop), Story(Shop.open())
    twin.run_id, first = story.run_id, twin.run_id
    Run.objects.filter(run_id=first).update(run_id=story.run_id)  # the same id in another tenant
    kept = [said(other.reads()), len(twin.shop.admin.get(f"runs/{story.run_id}").content)]
    story.erase()
    assert [said(other.reads()), len(twin.shop.admin.get(f"runs/{story.run_id}").content)] == kept
    assert WORDS.encode() in twin.shop.admin.get(f"runs/{story.run_id}").content


@pytest.mark.parametrize(
    ("by", "status"),
    [("viewer", 403), ("editor", 403), ("service", 403), ("admin", 200), ("owner", 200), ("tenant-admin", 200)],
)
def test_it_takes_an_admin_of_the_project(undone: Shop, by: str, status: int):
    run_id = undone.run()
    assert undone.api(by).post(f"runs/{run_id}/erase").status_code == status
    assert ("output" in undone.editor.ok("GET", f"runs/{run_id}")) == (status == 403)


def test_no_words_are_written_about_it_afterwards(story: Story):
    story.erase()
    path = f"corrections/{story.third['id']}"
    changes: list[dict[str, Any]] = [
        {"statusNote": WORDS},
        {"status": "open", "reason": WORDS},
        {"link": ADDRESS},
    ]
    for change in changes:
        assert story.shop.editor.refused("PATCH", path, change) == (410, "run-erased")
    changed = story.shop.editor.ok("PATCH", path, {"status": "wont-fix", "sortedTo": "owner", "statusNote": None})
    assert (changed["status"], changed["sortedTo"]) == ("wont-fix", "owner")
    link = {"kind": "improve-run", "id": "8"}
    assert story.shop.editor.ok("PATCH", path, {"link": link})["link"] == link


@pytest.mark.parametrize("status", ["running", "completed", "failed"])
def test_content_that_comes_late_is_not_kept(undone: Shop, status: str):
    run_id = undone.run(status="running")
    undone.admin.ok("POST", f"runs/{run_id}/erase")
    words = {"input": WORDS, "output": WORDS, "calls": [], "failureMessage": WORDS}
    late = completed(status=status, **words)
    assert undone.editor.ok("PUT", f"runs/{run_id}", late)["status"] == status
    undone.editor.ok("POST", "runs/import", [{"id": run_id, **late}])
    read = undone.editor.ok("GET", f"runs/{run_id}", query={"include": "input,calls"})
    assert not read.keys() & words.keys() and read["status"] == status
    assert tables_with_words() == [] and not content_with_words()


def test_a_run_without_content_can_be_erased(undone: Shop):
    run_id = undone.run(status="pending", input=None, output=None)
    assert "contentErasedAt" in undone.admin.ok("POST", f"runs/{run_id}/erase")


def test_an_erasure_takes_a_fixed_number_of_statements(undone: Shop, assert_queries: Any):
    admin, run_id = undone.admin, undone.run()
    for number in range(5):
        undone.correct(run_id, by=f"editor:{number}", decisions="wrong", shouldCall=[{"tool": "shop.mail"}])
    with assert_queries(at_most=17):
        admin.ok("POST", f"runs/{run_id}/erase")
