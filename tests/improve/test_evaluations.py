"""Evaluations from beginning to end, by a real endpoint: what is found, what becomes of each case, and who may try."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest

from improve.models import CaseReplay, Evaluation, ReplayJob
from kindgi.runs.models import Run
from tests.builders import browser
from tests.improve.answering import Asked, answer, answering
from tests.improve.replays import work
from tests.support.queries import assert_queries
from tests.support.shops import AGENT, Shop

FROM = "2.0.0"
YES = {"output": "yes", "calls": []}
Does = Callable[[str, int], Any]


@pytest.fixture
def shop(undone: Shop) -> Iterator[Shop]:
    """A shop whose agent has settings that can be changed."""
    block = {"id": "routing", "kind": "settings", "values": {"tool": "old"}}
    undone.admin.ok("PUT", f"agents/{AGENT}/versions/{FROM}", {"blocks": [block]})
    yield undone


def corrected(shop: Shop, name: str, *, by: str = "editor", correct: dict[str, Any] | None = None, **body: Any) -> str:
    """A run that was asked ``name`` and answered ``no``, corrected: it should say ``yes``."""
    body = {"output": {"text": "no"}, "input": {"name": name}, "calls": [], **body}
    run = shop.run(agent={"id": AGENT, "version": FROM}, **body)
    shop.correct(run, by=by, **(correct or {"answer": "wrong", "shouldSay": "yes"}))
    return run


def drafted(shop: Shop, by: str = "editor") -> str:
    """A suggested change."""
    change = {"blockId": "routing", "content": {"values": {"tool": uuid4().hex}}}
    body = {"agentId": AGENT, "fromVersion": FROM, "change": change, "hypothesis": "It should say yes."}
    return str(shop.api(by).ok("POST", "proposals", body)["id"])


def act(shop: Shop, proposal: str, action: str, body: Any = None, *, by: str = "editor") -> Any:
    """Take a step that succeeds."""
    return shop.api(by).ok("POST", f"proposals/{proposal}/{action}", body)


def evaluated(shop: Shop, proposal: str, does: Does, **body: Any) -> dict[str, Any]:
    """Evaluate by an endpoint that answers ``does(name, how many with that name came before)``; what was found."""
    seen: dict[str, int] = {}

    def behave(connection: socket.socket, asked: Asked, number: int) -> None:
        name = asked.json["input"]["name"]
        said = does(name, seen.setdefault(name, 0))
        seen[name] += 1
        connection.sendall(answer(said) if said else answer({}, status="404 Not Found"))

    with answering(behave) as server:
        path = f"projects/{shop.project.pk}/agents/{AGENT}/replay-endpoint"
        shop.admin.ok("PUT", path, {"url": server.url})
        act(shop, proposal, "evaluate", body)
        work(ReplayJob.objects.latest("created_at"))
    return latest(shop, proposal)


def latest(shop: Shop, proposal: str) -> dict[str, Any]:
    """The latest evaluation."""
    found: dict[str, Any] = shop.editor.ok("GET", f"proposals/{proposal}/evaluations")["data"][0]
    return found


def cases(shop: Shop, proposal: str, query: str = "") -> dict[str, Any]:
    """How the latest evaluation's cases came out, by run."""
    path = f"proposals/{proposal}/evaluations/{latest(shop, proposal)['evalRunId']}/cases?limit=100{query}"
    return {case["caseId"]: case for case in shop.editor.ok("GET", path)["data"]}


def status(shop: Shop, proposal: str) -> str:
    """Where it stands."""
    return str(shop.editor.ok("GET", f"proposals/{proposal}")["status"])


def saying(text: str) -> dict[str, Any]:
    """An answer."""
    return {"output": {"text": text}, "calls": []}


def refused(response: Any, status_code: int, code: str) -> None:
    """Fail unless the answer is this refusal."""
    assert (response.status_code, response.json()["error"]["code"]) == (status_code, code)


def test_what_gets_cases_right_is_better(shop: Shop) -> None:
    runs = [corrected(shop, f"case {number}") for number in range(8)]
    proposal = drafted(shop)
    found = evaluated(shop, proposal, lambda name, n: YES)
    assert status(shop, proposal) == "evaluated"
    assert (found["baseline"], found["candidate"], found["delta"], found["cases"]) == (0, 1, 1, 8)
    assert (found["better"], found["labels"]["better"], found["oneIn"], found["runStatus"]) == (
        True,
        8,
        128,
        "completed",
    )
    assert found["baselineRange"]["low"] == 0 and found["candidateRange"]["n"] == 8
    assert "whyNot" not in found and "spread" not in found
    assert {run: case["label"] for run, case in cases(shop, proposal).items()} == dict.fromkeys(runs, "better")
    assert shop.editor.ok("GET", f"proposals/{proposal}")["candidate"]["agentVersion"] == f"{FROM}+change.1"


def test_what_does_as_before_is_not(shop: Shop) -> None:
    run = corrected(shop, "a")
    proposal = drafted(shop)
    found = evaluated(shop, proposal, lambda name, n: saying("no"))
    assert (status(shop, proposal), found["better"], found["whyNot"]) == ("not-better", False, "not-more-right")
    case = cases(shop, proposal)[run]
    assert (case["label"], case["baseline"], case["candidate"]) == (
        "same",
        {"right": 0, "total": 1},
        {"right": 0, "total": 1},
    )
    assert case["recorded"] == {"text": '{"text":"no"}', "cut": False, "calls": []}
    assert case["replays"][0]["answer"] == case["recorded"]
    whole = shop.editor.ok("GET", f"proposals/{proposal}/evaluations/{found['evalRunId']}/cases/{run}")
    assert whole["recorded"] == {"input": {"name": "a"}, "output": {"text": "no"}, "calls": []}
    assert whole["replays"][0]["output"] == {"text": "no"}
    (tried,) = whole["repetitions"]
    assert tried["parts"][0] | {"baseline": 0, "candidate": 0} == {
        "key": "answer", "same": True, "outcome": "wrong", "baseline": 0, "candidate": 0,
    }  # fmt: skip


def test_each_case_is_called_what_it_is(shop: Shop) -> None:
    answers = {
        "better": YES,
        "same": saying("no"),
        "changed": saying("perhaps"),
        "refused": {"calls": [{"tool": "shop.mail", "args": {}, "refused": True}]},
        "failed": None,
    }
    runs = {name: corrected(shop, name) for name in answers}
    verdicts = [{"key": f"k{at}", "pointer": f"/{at}", "verdict": one} for at, one in enumerate(("right", "wrong"))]
    runs["worse"] = corrected(shop, "worse", output=["no", "never"], correct={"items": verdicts})
    answers["worse"] = {"output": ["never", "never"], "calls": []}
    proposal = drafted(shop)
    found = evaluated(shop, proposal, lambda name, n: answers[name])
    by_run = cases(shop, proposal)
    assert {name: by_run[run]["label"] for name, run in runs.items()} == {name: name for name in runs}
    failed = by_run[runs["failed"]]["replays"][0]
    assert (failed["state"], failed["answer"]) == ("failed", {"cut": False}) and failed["problem"]
    assert list(cases(shop, proposal, "&label=worse")) == [runs["worse"]]
    assert found["labels"]["refused"] == found["labels"]["failed"] == 1


REFUSES: dict[str, Any] = {"calls": [{"tool": "shop.mail", "args": {}, "refused": True}]}


@pytest.mark.parametrize(("label", "does"), [("refused", REFUSES), ("failed", None)])
def test_what_gets_some_right_and_answers_the_rest_no_more_is_not_better(shop: Shop, label: str, does: Any) -> None:
    for number in range(7):
        corrected(shop, f"wrong {number}")
    right = [corrected(shop, f"right {number}", correct={"answer": "right"}) for number in range(6)]
    proposal = drafted(shop)
    found = evaluated(shop, proposal, lambda name, n: YES if name.startswith("wrong") else does)
    assert (found["labels"]["better"], found["labels"][label], status(shop, proposal)) == (7, 6, "not-better")
    assert (found["whyNot"], found["unansweredFromRight"]) == ("right-not-answered", 6)
    case = cases(shop, proposal)[right[0]]
    assert (case["baseline"], case["candidate"]) == ({"right": 1, "total": 1}, {"right": 0, "total": 0})
    page = f"/projects/{shop.project.slug}/suggested-changes/{proposal}"
    text = browser(shop.person("editor")).get(page).content.decode()
    assert "Yet some runs that were right before have no answer now" in text


def test_answers_that_nobody_judged_are_sent_to_reviewers_and_counted_once_they_are_corrected(shop: Shop) -> None:
    roster = {"userId": str(shop.person("editor:reviewer").pk), "role": "standard"}
    shop.admin.ok("POST", "approvals/reviewers", roster)
    runs = [corrected(shop, f"case {number}", participantId=f"person {number}") for number in range(7)]
    proposal = drafted(shop)
    before = evaluated(shop, proposal, lambda name, n: saying("perhaps"), repetitions=2)
    assert (before["labels"]["changed"], before["whyNot"]) == (7, "nothing-to-compare")
    assert act(shop, proposal, "send") == {"sent": 7}, "each different answer once"
    assert act(shop, proposal, "send") == {"sent": 0}
    sent = {run: case["runIds"] for run, case in cases(shop, proposal).items()}
    assert sent.keys() == set(runs) and all(len(ids) == 1 for ids in sent.values())
    run = shop.editor.ok("GET", f"runs/{sent[runs[0]][0]}?include=input")
    assert run["agent"]["version"] == f"{FROM}+change.1" and run["agent"]["via"] == "explicit"
    assert (run["dryRun"], run["replayOf"], run["evalRunId"]) == (True, runs[0], before["evalRunId"])
    assert (run["output"], run["input"]) == ({"text": "perhaps"}, {"name": "case 0"})
    assert Run.objects.get(run_id=run["id"]).participant_id == "person 0"

    queue = f"projects/{shop.project.pk}/judging-queue"
    item = shop.editor.ok("GET", queue)["data"][0]
    assert (item["rules"], item["anyJudgment"], item["wantedClassIds"]) == ([], True, [])
    assert item["askedFor"] == {"kind": "suggested-change", "id": proposal}
    for who, waiting in (("editor", 0), ("editor:2", 0), ("viewer", 0), ("editor:reviewer", 7)):
        assert shop.api(who).ok("GET", f"{queue}?forMe=true&limit=0")["total"] == waiting, who
        assert shop.api(who).ok("GET", f"{queue}?limit=0")["total"] == 7, "everyone sees them"

    replays = CaseReplay.objects.count()
    for ids in sent.values():
        shop.correct(ids[0], by="editor:reviewer", answer="right")
    assert shop.editor.ok("GET", f"{queue}?state=open&limit=0")["total"] == 0
    assert act(shop, proposal, "rescore")["status"] == "evaluated"
    after = latest(shop, proposal)
    assert (after["rescoreOf"], after["candidate"], after["labels"]["better"]) == (before["evalRunId"], 1, 7)
    assert {run: case["runIds"] for run, case in cases(shop, proposal).items()} == sent
    assert CaseReplay.objects.count() == replays, "nothing is replayed"
    assert shop.editor.ok("GET", f"proposals/{proposal}/evaluations/{before['evalRunId']}")["better"] is False


def sent_of(shop: Shop, proposal: str) -> list[str]:
    """The runs that were made of the latest evaluation's answers."""
    return [run for case in cases(shop, proposal).values() for run in case["runIds"]]


@pytest.mark.parametrize("by", ["user", "service account"])
def test_who_drafted_the_change_does_not_judge_its_answers(shop: Shop, by: str) -> None:
    for number in range(6):
        corrected(shop, f"case {number}")
    drafter = "editor" if by == "user" else "service"
    proposal = drafted(shop, drafter)
    evaluated(shop, proposal, lambda name, n: saying("perhaps"))
    act(shop, proposal, "send")
    again = f"{drafter}:by another token"
    shop.people[again] = shop.person(drafter)
    page = f"/projects/{shop.project.slug}/suggested-changes/{proposal}"
    assert "by who drafted the change does not count" in browser(shop.person("editor")).get(page).content.decode()
    for run in sent_of(shop, proposal):
        shop.correct(run, by=again, answer="right")
    assert act(shop, proposal, "rescore")["status"] == "not-better"
    assert latest(shop, proposal)["labels"]["changed"] == 6
    for run in sent_of(shop, proposal):
        shop.correct(run, by="editor:2", answer="right")
    assert act(shop, proposal, "rescore")["status"] == "evaluated"
    assert cases(shop, proposal).popitem()[1]["candidate"] == {"right": 1, "total": 1}, "the other's alone"


def test_what_narrowed_the_test_set_narrows_what_is_said_since(shop: Shop) -> None:
    cared_for, other = (shop.judge_class(assertableBy={"principalKinds": ["user"]}) for _ in range(2))
    said = {"answer": "wrong", "shouldSay": "yes", "correctorGroupId": cared_for}
    for number in range(6):
        run = corrected(shop, f"case {number}", correct=said)
        shop.correct(run, by="editor:2", **said)
    sets = f"projects/{shop.project.pk}/test-sets"
    narrow = {"judgeClassIds": [cared_for], "expertsOnly": True, "minVerdicts": 2}
    suite = shop.editor.ok("POST", sets, {"agentId": AGENT, **narrow})["id"]
    proposal = drafted(shop)
    evaluated(shop, proposal, lambda name, n: saying("perhaps"), suiteId=suite)
    act(shop, proposal, "send")

    def rescored_once(by: str, judge_class: str | None) -> int:
        for run in sent_of(shop, proposal):
            shop.correct(run, by=by, answer="right", **({"correctorGroupId": judge_class} if judge_class else {}))
        act(shop, proposal, "rescore")
        return int(latest(shop, proposal)["labels"]["better"])

    assert rescored_once("editor:2", other) == 0, "another class"
    assert rescored_once("editor:3", None) == 0, "no class, so no expert"
    assert rescored_once("editor:4", cared_for) == 0, "one verdict that counts, of two"
    assert rescored_once("editor:5", cared_for) == 6


def test_a_new_evaluation_counts_what_was_said_of_the_answers_that_earlier_ones_sent(shop: Shop) -> None:
    for number in range(6):
        corrected(shop, f"case {number}")
    proposal = drafted(shop)
    evaluated(shop, proposal, lambda name, n: saying("perhaps"))
    act(shop, proposal, "send")
    for run in sent_of(shop, proposal):
        shop.correct(run, by="editor:2", answer="right")
    other = drafted(shop)
    assert evaluated(shop, other, lambda name, n: saying("perhaps"))["labels"]["changed"] == 6, "of another change"
    again = evaluated(shop, proposal, lambda name, n: saying("perhaps" if name != "case 0" else "never heard"))
    assert (again["labels"]["better"], again["labels"]["changed"]) == (5, 1), "another answer is news"
    act(shop, proposal, "send")
    (news,) = sent_of(shop, proposal)
    shop.correct(news, by="editor:2", answer="wrong", why="Rude.")
    act(shop, proposal, "rescore")
    labels = latest(shop, proposal)["labels"]
    assert (labels["better"], labels["same"], labels["changed"]) == (5, 1, 0), "the earlier ones are not forgotten"


def test_only_answers_that_have_something_unjudged_are_sent(shop: Shop) -> None:
    run = corrected(shop, "a", correct={"answer": "right"})
    corrected(shop, "b")
    proposal = drafted(shop)
    words = {"a": [saying(one) for one in ("no", "perhaps", "no")], "b": [YES, YES, saying("never")]}
    found = evaluated(shop, proposal, lambda name, n: words[name][n], repetitions=3)
    assert found["labels"]["changed"] == 2
    assert act(shop, proposal, "send") == {"sent": 2}, "not what was recorded, nor what it should say"
    sent = {shop.editor.ok("GET", f"runs/{one}")["output"]["text"] for one in sent_of(shop, proposal)}
    assert sent == {"perhaps", "never"} and len(cases(shop, proposal)[run]["runIds"]) == 1


def test_decisions_that_are_the_same_are_no_better_nor_worse_by_what_is_said_of_them_since(shop: Shop) -> None:
    for number in range(6):
        corrected(shop, f"case {number}", correct={"answer": "right", "decisions": "right"})
    proposal = drafted(shop)
    evaluated(shop, proposal, lambda name, n: saying("perhaps"))
    act(shop, proposal, "send")
    for run in sent_of(shop, proposal):
        found = {"answer": "right", "decisions": "wrong", "shouldCall": [{"tool": "shop.mail"}]}
        shop.correct(run, by="editor:2", **found)
    act(shop, proposal, "rescore")
    after = latest(shop, proposal)
    assert (after["labels"]["same"], after["baseline"], after["candidate"], after["delta"]) == (6, 1, 1, 0)


def test_what_was_sent_makes_no_case_itself(shop: Shop) -> None:
    run = corrected(shop, "a")
    proposal = drafted(shop)
    evaluated(shop, proposal, lambda name, n: saying("perhaps"))
    act(shop, proposal, "send")
    shop.correct(cases(shop, proposal)[run]["runIds"][0])
    made = shop.editor.ok("POST", f"projects/{shop.project.pk}/test-sets", {"agentId": AGENT})
    assert made["cases"] == 1


def test_repetitions_that_are_apart_by_more_than_was_gained_are_noise(shop: Shop) -> None:
    for number in range(8):
        corrected(shop, f"case {number}")
    proposal = drafted(shop)
    found = evaluated(shop, proposal, lambda name, n: saying("no") if n else YES, repetitions=2)
    assert (found["labels"]["better"], found["shares"], found["spread"]) == (8, [1, 0], 1)
    assert (found["delta"], found["better"], found["whyNot"]) == (0.5, False, "may-be-chance")


def test_only_experts_count_where_that_is_asked(shop: Shop) -> None:
    expert = shop.judge_class(weight=2, assertableBy={"principalKinds": ["user"]})
    said = {"answer": "wrong", "shouldSay": "yes", "correctorGroupId": expert}
    corrected(shop, "expert's", correct=said)
    corrected(shop, "anybody's")
    proposal = drafted(shop)
    for body in ({"expertsOnly": True}, {"classWeights": "restricted-only"}):
        found = evaluated(shop, proposal, lambda name, n: YES, **body)
        assert (found["cases"], found["expertsOnly"]) == (1, True)
        assert cases(shop, proposal).popitem()[1]["candidate"] == {"right": 2, "total": 2}


def test_a_case_in_which_nothing_counts_is_the_same_only_where_it_is(shop: Shop) -> None:
    runs = {name: corrected(shop, name) for name in ("same", "other")}
    suite = shop.editor.ok("POST", f"projects/{shop.project.pk}/test-sets", {"agentId": AGENT})["id"]
    proposal = drafted(shop)
    answers = {"same": saying("no"), "other": YES}
    found = evaluated(shop, proposal, lambda name, n: answers[name], suiteId=suite, expertsOnly=True)
    assert {run: case["label"] for run, case in cases(shop, proposal).items()} == {
        runs["same"]: "same",
        runs["other"]: "changed",
    }
    assert (found["cases"], found["labels"]["same"], found["labels"]["changed"]) == (0, 1, 1)
    assert list(cases(shop, proposal, "&label=same")) == [runs["same"]]
    page = f"/projects/{shop.project.slug}/suggested-changes/{proposal}"
    text = browser(shop.person("editor")).get(page).content.decode()
    assert "1 case that is the same has no verdict that counts" in text


def test_a_named_test_set_is_taken_as_it_is(shop: Shop) -> None:
    corrected(shop, "a")
    made = shop.editor.ok("POST", f"projects/{shop.project.pk}/test-sets", {"agentId": AGENT})
    corrected(shop, "b")
    proposal = drafted(shop)
    found = evaluated(shop, proposal, lambda name, n: YES, suiteId=made["id"])
    assert (found["suiteId"], found["of"]) == (made["id"], 1)


def test_what_cannot_be_tried_is_refused(shop: Shop) -> None:
    proposal = drafted(shop)
    path = f"proposals/{proposal}/evaluate"
    refused(shop.editor.request("POST", path, {}), 409, "replay-endpoint-missing")
    shop.admin.ok("PUT", f"projects/{shop.project.pk}/agents/{AGENT}/replay-endpoint", {"url": "http://127.0.0.1:9/x"})
    refused(shop.editor.request("POST", path, {}), 409, "test-set-empty")
    corrected(shop, "a")
    other = shop.run(agent={"id": "shop.other", "version": "1.0.0"})
    shop.correct(other)
    sets = f"projects/{shop.project.pk}/test-sets"
    foreign = shop.editor.ok("POST", sets, {"agentId": "shop.other"})["id"]
    for suite in (foreign, str(uuid4()), "nonsense"):
        refused(shop.editor.request("POST", path, {"suiteId": suite}), 404, "test-set-not-found")
    own = shop.editor.ok("POST", sets, {"agentId": AGENT})["id"]
    refused(shop.editor.request("POST", path, {"suiteId": own, "versions": ["1.0.0"]}), 400, "bad-input")
    for body in ({"repetitions": 0}, {"repetitions": 6}, {"objective": "weightedPrecisionAtK"}, {"unknown": 1}):
        refused(shop.editor.request("POST", path, body), 400, "bad-input")
    assert status(shop, proposal) == "draft" and "candidate" not in shop.editor.ok("GET", f"proposals/{proposal}")
    act(shop, proposal, "evaluate")
    refused(shop.editor.request("POST", path, {}), 409, "proposal-wrong-status")


def test_a_cancelled_evaluation_keeps_its_counts_and_says_nothing(shop: Shop) -> None:
    for name in "ab":
        corrected(shop, name)
    proposal = drafted(shop)
    shop.admin.ok("PUT", f"projects/{shop.project.pk}/agents/{AGENT}/replay-endpoint", {"url": "http://127.0.0.1:9/x"})
    act(shop, proposal, "evaluate")
    assert act(shop, proposal, "cancel")["status"] == "evaluation-failed"
    found = latest(shop, proposal)
    assert (found["runStatus"], found["of"], found["done"]) == ("cancelled", 2, 0)
    assert not found.keys() & {"baseline", "better", "p"} and cases(shop, proposal) == {}
    refused(shop.editor.request("POST", f"proposals/{proposal}/cancel"), 409, "proposal-wrong-status")


def test_an_endpoint_that_never_answers_fails_it_with_the_counts(shop: Shop) -> None:
    for number in range(12):
        corrected(shop, f"case {number}")
    proposal = drafted(shop)
    found = evaluated(shop, proposal, lambda name, n: None)
    assert (status(shop, proposal), found["runStatus"]) == ("evaluation-failed", "failed")
    assert (found["failed"], found["labels"]["failed"], found["of"]) == (10, 10, 12)


def test_a_case_that_was_erased_is_left_out(shop: Shop) -> None:
    runs = [corrected(shop, name) for name in "ab"]
    made = shop.editor.ok("POST", f"projects/{shop.project.pk}/test-sets", {"agentId": AGENT})
    shop.admin.ok("POST", f"runs/{runs[0]}/erase", {})
    proposal = drafted(shop)
    found = evaluated(shop, proposal, lambda name, n: saying("perhaps"), suiteId=made["id"])
    assert (found["of"], found["labels"]["erased"]) == (1, 1)
    act(shop, proposal, "send")
    (sent,) = cases(shop, proposal)[runs[1]]["runIds"]
    shop.admin.ok("POST", f"runs/{runs[1]}/erase", {})
    assert "output" not in shop.editor.ok("GET", f"runs/{sent}"), "what was made of it is erased with it"
    act(shop, proposal, "rescore")
    assert latest(shop, proposal)["labels"]["erased"] == 2
    whole = f"proposals/{proposal}/evaluations/{latest(shop, proposal)['evalRunId']}/cases/{runs[1]}"
    shown = shop.editor.ok("GET", whole)
    assert shown["recorded"] == {} and not any("output" in replay for replay in shown["replays"])


@pytest.mark.parametrize("action", ["evaluate", "cancel", "rescore", "send"])
def test_readers_are_told_that_they_may_not_before_where_it_stands(shop: Shop, action: str) -> None:
    proposal = drafted(shop)
    refused(shop.api("viewer").request("POST", f"proposals/{proposal}/{action}"), 403, "permission-denied")
    refused(Shop.open().admin.request("POST", f"proposals/{proposal}/{action}"), 404, "proposal-not-found")


def test_readers_read_what_was_found_and_strangers_find_nothing(shop: Shop) -> None:
    run = corrected(shop, "a")
    proposal = drafted(shop)
    found = evaluated(shop, proposal, lambda name, n: saying("no"))
    there = f"proposals/{proposal}/evaluations"
    paths = [there, f"{there}/{found['evalRunId']}", f"{there}/{found['evalRunId']}/cases"]
    for path in [*paths, f"{paths[2]}/{run}"]:
        assert shop.api("viewer").request("GET", path).status_code == 200
        refused(Shop.open().admin.request("GET", path), 404, "proposal-not-found")
    refused(shop.editor.request("GET", f"{there}/{uuid4()}"), 404, "evaluation-not-found")
    refused(shop.editor.request("GET", f"{paths[2]}/{uuid4()}"), 404, "run-not-found")
    other = drafted(shop)
    refused(
        shop.editor.request("GET", f"proposals/{other}/evaluations/{found['evalRunId']}"), 404, "evaluation-not-found"
    )


def test_the_lists_take_as_many_statements_for_20_as_for_2(shop: Shop) -> None:
    for number in range(20):
        corrected(shop, f"case {number}")
    proposal = drafted(shop)
    found = evaluated(shop, proposal, lambda name, n: saying("no"))
    counts = []
    for limit in (2, 20):
        with assert_queries(at_most=10) as sent:
            shop.editor.ok("GET", f"proposals/{proposal}/evaluations/{found['evalRunId']}/cases?limit={limit}")
        counts.append(len(sent))
    assert counts[0] == counts[1]
    assert Evaluation.objects.filter(proposal_id=proposal).count() == 1
