"""Rows written in one prepared statement, for the paths where building a query costs more than running it.

A model's columns come from the model itself, once a process; the values are its instances'. What
the ORM would do besides (defaults in the database, signals, ``save()``) our models don't use.
Every function must run in the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

from django.contrib.postgres.fields import ArrayField
from django.db import connection
from django.db.models import BinaryField, Field, JSONField, Model
from django.db.models.base import ModelState
from psycopg.types.json import Jsonb

from kindgi.api.jsontext import encode
from kindgi.sql import execute, fetch

Row = TypeVar("Row", bound=Model)


def fresh(model: type[Row], **values: Any) -> Row:
    """A new instance of ``model`` with ``values`` by attribute name, and else its fields' defaults.

    ``Model.__init__`` costs as much as a statement for a wide row, and does nothing that ours need.
    """
    row = model.__new__(model)
    row._state = ModelState()
    row.__dict__.update(_constants(model))
    row.__dict__.update(values)
    for attname, default in _made_defaults(model):
        if attname not in values:
            row.__dict__[attname] = default()
    return row


@cache
def _constants(model: type[Model]) -> dict[str, Any]:
    made = dict(_made_defaults(model))
    return {field.attname: field.get_default() for field in model._meta.concrete_fields if field.attname not in made}


@cache
def _made_defaults(model: type[Model]) -> tuple[tuple[str, Callable[[], Any]], ...]:
    fields = [field for field in model._meta.concrete_fields if field.has_default() and callable(field.default)]
    return tuple((field.attname, field.default) for field in fields)


class Unless(list[Row]):
    """Rows that are left out where a row with the same unique key is there already."""


@dataclass(frozen=True, slots=True)
class _Column:
    """A column: ``read`` gives a row's value to the driver, ``read_plain`` as JSON can hold it."""

    name: str
    attname: str
    db_type: str
    is_array: bool
    read: Callable[[Model], Any]
    read_plain: Callable[[Model], Any]


def insert(rows: Sequence[Row], *, same: tuple[str, ...] = (), suffix: str = "") -> list[tuple[Any, ...]]:
    """Insert rows of one model, of any number, as one array a column; what ``RETURNING`` answers.

    ``same`` names what all rows have in common (attribute names), which is sent once. ``suffix``
    follows the statement: what happens on a conflict, what is returned. A model with array
    columns goes by :func:`insert_together`.
    """
    if not rows:
        return []
    model = type(rows[0])
    common, own = _shared(model, same)
    parameters = [
        *(column.read(rows[0]) for column in common),
        *([column.read(row) for row in rows] for column in own),
    ]
    sql = _insert_sql(model, same, suffix)
    if "RETURNING" in suffix:
        return fetch(sql, parameters)
    execute(sql, parameters)
    return []


def insert_together(*groups: Sequence[Model]) -> None:
    """Insert a few rows of several models in one statement; each group is of one model, and may be empty.

    The rows travel as JSON, one parameter a group. Foreign keys among them hold at the end of the
    transaction.
    """
    filled = [group for group in groups if group]
    if not filled:
        return
    sql = _together_sql(tuple((type(group[0]), isinstance(group, Unless)) for group in filled))
    execute(sql, [_as_json(group) for group in filled])


def update(rows: Sequence[Row], fields: Sequence[str]) -> None:
    """Write ``fields`` (attribute names) of rows of one model in one statement, by primary key.

    The rows must be locked or otherwise known to be the caller's.
    """
    if not rows:
        return
    model = type(rows[0])
    wanted = _columns_of(model, tuple(fields))
    execute(_update_sql(model, tuple(fields)), [[column.read(row) for row in rows] for column in wanted])


@cache
def _columns(model: type[Model]) -> tuple[_Column, ...]:
    fields: list[Field[Any, Any]] = model._meta.concrete_fields  # type: ignore[assignment]
    return tuple(_column(field) for field in fields)


def _column(field: Field[Any, Any]) -> _Column:
    plain = attrgetter(field.attname)
    return _Column(
        name=f'"{field.column}"',
        attname=field.attname,
        db_type=(field.db_type(connection) or "text").split("(")[0],
        is_array=isinstance(field, ArrayField),
        read=_unless_none(plain, as_jsonb) if isinstance(field, JSONField) else plain,
        read_plain=_unless_none(plain, _hex) if isinstance(field, BinaryField) else plain,
    )


def _unless_none(read: Callable[[Model], Any], convert: Callable[[Any], Any]) -> Callable[[Model], Any]:
    def converted(row: Model) -> Any:
        value = read(row)
        return None if value is None else convert(value)

    return converted


def as_jsonb(value: Any) -> Jsonb:
    """A value for a column of JSON; made into text in a tenth of the time that psycopg's own way takes."""
    return Jsonb(value, dumps=encode)


def _hex(value: bytes) -> str:
    return "\\x" + value.hex()


@cache
def _columns_of(model: type[Model], fields: tuple[str, ...]) -> tuple[_Column, ...]:
    """The primary key's column, then those of ``fields``."""
    by_name = {column.attname: column for column in _columns(model)}
    return tuple(by_name[name] for name in (model._meta.pk.attname, *fields))


def _names(columns: Sequence[_Column]) -> str:
    return ", ".join(column.name for column in columns)


def _arrays(columns: Sequence[_Column]) -> str:
    if any(column.is_array for column in columns):
        raise TypeError("A column of arrays can't be sent as an array of its values.")
    return f"unnest({', '.join(f'%b::{column.db_type}[]' for column in columns)})"


@cache
def _shared(model: type[Model], same: tuple[str, ...]) -> tuple[list[_Column], list[_Column]]:
    """The columns of which all rows have the same value, and the others."""
    columns = _columns(model)
    return [one for one in columns if one.attname in same], [one for one in columns if one.attname not in same]


@cache
def _insert_sql(model: type[Model], same: tuple[str, ...], suffix: str) -> str:
    common, own = _shared(model, same)
    once = "".join(f"%b::{column.db_type}, " for column in common)
    names = _names([*common, *own])
    return f'INSERT INTO "{model._meta.db_table}" ({names}) SELECT {once}own.* FROM {_arrays(own)} AS own {suffix}'  # noqa: S608 - names of ours


@cache
def _together_sql(parts: tuple[tuple[type[Model], bool], ...]) -> str:
    *first, last = (_one_of_together(model, unless=unless) for model, unless in parts)
    named = ", ".join(f"part{number} AS ({statement})" for number, statement in enumerate(first))
    return f"WITH {named} {last}" if first else last


def _one_of_together(model: type[Model], *, unless: bool) -> str:
    table, names = model._meta.db_table, _names(_columns(model))
    rows = f'json_populate_recordset(NULL::"{table}", %s::json)'
    return f'INSERT INTO "{table}" ({names}) SELECT {names} FROM {rows}{" ON CONFLICT DO NOTHING" if unless else ""}'  # noqa: S608 - names of ours


def _as_json(rows: Sequence[Model]) -> str:
    columns = _columns(type(rows[0]))
    return encode([{column.name[1:-1]: column.read_plain(row) for column in columns} for row in rows]).decode()


@cache
def _update_sql(model: type[Model], fields: tuple[str, ...]) -> str:
    key, *changed = _columns_of(model, fields)
    sets = ", ".join(f"{column.name} = new.{column.name}" for column in changed)
    rows = f"(SELECT * FROM {_arrays([key, *changed])}) AS new({_names([key, *changed])})"  # noqa: S608 - names of ours
    return f'UPDATE "{model._meta.db_table}" AS old SET {sets} FROM {rows} WHERE old.{key.name} = new.{key.name}'  # noqa: S608 - names of ours
