"""Signing secrets as they are stored: encrypted by keys that come from the deployment's own (contract, section 7).

Whoever reads the database, or a copy of it, signs nothing. ``SECRET_KEY`` encrypts; it and
``SECRET_KEY_FALLBACKS`` decrypt, so that it can be changed.
"""

from __future__ import annotations

import base64
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

_FOR = b"kindgi replay endpoints"


class SecretUnreadable(Exception):
    """None of the deployment's keys has encrypted it."""


def encrypt(secret: str) -> bytes:
    """The stored form of a secret."""
    return _fernet().encrypt(secret.encode())


def decrypt(stored: bytes | memoryview) -> str:
    """The secret of a stored form; raises :class:`SecretUnreadable`."""
    try:
        return _fernet().decrypt(bytes(stored)).decode()
    except InvalidToken:
        raise SecretUnreadable from None


def _fernet() -> MultiFernet:
    return _made((settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS))


@lru_cache(maxsize=4)
def _made(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(_derived(key)) for key in keys])


def _derived(key: str) -> bytes:
    """A key of this purpose alone: who has it knows nothing of the one that it comes from."""
    return base64.urlsafe_b64encode(HKDF(algorithm=SHA256(), length=32, salt=None, info=_FOR).derive(key.encode()))
