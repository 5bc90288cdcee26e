"""One POST to an address that was checked, within one deadline, of a bounded answer (contract, section 7).

``httpcore`` speaks HTTP; what connects is ours. It connects to the addresses that were checked and to
nothing else, whatever the host's name would say by then; the name is what TLS verifies. Nothing
is read from the environment (no proxies), no redirect is followed, no cookie is kept, and a
connection serves one request.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv6Address
from time import monotonic
from typing import NamedTuple
from urllib.parse import urlsplit

import certifi
import httpcore

from improve.replaying.addresses import Address, Network, Resolver, check, resolve, system_resolver

# As much as a run may have (kindgi.runs.content), and what one answer of an agent should need, twice over.
MAX_ANSWER = 1024 * 1024
_PORTS = {"https": 443, "http": 80}
# What parsers of URLs drop, or take one for another.
_UNSENDABLE = re.compile(r"[\x00-\x20\x7f\\]")
_NAME = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?")
_BRACKETED = re.compile(r"\[[0-9A-Fa-f:.]+\](:[0-9]*)?")


@dataclass(frozen=True, slots=True)
class Limits:
    """``seconds`` for one request from its beginning to the end of its answer; ``allowed`` networks of our own."""

    seconds: float
    allowed: tuple[Network, ...] = ()
    most: int = MAX_ANSWER


class Place(NamedTuple):
    """An endpoint's address, taken apart. ``target`` is the path with the query."""

    encrypted: bool
    host: str
    port: int
    target: str
    host_header: str


class Received(NamedTuple):
    """What came back: no more of ``body`` than may be, and one byte past that where there was more."""

    status: int
    headers: dict[str, str]
    body: bytes


class HostNotAscii(ValueError):
    """A host with other letters: rules differ about which name in the DNS is meant by them."""


class CutShort(Exception):
    """The body ended before its announced length, or broke off."""


def place_of(url: str) -> Place:
    """Where ``url`` is; raises ``ValueError`` for what no request can be sent to."""
    parts = urlsplit(url)
    if _UNSENDABLE.search(url) or parts.scheme not in _PORTS or "@" in parts.netloc or parts.fragment:
        raise ValueError(url)
    host = _host(parts.hostname or "", bracketed="[" in parts.netloc or "]" in parts.netloc)
    if ":" in host and not _BRACKETED.fullmatch(parts.netloc):
        raise ValueError(url)
    port = _PORTS[parts.scheme] if parts.port is None else parts.port
    if port == 0 or not (parts.path + parts.query).isascii():
        raise ValueError(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    shown = f"[{host}]" if ":" in host else host
    header = shown if port == _PORTS[parts.scheme] else f"{shown}:{port}"
    return Place(parts.scheme == "https", host, port, target, header)


def _host(name: str, *, bracketed: bool) -> str:
    """A host's name in ASCII, or an address; raises ``ValueError``, of which :class:`HostNotAscii` is one."""
    if bracketed or ":" in name:
        if IPv6Address(name).scope_id is not None:
            raise ValueError(name)
    elif not name.isascii():
        raise HostNotAscii(name)
    elif not _NAME.fullmatch(name) or any(not 0 < len(label) < 64 for label in name.removesuffix(".").split(".")):
        raise ValueError(name)
    return name


def post(
    place: Place, *, body: bytes, headers: dict[str, str], limits: Limits, resolver: Resolver = system_resolver
) -> Received:
    """Send ``body`` and read the answer. Nothing of the answer is believed yet.

    Raises what :mod:`improve.replaying.addresses` raises, ``TimeoutError``, :class:`CutShort`, and
    ``httpcore``'s own errors.
    """
    deadline = monotonic() + limits.seconds
    addresses = resolve(place.host, place.port, seconds=limits.seconds, resolver=resolver)
    check(addresses, encrypted=place.encrypted, allowed=limits.allowed)
    try:
        return _exchange(place, addresses, _request(place, body, headers), deadline, limits.most)
    except httpcore.TimeoutException:
        raise TimeoutError from None


def _request(place: Place, body: bytes, headers: dict[str, str]) -> httpcore.Request:
    sent = {
        "host": place.host_header,
        "content-type": "application/json",
        "content-length": str(len(body)),
        "accept": "application/json",
        "accept-encoding": "identity",
        "connection": "close",
        "user-agent": "Kindgi-Replay/1",
        **headers,
    }
    scheme = "https" if place.encrypted else "http"
    url = httpcore.URL(scheme=scheme, host=place.host, port=place.port, target=place.target)
    return httpcore.Request("POST", url, headers=list(sent.items()), content=body)


def _exchange(
    place: Place, addresses: Sequence[Address], request: httpcore.Request, deadline: float, most: int
) -> Received:
    connection = httpcore.HTTPConnection(
        request.url.origin, ssl_context=_tls() if place.encrypted else None, network_backend=_To(addresses, deadline)
    )
    with connection:
        response = connection.handle_request(request)
        try:
            headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
            return Received(response.status, headers, _read(response, most))
        finally:
            response.close()


def _read(response: httpcore.Response, most: int) -> bytes:
    """The body, or its first ``most + 1`` bytes; nothing of what no answer can be in."""
    body = bytearray()
    if not 200 <= response.status <= 299:
        return b""
    try:
        for piece in response.iter_stream():
            body += piece
            if len(body) > most:
                break
    except (httpcore.RemoteProtocolError, httpcore.ReadError):
        raise CutShort from None
    return bytes(body[: most + 1])


@cache
def _tls() -> ssl.SSLContext:
    """Trusts whom the system trusts (``SSL_CERT_FILE``, ``SSL_CERT_DIR``), and the usual authorities."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def _left(deadline: float) -> float:
    left = deadline - monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout
    return left


class _To(httpcore.NetworkBackend):
    """Connects to one of the addresses, in their order, whatever host is named; nothing outlasts the deadline."""

    def __init__(self, addresses: Sequence[Address], deadline: float) -> None:
        """``deadline`` by the monotonic clock."""
        self._addresses, self._deadline = addresses, deadline
        self._backend = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """The first connection that can be made; one that hangs leaves time for those after it."""
        *before, last = self._addresses
        for number, address in enumerate(before):
            share = _left(self._deadline) / (len(self._addresses) - number)
            try:
                return self._connected(address, port, share)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return self._connected(last, port, _left(self._deadline))

    def _connected(self, address: Address, port: int, seconds: float) -> httpcore.NetworkStream:
        return _Bounded(self._backend.connect_tcp(str(address), port, timeout=seconds), self._deadline)


class _Bounded(httpcore.NetworkStream):
    """A stream whose every operation has what is left of the time, however little at a time comes."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: float) -> None:
        """Wrap ``stream``."""
        self._stream, self._deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Some bytes."""
        return self._stream.read(max_bytes, timeout=_left(self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """All of ``buffer``, in pieces, so that one that is taken slowly is bounded, too."""
        for begin in range(0, len(buffer), 65_536):
            self._stream.write(buffer[begin : begin + 65_536], timeout=_left(self._deadline))

    def close(self) -> None:
        """Close it."""
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """The stream, encrypted, with the certificate verified for the host's name."""
        secure = self._stream.start_tls(ssl_context, server_hostname, timeout=_left(self._deadline))
        return _Bounded(secure, self._deadline)

    def get_extra_info(self, info: str) -> object:
        """What the stream says of itself."""
        return self._stream.get_extra_info(info)
