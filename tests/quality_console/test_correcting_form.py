"""What is typed into a correction's form is what is saved: as it was sent, as it is begun again, and as /v1 has it."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any
from uuid import uuid4

import pytest
from django.http import QueryDict
from hypothesis import given, settings
from hypothesis import strategies as st

from corrections.decision_check import Expected
from corrections.json_values import canonical, parse
from corrections.models import ANSWER_KEY, DECISIONS_KEY, Correction, Verdict
from corrections.submissions import CorrectionBody
from kindgi.access.callers import Caller
from kindgi.api.jsontext import encode
from quality_console.correcting.earlier import typed_of
from quality_console.correcting.form import CorrectionForm, calls_by_number
from quality_console.correcting.reshaping import reshape
from quality_console.correcting.rows import Corrected
from quality_console.correcting.saving import correction_body, form_problems
from quality_console.correcting.typed import Typed, typed_in
from quality_console.presenting.runs import RunTexts

PERSON = Caller(tenant_id=uuid4(), kind="user", id=uuid4(), principal_id=uuid4())
CALLS: list[Any] = [
    {"tool": "shop.lookup", "args": {"order": "A1"}},
    {"tool": "shop.mail", "args": {"to": "ines", "urgent": True, "n": 1.50}},
    {"tool": "shop.mail", "args": {}},
]
OUTPUT = {"response": {"content": "On its way."}, "matches": [{"id": "a"}, {"id": "b"}], "note": "text"}
TOOLS: list[Any] = [{"id": "shop.lookup", "writes": False}, {"id": "shop.mail", "writes": True}, {"id": "shop.refund"}]


def corrected(calls: Any = CALLS, output: Any = OUTPUT, tools: Any = TOOLS) -> Corrected:
    texts = RunTexts(None, json.dumps(output).encode(), json.dumps(calls).encode())
    return Corrected(str(uuid4()), "shop.desk", texts, tools, "On its way.")


def form_of(sent: str, run: Corrected | None = None) -> CorrectionForm:
    """A form that was sent; as no class, unless it says else."""
    run = run or corrected()
    sent = sent if "class=" in sent else f"{sent}&class="
    return CorrectionForm(PERSON, run, [], typed_in(QueryDict(sent), calls_by_number(run)), "/")


def said(sent: str, run: Corrected | None = None) -> dict[str, Any]:
    """What /v1 would get of the form, without the run's id."""
    form = form_of(sent, run)
    assert form_problems(form) == []
    body: dict[str, Any] = json.loads(encode(correction_body(form)))
    del body["runId"]
    return body


@pytest.mark.parametrize(
    ("sent", "body"),
    [
        ("decisions=right&answer=right", {"decisions": "right", "answer": "right"}),
        ("answer=wrong&why=No", {"answer": "wrong", "why": "No"}),
        ("answer=wrong&should-say=Yes%0D%0Ano", {"answer": "wrong", "shouldSay": "Yes\nno"}),
        # What isn't asked for any more is left where it stood, and isn't sent.
        ("answer=right&should-say=Yes&decisions=right&m-1=never", {"answer": "right", "decisions": "right"}),
        ("decisions=wrong&m-1=never", {"decisions": "wrong", "mustNotCall": ["shop.lookup"]}),
        (
            "decisions=wrong&m-2=right",
            {"decisions": "wrong", "shouldCall": [{"tool": "shop.mail", "args": CALLS[1]["args"]}]},
        ),
        (
            "decisions=wrong&m-2=instead&e-2=1&t-2=0&a-2-0=%22mei%22&a-2-1=false",
            {"decisions": "wrong", "shouldCall": [{"tool": "shop.mail", "args": {"to": "mei"}}]},
        ),
        (
            "decisions=wrong&m-2=instead&e-2=1&only-2=1&t-2=0&a-2-0=%22mei%22",
            {"decisions": "wrong", "shouldCall": [{"tool": "shop.mail", "args": {}}]},
        ),
        (
            "decisions=wrong&m-3=instead&e-3=1&more-3-name=cc&more-3-value=%5B1%5D&more-3-name=&more-3-value=",
            {"decisions": "wrong", "shouldCall": [{"tool": "shop.mail", "args": {"cc": [1]}}]},
        ),
        (
            "decisions=wrong&added=0&add-0-tool=shop.refund&add-0-name=order&add-0-value=%22A1%22&add-0-name=sum",
            {"decisions": "wrong", "shouldCall": [{"tool": "shop.refund", "args": {"order": "A1"}}]},
        ),
        ("decisions=wrong&never=shop.refund", {"decisions": "wrong", "mustNotCall": ["shop.refund"]}),
        (
            "i:/matches/1=wrong&i:/note=right",
            {
                "items": [
                    {"key": "b", "verdict": "wrong", "pointer": "/matches/1", "rank": 1},
                    {"key": "text", "verdict": "right", "pointer": "/note"},
                ]
            },
        ),
        (
            "answer=right&participant=+client-7+",
            {"answer": "right", "participantId": " client-7 "},
        ),
    ],
)
def test_a_form_says_to_v1(sent: str, body: dict[str, Any]):
    assert said(sent) == body


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        ("", "Say whether its tool calls, its answer or an item of its output was right."),
        ("answer=wrong", "Write what the answer should have said, or why it was wrong."),
        ("answer=wrong&should-say=+&why=%0A", "Write what the answer should have said, or why it was wrong."),
        ("decisions=wrong", "Mark at least one call, or add one that it should have made."),
        ("decisions=wrong&m-2=instead", "Write how the calls that you marked should have been called."),
        ("decisions=wrong&m-2=instead&e-2=1&t-2=0&a-2-0=mei", "A call that you marked can't be sent like this."),
        ("answer=right&why=" + "x" * 4001, "A text can have up to 4,000 characters."),
        ("answer=right&class=of-nobody", "Say as which class you correct it."),
        (
            "decisions=wrong&m-3=instead&e-3=1&more-3-name=&more-3-value=1",
            "Name each argument that you wrote a value for.",
        ),
    ],
)
def test_a_form_that_cannot_be_sent_says_why(sent: str, problem: str):
    assert form_problems(form_of(sent)) == [problem]


def test_nonsense_in_a_form_is_as_if_it_were_not_there():
    form = form_of(
        "decisions=maybe&m-9=right&m-x=right&m-1=perhaps&i:/note=perhaps&added=x&calls-from=-1&list=/nowhere"
    )
    assert form.typed.decisions == "" and form.typed.items == {} and form.typed.calls[1].kind == ""
    assert 9 not in form.typed.calls and form.shown_list is not None and form.shown_list.pointer == "/matches"


def test_buttons_change_the_forms_shape_and_keep_what_was_typed():
    form = form_of("answer=wrong&why=Because&add-tool=shop.refund")
    for do in ("add", "add", "drop:0", "item:/note", "item:/nowhere", "said", "calls:x", "drop:7", "who knows"):
        form.typed.to_add = "shop.refund"
        reshape(form, do)
    assert form.typed.to_add == "shop.refund", "what isn't added stays beside Add"
    assert [call.tool for call in form.typed.added] == ["shop.refund"]
    assert form.typed.items == {"/note": "wrong"} and form.typed.should_say == "On its way."
    assert (form.typed.answer, form.typed.why) == ("wrong", "Because")
    form.typed.to_add = "no.such"
    reshape(form, "add")
    assert (len(form.typed.added), form.typed.to_add) == (1, "no.such")


def test_what_a_long_run_says_of_calls_that_are_not_shown_is_kept():
    run = corrected([{"tool": "shop.mail", "args": {"n": n}} for n in range(250)])
    sent = "decisions=wrong&m-3=never&m-150=instead&e-150=1&t-150=0&a-150-0=7&more-150-name=b&more-150-value=1"
    form = form_of(f"{sent}&calls-from=200", run)
    assert form.shown_calls[0] == 201 and (form.calls_before, form.calls_after) == (150, None)
    assert dict(form.hidden_marks) == {
        "m-3": "never", "m-150": "instead", "e-150": "1", "a-150-0": "7", "t-150": "0",
        "more-150-name": "b", "more-150-value": "1",
    }  # fmt: skip
    again = form_of("&".join(f"{name}={value}" for name, value in form.hidden_marks) + "&decisions=wrong", run)
    assert correction_body(again) == correction_body(form_of(f"{sent}&calls-from=100", run))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9, allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
# Names of arguments are those that a person can type: no ends of lines, and nothing around them.
ARGS = st.dictionaries(st.sampled_from(["a", "b", "a/b", "é", "x y"]), VALUES, max_size=3)
CALL = st.fixed_dictionaries({"tool": st.sampled_from([tool["id"] for tool in TOOLS]), "args": ARGS})


@settings(deadline=None)  # a busy machine takes its time
@given(st.lists(CALL, max_size=6), st.lists(CALL, max_size=4), st.sets(st.sampled_from([tool["id"] for tool in TOOLS])))
def test_a_correction_that_is_begun_again_says_the_same(made: list[Any], listed: list[Any], ruled_out: set[str]):
    never = sorted(ruled_out - {call["tool"] for call in listed})
    if not listed and not never:
        return
    correction = Correction(should_call=json.dumps(listed) if listed else None, must_not_call=never or None)
    correction.should_say, correction.why, correction.participant_id = "Say this", "Since", "client-1"
    things = [(DECISIONS_KEY, None), (ANSWER_KEY, None), ("a", "/matches/0"), ("named", None)]
    verdicts = [Verdict(item_key=key, pointer=pointer, right=key == "named") for key, pointer in things]
    correction._prefetched_objects_cache = {"verdicts": verdicts}  # type: ignore[attr-defined]
    run = corrected(made)
    typed = typed_of(correction, calls_by_number(run))
    body = correction_body(CorrectionForm(PERSON, run, [], typed, "/"))
    assert _expected(body) == _calls(Expected.of(should_call=correction.should_call, must_not_call=never))
    assert (body.answer, body.should_say, body.why, body.participant_id) == ("wrong", "Say this", "Since", "client-1")
    assert {(item.key, item.verdict) for item in body.items or []} == {("a", "wrong"), ("named", "right")}


def _expected(body: CorrectionBody) -> Any:
    text = encode(body.should_call).decode() if body.should_call else None
    return _calls(Expected.of(should_call=text, must_not_call=list(body.must_not_call or [])))


def _calls(expected: Expected) -> Any:
    calls = Counter(
        (call.tool, canonical({name: parse(bytes(value)) for name, value in call.args.items()}))
        for call in expected.calls
    )
    return calls, set(expected.not_called)


def test_an_empty_form_is_empty():
    assert form_of("").typed == Typed()
