"""Why a replay, or a whole job of them, failed: codes, and a sentence for people for each (contract, section 7)."""

from __future__ import annotations

from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

MAX_DETAIL = 300


class Problem(StrEnum):
    """Codes as they are stored and sent; each has its sentence in :func:`sentence`."""

    # No address to ask, or none that may be asked.
    ENDPOINT_REMOVED = "endpoint-removed"
    SECRET_UNREADABLE = "secret-unreadable"  # noqa: S105 - a code
    INVALID_ADDRESS = "invalid-address"
    UNKNOWN_HOST = "unknown-host"
    NOT_ALLOWED_ADDRESS = "not-allowed-address"
    NOT_ENCRYPTED = "not-encrypted"
    # No connection, or none that held.
    UNREACHABLE = "unreachable"
    CERTIFICATE = "certificate"
    TLS = "tls"
    TIMED_OUT = "timed-out"
    DISCONNECTED = "disconnected"
    NOT_HTTP = "not-http"
    # Something that isn't an answer.
    REDIRECTED = "redirected"
    STATUS_4XX = "status-4xx"
    TOO_MANY_REQUESTS = "too-many-requests"
    STATUS_5XX = "status-5xx"
    ENCODED = "encoded"
    TOO_LARGE = "too-large"
    CUT_SHORT = "cut-short"
    NOT_JSON = "not-json"
    TOO_DEEP = "too-deep"
    WRONG_SHAPE = "wrong-shape"
    NO_OUTPUT = "no-output"
    # What ends a whole job.
    FAILED_IN_A_ROW = "failed-in-a-row"
    TOO_FEW_ANSWERED = "too-few-answered"
    OUT_OF_TIME = "out-of-time"
    NOT_SETTLED = "not-settled"


# Another request soon may well be answered.
RETRIED = frozenset(
    {
        Problem.UNKNOWN_HOST,
        Problem.UNREACHABLE,
        Problem.TIMED_OUT,
        Problem.DISCONNECTED,
        Problem.CUT_SHORT,
        Problem.TOO_MANY_REQUESTS,
        Problem.STATUS_5XX,
    }
)

_SENTENCES: dict[str, str | Promise] = {
    Problem.ENDPOINT_REMOVED: gettext_lazy("The agent has no replay endpoint in this project any more."),
    Problem.SECRET_UNREADABLE: gettext_lazy(
        "The endpoint's signing secret can't be read any more: the server's SECRET_KEY was changed. Rotate the secret."
    ),
    Problem.INVALID_ADDRESS: gettext_lazy("The endpoint's address isn't one that can be asked."),
    Problem.UNKNOWN_HOST: gettext_lazy("No address is known for the host %(detail)s."),
    Problem.NOT_ALLOWED_ADDRESS: gettext_lazy(
        "The host resolves to %(detail)s, which isn't a public address, and this deployment doesn't allow it."
    ),
    Problem.NOT_ENCRYPTED: gettext_lazy(
        "The endpoint is asked over http://, which is for addresses that this deployment allows alone, "
        "and %(detail)s isn't one. Use https://."
    ),
    Problem.UNREACHABLE: gettext_lazy("No connection could be made to the endpoint at %(detail)s."),
    Problem.CERTIFICATE: gettext_lazy("The endpoint's TLS certificate isn't valid for %(detail)s."),
    Problem.TLS: gettext_lazy("No encrypted connection could be made to %(detail)s."),
    Problem.TIMED_OUT: gettext_lazy("The endpoint didn't answer within %(detail)s seconds."),
    Problem.DISCONNECTED: gettext_lazy("The endpoint closed the connection before it answered."),
    Problem.NOT_HTTP: gettext_lazy("What the endpoint sent isn't an HTTP answer."),
    Problem.REDIRECTED: gettext_lazy(
        "The endpoint answered %(detail)s, a redirect. Redirects aren't followed: set the final address."
    ),
    Problem.STATUS_4XX: gettext_lazy("The endpoint refused the request with status %(detail)s."),
    Problem.TOO_MANY_REQUESTS: gettext_lazy("The endpoint answered 429: it gets more requests than it takes."),
    Problem.STATUS_5XX: gettext_lazy("The endpoint failed with status %(detail)s."),
    Problem.ENCODED: gettext_lazy("The answer is compressed (%(detail)s); answers are taken as they are alone."),
    Problem.TOO_LARGE: gettext_lazy("The answer is larger than %(detail)s bytes."),
    Problem.CUT_SHORT: gettext_lazy("The answer ended before the length that it announced."),
    Problem.NOT_JSON: gettext_lazy("The answer isn't JSON."),
    Problem.TOO_DEEP: gettext_lazy("The answer is nested deeper than %(detail)s levels."),
    Problem.WRONG_SHAPE: gettext_lazy("The answer isn't {output, calls}: %(detail)s"),
    Problem.NO_OUTPUT: gettext_lazy("The answer has neither an output nor a call that was refused."),
    Problem.TOO_FEW_ANSWERED: gettext_lazy("Fewer than half of the replays were answered (%(detail)s)."),
    Problem.OUT_OF_TIME: gettext_lazy("The replays weren't over within %(detail)s hours."),
    Problem.NOT_SETTLED: gettext_lazy("What came out could not be stored. The server's log says why."),
}


def sentence(problem: str, detail: str) -> str:
    """The sentence of a stored problem and its detail, in the language of whoever reads it."""
    if problem == Problem.FAILED_IN_A_ROW:
        number, _sep, last = detail.partition(" ")
        last_problem, _sep, last_detail = last.partition(" ")
        because = sentence(last_problem, last_detail)
        return _("%(number)s replays in a row failed, the last one because: %(because)s") % {
            "number": number,
            "because": because,
        }
    said = _SENTENCES.get(problem)
    return _("It failed.") if said is None else str(said) % {"detail": detail}
