"""Whatever is said at one door is read at the other, in that one's words, and comes back the same (section 1)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.shops import AGENT, OUTPUT, VERSION, Shop

Said = dict[str, Any]
YES = {"right": "yes", "wrong": "no"}
RIGHT = {"yes": "right", "no": "wrong"}
CALLS = [{"tool": "shop.refund", "args": {"id": 1}}, {"tool": "shop.lookup", "args": {}}]

DECISIONS: dict[str, Said] = {
    "nothing of the decisions": {},
    "decisions right": {"decisions": "right"},
    "decisions wrong, calls": {"decisions": "wrong", "shouldCall": CALLS},
    "decisions wrong, both": {"decisions": "wrong", "shouldCall": CALLS[:1], "mustNotCall": ["shop.mail"]},
    "decisions wrong, a tool": {"decisions": "wrong", "mustNotCall": ["shop.mail"]},
}
ANSWER: dict[str, Said] = {
    "nothing of the answer": {},
    "answer right": {"answer": "right"},
    "answer wrong": {"answer": "wrong", "shouldSay": "It is lost."},
}
ITEMS: dict[str, Said] = {
    "no items": {},
    "one item": {"items": [{"key": "a", "verdict": "right"}]},
    "two items": {
        "items": [
            {"key": "b", "pointer": "/matches/1", "rank": 1, "verdict": "wrong"},
            {"key": "a", "pointer": "", "verdict": "right"},
        ]
    },
}
VALUES = {"/matches/1": OUTPUT["matches"][1], "": OUTPUT}


PEOPLE = ["editor", "editor:2", "editor:3", "editor:4"]


@pytest.fixture(scope="module", autouse=True)
def people(shop: Shop) -> None:
    for name in PEOPLE:
        shop.api(name)


def beside(shop: Shop) -> Iterator[tuple[str, str | None, str | None, str | None]]:
    """Every combination of a reason, a restricted class and a participant, each of which may be left out.

    With who says it, so that none takes another back.
    """
    expert = shop.judge_class(assertableBy={"principalKinds": ["user"]})
    for by, (reason, judge_class) in zip(PEOPLE, itertools.product([None, "because"], [None, expert]), strict=True):
        for participant in (None, "end-user"):
            yield by, reason, judge_class, participant


def given(**fields: Any) -> Said:
    return {name: value for name, value in fields.items() if value is not None}


def shared(shop: Shop, run_id: str) -> Said:
    return {
        "tenantId": str(shop.tenant.pk),
        "projectId": str(shop.project.pk),
        "runId": run_id,
        "subject": {"kind": "agent", "id": AGENT, "version": VERSION},
    }


def judgments_of(correction: Said) -> list[Said]:
    """What a correction says, as judgments: newest first, so the last thing that it says comes first.

    Its reason is that of the answer alone, where it says something of the answer, and else of all.
    """
    both: Said = {name: correction[name] for name in ("tenantId", "projectId", "runId", "subject", "createdAt")}
    both |= {"assertedBy": correction["madeBy"]}
    for theirs, ours in (("correctorGroupId", "judgeClassId"), ("expert", "restricted")):
        both |= {ours: correction[theirs]} if theirs in correction else {}
    both |= given(participantId=correction.get("participantId"))
    reason = given(reason=correction.get("why"))
    both |= {} if "answer" in correction else reason
    found: list[Said] = []
    if "decisions" in correction:
        listed = {"calls": correction.get("shouldCall", []), "notCalled": correction.get("mustNotCall", [])}
        said = {"item": {"key": "kindgi:correction"}, "verdict": YES[correction["decisions"]]}
        found.append({**both, **said, **({"correction": listed} if any(listed.values()) else {})})
    if "answer" in correction:
        found.append({**both, **reason, "item": {"key": "answer"}, "verdict": YES[correction["answer"]]})
    for item in correction.get("items", []):
        place = {name: value for name, value in item.items() if name in ("key", "pointer", "rank")}
        found.append({**both, "item": place, "verdict": YES[item["verdict"]]})
    return found[::-1]


SAYS_NOTHING = ("nothing of the decisions", "nothing of the answer", "no items")
COMBINATIONS = [names for names in itertools.product(DECISIONS, ANSWER, ITEMS) if names != SAYS_NOTHING]


@pytest.mark.parametrize("names", COMBINATIONS, ids="; ".join)
def test_what_a_correction_says_is_read_as_judgments(undone: Shop, names: tuple[str, str, str]):
    decisions, answer, items = names
    run_id, made = undone.run(), []
    for by, reason, expert, participant in beside(undone):
        more = given(why=reason, correctorGroupId=expert, participantId=participant)
        made.append(undone.correct(run_id, by=by, **DECISIONS[decisions], **ANSWER[answer], **ITEMS[items], **more))
    found = undone.editor.ok("GET", "judgments", query={"runId": run_id, "limit": 100})["data"]
    expected = [judgment for correction in made[::-1] for judgment in judgments_of(correction)]
    assert [{name: value for name, value in one.items() if name != "id"} for one in found] == expected
    assert undone.editor.ok("GET", "corrections", query={"runId": run_id})["data"] == made[::-1]
    for one in found[: len(judgments_of(made[-1]))]:
        read = undone.editor.ok("GET", f"judgments/{one['id']}")
        assert read.pop("run")["output"] == OUTPUT
        assert read.pop("itemValue", None) == VALUES.get(one["item"].get("pointer"))
        assert read == one


# What is judged, beside the verdict, and what it reads as at the other door: {} is the verdict in its words.
JUDGED: dict[str, tuple[Said, Said]] = {
    "the answer": ({"item": {"key": "answer"}}, {"answer": "{}"}),
    "a place of the answer": ({"item": {"key": "answer", "pointer": "/note"}}, {"answer": "{}"}),
    "an item": ({"item": {"key": "a"}}, {"items": [{"key": "a", "verdict": "{}"}]}),
    "an item in its place": (
        {"item": {"key": "a", "pointer": "/matches/0", "rank": 0}},
        {"items": [{"key": "a", "pointer": "/matches/0", "rank": 0, "verdict": "{}"}]},
    ),
    "calls": (
        {"item": {"key": "kindgi:correction"}, "correction": {"calls": CALLS, "notCalled": []}},
        {"decisions": "{}", "shouldCall": CALLS},
    ),
    "a tool": (
        {"item": {"key": "kindgi:correction"}, "correction": {"calls": [], "notCalled": ["shop.mail"]}},
        {"decisions": "{}", "mustNotCall": ["shop.mail"]},
    ),
    "both": (
        {"item": {"key": "kindgi:correction"}, "correction": {"calls": CALLS, "notCalled": ["shop.mail"]}},
        {"decisions": "{}", "shouldCall": CALLS, "mustNotCall": ["shop.mail"]},
    ),
}


def standing(verdict: str, key: str, participant: str | None, at: str) -> Said:
    """How a judgment is sorted at save."""
    if participant is not None:
        return {"status": "open"}
    if verdict == "yes":
        return {"status": "fixed", "fixedIn": {"how": "recorded-right", "at": at}}
    by_rule = {"by": {"kind": "rule"}, "at": at}
    if key == "kindgi:correction":
        return {"status": "with-owner", "sortedTo": "owner", "sorted": by_rule}
    return {"status": "open", "sortedTo": "improve", "sorted": by_rule}


@pytest.mark.parametrize("verdict", RIGHT)
@pytest.mark.parametrize(("sent", "reads"), JUDGED.values(), ids=JUDGED)
def test_a_judgment_is_read_as_a_correction(undone: Shop, sent: Said, reads: Said, verdict: str):
    run_id, made, expected = undone.run(), [], []
    for by, reason, expert, participant in beside(undone):
        more = given(reason=reason, judgeClassId=expert, participantId=participant)
        judged = undone.api(by).ok("POST", "judgments", {"runId": run_id, "verdict": verdict, **sent, **more})
        at = judged["createdAt"]
        made.append(judged)
        expected.append(
            {
                **shared(undone, run_id),
                **in_words(reads, RIGHT[verdict]),
                **given(why=reason, correctorGroupId=expert, participantId=participant, expert=expert and True),
                "madeBy": judged["assertedBy"],
                **standing(verdict, sent["item"]["key"], participant, at),
                "createdAt": at,
                "updatedAt": at,
            }
        )
    corrections = undone.editor.ok("GET", "corrections", query={"runId": run_id})["data"]
    assert [{name: value for name, value in one.items() if name != "id"} for one in corrections] == expected[::-1]
    assert not {one["id"] for one in corrections} & {one["id"] for one in made}, "a judgment's id is its verdict's"
    assert undone.editor.ok("GET", "judgments", query={"runId": run_id})["data"] == made[::-1]
    found = corrections[0]
    read = undone.editor.ok("GET", f"corrections/{found['id']}")
    assert read.pop("run")["output"] == OUTPUT
    for item in read.get("items", []):
        assert item.pop("value", None) == (OUTPUT["matches"][0] if "pointer" in item else None)
    assert read == found


def in_words(reads: Said, word: str) -> Said:
    def filled(value: Any) -> Any:
        if isinstance(value, list):
            return [filled(entry) for entry in value]
        if isinstance(value, dict):
            return {name: filled(entry) for name, entry in value.items()}
        return word if value == "{}" else value

    found: Said = filled(reads)
    return found


def test_a_flows_run_is_judged_as_it_is_corrected(undone: Shop):
    run_id = undone.run(flow={"id": "onboarding", "version": "7"})
    made = undone.editor.ok("POST", "judgments", {"runId": run_id, "item": {"key": "answer"}, "verdict": "yes"})
    assert made["subject"] == {"kind": "flow", "id": "onboarding", "version": "7"}
    (found,) = undone.editor.ok("GET", "corrections", query={"flowId": "onboarding", "runId": run_id})["data"]
    assert found["subject"] == made["subject"] and found["answer"] == "right"


def test_a_judged_correction_is_changed_and_followed_at_the_other_door(undone: Shop):
    run_id = undone.run()
    undone.editor.ok("POST", "judgments", {"runId": run_id, "item": {"key": "answer"}, "verdict": "no"})
    (found,) = undone.editor.ok("GET", "corrections", query={"runId": run_id})["data"]
    changed = undone.editor.ok("PATCH", f"corrections/{found['id']}", {"status": "being-fixed"})
    assert (changed["status"], changed["answer"]) == ("being-fixed", "wrong")
    history = undone.editor.ok("GET", f"corrections/{found['id']}/history")["data"]
    assert [entry["kind"] for entry in history] == ["changed", "made"]


def test_the_answers_reason_stays_its_own_whatever_ends(undone: Shop):
    """A reason that was given for the answer becomes nobody else's when the answer is judged anew or taken back."""
    said: Said = {"decisions": "wrong", "mustNotCall": ["shop.mail"], "answer": "wrong", "why": "rude"}
    superseded, removed = undone.run(), undone.run()
    for run_id in (superseded, removed):
        undone.correct(run_id, **said, items=[{"key": "a", "verdict": "right"}])
    anew = {"runId": superseded, "item": {"key": "answer"}, "verdict": "yes", "reason": "polite after all"}
    undone.editor.ok("POST", "judgments", anew)
    ended = judged(undone, removed)["answer"]
    undone.editor.ok("POST", f"judgments/{ended['id']}/unregister")
    assert undone.editor.ok("GET", f"judgments/{ended['id']}")["reason"] == "rude"
    for run_id, answer in ((superseded, {"answer": "polite after all"}), (removed, {})):
        found = judged(undone, run_id)
        assert found.keys() == {"kindgi:correction", "a"} | answer.keys()
        assert {key: one["reason"] for key, one in found.items() if "reason" in one} == answer
        for one in found.values():
            assert undone.editor.ok("GET", f"judgments/{one['id']}").get("reason") == one.get("reason")


def judged(shop: Shop, run_id: str) -> dict[str, Said]:
    """The run's live judgments by item."""
    return {one["item"]["key"]: one for one in shop.editor.ok("GET", "judgments", query={"runId": run_id})["data"]}
