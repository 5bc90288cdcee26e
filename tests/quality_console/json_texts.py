"""JSON texts of every spelling, for tests that hold for any content: texts, not values."""

from __future__ import annotations

import json

from hypothesis import strategies as st

_ODD_STRINGS = [
    r'"\ud800"',
    r'"\udc00\ud800"',
    r'"\u0000\u001f"',
    r'"\\ud800"',
    r'"\/\u00e9"',
    '"{\\"a\\":[1,2]}"',
    '"[1,"',
    '"👩‍👩‍👧 🇩🇪 é"',
    '"שלום עולם"',
    '"line\\r\\nline\\n"',
    '"\u2028\ue800\u0085"',
    '"~0~1/"',
    '""',
    '"answer"',
    '"kindgi:correction"',
]
_NAMES = [
    "message",
    "content",
    "role",
    "text",
    "response",
    "toolCalls",
    "tool",
    "args",
    "result",
    "id",
    "item_id",
    "",
    "/",
]
_NUMBERS = ["0", "-0.0", "1.00", "1e400", "1E+5", "12345678901234567890", "9" * 400]
_SPACES = st.sampled_from(["", " ", "\n\t "])

strings = st.one_of(
    st.sampled_from(_ODD_STRINGS),
    st.text(max_size=40).map(lambda text: json.dumps(text)),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40).map(
        lambda text: json.dumps(text, ensure_ascii=False)
    ),
)
scalars = st.one_of(strings, st.sampled_from([*_NUMBERS, "true", "false", "null"]))
names = st.one_of(st.sampled_from(_NAMES).map(json.dumps), strings)


def _lists(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda space, entries: f"[{space}{f'{space},'.join(entries)}{space}]", _SPACES, st.lists(inside, max_size=5)
    )


def _objects(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda space, entries: (
            "{" + f"{space},".join(f"{name}{space}:{value}" for name, value in entries) + space + "}"
        ),
        _SPACES,
        st.lists(st.tuples(names, inside), max_size=5),
    )


values = st.recursive(scalars, lambda inside: st.one_of(_lists(inside), _objects(inside)), max_leaves=25)


def _nested(depths: list[int]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda depth, opening, inside: opening * depth + inside + {"[": "]", '{"a":': "}"}[opening] * depth,
        st.sampled_from(depths),
        st.sampled_from(["[", '{"a":']),
        values,
    )


nested = _nested([0, 0, 0, 0, 0, 0, 1, 30, 127, 1000])
readable = _nested([0, 0, 0, 1, 100])
objects = _objects(values)
texts = nested.map(lambda text: text.encode("utf-8"))
calls = st.lists(
    st.builds(lambda tool, args: f'{{"tool":{tool},"args":{args},"refused":true}}', strings, objects), max_size=6
).map(lambda entries: f"[{','.join(entries)}]".encode())
