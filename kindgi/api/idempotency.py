"""Idempotency-Key: one mechanism for every write (contract, section 2).

1. The hold commits first, by itself, so that a second request sees it at once.
2. The request's own transaction begins by locking the hold's row, does its work, and writes the
   answer into that row before it commits: effect and kept answer are one commit.
3. A request that fails gives its hold back; 4xx and 5xx are never kept.

A process killed at any point leaves either both or neither. What it leaves of a hold is an
unlocked row, since its connection and so its row lock are gone (at once, or when the lock that it
waited for was in vain for ``LOCK_WAIT``): the next request with the key takes it over ``GRACE``
after it was made. A request that is merely slow keeps its row locked and
so keeps its hold; one that lost it finds so when it locks, and does nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID, uuid4

from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.http import HttpResponse

from kindgi.api.errors import (
    IdempotencyKeyBodyMismatch,
    IdempotencyKeyInFlight,
    IdempotencyKeyReplayWithheld,
    IdempotencyStoreUnavailable,
)
from kindgi.api.times import wire
from kindgi.sql import execute, fetch

KEPT = timedelta(hours=24)
GRACE = timedelta(milliseconds=250)
LOCK_WAIT = timedelta(seconds=10)
SWEEP_BATCH = 1000

# Nothing is lost by committing a hold without waiting for the disk: the log is written in order,
# so the commit of the request's own transaction, which does wait, brings the hold along.
_TAKE = """
INSERT INTO api_idempotencykey
    (key_hash, body_hash, holder, state, held_at, expires_at, tenant_id, content_type)
SELECT %s, %s, %s, 'held', clock_timestamp(), clock_timestamp() + %s, %s, ''
FROM (SELECT set_config('synchronous_commit', 'off', true) AS relaxed) AS setting
WHERE relaxed = 'off'
ON CONFLICT (key_hash) DO NOTHING
RETURNING holder
"""
_READ = """
SELECT holder, body_hash, state, held_at <= clock_timestamp() - %s, expires_at <= clock_timestamp(),
       status, content_type, answer, finished_at
FROM api_idempotencykey WHERE key_hash = %s
"""
_TAKE_OVER = """
UPDATE api_idempotencykey AS kept
SET holder = %s, body_hash = %s, state = 'held', held_at = clock_timestamp(), expires_at = clock_timestamp() + %s,
    status = NULL, content_type = '', answer = NULL, finished_at = NULL, subject_id = NULL
FROM (
    SELECT key_hash FROM api_idempotencykey
    WHERE key_hash = %s AND holder = %s AND (state = 'held' OR expires_at <= clock_timestamp())
    FOR UPDATE SKIP LOCKED) AS free
WHERE kept.key_hash = free.key_hash
RETURNING kept.holder
"""
# A server that waits for a lock doesn't see that its client has died, so that no wait may be long.
_LOCK = """
SELECT set_config('lock_timeout', %s, true)
FROM api_idempotencykey WHERE key_hash = %s AND holder = %s AND state = 'held' FOR UPDATE
"""
_KEEP = """
UPDATE api_idempotencykey
SET state = %s, status = %s, content_type = %s, answer = %s, finished_at = clock_timestamp(), subject_id = %s
WHERE key_hash = %s AND holder = %s
"""
_GIVE_BACK = "DELETE FROM api_idempotencykey WHERE key_hash = %s AND holder = %s AND state = 'held'"
_FORGET = """
UPDATE api_idempotencykey SET state = 'withheld', answer = NULL
WHERE tenant_id = %s AND subject_id = ANY(%s) AND state = 'done'
"""
_SWEEP = """
DELETE FROM api_idempotencykey WHERE key_hash IN (
    SELECT key_hash FROM api_idempotencykey WHERE expires_at <= clock_timestamp()
    ORDER BY expires_at LIMIT %s FOR UPDATE SKIP LOCKED)
"""


@dataclass(frozen=True, slots=True)
class Hold:
    """The right to run the request of one key; ``holder`` is new for each attempt."""

    key_hash: bytes
    holder: UUID


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """The first request's answer, to the byte."""

    status: int
    content_type: str
    body: bytes

    def response(self) -> HttpResponse:
        """The answer again, marked as a replay."""
        response = HttpResponse(self.body, status=self.status, content_type=self.content_type)
        if not self.content_type:  # an answer without a body, which Django would give a type of its own
            del response.headers["Content-Type"]
        response.headers["X-Idempotent-Replay"] = "true"
        return response


@dataclass(frozen=True, slots=True)
class _Row:
    holder: UUID
    body_hash: bytes
    state: str
    past_grace: bool
    expired: bool
    status: int | None
    content_type: str
    answer: bytes | None
    finished_at: datetime | None


def key_hash(*, tenant_id: UUID, caller: str, method: str, path: str, key: str) -> bytes:
    """What a key is looked up by: 32 bytes over all that scopes it."""
    return sha256("\0".join((str(tenant_id), caller, method, path, key)).encode("utf-8", "surrogatepass")).digest()


def take(*, key_hash: bytes, tenant_id: UUID, body: bytes) -> Hold | KeptAnswer:
    """Hold the key, or the answer that it already has.

    Call outside a transaction: the hold commits by itself. Raises the section's 409s, and
    :class:`IdempotencyStoreUnavailable` when the store can't be read.
    """
    body_hash = sha256(body).digest()
    hold = Hold(key_hash, uuid4())
    try:
        if fetch(_TAKE, [key_hash, body_hash, hold.holder, KEPT, tenant_id]):
            return hold
        row = _read(key_hash)
        if row.expired or (row.state == "held" and row.past_grace):
            if fetch(_TAKE_OVER, [hold.holder, body_hash, KEPT, key_hash, row.holder]):
                return hold
            row = _read(key_hash)  # whoever holds it lives, and may have finished since it was read
        if row.expired:
            raise IdempotencyKeyInFlight(retry_after=1)  # another request has just taken it over
    except (DatabaseError, InterfaceError):
        raise IdempotencyStoreUnavailable(retry_after=1) from None
    return _kept(row, body_hash)


def _read(key_hash: bytes) -> _Row:
    """How the key stands now; raises the 409 of one that was given back a moment ago."""
    found = fetch(_READ, [GRACE, key_hash])
    if not found:
        raise IdempotencyKeyInFlight(retry_after=1)
    return _Row(*found[0])


def _kept(row: _Row, body_hash: bytes) -> KeptAnswer:
    """What a key in use says to a request with ``body_hash``."""
    if bytes(row.body_hash) != body_hash:
        raise IdempotencyKeyBodyMismatch
    if row.state == "held" or row.status is None or row.finished_at is None:
        raise IdempotencyKeyInFlight(retry_after=1)
    if row.state == "withheld" or row.answer is None:
        raise IdempotencyKeyReplayWithheld(details={"status": row.status, "at": wire(row.finished_at)})
    return KeptAnswer(row.status, row.content_type, bytes(row.answer))


def lock(hold: Hold) -> None:
    """Begin the request's transaction: from here a crash, and nothing else, frees the hold.

    Whatever waits for a lock in it gives up after ``LOCK_WAIT``, with the conventions' ``lock-timeout``.
    """
    if not fetch(_LOCK, [f"{LOCK_WAIT // timedelta(milliseconds=1)}ms", hold.key_hash, hold.holder]):
        raise IdempotencyKeyInFlight(retry_after=1)


def keep(hold: Hold, response: HttpResponse, *, secret: bool, subject_id: UUID | None) -> None:
    """Write the answer beside the effect, in the same transaction; ``secret`` keeps only that it succeeded.

    A refusal is never kept, not even one that is answered rather than raised.
    """
    if response.status_code >= 400:
        _give_back(hold)
        return
    state = IDEMPOTENT_STATES[secret]
    answer = None if secret else response.content
    content_type = response.headers.get("Content-Type", "")
    execute(_KEEP, [state, response.status_code, content_type, answer, subject_id, hold.key_hash, hold.holder])


IDEMPOTENT_STATES = {False: "done", True: "withheld"}


def give_back(hold: Hold) -> None:
    """Let a retry run again, after a request that failed. A hold that can't be given back lapses."""
    try:
        _give_back(hold)
    except (OperationalError, InterfaceError):
        connection.close()


def _give_back(hold: Hold) -> None:
    execute(_GIVE_BACK, [hold.key_hash, hold.holder])


def forget(*, tenant_id: UUID, subject_ids: Iterable[UUID]) -> None:
    """Drop the kept answers that tell of ``subject_ids``: a retry learns only that they succeeded."""
    execute(_FORGET, [tenant_id, list(subject_ids)])


def sweep() -> int:
    """Delete up to ``SWEEP_BATCH`` keys past their 24 hours; how many it were."""
    return execute(_SWEEP, [SWEEP_BATCH])


def sweep_all(*, go_on: Callable[[], bool] = lambda: True) -> int:
    """Delete all keys past their 24 hours, batch by batch, for as long as ``go_on()``; how many it were."""
    total = 0
    while go_on() and (swept := sweep()):
        total += swept
    return total
