"""What an endpoint declares of itself: the one source of its routing checks and its OpenAPI entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeVar

import msgspec
from django_filters import FilterSet

from kindgi.api import errors

Time = Annotated[str, msgspec.Meta(extra_json_schema={"format": "date-time"})]
"""An instant as it is sent (:func:`kindgi.api.times.wire`)."""

PREFIX = "#/components/schemas/"
"""Where the document has the schemas of named types; for a field that is kept to the byte and is of one."""

Handler = TypeVar("Handler", bound=Callable[..., Any])

JSON_TYPES = ("application/json",)
NDJSON_TYPES = ("application/json", "application/x-ndjson", "application/jsonl", "application/ndjson")


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path.

    ``body`` and ``answer`` are msgspec types, whose JSON Schemas go into the document;
    ``filters`` is the FilterSet that a list takes; ``params`` are further query parameters by
    name, with what they mean; ``secret`` says that the answer carries one and is never kept.
    ``counted`` says that a page also has the ``total`` of all that the filters match, and that
    ``limit=0`` asks for it alone. ``answer`` is ``None`` where there is nothing to say (204), or
    where it is always refused;
    ``also`` are further successes, each a status and its answer; ``example`` is a body to show,
    as it is sent, where the one that the type suggests would be refused. ``waits`` says that it
    writes nothing and waits for others: it runs in no transaction, and anew with a key that was used.
    """

    id: str
    summary: str
    answer: Any
    status: int = 200
    also: tuple[tuple[int, Any], ...] = ()
    produces: str = "application/json"
    body: Any = None
    example: Any = None
    body_required: bool = True
    media_types: tuple[str, ...] = JSON_TYPES
    filters: type[FilterSet] | None = None
    params: tuple[tuple[str, str], ...] = ()
    paged: bool = False
    counted: bool = False
    begins: bool = False
    waits: bool = False
    errors: tuple[type[errors.ApiError], ...] = ()
    secret: bool = False
    public: bool = False

    @property
    def tag(self) -> str:
        """The group that the docs list it under: the id's first two parts, and never its last."""
        return ".".join(self.id.split(".")[:-1][:2])

    @property
    def answers(self) -> tuple[tuple[int, Any], ...]:
        """Every success by status; none where it is always refused."""
        if self.answer is None and self.status != 204:
            return self.also
        return ((self.status, self.answer), *self.also)


def operation(**declared: Any) -> Callable[[Handler], Handler]:
    """Declare a handler's :class:`Operation`."""

    def mark(handler: Handler) -> Handler:
        handler.operation = Operation(**declared)  # type: ignore[attr-defined]
        return handler

    return mark


class Body(msgspec.Struct, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """A request body: an unknown field is refused by name, ``null`` only where the field says so.

    ``only_looked_up`` names fields that are never stored: whatever characters they hold, they are
    found or they aren't.
    """

    only_looked_up: ClassVar[frozenset[str]] = frozenset()


class Answer(msgspec.Struct, rename="camel", kw_only=True):
    """An answer: a field that is ``UNSET`` is left out."""
