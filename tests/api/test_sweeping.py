"""The command that deletes keys past their 24 hours."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import call_command

from kindgi.api import idempotency
from kindgi.api.models import IdempotencyKey
from kindgi.api.times import now


@pytest.mark.django_db
def test_the_command_deletes_every_key_that_is_past_its_time_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idempotency, "SWEEP_BATCH", 2)
    for number in range(7):
        key = idempotency.key_hash(tenant_id=uuid4(), caller="user:x", method="POST", path="/v1/x", key=str(number))
        idempotency.take(key_hash=key, tenant_id=uuid4(), body=b"{}")
    old = IdempotencyKey.objects.values_list("pk", flat=True)[:5]
    IdempotencyKey.objects.filter(pk__in=list(old)).update(expires_at=now() - timedelta(seconds=1))
    out = StringIO()
    call_command("sweep_idempotency_keys", stdout=out)
    assert out.getvalue() == "5 deleted.\n"
    assert IdempotencyKey.objects.count() == 2
