"""What the product says can be said in another language, in its order and with its numbers; /v1 stays English."""

# ruff: noqa: RUF001 - the reference's own signs

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import trans_real

from judging import words
from judging.intervals import Range
from judging.words import catch_ups, classes, items, parts, results, rules
from judging.words.rules import RuleSaid, RunsTaken
from tests.judging.queues import import_runs, old_rule, records, rules_path
from tests.judging.test_words import shown
from tests.support.shops import AGENT, Shop

SENTENCES: list[ModuleType] = [catch_ups, classes, items, results, rules]
MANY = ["Echo half", "Retail sample", "Everything", "Airline desk"]
AT = "24 Oct"
RULE = RuleSaid(name="Echo half", runs=RunsTaken(), sample=0.5, max_open=5, wants=None, enabled=True)
VERSIONS = [
    shown("1.1.0", expert=4, right=7, wrong=1),
    shown(None, expert=0, right=1, wrong=0),
    shown("0.9.0", expert=12, right=0, wrong=0, weight=0.0),
]


class Catalogue:
    """A pretend translation, of Django's own making in all but its texts."""

    def __init__(self, said: Callable[[str], str]) -> None:
        self.said = said

    def gettext(self, message: str) -> str:
        return self.said(message.rpartition("\x04")[2])

    def ngettext(self, singular: str, plural: str, number: int) -> str:
        return self.said(singular if number == 1 else plural)

    def to_language(self) -> str:
        return "de"


@contextmanager
def in_german(monkeypatch: pytest.MonkeyPatch, said: Callable[[str], str]) -> Iterator[None]:
    """German is active, with a text for each message as ``said`` has it."""
    with monkeypatch.context() as patched:
        patched.setitem(vars(trans_real)["_translations"], "de", Catalogue(said))
        with translation.override("de"):
            yield


def said_by(catalogue: Mapping[str, str]) -> Callable[[str], str]:
    return lambda message: catalogue.get(message, message)


def marked(message: str) -> str:
    return f"⟦{message}⟧"


def outside_of_messages(text: str) -> str:
    """What of a text is in no message."""
    while text != (text := re.sub("⟦[^⟦⟧]*⟧", "", text)):
        pass
    return text


# Every sentence with its parts, in as many ways as it has branches; what people typed is inside of a message.
SAID: dict[str, Callable[[], list[str]]] = {
    "catch_ups.caught_up": lambda: [catch_ups.caught_up(queued=1, already_queued=2, already_reviewed=3)],
    "catch_ups.caught_up_among": lambda: [
        catch_ups.caught_up_among("", matches=matches, last=last, since=since)
        for matches in (1, 2)
        for last, since in ((1, None), (2, None), (None, AT), (1, AT), (2, AT))
    ],
    "catch_ups.catching_up": lambda: [catch_ups.catching_up("", done=1, of=2)],
    "classes.class_label": lambda: [classes.class_label(None)],
    "classes.counts": lambda: [classes.counts(weight) for weight in (0, 1, 2.5, 1 / 3)],
    "classes.counts_briefly": lambda: [classes.counts_briefly(weight) for weight in (0, 1, 2.5, 1 / 3)],
    "classes.weighted_by": lambda: [
        classes.weighted_by([(name, weight) for weight in (0, 1, 2.5, 1 / 3)])
        for name in ("expert", "ops", "bot", "sales")
    ],
    "classes.applies_to": lambda: [
        classes.applies_to(project=project, agent=agent)
        for project, agent in ((True, None), (False, None), (True, "Retail desk"))
    ],
    "classes.given_by": lambda: [
        classes.given_by(kinds=kinds, min_reviewer_role=role, principal_count=count)
        for kinds in ([], ["user"], ["service"], ["user", "service"])
        for role in ("", "standard", "senior", "admin")
        for count in (0, 1, 2)
    ],
    "classes.removing_strands": lambda: [classes.removing_strands(MANY[:1]), classes.removing_strands(MANY)],
    "items.wanted": lambda: [items.wanted(name) for name in (None, "expert", "bot")],
    "items.needs": lambda: [
        items.needs(wants, so_far)
        for wants in ([None], ["expert"], ["expert", "bot", "legal"])
        for so_far in ([], [(None, 1)], [(None, 2), ("peer", 1)])
    ],
    "items.dismissed": lambda: [items.dismissed(by="Ada", at=AT, reason=reason) for reason in ("", "A test")],
    "items.corrected": lambda: [items.corrected(by="Ada", at=AT)],
    "items.corrected_and": lambda: [
        items.corrected_and(status) for status in ("open", "being-fixed", "with-owner", "fixed", "wont-fix")
    ],
    "items.erased": lambda: [items.erased(at=AT)],
    "items.others_wait": lambda: [items.others_wait(count) for count in (1, 2)],
    "items.runs_dismissed": lambda: [
        items.runs_dismissed(count=count, reason=reason) for count in (1, 2) for reason in ("", "A test", "A test.")
    ],
    "items.left_queue": lambda: [items.left_queue(rule="Echo half", judge_class=name) for name in (None, "expert")],
    "results.version_label": lambda: [results.version_label(None)],
    "results.rule_version": lambda: [results.rule_version(2)],
    "results.too_few_to_chart": lambda: [results.too_few_to_chart()],
    "results.version_line": lambda: [results.version_line(one) for one in VERSIONS],
    "results.marked_right": lambda: [
        results.marked_right("1.0.0", share=0.5, found=Range(0.1, 0.9), judgments=judgments, runs=runs)
        for judgments, runs in ((1, 1), (2, 1), (2, 2))
    ],
    "results.too_few": lambda: [results.too_few("1.0.0", judgments=2)],
    "results.nothing_weighs": lambda: [results.nothing_weighs("1.0.0", judgments=count) for count in (1, 2)],
    "results.comparison": lambda: [results.comparison(better="1.1.0", worse="1.0.0")],
    "results.skipped_by_cap": lambda: [results.skipped_by_cap(count) for count in (1, 2)],
    "results.right_by_class": lambda: [results.right_by_class([("expert", 26, 28), (None, 12, 14)])],
    "results.chart_title": lambda: [results.chart_title("Echo half", VERSIONS)],
    "results.earlier_chart_title": lambda: [results.earlier_chart_title("Echo half", 1, VERSIONS)],
    "rules.which_runs": lambda: [
        rules.which_runs(RunsTaken(agents=agents, versions=versions, dry_runs=dry_runs))
        for agents in ([], ["Retail desk"], ["Retail desk", "Airline desk"])
        for versions in ([], ["live"], ["1.0"], ["1.0", "1.1"], ["live", "1.0"], ["live", "1.0", "1.1"])
        for dry_runs in (False, True)
    ],
    "rules.which_runs_in_brief": lambda: [
        rules.which_runs_in_brief(runs) for runs in (RunsTaken(agents=MANY), RunsTaken(flows=MANY))
    ],
    "rules.takes": lambda: [rules.takes(sample) for sample in (1.0, 0.1, 0.3, 5e-324)],
    "rules.share_taken": lambda: [rules.share_taken(sample) for sample in (1.0, 0.1, 0.3, 5e-324)],
    "rules.wants": lambda: [rules.wants(name) for name in (None, "expert", "bot")],
    "rules.cap": lambda: [rules.cap(most) for most in (None, 1, 2)],
    "rules.open_now": lambda: [rules.open_now(count) for count in (0, 1, 2)],
    "rules.full": lambda: [
        rules.full(open_items=open_items, max_open=most) for open_items, most in ((2, 2), (2, 1), (3, 2))
    ],
    "rules.removing_leaves": lambda: [rules.removing_leaves(count) for count in (0, 1, 2)],
    "rules.rule_count": lambda: [rules.rule_count(count) for count in (0, 1, 2)],
    "rules.rule_in_brief": lambda: [rules.rule_in_brief(rule_version=1, runs=RunsTaken(), judge_class=None)],
    "rules.who": lambda: [
        rules.who(actor, name=None, me=me)
        for actor, me in (("user:1", "user:1"), ("user:1", None), ("service_account:1", None))
    ],
    "rules.version_head": lambda: [rules.version_head(version=1, by="Ada", at=AT)],
    "rules.version_changes": lambda: [
        change.text
        for before, after in (
            (None, RULE),
            (RULE, RULE),
            (RULE, RuleSaid(name="b", runs=RunsTaken(dry_runs=True), sample=1, max_open=1, wants="bot", enabled=False)),
            (RuleSaid(name="b", runs=RunsTaken(), sample=1, max_open=1, wants="bot", enabled=False), RULE),
        )
        for change in rules.version_changes(before, after)
    ],
    "rules.preview": lambda: [rules.preview(queued=1, last=last) for last in (1, 2)],
}


def name_of(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


def test_all_that_is_said_is_looked_at_here():
    functions = {
        f"{name_of(module)}.{name}"
        for module in SENTENCES
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
    }
    assert functions == SAID.keys()


@pytest.mark.parametrize("name", SAID)
def test_a_translation_has_every_word_of_a_sentence(monkeypatch: pytest.MonkeyPatch, name: str):
    with in_german(monkeypatch, marked):
        for said in SAID[name]():
            assert said.startswith("⟦") and not re.search(r"[^\W\d_]", outside_of_messages(said)), said


@pytest.mark.parametrize("module", SENTENCES, ids=name_of)
def test_a_translation_has_the_sentences_that_never_change(monkeypatch: pytest.MonkeyPatch, module: ModuleType):
    fixed = [value for name, value in vars(module).items() if isinstance(value, (str, Promise)) and name.isupper()]
    with in_german(monkeypatch, marked):
        assert all(outside_of_messages(str(value)) == "" for value in fixed)


def test_another_language_has_its_own_order_and_numbers(monkeypatch: pytest.MonkeyPatch):
    catalogue = {
        "%(better)s is marked right more often than %(worse)s.": "Seltener als %(better)s stimmt %(worse)s.",
        "%(count)s matched runs weren't queued because the rule already had its most open runs waiting,"
        " so the queued ones lean toward quieter times.": "%(count)s Läufe fehlen.",
        "%(share)s%%": "%(share)s %%",
        "Counts %(times)s× an unclassified one": "Zählt %(times)s-mal",
        "Needs %(corrections)s": "%(corrections)s nötig",
        "an %(judge_class)s correction": "%(judge_class)s-Korrektur",
        "a %(judge_class)s correction": "%(judge_class)s-Korrektur",
        "%(names)s and %(last)s": "%(names)s und %(last)s",
        ", ": "、",
    }
    with in_german(monkeypatch, said_by(catalogue)):
        assert results.comparison(better="1.1.0", worse="1.0.0") == "Seltener als 1.1.0 stimmt 1.0.0."
        assert results.skipped_by_cap(1003) == "1.003 Läufe fehlen."
        assert (parts.percent(0.95), parts.percent_in_tenths(0.918)) == ("95 %", "91,8 %")
        assert classes.counts(2.5) == "Zählt 2,5-mal"
        needed = items.needs(["expert", "bot", "legal"], [])
        assert needed == "expert-Korrektur、bot-Korrektur und legal-Korrektur nötig"
    assert results.comparison(better="1.1.0", worse="1.0.0") == "1.1.0 is marked right more often than 1.0.0."


@pytest.mark.parametrize("path", sorted(Path(words.__path__[0]).glob("*.py")), ids=lambda path: path.stem)
def test_every_message_stands_in_the_source_as_it_is_looked_up(path: Path):
    """What collects messages for translators reads no escapes such as ``\\N{EN DASH}``, and no expressions."""
    source = path.read_text()
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and "gettext" in call.func.id:
            messages = call.args[:2] if call.func.id.startswith(("ngettext", "pgettext")) else call.args[:1]
            for message in messages:
                assert isinstance(message, ast.Constant) and isinstance(message.value, str), ast.unparse(call)
                assert not re.search(r"\\[NUux]", ast.get_source_segment(source, message) or ""), ast.unparse(call)


def test_the_api_speaks_english_whatever_the_last_page_of_its_thread_spoke(
    undone: Shop, monkeypatch: pytest.MonkeyPatch
):
    rule = old_rule(undone)
    made = records(2, agent={"id": AGENT, "version": "1.0.0", "via": "live"})
    import_runs(undone, *made)
    undone.correct(made[0]["id"])
    path, viewer = rules_path(undone, rule["ruleId"], "trend"), undone.api("viewer")

    def answers() -> list[Any]:
        """What is answered and what is refused, each right after a page in the language that is active."""
        language, got = translation.get_language(), []
        for query in ({}, {"since": "nonsense"}):
            translation.activate(language)
            got.append(viewer.get(path, **query).json())
        return [got[0], got[1]["error"]["message"]]

    in_english = answers()
    assert in_english[0]["latest"]["notes"][0] == results.too_few_to_chart()
    with in_german(monkeypatch, marked):
        assert results.too_few_to_chart() != in_english[0]["latest"]["notes"][0]
        assert answers() == in_english
