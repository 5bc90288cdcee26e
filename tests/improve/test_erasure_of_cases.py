"""Erasing runs and end users takes their words from test sets and replays too, and from what was made of answers."""

from __future__ import annotations

import socket
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.db import transaction

from improve import models
from improve.models import CaseReplay, ReplayJob
from kindgi.access.models import Project
from kindgi.api.times import now, wire
from kindgi.runs.models import Run
from kindgi.runs.services.retention import runs_purge
from tests.builders import browser
from tests.improve.answering import Asked, Behaviour, answer, answering
from tests.improve.replays import work
from tests.support.dumps import where_said
from tests.support.shops import AGENT, Shop

THEIRS, OTHERS = "theirs7f3a", "others9c1e"
PERSON, NEIGHBOUR = "user/é 4711", "user/é 4712"
FROM = "2.0.0"
OLD = wire(now() - timedelta(days=40))


class Life:
    """Runs of a person, one of them purged, and one of somebody else's that was corrected for them; all replayed."""

    def __init__(self, shop: Shop, person: str, word: str, *, decides: bool = True) -> None:
        self.shop, self.person, self.word, self.decides = shop, person, word, decides
        self.own = [self.run(person) for _ in ("there", "purged")]
        self.foreign = self.run("nobody")
        for run in self.own:
            self.correct(run)
        self.correct(self.foreign, participantId=person)

    def run(self, person: str) -> str:
        word = self.word if person == self.person else "neutral"
        return self.shop.run(
            agent={"id": AGENT, "version": FROM},
            input={"q": word},
            output={"a": [word]},
            calls=[{"tool": "shop.mail", "args": {"x": word}}],
            participantId=person,
            createdAt=OLD,
            completedAt=OLD,
        )

    def correct(self, run: str, **body: Any) -> None:
        calls = [{"tool": "shop.mail", "args": {"text": self.word}}]
        said: dict[str, Any] = {"answer": "wrong", "shouldSay": self.word, "why": self.word}
        said |= {"decisions": "wrong", "shouldCall": calls} if self.decides else {}
        self.shop.correct(run, by="service", **said, **body)


def behave(connection: socket.socket, asked: Asked, number: int) -> None:
    """Repeat what the run was asked, and call what it was asked for."""
    word = asked.json["input"]["q"]
    connection.sendall(
        answer({"output": {"a": [word, "again"]}, "calls": [{"tool": "shop.mail", "args": {"x": word}}]})
    )


def purge(shop: Shop, *run_ids: str) -> None:
    """Let retention delete these runs and no others."""
    others = Run.objects.filter(tenant=shop.tenant, completed_at__isnull=False).exclude(run_id__in=run_ids)
    ended = list(others)
    with transaction.atomic():
        others.update(completed_at=now())
        Project.objects.filter(pk=shop.project.pk).update(retention_days=30)
        assert runs_purge(project=shop.project, limit=100) == len(run_ids)
        Project.objects.filter(pk=shop.project.pk).update(retention_days=None)
        for run in ended:
            run.save(update_fields=["completed_at"])


def says_made(connection: socket.socket, asked: Asked, number: int) -> None:
    """Say something that the run didn't."""
    connection.sendall(answer({"output": {"a": ["made" + asked.json["input"]["q"]]}, "calls": []}))


def tried(shop: Shop, does: Behaviour = behave, *, repetitions: int = 1) -> str:
    """A test set of all of them, replayed."""
    block = {"id": "routing", "kind": "settings", "values": {"tool": "old"}}
    shop.admin.ok("PUT", f"agents/{AGENT}/versions/{FROM}", {"blocks": [block]})
    change = {"blockId": "routing", "content": {"values": {"tool": "new"}}}
    body = {"agentId": AGENT, "fromVersion": FROM, "change": change, "hypothesis": "Better."}
    proposal = str(shop.editor.ok("POST", "proposals", body)["id"])
    with answering(does) as server:
        path = f"projects/{shop.project.pk}/agents/{AGENT}/replay-endpoint"
        shop.admin.ok("PUT", path, {"url": server.url})
        shop.editor.ok("POST", f"proposals/{proposal}/evaluate", {"repetitions": repetitions})
        work(ReplayJob.objects.latest("created_at"))
    assert CaseReplay.objects.filter(state="answered").count() == 6 * repetitions
    return proposal


@pytest.fixture
def lives(fresh: Shop) -> tuple[Life, Life, str]:
    theirs, others = Life(fresh, PERSON, THEIRS), Life(fresh, NEIGHBOUR, OTHERS)
    proposal = tried(fresh)
    purge(fresh, theirs.own[1], others.own[1])
    return theirs, others, proposal


IMPROVES = {"improve_testcase.judged", "improve_casereplay.calls", "improve_casereplay.output"}


def test_nothing_of_theirs_is_left_anywhere_and_all_of_the_others_is(lives: tuple[Life, Life, str]) -> None:
    theirs, _others, _proposal = lives
    everywhere = where_said(THEIRS)
    assert everywhere == where_said(OTHERS) >= IMPROVES
    shop = theirs.shop
    path = f"projects/{shop.project.pk}/participants/{quote(PERSON, safe='')}/erase"
    assert shop.admin.ok("POST", path)["erased"]["runs"] == 1
    assert (where_said(THEIRS), where_said(OTHERS)) == (set(), everywhere)
    assert models.TestCase.objects.filter(erased_at__isnull=False).count() == 3
    again = shop.admin.ok("POST", path)["erased"]
    assert set(again.values()) == {0}


def test_a_run_that_is_erased_takes_its_case_along_purged_or_not(lives: tuple[Life, Life, str]) -> None:
    theirs, _others, _proposal = lives
    for run in [*theirs.own, theirs.foreign]:
        erased_run = theirs.shop.admin.request("POST", f"runs/{run}/erase", {})
        assert erased_run.status_code == (204 if run == theirs.own[1] else 200)
    assert where_said(THEIRS) == set()
    erased = models.TestCase.objects.filter(erased_at__isnull=False).values_list("run_id", flat=True)
    assert {str(run) for run in erased} == {*theirs.own, theirs.foreign}


def test_a_purged_run_stays_a_case_that_can_be_replayed(lives: tuple[Life, Life, str]) -> None:
    theirs, _others, _proposal = lives
    case = models.TestCase.objects.select_related("content").get(run_id=theirs.own[1])
    assert case.content is not None and case.content.input is not None
    made = theirs.shop.editor.ok("POST", f"projects/{theirs.shop.project.pk}/test-sets", {"agentId": AGENT})
    assert made["cases"] == 6


def test_what_was_made_of_their_answers_goes_with_them(fresh: Shop) -> None:
    # Where nothing is said of decisions, other answers are changed and nothing is wrong: they can be sent.
    theirs, others = (Life(fresh, *who, decides=False) for who in ((PERSON, THEIRS), (NEIGHBOUR, OTHERS)))
    proposal = tried(fresh)
    purge(fresh, theirs.own[1], others.own[1])
    assert fresh.editor.ok("POST", f"proposals/{proposal}/send")["sent"] == 6
    everywhere = where_said(OTHERS)
    fresh.admin.ok("POST", f"projects/{fresh.project.pk}/participants/{quote(PERSON, safe='')}/erase")
    assert (where_said(THEIRS), where_said(OTHERS)) == (set(), everywhere)
    sent = Run.objects.filter(tenant=fresh.tenant, replay_of__isnull=False)
    assert (sent.count(), sent.filter(content_erased_at__isnull=False).count()) == (6, 3)
    queue = fresh.editor.ok("GET", f"projects/{fresh.project.pk}/judging-queue?state=erased&limit=0")
    assert queue["total"] == 3


@pytest.mark.parametrize("way", ["run", "participant"])
@pytest.mark.parametrize("is_purged", [False, True])
def test_what_was_made_of_their_answers_and_is_purged_by_now_goes_too(fresh: Shop, way: str, is_purged: bool) -> None:
    """Nobody said for whom the runs were that were made: only the replays of what they were made of tell of them."""
    theirs, others = (Life(fresh, *who, decides=False) for who in ((PERSON, THEIRS), (NEIGHBOUR, OTHERS)))
    proposal = tried(fresh, says_made)
    assert fresh.editor.ok("POST", f"proposals/{proposal}/send")["sent"] == 6
    Run.objects.filter(tenant=fresh.tenant, replay_of__isnull=False).update(participant_id="", completed_at=OLD)
    made = {
        life: [str(one.run_id) for one in Run.objects.filter(tenant=fresh.tenant, replay_of__in=runs_of(life))]
        for life in (theirs, others)
    }
    for life, runs in made.items():
        for run in runs:
            life.correct(run)
    purge(fresh, *made[theirs], *made[others], *(one for life in made if is_purged for one in runs_of(life)))
    everywhere = where_said(OTHERS)
    if way == "run":
        for run in runs_of(theirs):
            fresh.admin.request("POST", f"runs/{run}/erase", {})
    else:
        fresh.admin.ok("POST", f"projects/{fresh.project.pk}/participants/{quote(PERSON, safe='')}/erase")
    assert (where_said(THEIRS), where_said(OTHERS)) == (set(), everywhere)


def runs_of(life: Life) -> list[str]:
    """The runs that a life began with."""
    return [*life.own, life.foreign]


# What is short is compressed to itself, so that a dump shows its bytes.
MADE = {"bytes", "improve_casereplay.output", "runs_runcontent.output"}


@pytest.mark.parametrize("way", ["run", "participant it was corrected for"])
def test_a_run_that_was_sent_takes_along_the_replays_that_answered_so(fresh: Shop, way: str) -> None:
    theirs = Life(fresh, PERSON, THEIRS, decides=False)
    Life(fresh, NEIGHBOUR, OTHERS, decides=False)
    proposal = tried(fresh, says_made, repetitions=2)
    assert fresh.editor.ok("POST", f"proposals/{proposal}/send")["sent"] == 6
    everywhere = where_said(f"made{OTHERS}")
    assert where_said(f"made{THEIRS}") == everywhere == MADE
    sent = [str(one.run_id) for one in Run.objects.filter(tenant=fresh.tenant, replay_of__in=theirs.own)]
    for run in sent:
        if way == "run":
            fresh.admin.ok("POST", f"runs/{run}/erase", {})
        else:
            fresh.correct(run, by="service", answer="right", participantId="somebody")
    if way != "run":
        fresh.admin.ok("POST", f"projects/{fresh.project.pk}/participants/somebody/erase")
    left = set() if way == "run" else MADE - {"improve_casereplay.output"}
    assert (where_said(f"made{THEIRS}"), where_said(f"made{OTHERS}")) == (left, everywhere)
    assert CaseReplay.objects.filter(erased_at__isnull=False).count() == 4, "both repetitions said the same"
    page = f"/projects/{fresh.project.slug}/suggested-changes/{proposal}?case=0"
    assert browser(fresh.person("editor")).get(page).status_code == 200
    fresh.editor.ok("POST", f"proposals/{proposal}/rescore")
    (found, *_) = fresh.editor.ok("GET", f"proposals/{proposal}/evaluations")["data"]
    assert (found["labels"]["erased"], found["labels"]["changed"]) == (2, 4)


def test_another_answer_to_the_same_stays_when_one_that_was_sent_is_erased(fresh: Shop) -> None:
    theirs = Life(fresh, PERSON, THEIRS, decides=False)
    Life(fresh, NEIGHBOUR, OTHERS, decides=False)

    def varies(connection: socket.socket, asked: Asked, number: int) -> None:
        said = f"made{number % 2}{asked.json['input']['q']}"
        connection.sendall(answer({"output": {"a": [said]}, "calls": []}))

    proposal = tried(fresh, varies, repetitions=2)
    assert fresh.editor.ok("POST", f"proposals/{proposal}/send")["sent"] == 12
    assert where_said(f"made0{THEIRS}") == where_said(f"made1{THEIRS}") == MADE
    for run in Run.objects.filter(tenant=fresh.tenant, replay_of__in=theirs.own):
        said = fresh.editor.ok("GET", f"runs/{run.run_id}")["output"]["a"][0]
        if said.startswith("made0"):
            fresh.admin.ok("POST", f"runs/{run.run_id}/erase", {})
    assert (where_said(f"made0{THEIRS}"), where_said(f"made1{THEIRS}")) == (set(), MADE)
