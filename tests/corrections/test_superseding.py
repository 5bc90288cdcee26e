"""One person has one live verdict on an item; what came before stays readable (contract, section 1)."""

from __future__ import annotations

from typing import Any

from corrections.models import CorrectionChange, Verdict
from kindgi.access.selectors import caller_for_user
from tests.corrections.judging import judge
from tests.support.shops import Shop


def live(shop: Shop, run_id: str) -> list[str]:
    return [row["id"] for row in shop.editor.ok("GET", "corrections", query={"runId": run_id})["data"]]


def read(shop: Shop, made: Any) -> dict[str, Any]:
    correction_id = made["id"] if isinstance(made, dict) else made.pk
    found: dict[str, Any] = shop.editor.ok("GET", f"corrections/{correction_id}")
    return found


def items(*keys: str) -> list[dict[str, str]]:
    return [{"key": key, "verdict": "right"} for key in keys]


def test_a_second_correction_supersedes_the_first_whole_even_where_it_says_less(undone: Shop):
    run_id = undone.run()
    first = undone.correct(run_id, answer="right", items=items("a", "b"))
    second = undone.correct(run_id, items=items("a"))
    assert live(undone, run_id) == [second["id"]]
    before = read(undone, first)
    assert before["supersededBy"] == second["id"]
    assert before["unregisteredAt"] == before["updatedAt"] == second["createdAt"]
    assert not Verdict.objects.filter(correction_id=first["id"], unregistered_at__isnull=True).exists()


def test_what_was_superseded_still_reads_as_it_was_said(undone: Shop):
    run_id = undone.run()
    said: dict[str, Any] = {"answer": "wrong", "shouldSay": "s", "why": "w", "items": items("a", "b")}
    first = undone.correct(run_id, **said)
    undone.correct(run_id)
    after = read(undone, first)
    assert {name: after[name] for name in said} == said
    assert after["status"] == first["status"] and after["sortedTo"] == first["sortedTo"]


def test_callers_and_participants_do_not_touch_each_other(undone: Shop):
    run_id = undone.run()
    made = [
        undone.correct(run_id),
        undone.correct(run_id, participantId="p"),
        undone.correct(run_id, participantId="P"),
        undone.correct(run_id, participantId="p "),
        undone.correct(run_id, by="editor:2"),
        undone.correct(run_id, by="service", participantId="p"),
        undone.correct(undone.run()),
    ]
    assert set(live(undone, run_id)) == {one["id"] for one in made[:-1]}
    again = undone.correct(run_id, participantId="p")
    assert set(live(undone, run_id)) == {one["id"] for one in [made[0], *made[2:-1], again]}


def test_a_class_does_not_make_it_another_verdict(undone: Shop):
    run_id = undone.run()
    first = undone.correct(run_id, correctorGroupId=undone.judge_class())
    second = undone.correct(run_id, correctorGroupId=undone.judge_class())
    third = undone.correct(run_id)
    assert live(undone, run_id) == [third["id"]]
    assert read(undone, first)["supersededBy"] == second["id"]
    assert read(undone, second)["supersededBy"] == third["id"]


def test_each_verdict_names_the_one_that_took_its_place_if_any(undone: Shop):
    run_id = undone.run()
    first = undone.correct(run_id, answer="right", items=items("a", "b"))
    second = undone.correct(run_id, items=items("a", "c"))
    successors = dict(
        Verdict.objects.filter(correction_id=first["id"]).values_list("item_key", "superseded_by__correction")
    )
    assert {key: found and str(found) for key, found in successors.items()} == {
        "answer": None,
        "a": second["id"],
        "b": None,
    }


def test_a_removed_correction_is_not_superseded_afterwards(undone: Shop):
    run_id = undone.run()
    first = undone.correct(run_id)
    undone.editor.ok("POST", f"corrections/{first['id']}/unregister")
    second = undone.correct(run_id)
    assert live(undone, run_id) == [second["id"]]
    assert "supersededBy" not in read(undone, first) and read(undone, first)["status"] == "removed"


def test_removing_the_later_one_does_not_bring_the_earlier_back(undone: Shop):
    run_id = undone.run()
    first, second = undone.correct(run_id), undone.correct(run_id)
    undone.editor.ok("POST", f"corrections/{second['id']}/unregister")
    assert live(undone, run_id) == []
    assert read(undone, first)["supersededBy"] == second["id"]


def test_a_judgment_supersedes_only_the_verdict_on_its_item(undone: Shop):
    run_id, caller = undone.run(), caller_for_user(undone.person("editor"))
    whole = undone.correct(run_id, answer="right", items=items("a", "b"))
    judged = judge(caller, run_id, "a", right=False)
    assert set(live(undone, run_id)) == {whole["id"], str(judged.pk)}
    assert read(undone, whole)["items"] == items("b"), "only what still counts of a live correction is shown"
    assert read(undone, judged)["items"] == [{"key": "a", "verdict": "wrong"}]
    # When its last verdict goes, so does the correction.
    judge(caller, run_id, "answer")
    assert "supersededBy" not in read(undone, whole)
    last = judge(caller, run_id, "b")
    assert read(undone, whole)["supersededBy"] == str(last.pk)
    assert read(undone, whole)["items"] == items("a", "b"), "one that is gone is shown with all that it said"


def test_a_judgment_supersedes_an_earlier_judgment_on_the_item(undone: Shop):
    run_id, caller = undone.run(), caller_for_user(undone.person("editor"))
    first, other = judge(caller, run_id, "answer"), judge(caller, run_id, "a")
    second = judge(caller, run_id, "answer", right=False)
    assert set(live(undone, run_id)) == {str(other.pk), str(second.pk)}
    assert read(undone, first)["supersededBy"] == str(second.pk)


def test_a_correction_leaves_judgments_on_items_that_it_does_not_name(undone: Shop):
    run_id, caller = undone.run(), caller_for_user(undone.person("editor"))
    kept, named = judge(caller, run_id, "kept"), judge(caller, run_id, "named")
    of_another = judge(caller_for_user(undone.person("editor:2")), run_id, "named")
    for_another = judge(caller, run_id, "named", participant="p")
    made = undone.correct(run_id, items=items("named"))
    assert set(live(undone, run_id)) == {str(kept.pk), str(of_another.pk), str(for_another.pk), made["id"]}
    assert read(undone, named)["supersededBy"] == made["id"]


def test_both_doors_show_in_the_list(undone: Shop):
    run_id, caller = undone.run(), caller_for_user(undone.person("editor"))
    for key in ("answer", "kindgi:correction", "a"):
        judge(caller, run_id, key, right=key != "a")
    found = undone.editor.ok("GET", "corrections", query={"runId": run_id})["data"]
    said = [{name: row[name] for name in ("decisions", "answer", "items") if name in row} for row in found]
    assert said == [{"items": [{"key": "a", "verdict": "wrong"}]}, {"decisions": "right"}, {"answer": "right"}]


def test_a_list_by_what_was_said_goes_by_what_still_counts(undone: Shop):
    run_id, caller = undone.run(), caller_for_user(undone.person("editor"))
    whole = undone.correct(run_id, answer="right", items=items("a"))

    def listed(**query: str) -> list[str]:
        found = undone.editor.ok("GET", "corrections", query={"runId": run_id, **query})["data"]
        return [row["id"] for row in found]

    assert listed(answer="right") == [whole["id"]]
    judged = judge(caller, run_id, "answer", right=False)
    assert listed(answer="right") == [] and listed(answer="wrong") == [str(judged.pk)]
    judge(caller, run_id, "a")
    assert listed(answer="right", include="superseded") == [whole["id"]], "one that is gone, by all that it said"


def test_superseding_is_in_the_history_of_what_was_superseded(undone: Shop):
    run_id = undone.run()
    first, second = undone.correct(run_id), undone.correct(run_id, answer="wrong", why="w")
    history = undone.editor.ok("GET", f"corrections/{first['id']}/history")["data"]
    assert [(entry["revision"], entry["kind"]) for entry in history] == [(2, "superseded"), (1, "made")]
    assert history[0]["to"] == {"supersededBy": second["id"]}
    assert history[0]["by"] == second["madeBy"] and history[0]["at"] == second["createdAt"]
    assert CorrectionChange.objects.filter(correction_id=second["id"]).count() == 1


def test_every_correction_of_a_run_shows_the_first_ones_copy(undone: Shop):
    run_id = undone.run()
    first = undone.correct(run_id)
    second = undone.correct(run_id)
    assert read(undone, first)["run"] == read(undone, second)["run"]
    assert read(undone, second)["run"]["capturedAt"] == first["createdAt"]
