"""Two people save one rule at the same moment: one is told of the other's version, and neither is overwritten."""

from __future__ import annotations

from unittest import mock

from tests.judging.queues import make_rule
from tests.quality_console.rule_forms import dialog_of, fields_of, rules_there, sent
from tests.support.parallel import at_once
from tests.support.racing import meeting
from tests.support.shops import Shop


def saved_at_once(shop: Shop) -> tuple[list[int], int]:
    """How two people are answered who save over the same version, and which version there is then."""
    rule = make_rule(shop)
    form = fields_of(dialog_of(shop, f"dialog=change&rule={rule['ruleId']}"))
    shop.person("editor:2")
    path = f"{rule['ruleId']}/change"
    with meeting("quality_console.views.rule_edits.rule_in_force", 2):
        answers = at_once(
            [
                lambda: sent(shop, path, {**form, "cap": "5"}, by="editor").status_code,
                lambda: sent(shop, path, {**form, "cap": "9"}, by="editor:2").status_code,
            ]
        )
    return sorted(answers), rules_there(shop)[0].version


def test_the_second_is_told(fresh: Shop):
    assert saved_at_once(fresh) == ([303, 409], 2)


def test_control_without_the_lock_the_second_overwrites_the_first(fresh: Shop):
    with mock.patch("quality_console.views.rule_edits.rule_lock"):
        assert saved_at_once(fresh) == ([303, 303], 3)
