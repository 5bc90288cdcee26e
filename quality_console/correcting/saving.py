"""A form's correction, saved; and taken back (contract, sections 4 and 10)."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from msgspec import Raw

from corrections.json_values import canonical, parse
from corrections.models import ANSWER_KEY, DECISIONS_KEY, Correction
from corrections.selectors import corrections_replaced_by
from corrections.services.recording import correction_record
from corrections.services.removing import correction_remove
from corrections.submissions import CorrectionBody
from kindgi.access.callers import Caller
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
    """Whether a correction says just what the form does: the answer to an earlier sending of it was lost, then."""
    body = correction_body(form)
    said = (
        body.decisions or None,
        body.answer or None,
        _calls(form.marked.text if form.typed.decisions == "wrong" else "[]"),
        list(body.must_not_call or []),
        body.should_say or None,
        body.why or None,
        body.corrector_group_id or None,
        body.participant_id or "",
        {item.key: item.verdict for item in body.items or []},
    )
    verdicts = {one.item_key: "right" if one.right else "wrong" for one in correction.verdicts.all()}
    return said == (
        verdicts.pop(DECISIONS_KEY, None),
        verdicts.pop(ANSWER_KEY, None),
        _calls(correction.should_call or "[]"),
        list(correction.must_not_call or []),
        correction.should_say,
        correction.why,
        str(correction.judge_class_id) if correction.judge_class_id else None,
        correction.participant_id,
        verdicts,
    )


def _calls(text: str) -> str:
    return canonical(parse(text.encode()))


def correction_undo(*, caller: Caller, correction_id: str) -> tuple[Correction, Correction | None]:
    """Take back a correction that was just saved, and record again what it replaced.

    The correction, and the last of those that were recorded again, if it had replaced any. Raises
    ``CorrectionNotFound``, ``CorrectionRemoved``, ``CorrectionSuperseded``, and what recording does.
    """
    correction = correction_remove(caller=caller, correction_id=correction_id)
    again = None
    for earlier in corrections_replaced_by(correction):
        again = correction_record(caller=caller, body=_again(earlier))
    return correction, again


def _again(correction: Correction) -> CorrectionBody:
    """A correction as it was sent."""
    verdicts = list(correction.verdicts.all())
    own = {one.item_key: "right" if one.right else "wrong" for one in verdicts}
    said: dict[str, Any] = {
        "runId": str(correction.run_id),
        "decisions": own.get(DECISIONS_KEY),
        "answer": own.get(ANSWER_KEY),
        "shouldCall": Raw(correction.should_call.encode()) if correction.should_call else None,
        "mustNotCall": correction.must_not_call,
        "shouldSay": correction.should_say,
        "why": correction.why,
        "items": [
            {"key": one.item_key, "verdict": own[one.item_key]}
            | ({} if one.pointer is None else {"pointer": one.pointer})
            | ({} if one.rank is None else {"rank": one.rank})
            for one in verdicts
            if one.item_key not in (DECISIONS_KEY, ANSWER_KEY)
        ],
        "correctorGroupId": str(correction.judge_class_id or ""),
        "participantId": correction.participant_id,
    }
    return decode(encode({name: value for name, value in said.items() if value}), CorrectionBody)
