"""A request goes to public addresses alone, and to those that the deployment allows, whatever a name says."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from threading import Event
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.replaying.addresses import (
    AddressRefused,
    HostUnknown,
    check,
    is_public,
    plain,
    resolve,
    system_resolver,
)
from improve.replaying.asking import Answered, Failed
from improve.replaying.problems import Problem
from improve.replaying.transport import place_of
from improve.services.endpoints import check_url
from kindgi.api.errors import BadInput
from tests.improve.answering import LOCAL, answering, asked_once, says

# Of every special range of IANA's registries: its first address, its last one, or one that is known.
_SPECIAL = """
0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255 169.254.0.1
169.254.169.254 172.16.0.0 172.31.255.255 192.0.0.1 192.0.0.8 192.0.0.170 192.0.2.1 192.88.99.1 192.168.0.0
192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1
255.255.255.255 :: ::1 ::2 ::7f00:1 ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:10.0.0.1 ::ffff:0:7f00:1
64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::10.0.0.1 64:ff9b:1::1 64:ff9b:1::8.8.8.8 100::1 100:0:0:1::1 200::1
2001::1 2001:0:7f00:1:: 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a9fe:a9fe::
2002:0808:0808:: 3fff::1 4000::1 5f00::1 fc00::1 fd00:ec2::254 fdff:ffff::1 fe80::1 fe80::1%1 fe80::a9fe:a9fe
febf::1 fec0::1 ff02::1 ff0e::1
"""
SPECIAL = _SPECIAL.split()
_PUBLIC = """
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255
169.255.0.0 172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255
::ffff:8.8.8.8 64:ff9b::8.8.8.8 2001:4860:4860::8888 2606:4700:4700::1111 2a00:1450:4001::1
"""
PUBLIC = _PUBLIC.split()


def refused(text: str, *, encrypted: bool = True, allowed: Any = ()) -> bool:
    try:
        check([ip_address(text)], encrypted=encrypted, allowed=allowed)
    except AddressRefused as problem:
        assert problem.address == str(ip_address(text))
        return True
    return False


@pytest.mark.parametrize("text", SPECIAL)
def test_a_special_address_is_refused(text: str):
    assert not is_public(ip_address(text)) and refused(text) and refused(text, encrypted=False)


@pytest.mark.parametrize("text", PUBLIC)
def test_a_public_address_is_asked_over_https_alone(text: str):
    assert is_public(ip_address(text)) and not refused(text) and refused(text, encrypted=False)


@pytest.mark.parametrize("others", [["8.8.8.8"], ["8.8.8.8", "2606:4700::1"]])
@pytest.mark.parametrize("text", SPECIAL)
def test_one_refused_address_among_good_ones_is_enough(text: str, others: list[str]):
    for addresses in ([text, *others], [*others, text]):
        with pytest.raises(AddressRefused):
            check([ip_address(one) for one in addresses], encrypted=True, allowed=())


@given(st.ip_addresses(v=4))
def test_what_hides_an_address_of_ipv4_is_as_public_as_that(address: IPv4Address):
    mapped, nat64 = (IPv6Address(int(IPv6Address(prefix)) + int(address)) for prefix in ("::ffff:0:0", "64:ff9b::"))
    assert is_public(mapped) == is_public(nat64) == is_public(address)
    assert not is_public(IPv6Address(int(address)))
    assert not is_public(IPv6Address((0x2002 << 112) | (int(address) << 80)))


@given(st.ip_addresses())
def test_no_address_is_public_that_the_library_says_is_not(address: IPv4Address | IPv6Address):
    hidden = isinstance(address, IPv6Address) and (address.ipv4_mapped or address in ip_network("64:ff9b::/96"))
    if is_public(address) and not hidden:
        assert address.is_global and not address.is_multicast and not address.is_reserved


@given(st.ip_addresses(network="10.0.0.0/8") | st.ip_addresses(network="fd00:1::/32"))
def test_the_deployment_s_own_networks_are_asked_over_http_too(address: IPv4Address | IPv6Address):
    allowed = (ip_network("10.0.0.0/8"), ip_network("fd00:1::/32"))
    assert not refused(str(address), allowed=allowed) and not refused(str(address), allowed=allowed, encrypted=False)


@pytest.mark.parametrize("text", ["9.255.255.255", "11.0.0.0", "127.0.0.1", "fd00:2::1", "::1"])
def test_what_lies_beside_them_is_not(text: str):
    assert refused(text, allowed=(ip_network("10.0.0.0/8"), ip_network("fd00:1::/32")), encrypted=False)


def test_an_address_in_disguise_is_what_it_is_for_the_deployment_too():
    assert plain(ip_address("::ffff:10.1.2.3")) == ip_address("10.1.2.3")
    (address,) = resolve("x", 80, seconds=1, resolver=lambda host, port: ["::ffff:10.1.2.3"])
    check([address], encrypted=False, allowed=(ip_network("10.0.0.0/8"),))


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "017700000001", "127.1", "0177.0.0.1", "0", "localhost"])
def test_any_spelling_of_this_machine_is_refused(host: str):
    outcome = asked_once(f"https://{host}:1/", allowed=())
    assert isinstance(outcome, Failed) and outcome.problem == Problem.NOT_ALLOWED_ADDRESS, outcome


def test_a_name_that_says_the_cloud_s_own_address_is_refused():
    outcome = asked_once("https://agents.example.com/", resolver=lambda host, port: ["169.254.169.254"])
    assert isinstance(outcome, Failed)
    assert (outcome.problem, outcome.detail) == (Problem.NOT_ALLOWED_ADDRESS, "169.254.169.254")


def test_http_to_a_public_address_is_refused_as_unencrypted():
    outcome = asked_once("http://agents.example.com/", resolver=lambda host, port: ["8.8.8.8"])
    assert isinstance(outcome, Failed) and (outcome.problem, outcome.detail) == (Problem.NOT_ENCRYPTED, "8.8.8.8")


def test_a_name_is_resolved_once_and_what_it_says_later_is_of_no_use(monkeypatch: pytest.MonkeyPatch):
    """What is known as DNS rebinding: a good address for the check, another for the connection."""
    said = [["127.0.0.1"], ["169.254.169.254"]]
    resolved: list[str] = []
    looked_up: list[Any] = []
    real = socket.getaddrinfo

    def rebinding(host: str, port: int) -> list[str]:
        resolved.append(host)
        return said[min(len(resolved), len(said)) - 1]

    def noted(host: Any, *arguments: Any, **options: Any) -> Any:
        looked_up.append(host)
        return real(host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", noted)
    with answering(says()) as server:
        url = f"http://agents.example.com:{server.port}/"
        assert isinstance(asked_once(url, resolver=rebinding), Answered)
        assert server.asked[0].headers["host"] == f"agents.example.com:{server.port}"
    assert resolved == ["agents.example.com"]
    assert set(looked_up) == {"127.0.0.1"}  # the address that was checked, and no name


def test_where_one_address_does_not_answer_the_next_is_tried():
    with answering(says()) as server:
        url = f"http://agents.example.com:{server.port}/"
        outcome = asked_once(url, resolver=lambda host, port: ["127.0.0.2", "::1", "127.0.0.1"])
    assert isinstance(outcome, Answered)


def test_an_unknown_host_is_said():
    def unknown(host: str, port: int) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "no")

    outcome = asked_once("https://nowhere.example.com/", resolver=unknown)
    assert isinstance(outcome, Failed)
    assert (outcome.problem, outcome.detail) == (Problem.UNKNOWN_HOST, "nowhere.example.com")
    with pytest.raises(HostUnknown):
        resolve("a" * 70 + ".example.com", 443, seconds=5, resolver=system_resolver)


def test_a_resolver_that_hangs_is_bounded():
    is_over = Event()

    def hangs(host: str, port: int) -> list[str]:
        is_over.wait(120)
        return []

    outcome = asked_once("https://agents.example.com/", seconds=0.3, resolver=hangs)
    assert isinstance(outcome, Failed) and outcome.problem == Problem.TIMED_OUT and not is_over.is_set()
    is_over.set()


@pytest.mark.parametrize(
    "url",
    [
        "", "agents.example.com", "//agents.example.com/", "ftp://agents.example.com/", "file:///etc/passwd",
        "https://", "https:///path", "https://user@agents.example.com/", "https://user:pass@agents.example.com/",
        "https://@agents.example.com/", "https://agents.example.com/#part", "https://agents.example.com:0/",
        "https://agents.example.com:65536/", "https://agents.example.com:x/", "https://agents.example.com/a b",
        "https://agents.example.com/é", "https://[::1/", "https://[fe80::1%25eth0]/",
        "https://a..example.com/", "https://a b.example.com/",
        "https://agents.example.com\\@evil.example.com/", "https://a%62c/", "gopher://agents.example.com/",
        "https://agents.example.com/\r\nX: y", "https://agents.example.com/\x7f", "https://agents\t.example.com/",
    ],
)  # fmt: skip
def test_no_request_can_be_sent_there(url: str):
    with pytest.raises(ValueError):
        place_of(url)


@pytest.mark.parametrize(
    "host",
    [
        "bücher.example",
        "ß.com",
        "a\u200db.com",
        "a\u200cb.com",
        "ς.example",
        "\uff41.example",
        "a\u3002example",
        "\uff11.1.1.1",
        "\u0131.com",
    ],
)
def test_a_host_that_is_not_ascii_is_refused_and_never_taken_for_another(host: str):
    """By the rules of 2003, of 2008 and of browsers, ``ß.com`` is two different names."""
    with pytest.raises(ValueError):
        place_of(f"https://{host}/")
    with pytest.raises(BadInput, match="/url: "):
        check_url(f"https://{host}/")


def test_who_writes_a_host_in_other_letters_reads_how_to_write_it():
    with pytest.raises(BadInput, match="xn--bcher-kva"):
        check_url("https://bücher.example/")


@pytest.mark.parametrize(
    "host", ["[v1.a]", "[vF.::1]", "[a]", "[127.0.0.1]", "[]", "[1]", "a[::1]", "[::1]a", "[::1%25a]"]
)
def test_brackets_hold_an_address_of_ipv6_and_nothing_else(host: str):
    for scheme in ("https", "http"):
        with pytest.raises(ValueError):
            place_of(f"{scheme}://{host}/")


@pytest.mark.parametrize(
    ("url", "host", "port", "target", "header"),
    [
        ("https://agents.example.com", "agents.example.com", 443, "/", "agents.example.com"),
        ("HTTPS://Agents.Example.com:443/a?b=c", "agents.example.com", 443, "/a?b=c", "agents.example.com"),
        ("http://10.0.0.1:8080/a", "10.0.0.1", 8080, "/a", "10.0.0.1:8080"),
        ("https://[2606:4700::1]:8443/?q", "2606:4700::1", 8443, "/?q", "[2606:4700::1]:8443"),
        ("https://xn--bcher-kva.example/", "xn--bcher-kva.example", 443, "/", "xn--bcher-kva.example"),
    ],
)
def test_an_address_is_taken_apart(url: str, host: str, port: int, target: str, header: str):
    assert place_of(url)[1:] == (host, port, target, header)


def test_tests_may_ask_this_machine():
    assert not refused("127.0.0.1", encrypted=False, allowed=LOCAL) and refused("10.0.0.1", allowed=LOCAL)
