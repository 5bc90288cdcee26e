"""The database's constraints decide races; here a broken one becomes the refusal that it means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import psycopg
from django.db import IntegrityError, connection, transaction

from kindgi.api.errors import ApiError, LockTimeout


@contextmanager
def refusing(refusals: Mapping[str, ApiError]) -> Iterator[None]:
    """Run the block in a savepoint; a constraint that it breaks raises what ``refusals`` has under its name.

    Foreign keys are checked before this returns, not at the transaction's end where nobody could
    answer for them: what the block refers to is locked from then on, and when it was deleted at
    the same moment this raises :class:`LockTimeout`, so that a retry finds it gone.
    """
    try:
        with transaction.atomic():
            yield
            connection.check_constraints()
    except IntegrityError as broken:
        cause = broken.__cause__
        refusal = refusals.get(cause.diag.constraint_name or "") if isinstance(cause, psycopg.Error) else None
        if refusal is None and isinstance(cause, psycopg.errors.ForeignKeyViolation):
            refusal = LockTimeout(retry_after=1)
        if refusal is None:
            raise
        raise refusal from None
