"""Where a project's agents are replayed (contract, section 7)."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from improve.errors import ReplayEndpointOverlaps
from improve.selectors.endpoints import replay_endpoint_lock, replay_endpoints_of
from improve.services.endpoint_checks import SAMPLE, replay_endpoint_check
from improve.services.endpoints import (
    WithSecret,
    overlaps,
    replay_endpoint_remove,
    replay_endpoint_rotate,
    replay_endpoint_set,
)
from kindgi.access.policies import check_administer, check_write
from kindgi.api.errors import BadInput, ServiceUnavailable
from kindgi.runs.errors import AgentNotFound
from kindgi.runs.selectors import agent_get, run_agents
from quality_console.endpoint_tried import tried
from quality_console.forms.endpoints import EndpointForm
from quality_console.frame import ConsoleRequest
from quality_console.see_other import SeeOther
from quality_console.views.endpoint_secrets import form_number, form_remember, form_was_sent, secret_again
from quality_console.views.pages import console, done, outside_transaction, page

_METHODS = ["GET", "HEAD", "POST"]
_PAGE = "quality_console/replay_endpoints.html"


@require_http_methods(_METHODS)
@console
def endpoints(request: ConsoleRequest, slug: str) -> HttpResponseBase:
    """The project's endpoints; a POST sets an agent's, and a new one's answer alone has the secret."""
    frame = request.frame
    check_write(frame.caller, frame.project.pk)
    if request.method != "POST":
        return _page(request)
    check_administer(frame.caller, frame.project.pk)
    form = EndpointForm(request.POST)
    if not form.is_valid():
        return _page(request, form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        found = replay_endpoint_set(
            caller=frame.caller, project=frame.project, agent_id=_agent(request), url=form.cleaned_data["url"]
        )
    except (BadInput, AgentNotFound) as refusal:
        form.add_error("url", refusal.message.removeprefix("/url: "))
        return _page(request, form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    return _was_set(request, found)


def _was_set(request: ConsoleRequest, found: WithSecret) -> HttpResponseBase:
    """The secret of one that is new; one that was there has its own, which only the form that made it is told again."""
    if found.secret is not None:
        form_remember(request, found.endpoint)
        return _page(request, made=found)
    again = secret_again(request, found.endpoint)
    if again is not None:
        return _page(request, made=again)
    return done(request, _here(request, found.endpoint.agent_id), _("The address was saved."))


@require_http_methods(_METHODS)
@console
def rotate(request: ConsoleRequest, slug: str) -> HttpResponseBase:
    """A new secret, which the answer to this form alone has; the one before signs beside it for a while."""
    frame, agent_id = request.frame, _agent(request)
    if request.method != "POST":
        return SeeOther(_here(request, agent_id))
    check_administer(frame.caller, frame.project.pk)
    endpoint = replay_endpoint_lock(project=frame.project, agent_id=agent_id)
    if form_was_sent(request):
        again = secret_again(request, endpoint)
        return _page(request, made=again) if again else _refused(request, _("The secret was rotated, and shown once."))
    try:
        found = replay_endpoint_rotate(
            caller=frame.caller, project=frame.project, agent_id=agent_id, again="again" in request.POST
        )
    except ReplayEndpointOverlaps as refusal:
        return _refused(request, refusal.message)
    form_remember(request, found.endpoint)
    return _page(request, made=found)


@require_http_methods(_METHODS)
@console
def remove(request: ConsoleRequest, slug: str) -> HttpResponseBase:
    """Remove an endpoint with its secrets."""
    frame, agent_id = request.frame, _agent(request)
    if request.method != "POST":
        return SeeOther(_here(request, agent_id))
    replay_endpoint_remove(caller=frame.caller, project=frame.project, agent_id=agent_id)
    said = _("%(agent)s can't be replayed any more.") % {"agent": agent_id}
    return done(request, _here(request), said)


@require_http_methods(_METHODS)
@console
@outside_transaction
def check(request: ConsoleRequest, slug: str) -> HttpResponseBase:
    """Send an endpoint one request, and say what came back; nothing of it is kept."""
    frame, agent_id = request.frame, _agent(request)
    if request.method != "POST":
        return SeeOther(_here(request, agent_id))
    try:
        outcome = replay_endpoint_check(caller=frame.caller, project=frame.project, agent_id=agent_id, said=SAMPLE)
    except ServiceUnavailable as refusal:
        return _page(request, said_now=refusal.message, status=refusal.status)
    return _page(request, tried=tried(outcome))


def _agent(request: ConsoleRequest) -> str:
    return request.GET.get("agent", "").replace("\0", "")


def _here(request: ConsoleRequest, agent_id: str = "") -> str:
    address = reverse("replay-endpoints", args=[request.frame.slug])
    return f"{address}?{urlencode({'agent': agent_id})}" if agent_id else address


def _refused(request: ConsoleRequest, said: str) -> HttpResponse:
    return _page(request, said_now=said, status=HTTPStatus.CONFLICT)


def _page(
    request: ConsoleRequest, *, form: EndpointForm | None = None, status: int = HTTPStatus.OK, **more: object
) -> HttpResponse:
    """The page; ``more`` are ``made`` (an endpoint with its new secret), ``tried``, and ``said_now``."""
    frame, agent_id = request.frame, _agent(request)
    known = replay_endpoints_of(frame.project)
    current = next((one for one in known if one.agent_id == agent_id), None)
    ran = run_agents(frame.project)
    is_known = not agent_id or current is not None or agent_id in ran or _is_registered(request, agent_id)
    context = {
        "section": "quality",
        "endpoints": known,
        "agent": agent_id if is_known else "",
        "unknown": "" if is_known else agent_id,
        "current": current,
        "agents": [one for one in ran if one not in {known_one.agent_id for known_one in known}],
        "form": form or EndpointForm(initial={"url": current.url if current else ""}),
        "once": form_number(),
        "overlaps": current is not None and overlaps(current),
        "here": _here(request),
    }
    return page(request, _PAGE, context | more, status=status)


def _is_registered(request: ConsoleRequest, agent_id: str) -> bool:
    try:
        agent_get(tenant_id=request.frame.caller.tenant_id, agent_id=agent_id)
    except AgentNotFound:
        return False
    return True
