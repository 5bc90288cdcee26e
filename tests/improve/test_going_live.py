"""Going live: who asks, who decides, what is registered and pinned, and how corrections get fixed by it (section 7)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from improve.models import PinTest, Promotion, Proposal, ReplayJob
from kindgi.access.models import Project
from kindgi.api.times import as_of, now
from kindgi.runs.models import PinChange
from kindgi.runs.services.retention import runs_purge
from tests.improve.staging import FROM, PROMPT, REVIEWER, SETTINGS, Stage, work
from tests.support.shops import AGENT, CheckedApi

pytestmark = pytest.mark.usefixtures("taken_back")


def pin(stage: Stage) -> dict[str, Any]:
    found: dict[str, Any] = stage.shop.editor.ok("GET", f"projects/{stage.shop.project.pk}/agents/{AGENT}/pin")
    return found


def set_pin(stage: Stage, version: str) -> None:
    stage.shop.admin.ok("PUT", f"projects/{stage.shop.project.pk}/agents/{AGENT}/pin", {"version": version})


def read(stage: Stage, proposal_id: str) -> dict[str, Any]:
    found: dict[str, Any] = stage.shop.editor.ok("GET", f"proposals/{proposal_id}")
    return found


def corrections(stage: Stage) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = stage.shop.editor.ok("GET", f"corrections?agentId={AGENT}&limit=100")["data"]
    return found


def by(stage: Stage, person: str = "editor") -> str:
    return f"user:{stage.shop.person(person).pk}"


def test_one_that_is_better_waits_for_a_reviewer(stage: Stage):
    proposal_id = stage.evaluated(stage.drafted())
    asked = stage.act(proposal_id, "request", {"reason": "It helps."})
    promotion = asked["promotion"]
    assert asked["status"] == "in-review"
    assert promotion["status"] == "pending-approval" and promotion["approvalId"] == promotion["id"]
    assert (promotion["requestedBy"], promotion["reason"]) == (by(stage), "It helps.")
    row = Promotion.objects.get(pk=promotion["id"])
    assert row.expires_at - row.created_at == timedelta(days=14)
    assert row.live_version == FROM, "the highest version, since nothing is pinned"
    assert read(stage, proposal_id)["can"]["decide"] is False, "who drafted it doesn't decide"
    assert stage.shop.api(REVIEWER).ok("GET", f"proposals/{proposal_id}")["can"]["decide"] is True


def test_one_that_isnt_better_is_refused(stage: Stage):
    proposal_id = stage.evaluated(stage.drafted("as-ever"))
    assert read(stage, proposal_id)["status"] == "not-better"
    refused = stage.act(proposal_id, "request", {"reason": "I like it."})
    assert (refused["status"], refused["promotion"]["status"]) == ("refused", "refused")
    assert "approvalId" not in refused["promotion"]
    refused = stage.act(proposal_id, "request", by="tenant-admin")
    assert refused["status"] == "refused", "an admin says why, too"
    asked = stage.act(proposal_id, "request", {"reason": "The law says so."}, by="tenant-admin")
    assert (asked["status"], asked["promotion"]["reason"]) == ("in-review", "The law says so.")
    steps = [one["step"] for one in stage.shop.editor.ok("GET", f"proposals/{proposal_id}/history")["data"]]
    assert steps == [
        *("requested", "refused", "requested", "refused", "requested"),
        *("evaluated", "evaluation-started", "drafted"),
    ]


def test_approved_it_is_registered_and_pinned_by_the_decision(stage: Stage):
    proposal_id = stage.in_review()
    live = stage.act(proposal_id, "decide", {"decision": "approve", "reason": "Good."}, by=REVIEWER)
    version = f"{FROM}+change.1"
    assert live["status"] == "promoted"
    assert live["candidate"]["agentVersion"] == version
    assert live["promotion"]["liveNow"] is True
    assert (live["promotion"]["decidedBy"], live["promotion"]["decidedReason"]) == (by(stage, REVIEWER), "Good.")
    assert (pin(stage)["version"], pin(stage)["pinnedBy"]) == (version, by(stage, REVIEWER))
    assert stage.shop.api("admin").ok("GET", f"projects/{stage.shop.project.pk}/agents/{AGENT}/pin")["pinned"]
    registered = stage.shop.editor.ok("GET", f"agents/{AGENT}/versions/{version}")
    assert registered["latest"] is False and "tools" not in registered
    manners, greeting = registered["blocks"]
    assert (manners["version"], manners["values"], manners["schema"]) == (
        "2",
        live["change"]["content"]["values"],
        SETTINGS["schema"],
    )
    assert greeting == PROMPT | {"version": "1"}
    assert stage.shop.editor.ok("GET", f"agents/{AGENT}/versions/{FROM}")["latest"] is True
    assert PinChange.objects.get(project=stage.shop.project).to_version == version


def test_corrections_are_fixed_by_the_pin_and_reopened_by_going_back(stage: Stage):
    proposal_id = stage.in_review()
    live = stage.act(proposal_id, "decide", {"decision": "approve"}, by=REVIEWER)
    version = live["candidate"]["agentVersion"]
    test = PinTest.objects.select_related("job").get()
    assert (test.how, str(test.promotion_id)) == ("pin", live["promotion"]["id"])
    assert (test.job.version, test.job.of) == (version, len(stage.runs))
    work(test.job)
    said = {"kind": "user", "id": str(stage.shop.person(REVIEWER).pk)}
    fixed = corrections(stage)
    assert {one["status"] for one in fixed} == {"fixed"}
    for one in fixed:
        assert {**one["fixedIn"], "at": ""} == {"version": version, "how": "pin", "by": said, "at": ""}
    sent = stage.server.asked[-1].json
    assert sent["version"] == version and sent["dryRun"] is True
    assert sent["change"] == {"blockId": "manners", "fromVersion": "1", "content": live["change"]["content"]}
    assert sent["blocks"] == {
        "manners": live["change"]["content"],
        "greeting": {"template": PROMPT["template"]},
    }

    back = stage.act(proposal_id, "rollback", {"reason": "Complaints."}, by=REVIEWER)
    assert back["status"] == "rolled-back"
    assert (back["rolledBack"]["by"], back["rolledBack"]["reason"]) == (by(stage, REVIEWER), "Complaints.")
    assert (pin(stage)["pinned"], pin(stage)["version"]) == (False, FROM), "nothing was pinned before"
    again = PinTest.objects.select_related("job").get(how="went-back")
    assert (again.job.version, again.job.change, str(again.promotion_id)) == (FROM, None, live["promotion"]["id"])
    work(again.job)
    for one in corrections(stage):
        assert one["status"] == "with-owner", "it is the decisions that were wrong"
        assert {**one["reopenedIn"], "at": ""} == {"version": FROM, "how": "went-back", "by": said, "at": ""}
        assert one["fixedIn"]["version"] == version
    tests = stage.shop.editor.ok("GET", f"projects/{stage.shop.project.pk}/test-runs")["data"]
    assert [(one["how"], one["version"], one["madeBy"]) for one in tests] == [
        ("went-back", FROM, said),
        ("pin", version, said),
    ]


def test_rolling_back_pins_what_was_pinned_before(stage: Stage):
    set_pin(stage, FROM)
    proposal_id = stage.decided("approve")
    assert Promotion.objects.get(proposal_id=proposal_id).pin_before == FROM
    stage.act(proposal_id, "rollback", by="admin")
    assert (pin(stage)["pinned"], pin(stage)["version"]) == (True, FROM)
    assert read(stage, proposal_id)["promotion"]["liveNow"] is False
    assert "reason" not in read(stage, proposal_id)["rolledBack"]


def test_rolling_back_where_nothing_was_pinned_runs_what_was_latest_then(stage: Stage):
    proposal_id = stage.decided("approve")
    stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/9.0.0")
    stage.act(proposal_id, "rollback", by=REVIEWER)
    assert (pin(stage)["pinned"], pin(stage)["version"]) == (True, FROM), "nobody decided that it should run 9.0.0"
    told = stage.shop.editor.ok("GET", f"proposals/{proposal_id}/history")["data"][0]
    assert (told["step"], told["version"]) == ("rolled-back", FROM)
    assert PinTest.objects.select_related("job").get(how="went-back").job.version == FROM


def test_one_that_isnt_live_any_more_cant_be_rolled_back(stage: Stage):
    proposal_id = stage.decided("approve")
    set_pin(stage, "1.0.0")
    assert read(stage, proposal_id)["promotion"]["liveNow"] is False
    refused = stage.shop.api(REVIEWER).refused("POST", f"proposals/{proposal_id}/rollback")
    assert refused == (409, "proposal-not-live")
    assert read(stage, proposal_id)["status"] == "promoted"


@pytest.mark.parametrize("moved", ["pin", "latest"])
def test_where_another_version_went_live_meanwhile_it_is_superseded(stage: Stage, moved: str):
    proposal_id = stage.in_review()
    if moved == "pin":
        set_pin(stage, "1.0.0")
    else:
        stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/3.0.0")
    before = pin(stage)
    done = stage.act(proposal_id, "decide", {"decision": "approve"}, by=REVIEWER)
    assert (done["status"], done["promotion"]["status"]) == ("superseded", "superseded")
    assert pin(stage) == before
    again = stage.act(proposal_id, "request")
    assert again["status"] == "superseded", "it would undo that"
    why = {"reason": "It has what that has."}
    assert stage.act(proposal_id, "request", why, by="tenant-admin")["status"] == "in-review"
    assert stage.act(proposal_id, "decide", {"decision": "approve"}, by=REVIEWER)["status"] == "promoted"


def test_a_second_change_of_a_version_that_runs_no_more_is_superseded_at_once(stage: Stage):
    """Else it would undo the first, and nobody would notice."""
    second, worse = stage.evaluated(stage.drafted()), stage.evaluated(stage.drafted("as-ever"))
    first = stage.decided("approve")
    runs = read(stage, first)["candidate"]["agentVersion"]
    for reason, person in ((None, "editor"), ({"reason": "I like it."}, "editor"), (None, "tenant-admin")):
        asked = stage.act(second, "request", reason, by=person)
        assert (asked["status"], asked["promotion"]["status"]) == ("superseded", "superseded")
        assert "approvalId" not in asked["promotion"]
    superseded, requested, *_ = stage.shop.editor.ok("GET", f"proposals/{second}/history")["data"]
    assert (superseded["step"], superseded["version"], "by" in superseded) == ("superseded", runs, False)
    assert requested["step"] == "requested"
    assert stage.act(worse, "request")["status"] == "refused", "not better comes first"
    assert stage.act(second, "request", {"reason": "Both."}, by="tenant-admin")["status"] == "in-review"
    assert stage.act(second, "decide", {"decision": "approve"}, by=REVIEWER)["status"] == "promoted"
    stage.act(second, "rollback", by=REVIEWER)
    assert pin(stage)["version"] == runs


def test_what_nobody_decides_expires_and_is_asked_for_again(stage: Stage):
    proposal_id = stage.expired()
    assert Promotion.objects.get(proposal_id=proposal_id).settled == "", "nobody wrote it down yet"
    assert read(stage, proposal_id)["promotion"]["status"] == "expired"
    refused = stage.shop.api(REVIEWER).refused("POST", f"proposals/{proposal_id}/decide", {"decision": "approve"})
    assert refused == (409, "proposal-wrong-status")
    assert stage.act(proposal_id, "request")["status"] == "in-review"
    steps = stage.shop.editor.ok("GET", f"proposals/{proposal_id}/history")["data"]
    assert [one["step"] for one in steps[:3]] == ["requested", "expired", "requested"]
    with as_of(now() + timedelta(days=14, seconds=1)):
        assert read(stage, proposal_id)["status"] == "expired"


def test_trying_it_again_leaves_behind_what_was_asked_for(stage: Stage):
    proposal_id = stage.refused()
    stage.begun(proposal_id)
    going_on = read(stage, proposal_id)
    assert going_on["status"] == "evaluating" and "promotion" not in going_on


def test_a_rejection_says_why(stage: Stage):
    proposal_id = stage.in_review()
    reviewer = stage.shop.api(REVIEWER)
    for body in ({"decision": "reject"}, {"decision": "reject", "reason": " "}, {"decision": "maybe"}, {}):
        assert reviewer.refused("POST", f"proposals/{proposal_id}/decide", body) == (400, "bad-input")
    rejected = stage.act(proposal_id, "decide", {"decision": "reject", "reason": "No."}, by=REVIEWER)
    assert (rejected["status"], rejected["promotion"]["decidedReason"]) == ("rejected", "No.")
    assert "pinned" in pin(stage) and pin(stage)["pinned"] is False


def test_who_drafted_or_asked_for_it_doesnt_decide(stage: Stage):
    shop = stage.shop
    body = {"decision": "approve"}
    asked_by_reviewer = stage.evaluated(stage.drafted())
    stage.act(asked_by_reviewer, "request", by=REVIEWER)
    assert shop.api(REVIEWER).refused("POST", f"proposals/{asked_by_reviewer}/decide", body) == (
        403,
        "permission-denied",
    )
    for person in ("editor:3", "admin", "tenant-admin"):
        assert shop.api(person).refused("POST", f"proposals/{asked_by_reviewer}/decide", body)[0] == 403, "no reviewer"
    second = {"userId": str(shop.person("editor:second").pk), "role": "senior"}
    shop.admin.ok("POST", "approvals/reviewers", second)
    assert stage.act(asked_by_reviewer, "decide", body, by="editor:second")["status"] == "promoted"


@pytest.mark.parametrize("role", ["editor", "admin"])
def test_a_service_doesnt_decide_whatever_its_role(stage: Stage, role: str):
    """Else whoever drafted a change makes a service account that reviews, and decides by its token."""
    admin, proposal_id = stage.shop.admin, stage.in_review()
    grant = {"kind": "project", "projectId": str(stage.shop.project.pk), "role": role}
    account = admin.ok("POST", "service-accounts", {"name": "reviews", "grants": [grant]})["serviceAccountId"]
    minted = {"for": {"kind": "service-account", "id": account}, "role": "member", "reviewerRole": "senior"}
    service = CheckedApi(admin.ok("POST", "tokens", minted)["token"])
    assert service.ok("GET", f"proposals/{proposal_id}")["can"]["decide"] is False
    for body in ({"decision": "approve"}, {"decision": "reject", "reason": "No."}):
        refused = service.post(f"proposals/{proposal_id}/decide", body)
        assert refused.status_code == 403 and "A person decides" in refused.json()["error"]["message"]
    assert read(stage, proposal_id)["status"] == "in-review"
    assert stage.act(proposal_id, "decide", {"decision": "approve"}, by=REVIEWER)["status"] == "promoted"


def test_pinning_by_hand_and_a_new_latest_start_tests_too(stage: Stage):
    set_pin(stage, "1.0.0")
    first = PinTest.objects.select_related("job").get()
    assert (first.how, first.job.version, first.job.blocks, first.promotion) == ("went-back", "1.0.0", None, None)
    set_pin(stage, "1.0.0")
    assert PinTest.objects.count() == 1, "nothing was moved"
    path = f"projects/{stage.shop.project.pk}/agents/{AGENT}/pin"
    assert stage.shop.admin.delete(path).status_code == 200
    first.job.refresh_from_db()
    assert first.job.state == "cancelled", "another version came before the first was through"
    unpinned = PinTest.objects.select_related("job").exclude(pk=first.pk).get()
    assert (unpinned.how, unpinned.job.version) == ("unpin", FROM)
    stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/4.0.0")
    latest = PinTest.objects.select_related("job").get(how="latest")
    assert latest.job.version == "4.0.0"
    set_pin(stage, "1.0.0")
    stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/5.0.0")
    assert PinTest.objects.filter(how="latest").count() == 1, "a project with a pin doesn't follow"


def test_nothing_is_tested_without_an_endpoint_or_anything_said_wrong(stage: Stage):
    endpoint = f"projects/{stage.shop.project.pk}/agents/{AGENT}/replay-endpoint"
    assert stage.shop.admin.delete(endpoint).status_code == 204
    jobs = ReplayJob.objects.count()
    set_pin(stage, "1.0.0")
    assert ReplayJob.objects.count() == jobs
    stage.shop.admin.ok("PUT", endpoint, {"url": stage.server.url})
    for one in corrections(stage):
        stage.shop.editor.ok("POST", f"corrections/{one['id']}/unregister")
    set_pin(stage, FROM)
    assert ReplayJob.objects.count() == jobs


def test_runs_that_retention_deleted_are_tested_and_erased_ones_arent(stage: Stage):
    erased, *kept = stage.runs
    stage.shop.admin.ok("POST", f"runs/{erased}/erase")
    Project.objects.filter(pk=stage.shop.project.pk).update(retention_days=30)
    with as_of(now() + timedelta(days=31)):
        assert runs_purge(project=Project.objects.get(pk=stage.shop.project.pk), limit=100) == len(stage.runs)
    set_pin(stage, "1.0.0")
    job = PinTest.objects.select_related("job").get().job
    assert {str(replay.run_id) for replay in job.replays.all()} == set(kept)
    work(job)
    fixed = stage.shop.editor.ok("GET", f"projects/{stage.shop.project.pk}/test-runs")["data"][0]
    assert (fixed["version"], fixed["replays"]) == ("1.0.0", len(kept))


def test_the_candidates_name_is_the_lowest_that_is_free(stage: Stage):
    stage.shop.admin.ok("PUT", f"agents/{AGENT}/versions/{FROM}+change.2")
    ids = [stage.begun(stage.drafted()) for _ in range(2)]
    names = [read(stage, one)["candidate"]["agentVersion"] for one in ids]
    assert names == [f"{FROM}+change.1", f"{FROM}+change.3"]
    assert Proposal.objects.filter(candidate_version__in=names).count() == 2
