"""Test runs: what is checked, what is counted, what is kept (contract, section 4)."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from corrections import models
from kindgi.api.times import now, wire
from kindgi.runs.services.retention import runs_purge
from tests.builders import Api, make_service_account
from tests.corrections.replaying import LOOKED_UP, OWNERS, REPLAYS, SHOULD_SAY, WRONG, body, path, replay
from tests.support.queries import assert_queries
from tests.support.shops import AGENT, OUTPUT, VERSION, Shop

NONE = {"corrections": 0, "right": 0, "wrong": 0, "changed": 0, "unchecked": 0, "fixed": 0, "reopened": 0}


def tried(shop: Shop, replays: list[dict[str, Any]], **more: Any) -> Any:
    sent = {"agentId": AGENT, "version": "2.0.0", "how": "pin", "replays": replays, **more}
    return shop.editor.ok("POST", path(shop), sent)


def results(shop: Shop, test_run: Any, query: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = shop.editor.ok("GET", f"{path(shop)}/{test_run['id']}/results?limit=100&{query}")[
        "data"
    ]
    return found


def test_a_test_run_tells_what_it_was_of_and_how_it_came_out(undone: Shop):
    runs = {outcome: undone.run() for outcome in ("right", "wrong", "changed")}
    made = {outcome: undone.correct(run_id, **WRONG) for outcome, run_id in runs.items()}
    unseen = undone.correct(undone.run(), **WRONG)
    replays = [{"runId": run_id, **REPLAYS[outcome]} for outcome, run_id in runs.items()]
    test_run = tried(undone, [*replays, {"runId": unseen["runId"]}, {"runId": undone.run()}, {"runId": "nope"}])
    assert test_run == {
        "id": test_run["id"],
        "tenantId": str(undone.tenant.pk),
        "projectId": str(undone.project.pk),
        "agentId": AGENT,
        "version": "2.0.0",
        "how": "pin",
        "expertsOnly": False,
        "madeBy": {"kind": "user", "id": str(undone.person("editor").pk)},
        "replays": 6,
        "uncorrected": 2,
        "counts": {**NONE, "corrections": 4, "right": 1, "wrong": 1, "changed": 1, "unchecked": 1, "fixed": 1},
        "experts": NONE,
        "createdAt": test_run["createdAt"],
    }
    assert undone.api("viewer").ok("GET", f"{path(undone)}/{test_run['id']}") == test_run
    assert undone.api("viewer").ok("GET", path(undone))["data"] == [test_run]
    came_out = {result["correctionId"]: result for result in results(undone, test_run)}
    assert {made[outcome]["id"]: outcome for outcome in made} | {unseen["id"]: "unchecked"} == {
        pk: result["outcome"] for pk, result in came_out.items()
    }
    assert came_out[made["right"]["id"]] == {
        "correctionId": made["right"]["id"],
        "runId": runs["right"],
        "expert": False,
        "outcome": "right",
        "answer": "right",
        "statusBefore": "open",
        "statusAfter": "fixed",
    }


def test_each_thing_that_was_wrong_is_told_apart(undone: Shop):
    run_id = undone.run()
    items = [
        {"key": "case-a", "pointer": "/matches/0", "verdict": "wrong"},
        {"key": "case-b", "pointer": "/matches/1", "verdict": "right"},
        {"key": "case-c", "pointer": "/matches/2", "verdict": "wrong"},
    ]
    undone.correct(run_id, **OWNERS, items=items)
    output = {"response": {"content": SHOULD_SAY}, "matches": [OUTPUT["matches"][0], {"id": "other"}, {"id": "new"}]}
    test_run = tried(undone, [{"runId": run_id, "calls": LOOKED_UP, "output": output}])
    (result,) = results(undone, test_run)
    assert (result["decisions"], result["answer"], result["outcome"]) == ("right", "right", "wrong")
    assert result["items"] == [{"key": "case-a", "outcome": "wrong"}, {"key": "case-c", "outcome": "changed"}]


def test_what_another_person_marked_right_is_right(undone: Shop):
    run_id = undone.run_with_output('{"draft": "old", "response": {"content": "new"}}')
    item = {"key": "text", "pointer": "/draft", "verdict": "wrong"}
    made = undone.correct(run_id, items=[item])
    undone.correct(run_id, by="editor:2", items=[{**item, "pointer": "/response/content", "verdict": "right"}])
    test_run = tried(undone, [{"runId": run_id, "output": {"draft": "new"}}])
    assert [result["outcome"] for result in results(undone, test_run)] == ["right"]
    assert undone.editor.ok("GET", f"corrections/{made['id']}")["status"] == "fixed"


@pytest.mark.parametrize("first", ["right", "wrong"])
def test_where_others_disagree_about_a_value_it_is_right_for_a_correction_of_another(undone: Shop, first: str):
    run_id = undone.run_with_output('{"draft": "old", "final": "new"}')
    item = {"key": "text", "pointer": "/draft", "verdict": "wrong"}
    made = undone.correct(run_id, items=[item])
    for by, verdict in (("editor:2", first), ("service", "wrong" if first == "right" else "right")):
        undone.correct(run_id, by=by, items=[{**item, "pointer": "/final", "verdict": verdict}])
    came_out = results(
        undone, tried(undone, [{"runId": run_id, "output": {"draft": "new"}}]), f"correctionId={made['id']}"
    )
    assert [result["outcome"] for result in came_out] == ["right"]


class TestWhoMovedTheVersion:
    """`by` in `fixedIn` and `reopenedIn` is who pinned, went back or unpinned, as far as that is known."""

    def by(self, shop: Shop, how: str, version: str = VERSION) -> Any:
        """What `fixedIn` says of it after a test run that the editor reports."""
        run_id = shop.run()
        made = shop.correct(run_id, **WRONG)
        replay(shop, run_id, "right", how, version=version)
        return shop.editor.ok("GET", f"corrections/{made['id']}")["fixedIn"].get("by")

    def test_it_is_the_person_who_pinned_and_not_the_reporter(self, undone: Shop):
        pin = f"projects/{undone.project.pk}/agents/{AGENT}/pin"
        reporter = {"kind": "user", "id": str(undone.person("editor").pk)}
        assert self.by(undone, "pin") == reporter, "nobody pinned anything that is known here"
        undone.api("owner").ok("PUT", pin, {"version": VERSION})
        owner = {"kind": "user", "id": str(undone.person("owner").pk)}
        assert self.by(undone, "pin") == self.by(undone, "went-back") == owner
        assert self.by(undone, "pin", "9.0.0") == reporter, "that was another version"
        assert self.by(undone, "unpin") == reporter and self.by(undone, "latest") is None
        undone.api("admin").ok("DELETE", pin)
        assert self.by(undone, "unpin", "9.0.0") == {"kind": "user", "id": str(undone.person("admin").pk)}

    def test_of_another_services_pin_it_is_not_known(self, undone: Shop):
        admin = make_service_account(undone.tenant, "admin")
        pin = f"projects/{undone.project.pk}/agents/{AGENT}/pin"
        Api.of(admin).ok("PUT", pin, {"version": VERSION})
        assert self.by(undone, "pin") is None


def test_times_only_move_on(undone: Shop):
    run_id = undone.run()
    made = undone.correct(run_id, **WRONG)
    later = now() + timedelta(hours=1)
    models.Correction.objects.filter(pk=made["id"]).update(updated_at=later)
    replay(undone, run_id, "right")
    read = undone.editor.ok("GET", f"corrections/{made['id']}")
    entry = undone.editor.ok("GET", f"corrections/{made['id']}/history")["data"][0]
    assert read["status"] == "fixed" and read["updatedAt"] == entry["at"] == wire(later)


def test_what_was_right_elsewhere_in_a_list_is_right_in_the_place_of_what_was_wrong(undone: Shop):
    run_id = undone.run()
    said = [("case-a", "wrong"), ("case-b", "right"), ("case-c", "wrong")]
    items = [
        {"key": key, "pointer": f"/matches/{n}", "rank": n, "verdict": verdict} for n, (key, verdict) in enumerate(said)
    ]
    undone.correct(run_id, items=items)
    first, second, third = OUTPUT["matches"]
    for matches, outcomes in (
        ([second, first], ["right", "changed"]),
        ([third, second, second], ["wrong", "right"]),
        ([second, first, second], ["right", "right"]),
    ):
        (result,) = results(undone, tried(undone, [{"runId": run_id, "output": {"matches": matches}}]))
        assert [item["outcome"] for item in result["items"]] == outcomes


def test_what_others_say_that_it_should_say_is_right_as_long_as_they_do(undone: Shop):
    run_id = undone.run()
    made = undone.correct(run_id, answer="wrong", why="It isn't so.")
    other = undone.correct(run_id, by="editor:2", **WRONG)
    replays = [{"runId": run_id, **REPLAYS["right"]}]
    undone.admin.ok("POST", f"corrections/{other['id']}/unregister")
    assert tried(undone, replays)["counts"]["changed"] == 1
    undone.correct(run_id, by="editor:2", **WRONG)
    assert tried(undone, replays)["counts"]["right"] == 2
    assert undone.editor.ok("GET", f"corrections/{made['id']}")["status"] == "fixed"


def test_a_flow_of_the_agents_name_is_not_the_agent(undone: Shop):
    run_id = undone.run(flow={"id": AGENT, "version": "1.0.0"})
    undone.correct(run_id, **WRONG)
    assert replay(undone, run_id, "right")["counts"] == NONE


class TestErasedArgs:
    """A listed call whose args were erased would match any call; nothing is right by that."""

    @pytest.fixture
    def made(self, undone: Shop) -> Any:
        """What was said for an end user of somebody else's run, at either door."""
        should = [{"tool": "shop.lookup", "args": {"order": 4711}}]
        return undone.correct(undone.run(), decisions="wrong", shouldCall=should, participantId="p")

    def test_a_test_run_leaves_it_unchecked(self, undone: Shop, made: Any):
        replays = [{"runId": made["runId"], "calls": LOOKED_UP}]
        assert tried(undone, replays)["counts"]["wrong"] == 1
        undone.admin.ok("POST", f"projects/{undone.project.pk}/participants/p/erase")
        test_run = tried(undone, replays)
        assert test_run["counts"] == {**NONE, "corrections": 1, "unchecked": 1}
        assert undone.editor.ok("GET", f"corrections/{made['id']}")["status"] == "open"

    def test_the_check_says_that_they_are_gone(self, undone: Shop, made: Any):
        check = f"corrections/{made['id']}/check"
        assert undone.editor.ok("POST", check, {"calls": LOOKED_UP})["passed"] is False
        undone.admin.ok("POST", f"projects/{undone.project.pk}/participants/p/erase")
        assert undone.editor.refused("POST", check, {"calls": LOOKED_UP}) == (410, "run-erased")

    def test_where_none_were_listed_nothing_is_lost(self, undone: Shop):
        made = undone.correct(undone.run(), participantId="p", **OWNERS)
        undone.admin.ok("POST", f"projects/{undone.project.pk}/participants/p/erase")
        assert undone.editor.ok("POST", f"corrections/{made['id']}/check", {"calls": LOOKED_UP})["passed"] is True
        (result,) = results(undone, replay(undone, made["runId"], "right"))
        assert (result["decisions"], result["answer"]) == ("right", "changed"), "what it should say is gone, too"


def test_a_judged_answer_is_compared_where_it_was_pointed_at(undone: Shop):
    run_id = undone.run()
    item = {"key": "answer", "pointer": "/note"}
    undone.editor.ok("POST", "judgments", {"runId": run_id, "item": item, "verdict": "no"})
    for note, outcome in (("text", "wrong"), ("another", "changed")):
        assert results(undone, tried(undone, [{"runId": run_id, "output": {"note": note}}]))[0]["outcome"] == outcome


def test_decisions_that_were_judged_wrong_are_checked(undone: Shop):
    run_id = undone.run()
    listed = {"calls": [{"tool": "shop.lookup", "args": {"id": 1}}], "notCalled": ["shop.refund"]}
    said = {"runId": run_id, "item": {"key": "kindgi:correction"}, "verdict": "no", "correction": listed}
    undone.editor.ok("POST", "judgments", said)
    call = {"tool": "shop.lookup", "args": {"id": 1.0}}
    for calls, outcome in (([call], "right"), ([call, {"tool": "shop.refund", "args": {}}], "wrong")):
        assert results(undone, tried(undone, [{"runId": run_id, "calls": calls}]))[0]["decisions"] == outcome


def test_only_live_corrections_of_the_agent_in_the_project_that_say_something_was_wrong_are_checked(undone: Shop):
    run_id = undone.run()
    undone.correct(run_id, decisions="right", answer="right")
    removed = undone.correct(run_id, by="editor:2", **WRONG)
    undone.admin.ok("POST", f"corrections/{removed['id']}/unregister")
    undone.correct(run_id, by="service", **WRONG)
    undone.correct(run_id, by="service", answer="right")
    flow = undone.run(flow={"id": "shop.flow", "version": "1.0.0"})
    undone.correct(flow, **WRONG)
    other = undone.run(agent={"id": "shop.other", "version": "1.0.0"})
    undone.correct(other, **WRONG)
    elsewhere = undone.run(projectId=str(undone.other_project().pk))
    undone.admin.ok("POST", "corrections", {"runId": elsewhere, **WRONG})
    runs = [run_id, flow, other, elsewhere]
    test_run = tried(undone, [{"runId": one, **REPLAYS["right"]} for one in runs])
    assert (test_run["counts"], test_run["uncorrected"]) == (NONE, 4)
    assert results(undone, test_run) == [] and not models.Replay.objects.exists()
    assert {one.status for one in models.Correction.objects.filter(unregistered_at=None)} == {"open", "fixed"}


def test_a_partly_superseded_correction_is_checked_by_what_is_left_of_it(undone: Shop):
    run_id = undone.run()
    undone.correct(run_id, **OWNERS)
    undone.editor.ok("POST", "judgments", {"runId": run_id, "item": {"key": "answer"}, "verdict": "yes"})
    (result,) = results(undone, tried(undone, [{"runId": run_id, "calls": LOOKED_UP}]))
    assert "answer" not in result and (result["decisions"], result["statusAfter"]) == ("right", "fixed")


def test_an_end_users_correction_is_fixed_like_any_other(undone: Shop):
    run_id = undone.run()
    made = undone.correct(run_id, participantId="p", **WRONG)
    replay(undone, run_id, "right")
    read = undone.editor.ok("GET", f"corrections/{made['id']}")
    assert read["status"] == "fixed" and "sortedTo" not in read
    replay(undone, run_id, "wrong", "went-back")
    assert undone.editor.ok("GET", f"corrections/{made['id']}")["status"] == "open"


class TestExperts:
    """Experts' corrections are counted apart."""

    @pytest.fixture
    def run_id(self, undone: Shop) -> str:
        """A run that an expert and a peer corrected."""
        expert = undone.judge_class("expert", assertableBy={"principalKinds": ["user"]})
        run_id = undone.run()
        undone.correct(run_id, correctorGroupId=expert, **WRONG)
        undone.correct(run_id, by="editor:2", **WRONG)
        return run_id

    def test_they_are_counted_with_the_others_and_apart(self, undone: Shop, run_id: str):
        test_run = replay(undone, run_id, "right")
        assert test_run["counts"] == {**NONE, "corrections": 2, "right": 2, "fixed": 2}
        assert test_run["experts"] == {**NONE, "corrections": 1, "right": 1, "fixed": 1}
        for query, expert in (("expert=true", True), ("expert=false", False)):
            assert [result["expert"] for result in results(undone, test_run, query)] == [expert]

    def test_experts_only_counts_and_moves_theirs_alone(self, undone: Shop, run_id: str):
        test_run = replay(undone, run_id, "right", expertsOnly=True)
        assert test_run["counts"] == test_run["experts"] == {**NONE, "corrections": 1, "right": 1, "fixed": 1}
        statuses = {one["status"] for one in undone.editor.ok("GET", f"corrections?runId={run_id}")["data"]}
        assert statuses == {"open", "fixed"}

    def test_with_experts_only_nobody_elses_marks_tell_what_is_right(self, undone: Shop):
        expert = undone.judge_class("expert", assertableBy={"principalKinds": ["user"]})
        run_id = undone.run()
        undone.correct(run_id, correctorGroupId=expert, **WRONG)
        undone.correct(run_id, by="editor:2", answer="wrong", shouldSay="Ask your neighbour.")
        replays = [{"runId": run_id, "output": {"response": {"content": "Ask your neighbour."}}}]
        assert tried(undone, replays, expertsOnly=True)["counts"]["changed"] == 1
        assert tried(undone, replays)["counts"]["right"] == 2

    def test_a_restriction_that_came_later_makes_nobody_an_expert(self, undone: Shop):
        later = undone.judge_class("later")
        run_id = undone.run()
        undone.correct(run_id, correctorGroupId=later, **WRONG)
        undone.admin.ok("PATCH", f"judge-classes/{later}", {"assertableBy": {"principalKinds": ["user"]}})
        assert replay(undone, run_id, "right")["experts"] == NONE


def test_a_replay_is_kept_to_the_byte(undone: Shop):
    run_id = undone.run()
    undone.correct(run_id, **WRONG)
    calls, output = '[{"args": {"b": 1.0, "a": 12345678901234567890},"tool":"t"}]', '{"z": "\\u0000\\ud800", "a":1e5 }'
    sent = '{"agentId":"%s","version":"2","how":"pin","replays":[{"runId":"%s","calls":%s,"output":%s}]}'
    made = undone.editor.ok("POST", path(undone), (sent % (AGENT, run_id, calls, output)).encode())
    answer = undone.api("viewer").get(f"{path(undone)}/{made['id']}/replays/{run_id}").content.decode()
    assert f'"calls":{calls}' in answer and f'"output":{output}' in answer


def test_runs_without_a_replay_and_test_runs_that_are_not_there_are_not_found(undone: Shop):
    run_id = undone.run()
    undone.correct(run_id, **WRONG)
    test_run = replay(undone, run_id, "right")
    one = f"{path(undone)}/{test_run['id']}"
    for other in (undone.run(), str(uuid4()), "nope"):
        assert undone.editor.refused("GET", f"{one}/replays/{other}") == (404, "run-not-found")
    elsewhere = f"projects/{undone.other_project().pk}/test-runs/{test_run['id']}"
    for missing in (f"{path(undone)}/{uuid4()}", f"{path(undone)}/nope", elsewhere):
        for address in (missing, f"{missing}/results", f"{missing}/replays/{run_id}"):
            assert undone.admin.refused("GET", address) == (404, "test-run-not-found")


REFUSED: list[dict[str, Any]] = [
    {"agentId": ""},
    {"agentId": "a" * 201},
    {"version": ""},
    {"version": "1" * 101},
    {"how": "deploy"},
    {"how": "recorded-right"},
    {"replays": []},
    {"replays": [{}]},
    {"replays": [{"runId": ""}]},
    {"replays": [{"runId": "x", "answer": 1}]},
    {"replays": [{"runId": "x", "calls": {}}]},
    {"replays": [{"runId": "x", "calls": [{"tool": "t"}]}]},
    {"replays": [{"runId": "x", "calls": [{"tool": "t", "args": []}]}]},
    {"replays": [{"runId": "x"}] * 10_001},
    {"expertsOnly": "yes"},
    {"surprise": 1},
]


@pytest.mark.parametrize("broken", REFUSED, ids=lambda broken: json.dumps(broken)[:60])
def test_what_has_another_shape_is_refused(undone: Shop, broken: dict[str, Any]):
    sent = {"agentId": AGENT, "version": "2.0.0", "how": "pin", "replays": [{"runId": "x"}], **broken}
    assert undone.editor.refused("POST", path(undone), sent) == (400, "bad-input")


@pytest.mark.parametrize("missing", ["agentId", "version", "how", "replays"])
def test_what_is_required_is(undone: Shop, missing: str):
    sent = body(undone.run(), "right")
    del sent[missing]
    assert undone.editor.refused("POST", path(undone), sent) == (400, "bad-input")


def test_a_run_that_is_sent_twice_is_refused_whatever_its_spelling(undone: Shop):
    run_id = undone.run()
    sent = body(run_id, "right")
    sent["replays"].append({"runId": run_id.upper()})
    response = undone.editor.post(path(undone), sent)
    assert response.status_code == 400 and "/replays/1" in response.json()["error"]["message"]


def test_lists_are_narrowed_by_agent_version_and_how_and_results_by_outcome(undone: Shop):
    run_id = undone.run()
    made = undone.correct(run_id, **WRONG)
    first = replay(undone, run_id, "right", version="2.0.0")
    second = replay(undone, run_id, "wrong", "went-back", version="1.0.0")
    for query, found in (
        ("version=2.0.0", [first]),
        ("how=went-back", [second]),
        (f"agentId={AGENT}", [second, first]),
        ("agentId=nobody", []),
    ):
        assert undone.editor.ok("GET", f"{path(undone)}?{query}")["data"] == found
    for query, count in (
        ("outcome=wrong", 1), ("outcome=right", 0), (f"runId={run_id}", 1), (f"runId={uuid4()}", 0),
        (f"correctionId={made['id']}", 1), ("expert=true", 0), ("expert=false", 1),
    ):  # fmt: skip
        assert len(results(undone, second, query)) == count, query
    for bad in ("outcome=better", "how=deploy", "surprise=1"):
        address = f"{path(undone)}/{second['id']}/results" if bad.startswith("outcome") else path(undone)
        assert undone.editor.refused("GET", f"{address}?{bad}") == (400, "bad-input")


def test_an_erased_run_is_unchecked_and_its_replay_is_not_kept(undone: Shop):
    run_id = undone.run()
    made = undone.correct(run_id, **OWNERS)
    undone.admin.ok("POST", f"runs/{run_id}/erase")
    test_run = replay(undone, run_id, "right")
    (result,) = results(undone, test_run)
    assert (result["outcome"], result["decisions"], result["answer"]) == ("unchecked",) * 3
    assert undone.editor.ok("GET", f"corrections/{made['id']}")["status"] == "with-owner"
    assert not models.Replay.objects.exists()


@pytest.mark.parametrize("erased", [False, True])
def test_a_run_that_retention_has_deleted_is_checked_by_its_copies(undone: Shop, erased: bool):
    run_id = undone.run(createdAt="2020-01-01T00:00:00Z", completedAt="2020-01-01T00:00:01Z")
    made = undone.correct(run_id, **OWNERS)
    if erased:
        undone.admin.ok("POST", f"runs/{run_id}/erase")
    undone.admin.ok("PATCH", f"projects/{undone.project.pk}", {"retentionDays": 1})
    assert runs_purge(project=undone.project, limit=10) == 1
    for outcome, status in (("right", "fixed"), ("wrong", "with-owner")):
        (result,) = results(undone, replay(undone, run_id, outcome))
        assert result["outcome"] == ("unchecked" if erased else outcome)
        assert undone.editor.ok("GET", f"corrections/{made['id']}")["status"] == ("with-owner" if erased else status)


def test_the_same_key_records_one_test_run(undone: Shop):
    run_id = undone.run()
    undone.correct(run_id, **WRONG)
    first = undone.editor.post(path(undone), body(run_id, "right"), key="k")
    again = undone.editor.post(path(undone), body(run_id, "right"), key="k")
    assert first.status_code == 201 and again.content == first.content
    assert len(undone.editor.ok("GET", path(undone))["data"]) == 1


def corrected(shop: Shop, count: int) -> list[str]:
    """So many runs, each of which an expert and two others corrected."""
    runs = [shop.run() for _ in range(count)]
    for run_id in runs:
        for by in ("editor", "editor:2", "service"):
            shop.correct(run_id, by=by, **OWNERS)
    return runs


def test_it_takes_as_many_statements_for_one_correction_as_for_many(undone: Shop):
    runs = corrected(undone, 12)
    for some in (runs[:1], runs[1:]):
        sent: dict[str, Any] = {"agentId": AGENT, "version": "2", "how": "pin"}
        sent["replays"] = [{"runId": run_id, **REPLAYS["right"]} for run_id in some]
        undone.editor.ok("GET", path(undone))
        with assert_queries(exact=13):
            undone.editor.ok("POST", path(undone), sent)


def test_each_batch_takes_the_same_statements(undone: Shop, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("corrections.services.test_runs.reading.BATCH", 3)
    runs = corrected(undone, 9)
    counted = []
    for some in (runs[:3], runs[3:9]):
        sent: dict[str, Any] = {"agentId": AGENT, "version": "2", "how": "pin"}
        sent["replays"] = [{"runId": run_id, **REPLAYS["right"]} for run_id in some]
        with assert_queries(at_most=100) as statements:
            undone.editor.ok("POST", path(undone), sent)
        counted.append(len(statements))
    # Three corrections a run. Three runs more: to read 3 statements, to lock 1, to move 3, to keep 1 of replays and
    # 3 of results.
    assert counted == [15, 26]


def test_lists_take_a_fixed_number_of_statements(undone: Shop):
    runs = corrected(undone, 3)
    for some in (runs[:1], runs):
        for run_id in some:
            replay(undone, run_id, "wrong")
        many = tried(undone, [{"runId": run_id, **REPLAYS["right"]} for run_id in some])
        undone.editor.ok("GET", path(undone))
        with assert_queries(exact=3):
            undone.editor.ok("GET", path(undone))
        with assert_queries(exact=4):
            undone.editor.ok("GET", f"{path(undone)}/{many['id']}/results")


def test_pages_of_results_hold_each_once(undone: Shop):
    runs = corrected(undone, 3)
    test_run = tried(undone, [{"runId": run_id, **REPLAYS["right"]} for run_id in runs])
    seen, cursor = [], ""
    while True:
        page = undone.editor.ok("GET", f"{path(undone)}/{test_run['id']}/results?limit=2{cursor}")
        seen += [result["correctionId"] for result in page["data"]]
        if not page["hasMore"]:
            break
        cursor = f"&cursor={page['nextCursor']}"
    assert len(seen) == len(set(seen)) == 9
