"""An endpoint's new secret on a page: in the answer to the form that made it, also sent twice (contract, section 7)."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import uuid4

from improve.models import ReplayEndpoint
from improve.services.endpoints import WithSecret, keys_of
from kindgi.api.times import now
from quality_console.frame import ConsoleRequest

# For so long a second click, or a reload, is answered as the first: what the browser shows is the last answer.
AGAIN = timedelta(minutes=2)
_SENT = "endpoint-forms-sent"
_REMEMBERED = 20


def form_number() -> str:
    """A form's own number, by which one that is sent again makes no second secret."""
    return str(uuid4())


def form_remember(request: ConsoleRequest, endpoint: ReplayEndpoint) -> None:
    """Keep that the form which was sent made the endpoint's secret; whoever waits for the endpoint's lock sees it."""
    if once := _number(request):
        sent: list[list[str]] = request.session.get(_SENT, [])
        request.session[_SENT] = [*sent, [once, _secret_named(endpoint)]][-_REMEMBERED:]
        request.session.save()


def form_was_sent(request: ConsoleRequest) -> bool:
    """Whether the same form made a secret before."""
    return any(once == _number(request) for once, _ in _kept(request))


def secret_again(request: ConsoleRequest, endpoint: ReplayEndpoint) -> WithSecret | None:
    """The secret that the same form made just before, once more; ``None`` for another one's, or later."""
    if [_number(request), _secret_named(endpoint)] not in _kept(request) or now() - _since(endpoint) > AGAIN:
        return None
    return WithSecret(endpoint, keys_of(endpoint)[0])


def _number(request: ConsoleRequest) -> str:
    return request.POST.get("once", "")[:40]


def _kept(request: ConsoleRequest) -> list[list[str]]:
    """What is kept by now, also by a request that came beside this one."""
    key = request.session.session_key
    kept: list[list[str]] = type(request.session)(key).get(_SENT, [])
    return kept


def _since(endpoint: ReplayEndpoint) -> datetime:
    return endpoint.rotated_at or endpoint.created_at


def _secret_named(endpoint: ReplayEndpoint) -> str:
    """Which of the endpoint's secrets it is, without saying it."""
    return f"{endpoint.pk} {_since(endpoint)}"
