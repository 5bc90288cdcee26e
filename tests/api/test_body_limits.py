"""A body over 2 MiB is refused before it is read whole, whatever is said of its length (contract, section 2)."""

import io
import select
import socket
import time
from contextlib import closing, suppress
from urllib.parse import urlsplit

import pytest
from django.test import Client

from kindgi.api.bodies import MAX_BYTES

pytestmark = [pytest.mark.urls("tests.api.probes"), pytest.mark.django_db]

JSON = "application/json"
SLACK = 8 * MAX_BYTES  # what the system's and the server's own buffers take in before anyone is asked


class Stream(io.RawIOBase):
    """A body of zeros without an end that counts what is read of it."""

    def __init__(self, holds: int | None = None):
        self.holds, self.taken = holds, 0

    def read(self, size=-1):
        assert size > 0, "Nobody may ask for all there is."
        size = size if self.holds is None else min(size, self.holds - self.taken)
        self.taken += size
        return b" " * size


@pytest.fixture
def post():
    """POST a stream, with the headers as a server would have them."""

    def post(stream, path="/v1/probes/public", **environment):
        environment = {
            "CONTENT_TYPE": JSON,
            "wsgi.input": stream,
            "PATH_INFO": path,
            "REQUEST_METHOD": "POST",
            **environment,
        }
        return Client(raise_request_exception=False).request(**environment)

    return post


def code(response):
    return response.status_code, response.json()["error"]["code"]


@pytest.mark.parametrize("declared", [str(MAX_BYTES + 1), "1" + "0" * 12, "1" + "0" * 17, "1" + "0" * 18, "9" * 5000])
def test_a_declared_length_over_the_limit_is_refused_unread(post, declared):
    stream = Stream()
    response = post(stream, CONTENT_LENGTH=declared)
    assert code(response) == (413, "request-too-large")
    assert response.json()["error"]["details"] == {"maxBytes": MAX_BYTES}
    assert stream.taken == 0


@pytest.mark.parametrize("declared", ["-1", "1e3", "0x10", " ", "1.5", "٣", "²", "+5"])
def test_a_declared_length_that_is_no_number_is_bad_input(post, declared):
    assert code(post(Stream(), CONTENT_LENGTH=declared)) == (400, "bad-input")


def test_no_more_than_the_declared_length_is_read(post):
    stream = Stream()
    assert code(post(stream, CONTENT_LENGTH="100")) == (400, "bad-input")
    assert stream.taken == 100


@pytest.mark.parametrize("headers", [{"HTTP_TRANSFER_ENCODING": "chunked"}, {"SERVER_PROTOCOL": "HTTP/2"}])
def test_a_body_without_a_length_is_refused_at_the_first_byte_past_the_limit(post, headers):
    stream = Stream()
    response = post(stream, CONTENT_LENGTH="", **headers, **{"wsgi.input_terminated": True})
    assert code(response) == (413, "request-too-large")
    assert response.json()["error"]["details"] == {"maxBytes": MAX_BYTES}
    assert stream.taken == MAX_BYTES + 1


def test_a_body_of_exactly_the_limit_is_read(post):
    whole = b'{"text": "' + b"a" * (MAX_BYTES - 12) + b'"}'
    assert len(whole) == MAX_BYTES
    for headers in ({"CONTENT_LENGTH": str(MAX_BYTES)}, {"CONTENT_LENGTH": "", "wsgi.input_terminated": True}):
        response = post(io.BytesIO(whole), **headers)
        assert (response.status_code, len(response.json()["text"])) == (200, MAX_BYTES - 12)


def test_a_body_that_ends_before_its_declared_length_is_not_acted_on(post):
    assert code(post(io.BytesIO(b"{}"), CONTENT_LENGTH="3")) == (400, "bad-input")
    assert code(post(io.BytesIO(b""), CONTENT_LENGTH="3")) == (400, "bad-input")


def test_a_body_that_breaks_off_is_bad_input(post):
    class Broken(Stream):
        def read(self, size=-1):
            raise OSError("reset by peer")

    assert code(post(Broken(), CONTENT_LENGTH="3")) == (400, "bad-input")


def test_a_chunked_body_is_refused_where_nobody_could_read_it_to_its_end(post):
    stream = Stream()
    response = post(stream, CONTENT_LENGTH="", HTTP_TRANSFER_ENCODING="chunked")
    assert (code(response), stream.taken) == ((400, "bad-input"), 0)


def test_size_comes_before_authentication(post):
    assert code(post(Stream(), path="/v1/tokens", CONTENT_LENGTH=str(MAX_BYTES + 1))) == (413, "request-too-large")


def test_an_unknown_path_reads_no_body(post):
    stream = Stream()
    assert code(post(stream, path="/v1/nothing", CONTENT_LENGTH=str(10**9))) == (404, "route-not-found")
    assert stream.taken == 0


class TestServed:
    """The same through the production server, by its sockets. One server for all of it: it takes seconds to start."""

    def test_it_refuses_and_stays_well(self, served):
        self.check_declared(served)
        self.check_chunked(served)
        self.check_cut_off(served)

    def check_declared(self, served):
        head = _head(f"Content-Length: {10**12}")
        answer, sent = _flood(served, head, b" " * 65536, most=SLACK)
        assert b" 413 " in answer.splitlines()[0] and b'"request-too-large"' in answer
        assert sent <= SLACK

    def check_chunked(self, served):
        answer, sent = _flood(
            served, _head("Transfer-Encoding: chunked"), b"10000\r\n" + b" " * 65536 + b"\r\n", most=SLACK
        )
        assert b" 413 " in answer.splitlines()[0] and b'"maxBytes":2097152' in answer
        assert sent <= SLACK

    def check_cut_off(self, served):
        with closing(_connect(served)) as connection:
            connection.sendall(_head("Content-Length: 100", path="/v1/tokens") + b'{"label": "a"}')
            connection.shutdown(socket.SHUT_WR)
            answer = _received(connection)
        assert b" 400 " in answer.splitlines()[0] and b"before it was whole" in answer


def _head(*headers, path="/v1/corrections"):
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Type: {JSON}", *headers, "", ""]
    return "\r\n".join(lines).encode()


def _connect(served):
    address = urlsplit(served.url)
    return socket.create_connection((address.hostname, address.port), timeout=10)


def _flood(served, head, piece, *, most):
    """Send ``piece`` again and again until the server answers: its answer, and how many bytes it let itself be sent."""
    with closing(_connect(served)) as connection:
        connection.sendall(head)
        connection.setblocking(False)
        sent, deadline = 0, time.monotonic() + 30
        while sent <= most and time.monotonic() < deadline:
            try:
                sent += connection.send(piece)
            except BlockingIOError:
                time.sleep(0.01)
            except (BrokenPipeError, ConnectionResetError):
                break
            if _answers(connection):
                break
        connection.settimeout(10)
        return _received(connection), sent


def _answers(connection):
    """Whether there is something to read, of which nothing is taken: an answer comes in pieces, its head by itself."""
    return bool(select.select([connection], [], [], 0)[0])


def _received(connection):
    """All of an answer, in however many pieces it comes; a reset after it takes nothing of what came before."""
    answer = b""
    with suppress(ConnectionResetError):
        while b"}}" not in answer and (piece := connection.recv(65536)):
            answer += piece
    return answer
