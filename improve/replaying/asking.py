"""Asking an endpoint what its agent would do, and again where that may help (contract, section 7)."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import httpcore
from msgspec import Raw
from tenacity import RetryCallState, Retrying, retry_if_result, stop_after_attempt, wait_random_exponential

from improve.replaying.addresses import AddressRefused, HostUnknown, Resolver, system_resolver
from improve.replaying.answers import NotAnAnswer, read_answer
from improve.replaying.problems import MAX_DETAIL, RETRIED, Problem
from improve.replaying.signing import signed_headers
from improve.replaying.transport import CutShort, Limits, Place, Received, place_of, post
from kindgi.api.jsontext import encode

MOST_REQUESTS = 3
# An endpoint that says to come back later than that isn't waited for.
LONGEST_WAIT = 30.0
# Those that there are; what else an endpoint says there is its own words, of which none are kept.
_ENCODINGS = frozenset({"gzip", "x-gzip", "deflate", "br", "zstd", "compress", "x-compress"})
_backoff = wait_random_exponential(multiplier=0.5, max=8)


@dataclass(frozen=True, slots=True)
class Target:
    """Where to ask, and the secrets that sign, the newest first."""

    url: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """A request: its JSON text, and the id that it keeps when it is sent again."""

    id: str
    body: bytes


def request_body(said: bytes, *, version: str, change: str | None, blocks: str | None) -> bytes:
    """What a request says: a run's input, ``said``, to the byte, and what to run on it, JSON texts all three."""
    body: dict[str, Any] = {"input": Raw(said), "version": version}
    if change is not None:
        body["change"] = Raw(change.encode())
    if blocks is not None:
        body["blocks"] = Raw(blocks.encode())
    return encode({**body, "dryRun": True})


@dataclass(frozen=True, slots=True)
class Answered:
    """The output and the calls, each to the byte."""

    output: bytes
    calls: bytes
    took_ms: int = 0


@dataclass(frozen=True, slots=True)
class Refused:
    """A tool refused a call, and the agent stopped there."""

    calls: bytes
    took_ms: int = 0


@dataclass(frozen=True, slots=True)
class Failed:
    """Nothing that is an answer. ``retry_after`` is in seconds, where the endpoint said it."""

    problem: Problem
    detail: str = ""
    took_ms: int = 0
    retry_after: float | None = None


Outcome = Answered | Refused | Failed


def ask(
    message: Message,
    *,
    target: Callable[[], Target | Failed],
    limits: Limits,
    sleep: Callable[[float], None],
    most: int = MOST_REQUESTS,
    resolver: Resolver = system_resolver,
) -> Outcome:
    """What comes of up to ``most`` requests.

    ``target()`` is called before each, and says where to ask, or why that can't be; it and ``sleep``
    may raise, to stop.
    """

    def once() -> Outcome:
        where = target()
        return where if isinstance(where, Failed) else ask_once(message, where, limits=limits, resolver=resolver)

    retrying = Retrying(
        stop=stop_after_attempt(most),
        wait=_wait,
        retry=retry_if_result(_is_worth_another),
        retry_error_callback=lambda state: state.outcome.result() if state.outcome else None,
        sleep=sleep,
    )
    outcome: Outcome = retrying(once)
    return outcome


def _is_worth_another(outcome: Outcome) -> bool:
    return isinstance(outcome, Failed) and outcome.problem in RETRIED and (outcome.retry_after or 0) <= LONGEST_WAIT


def _wait(state: RetryCallState) -> float:
    """A little longer each time, by chance so that many don't come at once; as long as the endpoint says."""
    outcome = state.outcome.result() if state.outcome else None
    said = outcome.retry_after if isinstance(outcome, Failed) else None
    return max(_backoff(state), said or 0.0)


def ask_once(
    message: Message, target: Target, *, limits: Limits, resolver: Resolver = system_resolver
) -> Answered | Refused | Failed:
    """What comes of one request; never raises for what an endpoint does."""
    begun = monotonic()
    outcome = _ask(message, target, limits, resolver)
    return replace(outcome, took_ms=int((monotonic() - begun) * 1000))


def _ask(message: Message, target: Target, limits: Limits, resolver: Resolver) -> Outcome:
    try:
        place = place_of(target.url)
    except ValueError:
        return Failed(Problem.INVALID_ADDRESS)
    headers = signed_headers(message.body, message_id=message.id, keys=target.keys)
    try:
        received = post(place, body=message.body, headers=headers, limits=limits, resolver=resolver)
    except AddressRefused as refused:
        problem = Problem.NOT_ALLOWED_ADDRESS if refused.encrypted else Problem.NOT_ENCRYPTED
        return Failed(problem, refused.address)
    except TimeoutError:
        return Failed(Problem.TIMED_OUT, f"{limits.seconds:g}")
    except CutShort:
        return Failed(Problem.CUT_SHORT)
    except (HostUnknown, httpcore.NetworkError, httpcore.ProtocolError) as error:
        return _not_connected(error, place)
    return _read(received, limits)


def _not_connected(error: Exception, place: Place) -> Failed:
    cause = error.__cause__ or error.__context__
    shown = place.host_header[:MAX_DETAIL]
    if isinstance(error, HostUnknown):
        return Failed(Problem.UNKNOWN_HOST, place.host[:MAX_DETAIL])
    if isinstance(cause, ssl.SSLCertVerificationError):
        return Failed(Problem.CERTIFICATE, shown)
    if isinstance(cause, ssl.SSLError):
        return Failed(Problem.TLS, shown)
    if isinstance(error, httpcore.ConnectError):
        return Failed(Problem.UNREACHABLE, shown)
    if isinstance(error, httpcore.NetworkError) or "disconnected" in str(error):
        return Failed(Problem.DISCONNECTED)
    return Failed(Problem.NOT_HTTP)


def _read(received: Received, limits: Limits) -> Outcome:
    status = str(received.status)
    if not 200 <= received.status <= 299:
        return _by_status(received, status)
    encoding = received.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        return Failed(Problem.ENCODED, encoding if encoding in _ENCODINGS else "?")
    if len(received.body) > limits.most:
        return Failed(Problem.TOO_LARGE, str(limits.most))
    try:
        answer = read_answer(received.body)
    except NotAnAnswer as problem:
        return Failed(problem.problem, problem.detail)
    return Refused(answer.calls) if answer.output is None else Answered(answer.output, answer.calls)


def _by_status(received: Received, status: str) -> Failed:
    if 300 <= received.status <= 399:
        return Failed(Problem.REDIRECTED, status)
    retry_after = _seconds(received.headers.get("retry-after", ""))
    if received.status == 429:
        return Failed(Problem.TOO_MANY_REQUESTS, status, retry_after=retry_after)
    if 400 <= received.status <= 499:
        return Failed(Problem.STATUS_4XX, status)
    if 500 <= received.status <= 599:
        return Failed(Problem.STATUS_5XX, status, retry_after=retry_after)
    return Failed(Problem.NOT_HTTP)


def _seconds(text: str) -> float | None:
    """``Retry-After`` in its form in seconds; a date there is taken for nothing."""
    return float(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
