"""Signing requests as Standard Webhooks has it (https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from standardwebhooks import Webhook

# How long the secret before signs too, once there is a new one.
OVERLAP = timedelta(hours=24)
_PREFIX = "whsec_"
_BYTES = 32


def new_secret() -> str:
    """A fresh signing secret, as the libraries of Standard Webhooks take it."""
    return _PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode()


def signed_headers(body: bytes, *, message_id: str, keys: Sequence[str]) -> dict[str, str]:
    """The three headers of a request: a signature by each secret in ``keys``, any of which is good.

    ``message_id`` stays the same when a request is sent again, so that whoever got it before can tell.
    """
    at = datetime.now(UTC)
    signatures = [Webhook(key).sign(message_id, at, body.decode()) for key in keys]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
