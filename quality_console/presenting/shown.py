"""What a page prints of a run: the shapes that the functions of this package return."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Part(StrEnum):
    """The three JSON texts of a run's content."""

    INPUT = "input"
    OUTPUT = "output"
    CALLS = "calls"


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a run's content: a part, and a JSON Pointer (RFC 6901) into it."""

    part: Part
    pointer: str = ""


class Form(StrEnum):
    """How a block's text is to be read."""

    JSON = "json"
    TEXT = "text"
    JSON_IN_STRING = "json-in-string"


@dataclass(frozen=True, slots=True)
class Block:
    """A value laid out to be read, perhaps cut.

    ``text`` is the first lines where it is ``cut``; ``characters`` counts the whole value as it
    came (its JSON, or the string itself where ``form`` is ``TEXT``). ``place`` is where the whole
    is read, of what was put together here that of what it was taken from; ``None`` where no address leads there.
    """

    text: str
    characters: int
    cut: bool
    form: Form
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class InputShown:
    """What came in: its own sentence, and the rest.

    ``said`` is ``None`` where no sentence was found. ``rest`` is everything else, ``None`` where
    there is nothing else; ``rest_pointer`` is where it stands (empty for the input itself), and
    ``rest_count`` the number of its fields or elements.
    """

    said: Block | None
    rest: Block | None
    rest_pointer: str
    rest_count: int


@dataclass(frozen=True, slots=True)
class Argument:
    """A field of a call's arguments.

    ``json`` is its value as it was spelled, and ``peek`` the same on one short line. Where the
    value is too long to be edited in a field, ``json`` is cut, and ``cut`` says so.
    """

    name: str
    json: str
    peek: str
    cut: bool


@dataclass(frozen=True, slots=True)
class Step:
    """A call of a tool; ``short`` is its id without what all ids begin with.

    ``writes`` is ``None`` where the version's tools were never registered or don't have this one.
    ``result`` is ``None`` where the run doesn't tell it. ``milliseconds`` likewise.
    """

    n: int
    tool: str
    short: str
    writes: bool | None
    refused: bool
    failed: bool
    peek: str
    args: tuple[Argument, ...]
    args_left: int
    whole_args: Block
    result: Block | None
    milliseconds: int | None


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the conversation that a run holds."""

    n: int
    role: str
    said: Block


@dataclass(frozen=True, slots=True)
class Conversation:
    """The list of messages that was found; ``left`` counts those of its beginning that aren't shown."""

    place: Place
    messages: tuple[Message, ...]
    left: int


@dataclass(frozen=True, slots=True)
class AnswerShown:
    """What the run answered.

    ``said`` is to be read, ``raw`` as it came. ``pointer`` is where the answer stands in the
    output; with ``whole`` no answer's text was found, and it is the whole output. ``in_string``
    says that the answer is JSON in a string. ``full_text`` is ``said`` uncut, what a correction's
    text is compared with; it is ``None`` where it is longer than such a text may be.
    """

    pointer: str
    whole: bool
    in_string: bool
    empty: bool
    said: Block
    raw: Block
    full_text: str | None


@dataclass(frozen=True, slots=True)
class RunShown:
    """A run as its page shows it.

    Each part is ``None`` where the run has none. ``step_count`` counts all calls, ``steps`` are
    those from ``steps_from`` on, up to a page's limit. ``milliseconds`` is how long the run took.
    """

    input: InputShown | None
    conversation: Conversation | None
    steps: tuple[Step, ...]
    steps_from: int
    step_count: int
    answer: AnswerShown | None
    whole_output: Block | None
    output_count: int
    milliseconds: int | None


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a list found in the output, as an item that can be judged.

    ``key`` is what the item would be called, ``label`` a short text of it that people know it by.
    """

    pointer: str
    key: str
    rank: int
    label: str


@dataclass(frozen=True, slots=True)
class FoundList:
    """A list in the output: how many elements it has, and some of them from ``first`` on."""

    pointer: str
    count: int
    first: int
    elements: tuple[Element, ...]

    @property
    def left(self) -> int:
        """How many elements come after those that are here."""
        return max(0, self.count - self.first - len(self.elements))


@dataclass(frozen=True, slots=True)
class Node:
    """A value of the output that can be judged.

    ``label`` is its name in its parent (a field, or an index), ``key`` what its item would be
    called, ``kind`` one of ``object array string number boolean null``. ``count`` is how many
    values it holds, of which ``children`` are shown and ``left`` aren't. ``addressable`` is false
    where its pointer can't be sent, in a correction or to see more of it.
    """

    pointer: str
    label: str
    key: str
    kind: str
    text: str
    count: int
    children: tuple[Node, ...]
    left: int
    addressable: bool


class Change(StrEnum):
    """What became of a segment of a text."""

    SAME = "same"
    GONE = "del"
    NEW = "ins"


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the one text, of the other, or of both."""

    kind: Change
    text: str


@dataclass(frozen=True, slots=True)
class CallToMark:
    """A call as the correction form lists it; ``only_reads`` is known only where the tool is registered."""

    n: int
    tool: str
    short: str
    only_reads: bool
    args: tuple[Argument, ...]
    args_left: int


@dataclass(frozen=True, slots=True)
class CallGroup:
    """Calls that follow one another: two or more that only read, ``folded``; or a single one."""

    calls: tuple[CallToMark, ...]
    folded: bool

    @property
    def first(self) -> int:
        """The number of the first."""
        return self.calls[0].n

    @property
    def last(self) -> int:
        """The number of the last."""
        return self.calls[-1].n


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """A tool that a call can be added of; ``parameters`` are the names of arguments that the run gave it."""

    id: str
    short: str
    writes: bool | None
    parameters: tuple[str, ...]


class MarkKind(StrEnum):
    """What somebody says of a call; an added call is ``INSTEAD``."""

    RIGHT = "right"
    INSTEAD = "instead"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Mark:
    """What the form says of a call.

    ``n`` is ``None`` for a call that was added. ``args`` are the ticked arguments as JSON texts,
    read only for ``INSTEAD``; none asks only for the call.
    """

    kind: MarkKind
    tool: str
    n: int | None = None
    args: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """Why marks can't be saved: at which mark (its index), at which argument, in words."""

    mark: int | None
    argument: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence in pieces, of which some are code: ``(is_code, text)``."""

    pieces: tuple[tuple[bool, str], ...]

    def __str__(self) -> str:
        """The sentence as plain text."""
        return "".join(text for _, text in self.pieces)
