"""JSON Schemas of settings: whether a block's values satisfy theirs, in bounded time (contract, section 7).

A schema is a stranger's program. So what it may do is bounded: nothing is fetched, patterns are
matched in linear time (RE2), every keyword that is applied is charged for, and the few keywords
whose cost can't be charged are refused.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

import re2
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend, validator_for
from jsonschema_specifications import REGISTRY
from referencing.exceptions import Unresolvable

from kindgi.api.errors import BadInput
from kindgi.api.json_values import canonical
from kindgi.runs.block_schema_words import said

LONGEST_SCHEMA = 50_000
_LONGEST_PATTERN = 1_000
_BUDGET = 1_000_000
_PATTERN_MEMORY = 1 << 20
_COST_OF_REFERENCE = 60
_REFUSED = frozenset(
    {
        "patternProperties",
        "unevaluatedProperties",
        "unevaluatedItems",
        "$dynamicRef",
        "$recursiveRef",
        "extends",
        "disallow",
    }
)
_DATA = frozenset({"const", "enum", "default", "examples"})
_BY_NAME = frozenset({"properties", "$defs", "definitions", "dependentSchemas"})

Keyword = Callable[[Any, Any, Any, Any], Any]


class _TooMuch(Exception):
    """The schema would be applied for longer than anybody waits."""


def check_values(values: bytes, schema: bytes, place: str) -> None:
    """Refuse a schema that is none, and values that don't satisfy it; both are JSON texts.

    ``place`` is where the block stands in the request. Raises :class:`BadInput`.
    """
    try:
        read = _schema(schema, place)
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
            found = _first_error(_parsed(values), read)
    except _TooMuch:
        raise BadInput(f"{place}/schema: Checking the values by it would take too long.") from None
    except Unresolvable:
        raise BadInput(f"{place}/schema: It refers to a schema that isn't in it; none is fetched.") from None
    except RecursionError:
        raise BadInput(f"{place}/schema: It refers to itself without end, or is nested too deep.") from None
    except (ArithmeticError, ValueError, TypeError, re2.error):
        raise BadInput(f"{place}: The values can't be checked by the schema.") from None
    if found is not None:
        at = "".join(f"/{_token(part)}" for part in found.absolute_path)[:200]
        raise BadInput(
            f"{place}/values{at}: {said(found)}",
            details={"path": f"{place}/values{at}", "keyword": str(found.validator)},
        )


def _token(part: object) -> str:
    return str(part).replace("~", "~0").replace("/", "~1")


def _schema(text: bytes, place: str) -> Any:
    """A schema that is one, of keywords that are known here."""
    place = f"{place}/schema"
    if len(text) > LONGEST_SCHEMA:
        raise BadInput(f"{place}: A schema has up to {LONGEST_SCHEMA:,} bytes.")
    schema = _parsed(text)
    if not isinstance(schema, dict):
        raise BadInput(f"{place}: A schema is an object.")
    if not isinstance(schema.get("$schema", ""), str):
        raise BadInput(f"{place}: $schema is the address of a draft.")
    _walk(schema, place)
    try:
        kind: Any = validator_for(schema, default=Draft202012Validator)
        kind.check_schema(schema, format_checker=FormatChecker(formats=()))
    except SchemaError:
        raise BadInput(f"{place}: It isn't a JSON Schema (draft 2020-12, or the one that its $schema names).") from None
    return schema


def _parsed(text: bytes) -> Any:
    return json.loads(text, parse_constant=_no_number)


def _no_number(constant: str) -> NoReturn:
    raise ValueError(constant)


def _walk(schema: Any, place: str) -> None:
    """Refuse what can't be charged for, and patterns that can't be matched in linear time."""
    if isinstance(schema, list):
        for entry in schema:
            _walk(entry, place)
    if not isinstance(schema, dict):
        return
    _check_supported(schema, place)
    for name, value in schema.items():
        if name == "pattern" and isinstance(value, str):
            _pattern(value, place)
        elif name in _BY_NAME and isinstance(value, dict):
            _walk(list(value.values()), place)
        elif name not in _DATA:
            _walk(value, place)


def _check_supported(schema: dict[str, Any], place: str = "") -> None:
    for name in sorted(_REFUSED & schema.keys()):
        raise BadInput(f"{place}: {name} isn't supported in a block's schema.")


def _pattern(text: str, place: str = "") -> Any:
    if len(text) > _LONGEST_PATTERN:
        raise BadInput(f"{place}: A pattern has up to {_LONGEST_PATTERN:,} characters.")
    options = re2.Options()
    options.log_errors, options.max_mem = False, _PATTERN_MEMORY
    try:
        return re2.compile(text, options)
    except (re2.error, UnicodeEncodeError):
        raise BadInput(
            f"{place}: A pattern isn't one, or looks ahead or back: it must be one that RE2 matches."
        ) from None


def _first_error(values: Any, schema: Any) -> ValidationError | None:
    charge = _Charge(values)
    base = validator_for(schema, default=Draft202012Validator)
    own = {"pattern": charge.pattern, "uniqueItems": _unique_items}
    keywords: Mapping[str, Keyword] = {**base.VALIDATORS, **own}
    charged = {name: charge.charged(keyword) for name, keyword in keywords.items()}
    charged["$ref"] = charge.charged(keywords["$ref"], _COST_OF_REFERENCE)
    kind: Any = extend(base, charged)  # type: ignore[no-untyped-call]
    return next(kind(schema, registry=REGISTRY).iter_errors(values), None)


class _Charge:
    """What applying a schema has cost so far, in what takes about a microsecond."""

    def __init__(self, values: Any) -> None:
        self._left = _BUDGET
        self._sizes: dict[int, int] = {}
        self._measure(values)

    def charged(self, keyword: Keyword, cost: int = 10) -> Keyword:
        """``keyword``, which is charged for by what it may look at and what it may say of it."""

        def apply(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
            if isinstance(schema, dict):  # a reference may lead to what only looked like data
                _check_supported(schema)
            listed = len(value) if isinstance(value, list | dict) else 0
            self._take(cost + listed + self._size(instance) // 20)
            yield from keyword(validator, value, instance, schema) or ()

        return apply

    def pattern(self, _: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        """The keyword ``pattern``, in linear time."""
        if isinstance(instance, str):
            compiled = _pattern(value)
            self._take(100 + len(instance) * compiled.programsize // 200)
            if compiled.search(instance) is None:
                yield ValidationError("It doesn't match the pattern.")

    def _take(self, cost: int) -> None:
        self._left -= cost
        if self._left < 0:
            raise _TooMuch

    def _size(self, instance: Any) -> int:
        return len(instance) if isinstance(instance, str) else self._sizes.get(id(instance), 0)

    def _measure(self, value: Any) -> int:
        """About how many characters a value is long, kept for objects and arrays."""
        if isinstance(value, dict):
            size = sum(len(name) + 4 + self._measure(entry) for name, entry in value.items())
        elif isinstance(value, list):
            size = sum(2 + self._measure(entry) for entry in value)
        else:
            return len(value) if isinstance(value, str) else 8
        self._sizes[id(value)] = size
        return size


def _unique_items(_: Any, wanted: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """The keyword ``uniqueItems``, in linear time."""
    if wanted and isinstance(instance, list) and len({canonical(entry) for entry in instance}) < len(instance):
        yield ValidationError("It has an entry twice.")
