"""The company whose pages tests look at has what there is to see: every state, role and shape."""

from __future__ import annotations

from tests.browser.shapes import LONG_AGENT, LONG_NAME, MEBIBYTE, SHAPES
from tests.browser.worlds import TREND_RUNS, TREND_VERSIONS
from tests.judging.queues import queue, rules_path


def test_it_has_items_in_every_state_of_the_queue(world):
    for state in ("open", "judged", "dismissed", "erased"):
        assert queue(world, f"state={state}&limit=0")["total"] > 0, state
    assert queue(world, "state=open&forMe=true&limit=0")["total"] < queue(world, "state=open&limit=0")["total"]


def test_its_runs_have_ended_in_every_way_and_said_a_mebibyte(world):
    found = {name: world.admin.ok("GET", f"runs/{run_id}") for name, run_id in world.runs.items()}
    assert len(found) == len(SHAPES) + len(TREND_VERSIONS) * TREND_RUNS
    assert {run["status"] for run in found.values()} == {"completed", "failed", "running"}
    assert len(found["big"]["output"]["response"]["content"]) > MEBIBYTE
    assert "output" not in found["erased"] and found["erased"]["contentErasedAt"]
    assert found["long name"]["agent"]["id"] == LONG_AGENT and len(LONG_AGENT) == len(LONG_NAME) == 200


def test_a_rule_has_a_history_keeps_runs_out_and_compares_two_versions(world):
    versions = world.admin.ok("GET", rules_path(world, world.rules["Bot review"], "versions"))["data"]
    assert [version["version"] for version in versions] == [3, 2, 1]
    kept_out = world.admin.ok("GET", rules_path(world, world.rules["Bot review"], "results"))["groups"]
    assert sum(group["skippedByCap"] for group in kept_out) > 0
    groups = world.admin.ok("GET", rules_path(world, world.rules["Everything"], "results"))["groups"]
    judged = {group["agentVersion"]: group["runsWithJudgments"] for group in groups}
    assert all(judged[version] >= TREND_RUNS for version in TREND_VERSIONS)


def test_there_is_somebody_of_every_role(world):
    members = world.admin.ok("GET", f"projects/{world.project.pk}/memberships")["data"]
    assert {member["role"] for member in members} >= {"viewer", "editor", "admin"}
    assert world.person("tenant-admin").is_tenant_admin and world.person("senior").display_name == "Sena Oyelaran"
