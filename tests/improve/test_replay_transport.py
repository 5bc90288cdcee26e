"""Whatever an endpoint does, a request ends in time, takes no more than it may, and says what was wrong."""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme
from standardwebhooks import Webhook, WebhookVerificationError

from improve.replaying import transport
from improve.replaying.asking import Answered, Failed, Refused
from improve.replaying.problems import Problem, sentence
from improve.replaying.signing import new_secret
from improve.replaying.transport import MAX_ANSWER
from tests.improve.answering import (
    GOOD,
    Asked,
    Behaviour,
    answer,
    answering,
    asked_once,
    drips,
    hangs,
    says,
)

# Seconds by which whoever hangs or drips for longer has been given up, on a busy machine too.
GIVEN_UP = 30
DEEP = b'{"output": ' + b"[" * 200 + b"]" * 200 + b', "calls": []}'
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def resets(connection: socket.socket, asked: Asked, number: int) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def closes(connection: socket.socket, asked: Asked, number: int) -> None:
    connection.close()


def lies_long(connection: socket.socket, asked: Asked, number: int) -> None:
    connection.sendall(answer(GOOD, length=100_000))


def lies_and_hangs(connection: socket.socket, asked: Asked, number: int) -> None:
    connection.sendall(answer(GOOD, length=100_000))
    hangs(connection, asked, number)


def endless_chunks(connection: socket.socket, asked: Asked, number: int) -> None:
    connection.sendall(CHUNKED)
    while True:
        connection.sendall(b"1000\r\n" + b" " * 0x1000 + b"\r\n")


def endless_headers(connection: socket.socket, asked: Asked, number: int) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X-More: " + b"x" * 1000 + b"\r\n")


def endless_information(connection: socket.socket, asked: Asked, number: int) -> None:
    while True:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        time.sleep(0.01)


def bomb(connection: socket.socket, asked: Asked, number: int) -> None:
    connection.sendall(answer(gzip.compress(b" " * 50_000_000), headers="Content-Encoding: gzip\r\n"))


HOSTILE: list[tuple[str, Behaviour, Failed]] = [
    ("hangs", hangs, Failed(Problem.TIMED_OUT, "1")),
    ("drips headers", drips(answer()), Failed(Problem.TIMED_OUT, "1")),
    ("drips the body", drips(CHUNKED + b"1\r\n \r\n" * 100, every=0.02), Failed(Problem.TIMED_OUT, "1")),
    ("informs for ever", endless_information, Failed(Problem.TIMED_OUT, "1")),
    ("lies and hangs", lies_and_hangs, Failed(Problem.TIMED_OUT, "1")),
    ("announces too much", lies_long, Failed(Problem.CUT_SHORT)),
    ("announces too little", says(length=10), Failed(Problem.NOT_JSON)),
    ("breaks a chunk", says(b"", status="200 OK\r\nTransfer-Encoding: chunked"), Failed(Problem.CUT_SHORT)),
    ("301", says(b"", status="301 Moved", headers="Location: /\r\n"), Failed(Problem.REDIRECTED, "301")),
    ("302", says(b"", status="302 Found", headers="Location: /\r\n"), Failed(Problem.REDIRECTED, "302")),
    ("307", says(b"", status="307 Temporary", headers="Location: /\r\n"), Failed(Problem.REDIRECTED, "307")),
    ("308 that hangs", says(b"", status="308 Permanent", length=99), Failed(Problem.REDIRECTED, "308")),
    ("401", says({"error": "no"}, status="401 Unauthorized"), Failed(Problem.STATUS_4XX, "401")),
    ("429", says(b"", status="429 Too Many", headers="Retry-After: 7\r\n"), Failed(Problem.TOO_MANY_REQUESTS, "429")),
    ("500", says(b"oh", status="500 Internal"), Failed(Problem.STATUS_5XX, "500")),
    ("101", says(b"", status="101 Switching", headers="Upgrade: x\r\n"), Failed(Problem.NOT_HTTP)),
    ("204", says(b"", status="204 No Content"), Failed(Problem.NOT_JSON)),
    ("HTML", says(b"<!doctype html><p>Welcome"), Failed(Problem.NOT_JSON)),
    ("10 MiB", says(b" " * 10 * 1024 * 1024), Failed(Problem.TOO_LARGE, str(MAX_ANSWER))),
    ("a byte too much", says(b" " * (MAX_ANSWER + 1)), Failed(Problem.TOO_LARGE, str(MAX_ANSWER))),
    ("endless chunks", endless_chunks, Failed(Problem.TOO_LARGE, str(MAX_ANSWER))),
    ("endless headers", endless_headers, Failed(Problem.NOT_HTTP)),
    ("a bomb", bomb, Failed(Problem.ENCODED, "gzip")),
    ("not HTTP", lambda connection, *_: connection.sendall(b"220 mail ready\r\n\r\n"), Failed(Problem.NOT_HTTP)),
    ("closes", closes, Failed(Problem.DISCONNECTED)),
    ("resets", resets, Failed(Problem.DISCONNECTED)),
    ("half of JSON", says(b'{"output": 1, "calls": ['), Failed(Problem.NOT_JSON)),
    ("NaN", says(b'{"output": NaN, "calls": []}'), Failed(Problem.NOT_JSON)),
    ("not UTF-8", says(b'{"output": "\xff", "calls": []}'), Failed(Problem.NOT_JSON)),
    ("a byte order mark", says(b'\xef\xbb\xbf{"output": 1, "calls": []}'), Failed(Problem.NOT_JSON)),
    ("deep", says(DEEP), Failed(Problem.TOO_DEEP, "128")),
    ("neither", says(b'{"calls": []}'), Failed(Problem.NO_OUTPUT)),
]


def bare(outcome: Any) -> Any:
    """Without what depends on the clock."""
    assert isinstance(outcome, Failed)
    return Failed(outcome.problem, outcome.detail)


@pytest.mark.parametrize(("behaviour", "expected"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_what_is_no_answer_is_a_problem_with_a_sentence(behaviour: Behaviour, expected: Failed):
    with answering(behaviour) as server:
        begun = time.monotonic()
        # Whoever answers at all does so in time, on a busy machine too.
        seconds = 1 if expected.problem == Problem.TIMED_OUT else 15
        assert bare(asked_once(server.url, seconds=seconds)) == expected
        assert time.monotonic() - begun < GIVEN_UP
    said = sentence(expected.problem, expected.detail)
    assert said.endswith(".") and expected.detail in said and "%" not in said


@pytest.mark.parametrize(
    ("said", "where"),
    [
        (b"[]", "Expected `object`"),
        (b'{"output": 1}', "calls"),
        (b'{"output": 1, "calls": {}}', "/calls"),
        (b'{"output": 1, "calls": [{"tool": "a"}]}', "/calls/0"),
        (b'{"output": 1, "calls": [{"tool": "a", "args": []}]}', "/calls/0/args"),
        (b'{"output": 1, "calls": [{"tool": "a", "args": {}, "more": 1}]}', "/calls/0"),
        (b'{"output": 1, "calls": [{"tool": "", "args": {}}]}', "/calls/0/tool"),
        (b'{"output": 1, "calls": [{"tool": "a\\u0000", "args": {}}]}', "/calls/0/tool"),
    ],
)
def test_an_answer_of_another_shape_is_named(said: bytes, where: str):
    with answering(says(said)) as server:
        outcome = asked_once(server.url)
    assert isinstance(outcome, Failed) and outcome.problem == Problem.WRONG_SHAPE, outcome
    assert where in outcome.detail and where in sentence(outcome.problem, outcome.detail)


WORD = "Rosalind.Franklin"
FULL_OF_WORDS = [
    says(b'{"output": 1, "calls": [{"tool": "a", "args": {}, "Rosalind.Franklin": 1}]}'),
    says(b'{"output": 1, "calls": [{"tool": "a", "args": {}, "x: Expected `Rosalind.Franklin`": 1}]}'),
    says(b'{"output": 1, "calls": [{"tool": "a", "args": "Rosalind.Franklin"}]}'),
    says(b'{"output": 1, "calls": [{"tool": "Rosalind.Franklin\\u0000", "args": {}}]}'),
    says(b'{"output": 1, "calls": [{"tool": "a", "args": {}, "refused": "Rosalind.Franklin"}]}'),
    says(b'{"output": 1, "calls": {"Rosalind.Franklin": 1}}'),
    says(b'{"Rosalind.Franklin": 1}'),
    says(b'["Rosalind.Franklin"]'),
    says(b"Rosalind.Franklin"),
    says(b"", headers="Content-Encoding: Rosalind.Franklin\r\n"),
    says(b"", status="302 Rosalind.Franklin", headers="Location: https://Rosalind.Franklin/\r\n"),
    says(b"Rosalind.Franklin", status="500 Rosalind.Franklin", headers="Retry-After: Rosalind.Franklin\r\n"),
    says(b"Rosalind.Franklin", status="404 Rosalind.Franklin"),
    says(b"Rosalind.Franklin", status="Rosalind.Franklin"),
]


@pytest.mark.parametrize("behaviour", FULL_OF_WORDS)
def test_no_word_of_an_answer_is_in_what_is_told_of_a_failure(behaviour: Behaviour):
    """It is kept with the job, which no erasure of a run's words changes."""
    with answering(behaviour) as server:
        outcome = asked_once(server.url)
    assert isinstance(outcome, Failed) and WORD.lower() not in repr(outcome).lower()
    assert WORD.lower() not in sentence(outcome.problem, outcome.detail).lower()


def test_an_answer_is_kept_to_the_byte():
    output, calls = b'{ "b": 1.0,"a":"\\ud800 \\u00e9" }', b'[ {"tool":"t","args":{ "x" : 1e2 }} ]'
    with answering(says(b'{"calls": %b, "output": %b, "debug": 1}' % (calls, output))) as server:
        outcome = asked_once(server.url)
    assert isinstance(outcome, Answered) and (outcome.output, outcome.calls) == (output, calls)


def test_an_answer_of_the_most_bytes_is_taken():
    said = b'{"output": "%b", "calls": []}'
    with answering(says(said % (b"x" * (MAX_ANSWER - len(said) + 2)))) as server:
        assert isinstance(asked_once(server.url), Answered)


@pytest.mark.parametrize("output", [b"", b'"output": null, '])
def test_a_call_that_was_refused_without_an_output_is_a_refusal(output: bytes):
    calls = b'[{"tool": "a", "args": {}}, {"tool": "b", "args": {}, "refused": true}]'
    with answering(says(b'{%b"calls": %b}' % (output, calls))) as server:
        outcome = asked_once(server.url)
    assert isinstance(outcome, Refused) and outcome.calls == calls


def test_an_output_beside_a_refused_call_is_an_answer():
    with answering(says({"output": "Sorry.", "calls": [{"tool": "b", "args": {}, "refused": True}]})) as server:
        assert isinstance(asked_once(server.url), Answered)


def test_an_output_of_null_is_an_answer_where_nothing_was_refused():
    with answering(says({"output": None, "calls": []})) as server:
        assert isinstance(asked_once(server.url), Answered)


def test_a_redirect_is_not_followed():
    with answering(says()) as elsewhere:
        headers = f"Location: {elsewhere.url}\r\n"
        for status in ("301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"):
            with answering(says(b"", status=status, headers=headers)) as server:
                assert bare(asked_once(server.url)).problem == Problem.REDIRECTED
        assert elsewhere.asked == []


def test_a_port_where_nobody_listens_is_unreachable():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    outcome = bare(asked_once(f"http://127.0.0.1:{port}/"))
    assert outcome == Failed(Problem.UNREACHABLE, f"127.0.0.1:{port}")


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch):
    with answering(says(b"", status="500 Proxy")) as proxy, answering(says()) as server:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert isinstance(asked_once(server.url), Answered)
        assert proxy.asked == [] and len(server.asked) == 1


def test_each_secret_signs_and_the_library_verifies():
    old, new, other = new_secret(), new_secret(), new_secret()
    with answering(says()) as server:
        asked_once(server.url, keys=(new, old))
    (asked,) = server.asked
    for secret in (old, new):
        Webhook(secret).verify(asked.body, asked.headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(other).verify(asked.body, asked.headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(new).verify(asked.body + b" ", asked.headers)
    assert asked.headers["webhook-id"] == "message-1"
    assert len(asked.headers["webhook-signature"].split()) == 2


def test_a_request_asks_for_what_is_taken():
    with answering(says()) as server:
        asked_once(server.url + "/a%20b?c=d")
    (asked,) = server.asked
    assert asked.head.startswith("POST /replay/a%20b?c=d HTTP/1.1")
    headers = asked.headers
    assert headers["host"] == f"127.0.0.1:{server.port}"
    assert (headers["accept-encoding"], headers["content-type"]) == ("identity", "application/json")
    assert "cookie" not in headers and json.loads(asked.body) == {"input": {"message": "Where?"}}


@pytest.fixture
def authority(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[trustme.CA]:
    """One that is trusted for this test."""
    made = trustme.CA()
    made.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    context = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
    monkeypatch.setattr(transport, "_tls", lambda: context)
    yield made


def encrypted(certificate: trustme.LeafCert) -> Any:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return lambda connection: context.wrap_socket(connection, server_side=True)


def local(host: str, port: int) -> list[str]:
    return ["127.0.0.1"]


def test_tls_is_verified_for_the_name_and_goes_to_the_address(authority: trustme.CA):
    wrap = encrypted(authority.issue_cert("agents.example.com"))
    with answering(says(), wrap=wrap) as server:
        url = f"https://agents.example.com:{server.port}/"
        assert isinstance(asked_once(url, resolver=local), Answered)
        assert server.asked[0].headers["host"] == f"agents.example.com:{server.port}"
        wrong = bare(asked_once(f"https://others.example.com:{server.port}/", resolver=local))
        assert wrong == Failed(Problem.CERTIFICATE, f"others.example.com:{server.port}")
    assert len(server.asked) == 1


def test_a_certificate_of_nobody_whom_one_trusts_is_refused(authority: trustme.CA):
    wrap = encrypted(trustme.CA().issue_cert("agents.example.com"))
    with answering(says(), wrap=wrap) as server:
        outcome = bare(asked_once(f"https://agents.example.com:{server.port}/", resolver=local))
    assert outcome.problem == Problem.CERTIFICATE and server.asked == []


def test_a_server_that_speaks_no_tls_is_a_problem_of_its_own():
    def speaks_first(connection: socket.socket) -> socket.socket:
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        return connection

    with answering(says(), wrap=speaks_first) as server:
        outcome = bare(asked_once(f"https://agents.example.com:{server.port}/", resolver=local))
    assert outcome == Failed(Problem.TLS, f"agents.example.com:{server.port}")


def test_a_handshake_that_never_ends_is_bounded():
    listening = socket.create_server(("127.0.0.1", 0))
    with listening:
        begun = time.monotonic()
        outcome = bare(asked_once(f"https://127.0.0.1:{listening.getsockname()[1]}/", seconds=1))
        assert outcome == Failed(Problem.TIMED_OUT, "1") and time.monotonic() - begun < GIVEN_UP
