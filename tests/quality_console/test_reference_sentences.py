"""The reference's own sentences of the console (its section "In the console"), each with the address that says it."""

# ruff: noqa: RUF001 - the reference's own signs

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.judging.queues import change_rule, dismiss, make_rule, old_rule
from tests.quality_console.tabs import tab, text_of
from tests.support.shops import Shop

NEWER = "1.1.0"
DEV = "Dev-Echo Agent"
EXPERT = "Echo half, Support sample"


@dataclass
class Said:
    """What pages said, by their addresses; each is asked for once."""

    shop: Shop
    ids: dict[str, str]
    texts: dict[tuple[str, str], str]

    def __call__(self, name: str, query: str) -> str:
        key = (name, query)
        if key not in self.texts:
            self.texts[key] = text_of(tab(self.shop, name, query.format(**self.ids), by="admin"))
        return self.texts[key]


@pytest.fixture(scope="module")
def said(shop: Shop) -> Said:
    """A project as the reference's pictures show one."""
    here = {"kind": "project", "projectId": str(shop.project.pk)}
    expert = shop.judge_class("expert", weight=3, scope=here, assertableBy={"principalKinds": ["user"]})
    bot = shop.judge_class("bot", scope=here, assertableBy={"principalKinds": ["service"]})
    trend = _trend(shop, expert, bot)
    dev: dict[str, Any] = {"when": {"agentIds": [DEV]}}
    old_rule(shop, name="Everything", **dev)
    half = old_rule(shop, name="Echo half", maxOpen=5, **dev)
    change_rule(shop, half, maxOpen=None, judgeClassId=expert)
    old_rule(shop, name="Support sample", sample=0.1, judgeClassId=expert, **dev)
    old_rule(shop, name="Bot review", judgeClassId=bot, when={"agentIds": ["Bot"]})
    make_rule(shop, name="Capped", maxOpen=5)
    shop.judge_class("legal", scope=here)
    _waiting(shop)
    ids = {"half": half["ruleId"], "trend": trend["ruleId"], "expert": expert}
    return Said(shop, ids, {})


def _trend(shop: Shop, expert: str, bot: str) -> dict[str, Any]:
    """A rule that was changed, with twelve corrections of each of two versions since, and two of before."""
    made = old_rule(shop, name="Trend check", maxOpen=1, when={"agentIds": ["shop.desk"]})
    _correct(shop, "1.0.0", 2, right=2)
    shop.run(agent={"id": "shop.desk", "version": "1.0.0"})
    shop.run(agent={"id": "shop.desk", "version": "1.0.0"})
    changed = change_rule(shop, made, maxOpen=None)
    _correct(shop, NEWER, 4, right=4, correctorGroupId=expert)
    _correct(shop, NEWER, 8, right=7)
    _correct(shop, "1.0.0", 12, right=3, by="service", correctorGroupId=bot)
    shop.run(agent={"id": "shop.desk", "version": "0.9.0"})
    return changed


def _correct(shop: Shop, version: str, count: int, *, right: int, by: str = "editor", **body: Any) -> None:
    for number in range(count):
        verdict = {"answer": "right"} if number < right else {"answer": "wrong", "why": "It misses the point."}
        shop.correct(shop.run(agent={"id": "shop.desk", "version": version}), by=by, **verdict, **body)


def _waiting(shop: Shop) -> None:
    """Runs for experts, one of them corrected as no class, and one dismissed; and two for services alone."""
    for _ in range(2):
        shop.run(agent={"id": "Bot", "version": "1.0.0"})
    runs = [shop.run(agent={"id": DEV, "version": "1.0.0"}) for _ in range(4)]
    shop.correct(runs[0], by="editor:2")
    dismiss(shop, runs[3], reason="A test order", by="admin")


RULES, TREND = ("rules", ""), ("trends", "rule={trend}")
CLASSES, REMOVE = ("judge-classes", ""), ("judge-classes", "dialog=remove&class={expert}")
HISTORY = ("rules", "history={half}")
SENTENCES = [
    (RULES, "Answers waiting for a correction, where each corrected one stands, and the judging rules that pick them."),
    (RULES, "To correct"),
    (RULES, "Trends Judge classes"),
    (RULES, "Suggested changes"),
    (RULES, "Columns"),
    (RULES, "New rule"),
    (RULES, f"Completed runs of {DEV}"),
    (RULES, "Takes every matching run"),
    (RULES, "Takes 1 in 10"),
    (RULES, "An expert correction"),
    (RULES, "Any correction"),
    (RULES, "A bot correction"),
    (RULES, "No cap"),
    (RULES, "No new items while 5 are open"),
    (RULES, "3 open"),
    (
        RULES,
        "A rule matches an agent's or a flow's own runs, not an agent's turns as a flow's step. Replays never match.",
    ),
    (("rules", "dialog=new"), "New judging rule"),
    (HISTORY, "Echo half: its versions"),
    (HISTORY, "Version 2 · "),
    (HISTORY, "Cap: No new items while 5 are open → No cap"),
    (HISTORY, "Wants: any correction → an expert correction"),
    (HISTORY, "Created"),
    (("to-correct", "whose=everyone"), "Needs an expert correction (1 so far, unclassified)"),
    (("to-correct", ""), "2 more wait for other judges."),
    (("to-correct", ""), "Waiting"),
    (("to-correct", ""), "Corrected"),
    (("to-correct", ""), "For me"),
    (("to-correct", ""), "Everyone's"),
    (("to-correct", "state=dismissed&whose=everyone"), "Dismissed by you"),
    (("to-correct", "state=dismissed&whose=everyone"), ": A test order"),
    (TREND, "1.0.0: too few corrections to say (2 so far)"),
    (TREND, "1.1.0: about 95% marked right, from 12 corrections (12 runs corrected so far); range 64–100%"),
    (TREND, "1.1.0 is marked right more often than 1.0.0."),
    (
        TREND,
        "Weighted by judge class: An expert's correction counts 3× an unclassified one;"
        " a bot's correction counts the same as an unclassified one.",
    ),
    (TREND, "shown apart, never added in"),
    (
        TREND,
        "1 matched run wasn't queued because the rule already had its most open runs waiting,"
        " so the queued ones lean toward quieter times.",
    ),
    (TREND, "Every count"),
    (TREND, "Too few corrections to chart yet: a version shows from 10 corrections."),
    (CLASSES, "New class"),
    (CLASSES, "Restricted"),
    (CLASSES, "Counts 3× an unclassified one"),
    (CLASSES, "This project"),
    (CLASSES, "Only people"),
    (CLASSES, "Only services"),
    (CLASSES, EXPERT),
    (CLASSES, "No rule wants it"),
    (CLASSES, "A share weights each correction by its class."),
    (
        CLASSES,
        'Corrections in a restricted class are the experts\' corrections: "Count only experts" counts only those.',
    ),
    (REMOVE, "Remove expert?"),
    (
        REMOVE,
        "No new correction can name it. Corrections that named it keep it, and still count with its weight in trends.",
    ),
    (
        REMOVE,
        f"2 rules want its correction ({EXPERT}): change them first, or their items wait for a class nobody can give.",
    ),
]


@pytest.mark.parametrize(("place", "sentence"), SENTENCES, ids=[sentence[:40] for _, sentence in SENTENCES])
def test_the_page_says_what_the_reference_says(said: Said, place: tuple[str, str], sentence: str):
    assert sentence in said(*place)
