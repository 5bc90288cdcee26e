"""Rows written in one prepared statement, for the paths where building a query costs more than running it.

A model's columns come from the model itself, once a process; the values are its instances'. What
the ORM would do besides (defaults in the database, signals, ``save()``) our models don't use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

from django.contrib.postgres.fields import ArrayField
from django.db import connection
from django.db.models import Field, JSONField, Model
from psycopg.types.json import Jsonb

Row = TypeVar("Row", bound=Model)

FEW = 20


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    db_type: str
    read: Callable[[Model], Any]
    is_array: bool


@cache
def _columns(model: type[Model]) -> tuple[_Column, ...]:
    fields: list[Field[Any, Any]] = model._meta.concrete_fields  # type: ignore[assignment]
    return tuple(
        _Column(
            name=f'"{field.column}"',
            db_type=(field.db_type(connection) or "text").split("(")[0],
            read=_jsonb(field.attname) if isinstance(field, JSONField) else attrgetter(field.attname),
            is_array=isinstance(field, ArrayField),
        )
        for field in fields
    )


def _jsonb(attname: str) -> Callable[[Model], Any]:
    read = attrgetter(attname)

    def wrapped(row: Model) -> Any:
        value = read(row)
        return None if value is None else Jsonb(value)

    return wrapped


@cache
def _values_sql(model: type[Model], count: int, suffix: str) -> str:
    columns = _columns(model)
    names = ", ".join(column.name for column in columns)
    one = f"({', '.join(['%s'] * len(columns))})"
    return f'INSERT INTO "{model._meta.db_table}" ({names}) VALUES {", ".join([one] * count)} {suffix}'


@cache
def _unnest_sql(model: type[Model], suffix: str) -> str:
    columns = _columns(model)
    names = ", ".join(column.name for column in columns)
    arrays = ", ".join(f"%s::{column.db_type}[]" for column in columns)
    return f'INSERT INTO "{model._meta.db_table}" ({names}) SELECT * FROM unnest({arrays}) {suffix}'


def insert(rows: Sequence[Row], *, suffix: str = "") -> list[tuple[Any, ...]]:
    """Insert ``rows`` of one model in one statement; what ``suffix`` (``RETURNING …``) answers.

    ``suffix`` may also say what happens on a conflict. Must run in the caller's transaction.
    """
    if not rows:
        return []
    model = type(rows[0])
    columns = _columns(model)
    many = len(rows) > FEW and not any(column.is_array for column in columns)
    if many:
        sql = _unnest_sql(model, suffix)
        params = [[column.read(row) for row in rows] for column in columns]
    else:
        sql = _values_sql(model, len(rows), suffix)
        params = [column.read(row) for row in rows for column in columns]
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall() if "RETURNING" in suffix else []


def update(rows: Sequence[Row], fields: Sequence[str]) -> None:
    """Write ``fields`` (attribute names) of ``rows`` of one model in one statement, by primary key.

    The rows must be locked or otherwise known to be the caller's.
    """
    if not rows:
        return
    model = type(rows[0])
    wanted = _columns_of(model, tuple(fields))
    with connection.cursor() as cursor:
        cursor.execute(_update_sql(model, tuple(fields)), [[column.read(row) for row in rows] for column in wanted])


@cache
def _columns_of(model: type[Model], fields: tuple[str, ...]) -> tuple[_Column, ...]:
    """The primary key's column, then those of ``fields``."""
    names = (model._meta.pk.attname, *fields)
    by_name = dict(zip((field.attname for field in model._meta.concrete_fields), _columns(model), strict=True))
    return tuple(by_name[name] for name in names)


@cache
def _update_sql(model: type[Model], fields: tuple[str, ...]) -> str:
    key, *changed = _columns_of(model, fields)
    arrays = ", ".join(f"%s::{column.db_type}[]" for column in (key, *changed))
    names = ", ".join(column.name for column in (key, *changed))
    sets = ", ".join(f"{column.name} = new.{column.name}" for column in changed)
    return (
        f'UPDATE "{model._meta.db_table}" AS old SET {sets} '
        f"FROM (SELECT * FROM unnest({arrays})) AS new({names}) WHERE old.{key.name} = new.{key.name}"
    )
