"""A form's correction, saved (contract, sections 4 and 10)."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from msgspec import Raw

from corrections.json_values import canonical, parse
from corrections.models import ANSWER_KEY, DECISIONS_KEY, Correction
from corrections.services.recording import correction_record
from corrections.submissions import CorrectionBody, Item
from kindgi.api.jsontext import decode, encode
from quality_console.correcting.form import CorrectionForm

MOST_CHARACTERS = 4000
MOST_ITEMS = 100


def form_problems(form: CorrectionForm) -> list[str]:
    """Why the form can't be sent yet, in words for who fills it; what is wrong with a call is said beside it."""
    typed = form.typed
    problems = []
    if not (typed.decisions or typed.answer or form.judged_count):
        problems.append(_("Say whether its tool calls, its answer or an item of its output was right."))
    if typed.answer == "wrong" and not (typed.should_say.strip() or typed.why.strip()):
        problems.append(_("Write what the answer should have said, or why it was wrong."))
    if typed.decisions == "wrong":
        if typed.unread_calls:
            problems.append(_("Write how the calls that you marked should have been called."))
        problems += [one.text for one in form.marked.problems if one.mark is None]
        problems += [_("A call that you marked can't be sent like this.")] if _at_a_call(form) else []
        problems += [_("Name each argument that you wrote a value for.")] if typed.unnamed_arguments else []
        problems += [_("No call can be added of the tool that you named.")] if typed.to_add else []
    if typed.class_id is None or typed.class_id not in {row.id for row in form.class_rows}:
        problems.append(_("Say as which class you correct it."))
    if form.judged_count > MOST_ITEMS:
        problems.append(_("Up to 100 items can be judged at once."))
    texts = [typed.should_say if typed.answer == "wrong" else "", typed.why]
    if any(len(text) > MOST_CHARACTERS for text in texts):
        problems.append(_("A text can have up to 4,000 characters."))
    return problems


def _at_a_call(form: CorrectionForm) -> bool:
    return any(one.mark is not None for one in form.marked.problems)


def correction_body(form: CorrectionForm) -> CorrectionBody:
    """What the form says, as /v1 would get it; raises ``BadInput`` for what that would refuse."""
    typed = form.typed
    said: dict[str, Any] = {
        "runId": form.corrected.run_id,
        "decisions": typed.decisions,
        "answer": typed.answer,
        "why": typed.why,
        "items": _items(form),
        "correctorGroupId": typed.class_id,
        "participantId": typed.participant,
    }
    if typed.decisions == "wrong":
        said["shouldCall"] = Raw(form.marked.text.encode()) if form.marked.should_call else None
        said["mustNotCall"] = list(form.marked.must_not_call)
    if typed.answer == "wrong":
        said["shouldSay"] = typed.should_say
    return decode(encode({name: value for name, value in said.items() if value}), CorrectionBody)


def _items(form: CorrectionForm) -> list[dict[str, Any]]:
    ranks = {one.pointer: one.rank for found in form.lists for one in found.elements}
    shown = form.shown_list
    ranks |= {one.pointer: one.rank for one in shown.elements} if shown else {}
    items: list[dict[str, Any]] = []
    for pointer, verdict in form.typed.items.items():
        item = {"key": form.keys[pointer], "verdict": verdict, "pointer": pointer}
        items.append(item | ({"rank": ranks[pointer]} if pointer in ranks else {}))
    return items + [{"key": key, "verdict": verdict} for key, verdict in form.typed.keyed.items()]


def form_save(form: CorrectionForm) -> Correction:
    """Record what the form says; raises what :func:`correction_record` does."""
    return correction_record(caller=form.caller, body=correction_body(form))


def says_the_same(form: CorrectionForm, correction: Correction) -> bool:
    """Whether what counts of a correction is just what the form says."""
    body = correction_body(form)
    said = {
        "decisions": body.decisions or None,
        "answer": body.answer or None,
        "calls": _calls(form.marked.text if form.typed.decisions == "wrong" else "[]"),
        "never": sorted(body.must_not_call or []),
        "should say": body.should_say or None,
        "why": body.why or None,
        "class": body.corrector_group_id or None,
        "participant": body.participant_id or "",
        "items": {(one.key, one.verdict, one.pointer or None, _rank(one)) for one in body.items or []},
    }
    return said == _counting(correction)


def _rank(item: Item) -> int | None:
    return item.rank if isinstance(item.rank, int) else None


def _counting(correction: Correction) -> dict[str, Any]:
    """The same of what still counts of a correction."""
    verdicts = [one for one in correction.verdicts.all() if one.unregistered_at is None]
    own = {one.item_key: "right" if one.right else "wrong" for one in verdicts}
    named = (DECISIONS_KEY, ANSWER_KEY)
    return {
        "decisions": own.get(DECISIONS_KEY),
        "answer": own.get(ANSWER_KEY),
        "calls": _calls(correction.should_call or "[]" if DECISIONS_KEY in own else "[]"),
        "never": sorted(correction.must_not_call or []) if DECISIONS_KEY in own else [],
        "should say": correction.should_say if ANSWER_KEY in own else None,
        "why": correction.why,
        "class": str(correction.judge_class_id) if correction.judge_class_id else None,
        "participant": correction.participant_id,
        "items": {
            (one.item_key, own[one.item_key], one.pointer or None, one.rank)
            for one in verdicts
            if one.item_key not in named
        },
    }


def _calls(text: str) -> str:
    """Listed calls as a text that is equal for equal ones, in whatever order they are listed."""
    return canonical(sorted(canonical(call) for call in parse(text.encode())))
