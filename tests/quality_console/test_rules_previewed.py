"""The editor's preview says what /v1's preview says of the rule as it is typed, and writes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from judging.selectors.previews import Asked, rule_preview, runs_previewed
from tests.judging.queues import import_runs, make_rule, records
from tests.quality_console.rule_forms import NEW, dialog_of, fields_of, rules_there, sent, versions_there
from tests.support.shops import AGENT, Shop

HTMX = {"HX-Request": "true", "HX-Target": "rule-preview"}


def of_others(count: int) -> list[dict[str, Any]]:
    return records(count, agent={"id": "Other", "version": "1.0.0"})


def test_the_preview_follows_what_is_typed(undone: Shop):
    import_runs(undone, *records(12), *of_others(8))
    page = sent(undone, "new", {**NEW, "share": "100", "preview": "1"}, **HTMX).content.decode()
    assert "Would have queued 12 of the last 20 runs." in page
    assert page.count("<i") == 20
    assert page.count('class="in"') == 12
    assert "Takes every matching run. An estimate: a new rule draws its own sample. The cap isn&#x27;t counted." in page
    assert "<dialog" not in page
    half = sent(undone, "new", {**NEW, "share": "2", "unit": "one-in", "name": "", "preview": "1"}, **HTMX)
    assert "Would have queued 6 of the last 20 runs." in half.content.decode()


def test_without_scripts_the_preview_is_a_button_that_keeps_what_was_typed(undone: Shop):
    import_runs(undone, *records(4))
    answer = sent(undone, "new", {**NEW, "share": "50", "cap": "nonsense", "preview": "1"})
    html = answer.content.decode()
    assert answer.status_code == 200
    assert "Would have queued 2 of the last 4 runs." in html
    assert fields_of(html)["cap"] == ["nonsense"]
    assert rules_there(undone) == []


def test_of_a_rule_that_is_there_its_own_sample_is_counted(undone: Shop):
    import_runs(undone, *records(40))
    rule = make_rule(undone, sample=0.5)
    form = fields_of(dialog_of(undone, f"dialog=change&rule={rule['ruleId']}"))
    asked = Asked(agent_ids=[AGENT], sample=0.25, rule_id=rule["ruleId"])
    _, matched = rule_preview(project=undone.project, asked=asked)
    page = sent(undone, f"{rule['ruleId']}/change", {**form, "share": "25", "preview": "1"}, **HTMX).content.decode()
    assert f"Would have queued {matched} of the last 40 runs." in page
    assert "An estimate" not in page
    assert versions_there(undone) == 1


@pytest.mark.parametrize("changes", [{"share": "x"}, {"agents": []}, {"which": "these"}])
def test_while_it_isnt_clear_which_runs_nothing_is_counted(undone: Shop, changes: dict[str, Any]):
    answer = sent(undone, "new", {**NEW, **changes, "preview": "1"}, **HTMX)
    assert answer.status_code == 200
    assert "once it&#x27;s clear which runs" in answer.content.decode()


def test_no_run_yet_is_said(undone: Shop):
    assert "No run has ended yet" in sent(undone, "new", {**NEW, "preview": "1"}, **HTMX).content.decode()


@pytest.mark.parametrize("share", [1.0, 0.5, 0.34, 0.1, 0.01])
def test_the_dots_are_as_many_as_the_number_says(undone: Shop, share: float):
    import_runs(undone, *records(7), *of_others(5), *records(6))
    for asked in (Asked(agent_ids=[AGENT], sample=share), Asked(agent_ids=[AGENT], sample=share, last=9)):
        considered, matched = rule_preview(project=undone.project, asked=asked)
        runs = runs_previewed(project=undone.project, asked=asked)
        assert (len(runs), sum(runs)) == (considered, matched)
    kept = make_rule(undone, sample=share)
    asked = Asked(agent_ids=[AGENT], rule_id=kept["ruleId"])
    assert (
        sum(runs_previewed(project=undone.project, asked=asked)) == rule_preview(project=undone.project, asked=asked)[1]
    )
