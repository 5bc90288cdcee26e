"""Locks that no row stands for (docs/concurrency.md): a project's rules, and the cap of a rule."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from uuid import UUID

from kindgi.sql import fetch

_SHARED = "SELECT count(pg_advisory_xact_lock_shared(key)) FROM unnest(%s::bigint[]) AS key"
_EXCLUSIVE = "SELECT count(pg_advisory_xact_lock(key)) FROM unnest(%s::bigint[]) AS key"


def rules_read_lock(project_ids: Iterable[UUID]) -> None:
    """Until the transaction ends, nobody makes, changes or removes a rule of the projects.

    What is read of the rules afterwards, by a statement of its own, is what counts. Many may hold
    it. Take it after the runs' locks and before any item's.
    """
    fetch(_SHARED, [_keys("rules", project_ids)])


def rules_change_lock(project_id: UUID) -> None:
    """Until the transaction ends, nobody matches runs by the project's rules or judges by them.

    Take no run's lock after it.
    """
    fetch(_EXCLUSIVE, [_keys("rules", [project_id])])


def caps_lock(rule_ids: Iterable[UUID]) -> None:
    """Until the transaction ends, nobody else queues runs for the rules as they end."""
    fetch(_EXCLUSIVE, [_keys("cap", rule_ids)])


def _keys(of: str, ids: Iterable[UUID]) -> list[int]:
    """A number for each id, in the order of the ids; two that meet in a number merely wait for each other."""
    digests = (blake2b(one.bytes, digest_size=8, key=of.encode()).digest() for one in sorted(set(ids)))
    return [int.from_bytes(digest, "big", signed=True) for digest in digests]
