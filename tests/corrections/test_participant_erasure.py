"""Erasing an end user: their words go from runs, corrections, copies, replays and answers, retention or not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import pytest
from django.db import transaction

from corrections import models
from corrections.models import Correction
from kindgi.access.models import Project
from kindgi.api.times import now, wire
from kindgi.runs.content import pack
from kindgi.runs.models import Run
from kindgi.runs.services.retention import runs_purge
from tests.support.dumps import where_said
from tests.support.shops import Shop, completed

THEIRS, OTHERS = "theirs7f3a", "others9c1e"
PERSON, NEIGHBOUR = "user/é 4711", "user/é 4712"
OLD = wire(now() - timedelta(days=40))
COMPRESSED = {
    *(f"runs_runcontent.{part}" for part in ("input", "output", "calls")),
    *(f"corrections_replay.{part}" for part in ("calls", "output")),
    "corrections_verdict.item_value",
}


class Life:
    """All that can be said of a person's runs, and for them of others' runs; some of the runs are purged."""

    def __init__(self, shop: Shop, person: str, word: str) -> None:
        self.shop, self.person, self.word = shop, person, word
        self.retries: list[Callable[[], Any]] = []
        self.corrected = {name: self.corrected_run() for name in ("there", "purged")}
        self.going = self.run(status="running", completedAt=None, createdAt=None)
        self.failed = self.run(status="failed")
        self.bare = self.run(input=None, output=None, calls=None, failureMessage=None)
        self.correct(self.bare, answer="wrong", why=word)
        self.foreign = [shop.run(participantId="nobody", createdAt=OLD, completedAt=OLD) for _ in ("there", "purged")]
        self.made_for = [self.say_everything_for_them(run_id) for run_id in self.foreign]
        purge(shop, self.corrected["purged"], self.bare, self.foreign[1])

    def run(self, **body: Any) -> str:
        run_id, word = str(uuid4()), self.word
        said: dict[str, Any] = {
            "input": {"q": word},
            "output": {"a": [word]},
            "calls": [{"tool": "shop.mail", "args": {"x": word}}],
            "failureMessage": word,
            "createdAt": OLD,
            "completedAt": OLD,
        }
        self.write("PUT", f"runs/{run_id}", completed(participantId=self.person, **{**said, **body}))
        return run_id

    def corrected_run(self) -> str:
        """A run of which several people say several things, changed by hand since, and replayed."""
        run_id, word = self.run(), self.word
        items = [{"key": "i", "pointer": "/a/0", "verdict": "wrong"}]
        calls = [{"tool": "shop.mail", "args": {"text": f"{word} \0"}}, {"tool": "shop.refund", "args": {}}]
        first = self.correct(run_id, answer="wrong", shouldSay=word, why=word, items=items)
        self.correct(run_id, "service", decisions="wrong", shouldCall=calls, why=word)
        self.correct(run_id, "service", answer="wrong", why=f"{word} instead")
        gone = self.correct(run_id, "editor:2", answer="wrong", why=word)
        self.write("POST", f"corrections/{gone['id']}/unregister", by="editor:2")
        for item, more in (("answer", {}), ("kindgi:correction", {"correction": {"calls": calls, "notCalled": []}})):
            said = {"runId": run_id, "item": {"key": item}, "verdict": "no", "reason": word, **more}
            self.write("POST", "judgments", said, by="editor:3")
        self.change(first)
        replay(self.shop, run_id, word)
        return run_id

    def say_everything_for_them(self, run_id: str) -> Any:
        word = self.word
        calls = [{"tool": "shop.mail", "args": {"text": word}}]
        items = [{"key": "i", "pointer": "/note", "verdict": "wrong"}]
        said = {"decisions": "wrong", "shouldCall": calls, "answer": "wrong", "shouldSay": word, "why": word}
        made = self.correct(run_id, "service", participantId=self.person, items=items, **said)
        judgment = {"runId": run_id, "item": {"key": "answer"}, "verdict": "no", "reason": word}
        self.write("POST", "judgments", {**judgment, "participantId": self.person}, by="editor:3")
        self.change(made)
        return made

    def change(self, made: Any) -> None:
        link = {"kind": "pull-request", "url": f"https://example.com/{self.word}"}
        self.write("PATCH", f"corrections/{made['id']}", {"statusNote": self.word, "reason": self.word})
        self.write("PATCH", f"corrections/{made['id']}", {"sortedTo": "developer", "reason": self.word, "link": link})
        self.write("PATCH", f"corrections/{made['id']}", {"statusNote": f"{self.word} again"})

    def correct(self, run_id: str, by: str = "editor", **said: Any) -> Any:
        return self.write("POST", "corrections", {"runId": run_id, **said}, by=by)

    def write(self, method: str, path: str, body: Any = None, *, by: str = "editor") -> Any:
        """A write with a key of its own, which can be sent again."""
        api, key = self.shop.api(by), str(uuid4())
        self.retries.append(lambda: api.request(method, path, body, key=key))
        return api.ok(method, path, body, key=key)

    def erase(self) -> dict[str, int]:
        receipt = erase(self.shop, self.person)
        assert receipt["participantId"] == self.person and receipt["projectId"] == str(self.shop.project.pk)
        erased: dict[str, int] = receipt["erased"]
        return erased


def erase(shop: Shop, person: str, project: Project | None = None) -> Any:
    path = f"projects/{(project or shop.project).pk}/participants/{quote(person, safe='')}/erase"
    return shop.admin.ok("POST", path)


def purge(shop: Shop, *run_ids: str) -> None:
    """Let retention delete these runs and no others."""
    others = Run.objects.filter(tenant=shop.tenant).exclude(run_id__in=run_ids)
    ended = list(others.filter(completed_at__isnull=False))
    with transaction.atomic():
        others.filter(completed_at__isnull=False).update(completed_at=now())
        Project.objects.filter(pk=shop.project.pk).update(retention_days=30)
        assert runs_purge(project=shop.project, limit=100) == len(run_ids)
        Project.objects.filter(pk=shop.project.pk).update(retention_days=None)
        for run in ended:
            run.save(update_fields=["completed_at"])


def replay(shop: Shop, run_id: str, word: str) -> None:
    """What a test run keeps of a replay."""
    test_run = models.TestRun.objects.create(
        tenant=shop.tenant, project=shop.project, agent_id="a", version="1.0.0", how="pin", made_by_kind="user",
        made_by_id=uuid4(), replays=1, uncorrected=0, counts={}, expert_counts={},
    )  # fmt: skip
    text = pack(f'["{word}"]'.encode())
    models.Replay.objects.create(
        test_run=test_run, tenant_id=shop.tenant.pk, run_id=UUID(run_id), calls=text, output=text
    )


# Three of their runs are there. Corrections: six of each of two runs, the bare run's, four that were made for them.
TAKEN = {"runs": 3, "corrections": 17, "copies": 2, "replays": 2}
NOTHING = dict.fromkeys(TAKEN, 0)


def test_nothing_of_theirs_is_left_anywhere_and_all_of_the_others_is(fresh: Shop):
    theirs, others = Life(fresh, PERSON, THEIRS), Life(fresh, NEIGHBOUR, OTHERS)
    everywhere = {"text", "bytes"} | COMPRESSED
    assert where_said(THEIRS) == where_said(OTHERS) == everywhere
    assert theirs.erase() == TAKEN
    assert (where_said(THEIRS), where_said(OTHERS)) == (set(), everywhere)
    assert theirs.erase() == NOTHING
    assert others.erase() == TAKEN
    assert where_said(OTHERS) == set()


def test_no_retry_says_their_words_any_more(undone: Shop):
    life = Life(undone, PERSON, THEIRS)
    assert any(THEIRS.encode() in retry().content for retry in life.retries)
    life.erase()
    answers = [retry() for retry in life.retries]
    assert not [answer for answer in answers if THEIRS.encode() in answer.content]


def test_what_was_said_stays_readable_without_its_words(undone: Shop):
    life = Life(undone, PERSON, THEIRS)
    rows = undone.admin.ok("GET", "corrections", query={"include": "removed,superseded", "limit": 100})["data"]
    before = {row["id"]: undone.admin.ok("GET", f"corrections/{row['id']}") for row in rows}
    life.erase()
    for pk, was in before.items():
        row = undone.admin.ok("GET", f"corrections/{pk}")
        kept = ("id", "runId", "status", "createdAt", "updatedAt", "participantId", "decisions", "answer", "madeBy")
        assert {name: row.get(name) for name in kept} == {name: was.get(name) for name in kept}
        assert row["sorted"].keys() <= {"by", "at"} if "sorted" in row else True
        assert [call["tool"] for call in row.get("shouldCall", [])] == [
            call["tool"] for call in was.get("shouldCall", [])
        ]


def test_of_others_runs_only_the_corrections_own_words_go(undone: Shop):
    life = Life(undone, PERSON, THEIRS)
    path = f"corrections/{life.made_for[0]['id']}"
    before = undone.editor.ok("GET", path)
    life.erase()
    after = undone.editor.ok("GET", path)
    assert after["run"] == before["run"] and after["items"] == before["items"]
    assert not {"why", "shouldSay", "statusNote", "link"} & after.keys()
    assert "output" in undone.editor.ok("GET", f"runs/{life.foreign[0]}")
    purged = undone.editor.ok("GET", f"corrections/{life.made_for[1]['id']}")
    assert "output" in purged["run"]


@pytest.mark.parametrize("name", ["there", "purged", "bare"])
def test_no_words_are_written_about_their_runs_afterwards(undone: Shop, name: str):
    life = Life(undone, PERSON, THEIRS)
    run_id = life.bare if name == "bare" else life.corrected[name]
    life.erase()
    live = Correction.objects.filter(run_id=run_id, unregistered_at__isnull=True)
    assert live.exists()
    for correction in live:
        path = f"corrections/{correction.pk}"
        for change in (
            {"statusNote": "w"},
            {"status": "open", "reason": "w"},
            {"link": {"kind": "pull-request", "url": "https://w"}},
        ):
            assert undone.editor.refused("PATCH", path, change) == (410, "run-erased")
        undone.editor.ok("PATCH", path, {"status": "wont-fix", "sortedTo": "owner"})


def test_what_is_said_for_them_of_others_runs_can_still_be_worked_on(undone: Shop):
    life = Life(undone, PERSON, THEIRS)
    life.erase()
    for made in life.made_for:
        undone.editor.ok("PATCH", f"corrections/{made['id']}", {"statusNote": "somebody else's words"})
    assert life.erase() == {**NOTHING, "corrections": 2}


def test_a_run_that_goes_on_takes_no_words_after_it(undone: Shop):
    life = Life(undone, PERSON, THEIRS)
    life.erase()
    late = undone.editor.ok("PUT", f"runs/{life.going}", completed(output=THEIRS, participantId=PERSON))
    assert (late["status"], "output" in undone.editor.ok("GET", f"runs/{life.going}")) == ("completed", False)


def test_a_purged_run_does_not_come_back_with_their_words(undone: Shop):
    life = Life(undone, PERSON, THEIRS)
    life.erase()
    again = completed(output=OTHERS, participantId=NEIGHBOUR)
    assert undone.admin.refused("PUT", f"runs/{life.corrected['purged']}", again) == (409, "run-already-terminal")


def test_what_ran_on_behalf_of_their_runs_goes_with_them(undone: Shop):
    flow = undone.run(flow={"id": "shop.flow", "version": "1.0.0"}, participantId=PERSON, output=THEIRS)
    turn = undone.run(parentRunId=flow, output=THEIRS)
    replayed = undone.run(replayOf=turn, output=THEIRS)
    others = undone.run(parentRunId=flow, output=OTHERS, participantId=NEIGHBOUR)
    elsewhere = undone.run(parentRunId=flow, output=OTHERS, projectId=str(undone.other_project().pk))
    assert erase(undone, PERSON)["erased"] == NOTHING | {"runs": 3}
    for run_id, kept in ((flow, False), (turn, False), (replayed, False), (others, True), (elsewhere, True)):
        assert ("output" in undone.admin.ok("GET", f"runs/{run_id}")) == kept
    assert erase(undone, PERSON)["erased"] == NOTHING


def test_a_run_stays_the_one_whose_it_was(undone: Shop):
    run_id = undone.run(status="running", output=None, participantId=PERSON)
    for participant in (NEIGHBOUR, PERSON.upper() + "!"):
        refused = undone.admin.refused("PUT", f"runs/{run_id}", completed(participantId=participant))
        assert refused == (409, "run-identity-mismatch")
    undone.run(run_id)
    unnamed = undone.run(status="running", output=None)
    undone.run(unnamed, participantId=PERSON)
    assert erase(undone, PERSON)["erased"] == NOTHING | {"runs": 2}


def test_kept_answers_to_imports_that_quote_what_was_refused_are_withheld(undone: Shop):
    word = "what-they-wrote-in-the-wrong-place"
    records = [{"id": word, **completed()}, {"id": str(uuid4()), **completed(), "status": word}]
    first = undone.admin.post("runs/import", records, key="import")
    assert word in first.content.decode() and first.status_code == 200
    assert undone.admin.post("runs/import", records, key="import").content == first.content
    erase(undone, PERSON)
    again = undone.admin.post("runs/import", records, key="import")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "idempotency-key-replay-withheld")


def test_other_projects_and_tenants_keep_theirs(undone: Shop):
    life, twin = Life(undone, PERSON, THEIRS), Life(Shop.open(), PERSON, THEIRS)
    elsewhere = undone.other_project()
    run_id = undone.run(projectId=str(elsewhere.pk), participantId=PERSON, output=THEIRS)
    life.erase()
    assert undone.admin.ok("GET", f"runs/{run_id}")["output"] == THEIRS
    assert erase(undone, PERSON, elsewhere)["erased"] == NOTHING | {"runs": 1}
    assert twin.erase() == TAKEN


def test_statements_are_as_many_for_many_as_for_few(undone: Shop, assert_queries: Any):
    def many(person: str, count: int) -> None:
        for number in range(count):
            run_id = undone.run(participantId=person, output=[THEIRS])
            undone.correct(run_id, answer="wrong", why=THEIRS)
            undone.correct(undone.run(), by=f"editor:{number}", participantId=person, answer="wrong", why=THEIRS)

    admin, path = undone.admin, f"projects/{undone.project.pk}/participants"
    for person, count in (("few", 2), ("many", 20)):
        many(person, count)
        with assert_queries(exact=37):
            assert admin.ok("POST", f"{path}/{person}/erase")["erased"]["runs"] == count


def test_a_run_that_retention_has_deleted_is_erased_by_its_own_id_too(fresh: Shop):
    run_id = fresh.run(input=THEIRS, output={"a": THEIRS}, createdAt=OLD, completedAt=OLD)
    items = [{"key": "i", "pointer": "/a", "verdict": "wrong"}]
    made = fresh.correct(run_id, answer="wrong", shouldSay=THEIRS, items=items)
    replay(fresh, run_id, THEIRS)
    purge(fresh, run_id)
    assert fresh.admin.get(f"runs/{run_id}").status_code == 404
    for _ in range(2):
        erased = fresh.admin.post(f"runs/{run_id}/erase")
        assert (erased.status_code, erased.content) == (204, b"")
    assert where_said(THEIRS) == set()
    read = fresh.editor.ok("GET", f"corrections/{made['id']}")
    assert not {"input", "output"} & read["run"].keys() and "value" not in read["items"][0]
    assert fresh.editor.refused("PATCH", f"corrections/{made['id']}", {"statusNote": "w"}) == (410, "run-erased")


def test_a_run_that_is_gone_and_was_never_corrected_is_not_found(undone: Shop):
    run_id = undone.run(createdAt=OLD, completedAt=OLD)
    purge(undone, run_id)
    assert undone.admin.refused("POST", f"runs/{run_id}/erase") == (404, "run-not-found")
    assert undone.admin.refused("POST", "runs/nothing-like-an-id/erase") == (404, "run-not-found")
