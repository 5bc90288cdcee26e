"""Which addresses may be asked: public ones, and those that the deployment allows (contract, section 7).

Whoever sets an endpoint's address chooses what this server connects to, from inside the network
that it stands in. So a host is resolved once, every address that it has is checked, and the
connection goes to one of just these (:mod:`improve.replaying.transport`): a name that says
something else a moment later is of no use.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from queue import Empty, SimpleQueue
from threading import Thread

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Resolver = Callable[[str, int], Sequence[str]]

# What is public of IPv6 lies in here, but for what stands for an address of IPv4.
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
# In neither the standard library's lists, in all versions that we run on, nor anybody's public network.
_NOT_PUBLIC: tuple[Network, ...] = tuple(
    map(
        ip_network,
        (
            "192.0.0.0/24",  # protocol assignments
            "192.88.99.0/24",  # relays of 6to4
            "2001::/23",  # protocol assignments; Teredo among them
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4, which any address of IPv4 can hide in
            "3fff::/20",  # documentation
        ),
    )
)


class HostUnknown(Exception):
    """The resolver has no address for the host."""


class AddressRefused(Exception):
    """One of the host's addresses, ``address``, may not be asked."""

    def __init__(self, address: str, *, encrypted: bool) -> None:
        """``encrypted`` says whether it was to be asked over https."""
        super().__init__(address)
        self.address, self.encrypted = address, encrypted


def system_resolver(host: str, port: int) -> list[str]:
    """What the system says; raises ``OSError`` or ``UnicodeError``."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


def resolve(host: str, port: int, *, seconds: float, resolver: Resolver = system_resolver) -> list[Address]:
    """All addresses of ``host``, asked for once; raises :class:`HostUnknown`, ``TimeoutError`` after ``seconds``.

    In a thread, since nothing else bounds how long a resolver takes. One with a scope
    (``fe80::1%eth0``) is an address of no network but this machine's, and stays as it is.
    """
    outcome: SimpleQueue[Sequence[str] | None] = SimpleQueue()

    def look_up() -> None:
        try:
            outcome.put(resolver(host, port))
        except (OSError, UnicodeError):
            outcome.put(None)

    Thread(target=look_up, name="resolve", daemon=True).start()
    try:
        found = outcome.get(timeout=max(0.0, seconds))
    except Empty:
        raise TimeoutError from None
    if not found:
        raise HostUnknown(host)
    return [plain(ip_address(text)) for text in found]


def plain(address: Address) -> Address:
    """The address of IPv4 that ``::ffff:a.b.c.d`` is, else what it is."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return address if mapped is None else mapped


def check(addresses: Sequence[Address], *, encrypted: bool, allowed: Sequence[Network]) -> None:
    """Raise :class:`AddressRefused` if any of them may not be asked.

    Over https that is whatever isn't public, over http everything, but for what lies in ``allowed``.
    """
    for address in addresses:
        if not (is_allowed(address, allowed) or (encrypted and is_public(address))):
            raise AddressRefused(str(address), encrypted=encrypted or not is_public(address))


def is_allowed(address: Address, allowed: Sequence[Network]) -> bool:
    """Whether it lies in one of the deployment's own networks."""
    return any(address.version == network.version and address in network for network in allowed)


def is_public(address: Address) -> bool:
    """Whether it is an address of the public internet, as is what it stands for."""
    address = plain(address)
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return False
        if address in _NAT64:
            return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
        if address not in _GLOBAL_UNICAST:
            return False
    special = address.is_multicast or address.is_reserved or address.is_private or not address.is_global
    return not (special or is_allowed(address, _NOT_PUBLIC))
