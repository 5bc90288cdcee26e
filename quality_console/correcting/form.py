"""The correction form as its template prints it: what was typed, beside what can be said of the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from corrections.models import JudgeClass
from corrections.policies import class_refusal
from judging.words.classes import counts_briefly
from kindgi.access.callers import Caller
from quality_console.correcting.notices import Notice
from quality_console.correcting.rows import AddedRow, ArgRow, CallRow, ClassRow, Corrected, Group, ItemRow
from quality_console.correcting.typed import AddedCall, Field, Typed, TypedCall, as_called
from quality_console.presenting.diffs import word_diff
from quality_console.presenting.form_calls import MOST_CALLS as PAGE_OF_CALLS
from quality_console.presenting.form_calls import calls_to_mark, tool_choices
from quality_console.presenting.items import distinct_keys, key_of, list_at, output_lists, output_tree
from quality_console.presenting.marks import Marked, expected_from_marks, value_problem
from quality_console.presenting.sentences import checks_in_words
from quality_console.presenting.shown import CallToMark, FoundList, MarkKind, Node, Segment, Sentence, ToolChoice
from quality_console.presenting.spans import Text, can_be_sent
from quality_console.presenting.steps import ToolCall, short_names

_SAID = {
    MarkKind.RIGHT.value: gettext_lazy("Right, as it was called"),
    MarkKind.INSTEAD.value: gettext_lazy("Should have been called like this"),
    MarkKind.NEVER.value: gettext_lazy("Shouldn't have been called"),
}
MOST_CALLS = 10_000


@dataclass
class CorrectionForm:
    """The form. ``problems`` are what the whole can't be sent for; ``notice`` names what happened meanwhile."""

    caller: Caller
    corrected: Corrected
    classes: Sequence[JudgeClass]
    typed: Typed
    action: str
    seen: Mapping[str, str] = field(default_factory=dict)
    checked: bool = False
    problems: list[str] = field(default_factory=list)
    notice: Notice | None = None
    opened_items: bool = False

    @cached_property
    def calls(self) -> dict[int, ToolCall]:
        """The run's calls by number."""
        return calls_by_number(self.corrected)

    @property
    def call_count(self) -> int:
        """How many calls the run made."""
        return len(self.corrected.calls())

    @property
    def asks_for_decisions(self) -> bool:
        """Whether the run has decisions: only an agent's run has."""
        return bool(self.corrected.agent_id)

    @cached_property
    def marked(self) -> Marked:
        """What the marks come to."""
        return expected_from_marks(self.corrected.calls(), self.typed.marks(self.calls), tools=self.corrected.tools)

    @cached_property
    def groups(self) -> list[Group]:
        """The calls that are shown, from ``calls-from`` on."""
        found = calls_to_mark(self.corrected.calls(), tools=self.corrected.tools, start=self.typed.calls_from)
        return [Group([self._row(call) for call in group.calls], group.folded) for group in found]

    @property
    def shown_calls(self) -> list[int]:
        """The numbers of the calls that are shown."""
        return [call.n for group in self.groups for call in group.calls]

    @property
    def hidden_marks(self) -> Iterator[tuple[str, str]]:
        """What is said of calls that aren't shown, as fields that keep it."""
        shown = set(self.shown_calls)
        for n, typed in self.typed.calls.items():
            if n not in shown and typed.kind:
                yield from _kept(n, typed, as_called(self.calls.get(n)))

    @property
    def calls_before(self) -> int | None:
        """From where the calls before those that are shown begin."""
        start = self.typed.calls_from
        return max(0, start - PAGE_OF_CALLS) if start else None

    @property
    def calls_after(self) -> int | None:
        """From where the calls after those that are shown begin."""
        shown = self.shown_calls
        return shown[-1] if shown and shown[-1] < self.call_count else None

    def _row(self, call: CallToMark) -> CallRow:
        typed = self.typed.calls.get(call.n, TypedCall())
        edits = typed.args if typed.args is not None else self._as_called(call.n, typed)
        made = as_called(self.calls.get(call.n))
        cut = {index for index, arg in enumerate(call.args) if arg.cut}
        args = None
        if edits is not None:
            args = [self._arg(call.n, i, was, edits[i], i in cut) for i, was in enumerate(made[: len(edits)])]
        return CallRow(
            n=call.n,
            tool=call.tool,
            short=call.short,
            kind=typed.kind,
            said=str(_SAID.get(typed.kind, "")),
            only=typed.only,
            args=args,
            more=[] if edits is None else edits[len(made) :],
            error=self._error(call.n) if self.checked else "",
        )

    def _as_called(self, n: int, typed: TypedCall) -> list[Field] | None:
        return as_called(self.calls.get(n)) if typed.kind == MarkKind.INSTEAD else None

    def _arg(self, n: int, index: int, was: Field, now: Field, cut: bool) -> ArgRow:
        error = (value_problem(now.text) or "") if now.ticked and not cut else ""
        changed = was.text if now.text.strip() != was.text.strip() else ""
        return ArgRow(f"t-{n}", f"a-{n}-{index}", was.name, now.text, now.ticked, changed, cut, error)

    def _error(self, n: int) -> str:
        """What is wrong with a call as a whole."""
        marks = self.typed.marks(self.calls)
        return next((one.text for one in self.marked.problems if _is_of(one.mark, marks, n) and not one.argument), "")

    @property
    def added(self) -> list[AddedRow]:
        """The calls that were added."""
        first = sum(1 for typed in self.typed.calls.values() if typed.kind)
        return [self._added(index, call, first + index) for index, call in enumerate(self.typed.added)]

    def _added(self, index: int, call: AddedCall, mark: int) -> AddedRow:
        errors = [one.text for one in self.marked.problems if one.mark == mark] if self.checked else []
        names = {tool.id: tool for tool in self.tools}
        known = names[call.tool].parameters if call.tool in names else ()
        given = {arg.name for arg in call.args}
        blank = [Field(name, "", ticked=False) for name in known if name not in given]
        short = names[call.tool].short if call.tool in names else call.tool
        return AddedRow(index, call.tool, short, call.only, [*call.args, *blank], errors[0] if errors else "")

    @cached_property
    def tools(self) -> list[ToolChoice]:
        """The tools of which a call can be added."""
        return tool_choices(self.corrected.calls(), tools=self.corrected.tools)

    @property
    def takes_any_tool(self) -> bool:
        """Whether a call of any tool can be added: nobody has said which ones the version has."""
        return self.corrected.tools is None

    @property
    def never(self) -> list[tuple[str, str]]:
        """The other tools that must not be called, each with its short name."""
        names = short_names([*(tool.id for tool in self.tools), *self.typed.never])
        return [(tool, names[tool]) for tool in self.typed.never]

    @property
    def checks(self) -> list[Sentence]:
        """What a replay will be checked for, in words; nothing while the marks can't be sent."""
        if self.marked.problems:
            return []
        return checks_in_words(self.marked.expected, calls=self.corrected.calls(), names=self._short)

    @property
    def notes(self) -> Sequence[str]:
        """What follows from the marks and may not be meant."""
        return self.marked.notes

    @property
    def _short(self) -> dict[str, str]:
        return {tool.id: tool.short for tool in self.tools}

    @property
    def diff(self) -> list[Segment]:
        """What it should have said against what it said; nothing while nothing was written."""
        if not self.typed.should_say or self.corrected.said is None:
            return []
        return word_diff(self.corrected.said, self.typed.should_say)

    @cached_property
    def lists(self) -> list[FoundList]:
        """The lists in the output."""
        output = self.corrected.texts.output
        return [] if output is None else output_lists(output)[0]

    @cached_property
    def shown_list(self) -> FoundList | None:
        """The list whose elements are shown: the chosen one, else the first."""
        output, pointer = self.corrected.texts.output, self.typed.list_pointer
        chosen = None if output is None or pointer is None else list_at(output, pointer)
        return chosen or (self.lists[0] if self.lists else None)

    @property
    def elements(self) -> list[ItemRow]:
        """The elements of the list that is shown."""
        found = self.shown_list.elements if self.shown_list else ()
        return [self._item(one.pointer, one.key, one.label) for one in found]

    @property
    def other_items(self) -> list[ItemRow]:
        """What is judged besides: elements of other lists, other values, and items without a pointer."""
        shown = {row.pointer for row in self.elements}
        rows = [self._item(pointer, self.keys[pointer], "") for pointer in self.typed.items if pointer not in shown]
        return rows + [ItemRow(f"k:{key}", key, "", "", verdict) for key, verdict in self.typed.keyed.items()]

    def _item(self, pointer: str, key: str, label: str) -> ItemRow:
        return ItemRow(f"i:{pointer}", key, pointer, label, self.typed.items.get(pointer, ""))

    @cached_property
    def keys(self) -> dict[str, str]:
        """What each judged item is called, by its pointer."""
        output = self.corrected.texts.output
        found = {} if output is None else {one: Text(output).find(one) for one in self.typed.items}
        named = [(key_of(span, one) if span is not None else one, one) for one, span in found.items()]
        return dict(zip(found, distinct_keys(named), strict=True))

    @cached_property
    def tree(self) -> Node | None:
        """The output as a tree, of which any value can be judged."""
        return None if self.corrected.texts.output is None else output_tree(self.corrected.texts.output)

    @property
    def judged_count(self) -> int:
        """How many items are judged."""
        return len(self.typed.items) + len(self.typed.keyed)

    @cached_property
    def class_rows(self) -> list[ClassRow]:
        """The classes that the person may give on this run, the heaviest first, with none among them."""
        rows = [
            (one.weight, ClassRow(str(one.pk), one.name, counts_briefly(one.weight)))
            for one in self._applying
            if class_refusal(self.caller, one) is None
        ]
        rows.append((1.0, ClassRow("", _("no class"), counts_briefly(1.0))))
        return [row for weight, row in sorted(rows, key=lambda each: (-each[0], each[1].name.casefold()))]

    @cached_property
    def refused_classes(self) -> list[ClassRow]:
        """The other classes that apply to the run, each with why the person may not give it."""
        refusals = [(one, class_refusal(self.caller, one)) for one in self._applying]
        return [
            ClassRow(str(one.pk), one.name, counts_briefly(one.weight), why) for one, why in refusals if why is not None
        ]

    @property
    def _applying(self) -> list[JudgeClass]:
        return [one for one in self.classes if one.agent_id in ("", self.corrected.agent_id)]

    def may_judge(self, pointer: str) -> bool:
        """Whether an item can be at the pointer: there is something, and it can be sent."""
        output = self.corrected.texts.output
        return output is not None and can_be_sent(pointer) and Text(output).find(pointer) is not None


def calls_by_number(corrected: Corrected) -> dict[int, ToolCall]:
    """The run's calls by number, up to as many as a form can be about."""
    return {call.n: call for call in corrected.calls().between(0, MOST_CALLS)}


def _kept(n: int, typed: TypedCall, made: Sequence[Field]) -> Iterator[tuple[str, str]]:
    """The fields of a call that isn't shown; what stands as it was called needs none."""
    yield f"m-{n}", typed.kind
    if typed.args is None:
        return
    yield f"e-{n}", "1"
    if typed.only:
        yield f"only-{n}", "1"
    for index, (arg, was) in enumerate(zip(typed.args, made, strict=False)):
        if arg.text != was.text:
            yield f"a-{n}-{index}", arg.text
        if arg.ticked:
            yield f"t-{n}", str(index)
    for arg in typed.args[len(made) :]:
        yield f"more-{n}-name", arg.name
        yield f"more-{n}-value", arg.text


def _is_of(mark: int | None, marks: Sequence[object], n: int) -> bool:
    return mark is not None and getattr(marks[mark], "n", None) == n
