"""Redis as a broker, but for a fault of kombu's: its workers ended when Redis went away while they worked."""

from __future__ import annotations

from typing import Any

from kombu.transport import redis
from redis.exceptions import ConnectionError as LostError


class Channel(redis.Channel):
    """Says of a lost connection that it is lost, which a worker survives; kombu's own breaks by ``AttributeError``.

    A worker gives back or acknowledges what it has worked on by the channel that brought it, which by
    then has no connection any more.
    """

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:
        if self.connection is None or self.connection.client is None:
            raise LostError("the connection that brought it is lost")
        parameters: dict[str, Any] = super()._connparams(asynchronous)  # type: ignore[misc]
        return parameters


class Transport(redis.Transport):
    """kombu's own, with our channel."""

    Channel = Channel
