"""The values of an output as items that can be judged: its lists, and all of it as a tree (contract, section 4).

An item has a pointer into the output, so what stands in a JSON text inside a string is none: no
pointer goes there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice

from corrections.models import ANSWER_KEY, DECISIONS_KEY
from quality_console.presenting.clusters import clip, printable
from quality_console.presenting.printing import one_line
from quality_console.presenting.shown import Element, FoundList, Node
from quality_console.presenting.spans import (
    Text,
    below,
    can_be_sent,
    decoded,
    elements,
    fields,
    kind_of,
    string_of,
)

MOST_LISTS = 20
MOST_ELEMENTS = 20
MOST_NODES = 200
MOST_CHILDREN = 30
_DEEPEST_LIST = 12
_DEEPEST_NODE = 6
_MOST_VISITS = 3000
_LABEL = 80
_MAX_KEY = 200
_LONGEST_ID = 64
# What an element is known by: these, then the id of its kind (`item_id` in `items`), then any other id.
_IDS = ("id", "_id", "key", "uuid", "slug", "code", "sku", "number")
_ID_ENDINGS = ("_id", "Id", "ID", "_key", "_number", "_code")
# Only where nothing names it as an id: a key is no item's own text.
_NAMES = ("name", "title")
# Lists that repeat what the agent did or heard; they come after those of what it answered.
_LOGS = frozenset({"toolCalls", "tool_calls", "calls", "messages", "steps", "history"})


def output_lists(output: bytes) -> tuple[list[FoundList], bool]:
    """The lists of an output that have elements, each with its first 20; and whether there are more lists.

    At most 20: first those of the answer, then those in what the calls found, as they come.
    """
    found, more = _lists_in(output)
    found.sort(key=lambda one: _rank_of(one[0]))
    lists = [_found_list(pointer, inside, 0, MOST_ELEMENTS) for pointer, inside in found[:MOST_LISTS]]
    return lists, more or len(found) > MOST_LISTS


def list_at(output: bytes, pointer: str, *, first: int = 0, count: int = 100) -> FoundList | None:
    """The list at a pointer with ``count`` elements from ``first`` on; ``None`` where there is none."""
    span = Text(output).find(pointer)
    inside = [] if span is None else elements(span)
    if not inside or not can_be_sent(below(pointer, len(inside) - 1)):
        return None
    return _found_list(pointer, inside, max(0, first), count)


def _lists_in(output: bytes) -> tuple[list[tuple[str, list[bytes]]], bool]:
    """Lists with elements, as they come, and whether the search ended before all was seen."""
    found: list[tuple[str, list[bytes]]] = []
    waiting: deque[tuple[str, bytes, int]] = deque([("", output.strip(), 0)])
    visits = 0
    more = False
    while waiting:
        pointer, span, depth = waiting.popleft()
        inside = elements(span) if kind_of(span) == "array" else []
        if inside and can_be_sent(below(pointer, len(inside) - 1)):
            found.append((pointer, inside))
        children = _children(span, inside)
        more = more or len(inside) > len(children) > 0
        for name, child in children:
            if kind_of(child) not in ("array", "object"):
                continue
            if visits >= _MOST_VISITS or depth >= _DEEPEST_LIST:
                more = True
                break
            visits += 1
            waiting.append((below(pointer, name), child, depth + 1))
    return found, more


def _children(span: bytes, inside: list[bytes]) -> list[tuple[str | int, bytes]]:
    """What may hold a list: all fields of an object, the first elements of a list."""
    if kind_of(span) == "object":
        return list(fields(span).items())
    return list(enumerate(inside[:MOST_CHILDREN]))


def _rank_of(pointer: str) -> tuple[bool, bool]:
    parts = pointer.split("/")
    return any(part in _LOGS for part in parts), parts[-1] in _LOGS


def _found_list(pointer: str, inside: list[bytes], first: int, count: int) -> FoundList:
    """A list with some of its elements; a key that another element has too gives way to the pointer."""
    shown = list(enumerate(inside[first : first + count], first))
    keys: dict[str, int] = {}
    for index, span in enumerate(inside[: first + count]):
        keys.setdefault(key_of(span, below(pointer, index)), index)
    made = [
        Element(
            pointer=below(pointer, index),
            key=_key_at(keys, span, below(pointer, index), index),
            rank=index,
            label=one_line(span, _LABEL) if kind_of(span) not in ("object", "array") else label_of(span),
        )
        for index, span in shown
    ]
    return FoundList(pointer=pointer, count=len(inside), first=min(first, len(inside)), elements=tuple(made))


def _key_at(keys: Mapping[str, int], span: bytes, pointer: str, index: int) -> str:
    key = key_of(span, pointer)
    return key if keys.get(key) == index else key_of_pointer(pointer)


def key_of(span: bytes, pointer: str) -> str:
    """What an item would be called: its id by its fields, itself where it is as short as an id, or its pointer."""
    return _id_of(span, pointer) or key_of_pointer(pointer)


def key_of_pointer(pointer: str) -> str:
    """A pointer as a key; of a long one the end, which tells it from its neighbours."""
    return clip(printable(pointer[-_MAX_KEY:]), _MAX_KEY) or "/"


def _id_of(span: bytes, pointer: str) -> str | None:
    if kind_of(span) != "object":
        return _as_id(span)
    every = fields(span)
    own = _own_ids(pointer.rpartition("/")[0].rpartition("/")[2].lower())
    ids = [name for name in every if name.endswith(_ID_ENDINGS)]
    ids.sort(key=lambda name: name.lower() not in own)
    for name in (*_IDS, *ids, *_NAMES):
        found = _as_id(every.get(name, b"null"), spaced=name in _NAMES)
        if found is not None:
            return found
    return None


def _own_ids(plural: str) -> set[str]:
    """The names, in small letters, of an id of what a list of this name holds."""
    kinds = {plural.removesuffix("s"), plural.removesuffix("es"), plural.removesuffix("ies") + "y"} - {""}
    return {f"{kind}{ending}" for kind in kinds for ending in ("id", "_id")}


def _as_id(span: bytes, *, spaced: bool = False) -> str | None:
    """A short string without spaces, or a whole number, as a key; ``None`` for what can't be one."""
    text = string_of(span) if kind_of(span) == "string" else decoded(span) if span.lstrip(b"-").isdigit() else None
    if text is None or not 0 < len(text) <= _LONGEST_ID or text in (ANSWER_KEY, DECISIONS_KEY) or text[0] == "/":
        return None
    if (
        text != printable(text)
        or text != text.strip()
        or any(sign.isspace() and not (spaced and sign == " ") for sign in text)
    ):
        return None
    return text


def distinct_keys(items: Iterable[tuple[str, str]]) -> list[str]:
    """The keys of ``(key, pointer)`` items that are judged together: each goes once, the later ones by pointer."""
    taken: set[str] = set()
    keys: list[str] = []
    for key, pointer in items:
        keys.append(key_of_pointer(pointer) if key in taken and pointer else key)
        taken.add(keys[-1])
    return keys


def label_of(span: bytes) -> str:
    """A value on one short line, without the brackets around it."""
    if kind_of(span) == "object":
        parts = [f"{clip(printable(name), 40)} {one_line(value, 30)}" for name, value in list(fields(span).items())[:4]]
        line = ", ".join(parts)
        return line if len(line) <= _LABEL else clip(line, _LABEL - 1) + "…"
    return one_line(span, _LABEL)


@dataclass(slots=True)
class _Branch:
    """A node while the tree is made."""

    pointer: str
    label: str
    span: bytes
    depth: int
    children: list[_Branch] = field(default_factory=list)
    count: int = 0

    def node(self) -> Node:
        """The node, with all below it."""
        kind = kind_of(self.span)
        return Node(
            pointer=printable(self.pointer),
            label=clip(printable(self.label), _LABEL),
            key=key_of(self.span, self.pointer),
            kind=kind,
            text="" if kind in ("object", "array") else one_line(self.span, _LABEL),
            count=self.count,
            children=tuple(child.node() for child in self.children),
            left=self.count - len(self.children),
            addressable=can_be_sent(self.pointer),
        )


def output_tree(output: bytes, *, at: str = "", first: int = 0) -> Node | None:
    """The value at a pointer with what is below it; ``None`` for nothing there.

    Up to 200 values, those nearest to the top first, up to 30 of each (from ``first`` on of the
    value itself), six levels deep. What is left out is read by asking for its parent.
    """
    span = Text(output).find(at)
    if span is None:
        return None
    root = _Branch(pointer=at, label=at.rpartition("/")[2].replace("~1", "/").replace("~0", "~"), span=span, depth=0)
    waiting = deque([root])
    nodes = 1
    while waiting:
        branch = waiting.popleft()
        every = _values(branch.span)
        branch.count = len(every)
        if branch.depth >= _DEEPEST_NODE:
            continue
        start = max(0, first) if branch is root else 0
        for name, value in _named(every, start, min(MOST_CHILDREN, MOST_NODES - nodes)):
            child = _Branch(below(branch.pointer, name), str(name), value, branch.depth + 1)
            branch.children.append(child)
            waiting.append(child)
            nodes += 1
    return root.node()


def _values(span: bytes) -> dict[str, bytes] | list[bytes]:
    return fields(span) if kind_of(span) == "object" else elements(span)


def _named(every: dict[str, bytes] | list[bytes], start: int, count: int) -> list[tuple[str | int, bytes]]:
    """``count`` of the values from ``start`` on, each with its name or its index."""
    if isinstance(every, list):
        return list(enumerate(every[start : start + count], start))
    return list(islice(every.items(), start, start + count))
