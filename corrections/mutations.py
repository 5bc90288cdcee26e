"""A run's own calls, and changes of them of which it is known how a check must come out (contract, section 4).

Knows no database. A correction that lists a run's own calls passes on them once it is stored and
read back. What each change makes of that holds for any run: where a value changes, one call less
has the value than is listed, so that some listed call goes unmet, whatever else the calls have in
common.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from msgspec import Raw

from corrections.decision_check import Expected, Made, check
from corrections.json_values import Number, canonical, parse
from corrections.submissions import ListedCall, calls_text

MOST_PLACES = 200
FORBIDDEN = "a tool that no run has"

Calls = Sequence[Made]
Place = TypeVar("Place")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is expected, the calls, and how many calls must be found unmet, too many and forbidden: none passes."""

    expected: Expected
    calls: Calls
    unmet: int = 0
    extra: int = 0
    forbidden: int = 0

    def as_demanded(self) -> bool:
        """Whether the check says so."""
        checked = check(self.expected, self.calls)
        found = (len(checked.unmet), len(checked.extra), len(checked.forbidden))
        demanded = (self.unmet, self.extra, self.forbidden)
        return found == demanded and checked.passed == (not any(demanded))


@dataclass(frozen=True, slots=True)
class Mutation:
    """A change, how a check of it comes out, in words, and its cases for a run's calls: one for each place."""

    name: str
    demanded: str
    cases: Callable[[Calls], Iterator[Case]]


def spread(places: Sequence[Place]) -> list[Place]:
    """All of ``places``, or of many :data:`MOST_PLACES` that lie evenly among them."""
    if len(places) <= MOST_PLACES:
        return list(places)
    return [places[number * len(places) // MOST_PLACES] for number in range(MOST_PLACES)]


def _listing(calls: Calls, not_called: Sequence[str] = ()) -> Expected:
    """What a correction that lists ``calls`` says, once it is stored and read back."""
    text = calls_text([ListedCall(tool=call.tool, args=_object(call.args)) for call in calls])
    return Expected.of(should_call=text, must_not_call=not_called)


def _object(args: Mapping[str, Any]) -> Raw:
    """``args`` as they are sent: values that are spans as they are."""
    fields = (
        f"{json.dumps(name)}:{bytes(value).decode() if isinstance(value, Raw) else json.dumps(value)}"
        for name, value in args.items()
    )
    return Raw(f"{{{','.join(fields)}}}".encode())


def _calls_in(calls: Calls) -> list[int]:
    return spread(range(len(calls)))


def _arguments_in(calls: Calls) -> list[tuple[int, str]]:
    return [(index, name) for index, call in enumerate(calls) for name in call.args]


def _with(calls: Calls, index: int, args: Mapping[str, Any]) -> list[Made]:
    return [*calls[:index], replace(calls[index], args=args), *calls[index + 1 :]]


def _value(calls: Calls, index: int, name: str) -> Any:
    value = calls[index].args[name]
    return parse(bytes(value)) if isinstance(value, Raw) else value


def _same(calls: Calls) -> Iterator[Case]:
    yield Case(expected=_listing(calls), calls=calls)


def _dropped(calls: Calls) -> Iterator[Case]:
    listing = _listing(calls)
    for index in _calls_in(calls):
        yield Case(expected=listing, calls=[*calls[:index], *calls[index + 1 :]], unmet=1)


def _doubled(calls: Calls) -> Iterator[Case]:
    listing = _listing(calls)
    for index in _calls_in(calls):
        yield Case(expected=listing, calls=[*calls[: index + 1], *calls[index:]], extra=1)


def _other_value(calls: Calls) -> Iterator[Case]:
    yield from _changed(calls, spread(_arguments_in(calls)), another)


def _other_type(calls: Calls) -> Iterator[Case]:
    places = [place for place in _arguments_in(calls) if twin(value := _value(calls, *place)) is not value]
    yield from _changed(calls, spread(places), twin)


def _changed(calls: Calls, places: Sequence[tuple[int, str]], change: Callable[[Any], Any]) -> Iterator[Case]:
    listing = _listing(calls)
    for index, name in places:
        args = {**calls[index].args, name: change(_value(calls, index, name))}
        yield Case(expected=listing, calls=_with(calls, index, args), unmet=1)


def _forbidden(calls: Calls) -> Iterator[Case]:
    listing = _listing(calls, [FORBIDDEN])
    for index in spread(range(len(calls) + 1)):
        more = [*calls[:index], Made(FORBIDDEN, {}), *calls[index:]]
        yield Case(expected=listing, calls=more, forbidden=1)


def _swapped(calls: Calls) -> Iterator[Case]:
    listing = _listing(calls)
    for index in spread(range(len(calls) - 1)):
        swapped = [*calls[:index], calls[index + 1], calls[index], *calls[index + 2 :]]
        yield Case(expected=listing, calls=swapped)


def _reordered(calls: Calls) -> Iterator[Case]:
    listing = _listing(calls)
    for index in _calls_in(calls):
        args = {name: _value(calls, index, name) for name in calls[index].args}
        turned, changed = reordered(args)
        if changed:
            yield Case(expected=listing, calls=_with(calls, index, turned))


def _not_listed(calls: Calls) -> Iterator[Case]:
    for index, name in spread(_arguments_in(calls)):
        left = {other: value for other, value in calls[index].args.items() if other != name}
        yield Case(expected=_listing(_with(calls, index, left)), calls=calls)


def another(value: Any) -> Any:
    """Another value of the same type, or of an array or an object an array that holds it."""
    if isinstance(value, str):
        return f"{value}."
    if isinstance(value, bool):
        return not value
    if value is None:
        return False
    if isinstance(value, Number):
        sign, digits = ("-", value.text[1:]) if value.text.startswith("-") else ("", value.text)
        return parse(f"{sign}1{digits}".encode())
    return [value]


def twin(value: Any) -> Any:
    """The same value in another type: `1` of `"1"`, `"true"` of `true`; ``value`` itself where there is none."""
    if isinstance(value, list | dict):
        return value
    if not isinstance(value, str):
        return canonical(value)
    try:
        literal = parse(value.encode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return value
    return value if isinstance(literal, str | list | dict) else literal


def reordered(value: Any) -> tuple[Any, bool]:
    """``value`` with the keys of each object in it the other way round, and whether any had two."""
    if isinstance(value, dict):
        inner = {name: reordered(entry) for name, entry in reversed(value.items())}
        changed = len(value) > 1 or any(changed for _, changed in inner.values())
        return {name: entry for name, (entry, _) in inner.items()}, changed
    if isinstance(value, list):
        entries = [reordered(entry) for entry in value]
        return [entry for entry, _ in entries], any(changed for _, changed in entries)
    return value, False


MUTATIONS = (
    Mutation("its own calls", "passes", _same),
    Mutation("a call dropped", "fails: unmet", _dropped),
    Mutation("a call doubled", "fails: extra", _doubled),
    Mutation("an argument's value changed", "fails: unmet", _other_value),
    Mutation('an argument\'s type changed, "1" for 1', "fails: unmet", _other_type),
    Mutation("a forbidden tool called", "fails: forbidden", _forbidden),
    Mutation("two calls swapped", "passes", _swapped),
    Mutation("keys reordered at every level", "passes", _reordered),
    Mutation("an argument not listed", "passes", _not_listed),
)
"""Every change that is tried, after none at all."""
