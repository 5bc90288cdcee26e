"""Where a project's agents are replayed (contract, section 7)."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from improve.models import ReplayEndpoint
from improve.selectors.endpoints import replay_endpoints_of
from improve.services.endpoints import (
    WithSecret,
    replay_endpoint_remove,
    replay_endpoint_rotate,
    replay_endpoint_set,
)
from kindgi.access.policies import check_administer, check_write
from kindgi.access.selectors import people_named
from kindgi.api.errors import BadInput
from kindgi.api.times import now
from kindgi.runs.errors import AgentNotFound
from kindgi.runs.selectors import run_agents
from quality_console.forms.endpoints import EndpointForm
from quality_console.frame import ConsoleRequest
from quality_console.views.pages import console, done, page

_PAGE = "quality_console/replay_endpoints.html"


@require_http_methods(["GET", "HEAD", "POST"])
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
        form.add_error("url", refusal.message)
        return _page(request, form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    if found.secret is None:
        return done(request, _here(request, found.endpoint.agent_id), _("The address was saved."))
    return _page(request, made=found)


@require_POST
@console
def rotate(request: ConsoleRequest, slug: str) -> HttpResponseBase:
    """A new secret, which this answer alone has; the one before signs beside it for a while."""
    frame = request.frame
    found = replay_endpoint_rotate(caller=frame.caller, project=frame.project, agent_id=_agent(request))
    return _page(request, made=found)


@require_POST
@console
def remove(request: ConsoleRequest, slug: str) -> HttpResponseBase:
    """Remove an endpoint with its secrets."""
    frame, agent_id = request.frame, _agent(request)
    replay_endpoint_remove(caller=frame.caller, project=frame.project, agent_id=agent_id)
    said = _("%(agent)s can't be replayed any more.") % {"agent": agent_id}
    return done(request, _here(request), said)


def _agent(request: ConsoleRequest) -> str:
    return request.GET.get("agent", "").replace("\0", "")


def _here(request: ConsoleRequest, agent_id: str = "") -> str:
    address = reverse("replay-endpoints", args=[request.frame.slug])
    return f"{address}?{urlencode({'agent': agent_id})}" if agent_id else address


def _page(
    request: ConsoleRequest,
    *,
    form: EndpointForm | None = None,
    made: WithSecret | None = None,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    frame, agent_id = request.frame, _agent(request)
    known = replay_endpoints_of(frame.project)
    current = next((one for one in known if one.agent_id == agent_id), None)
    context = {
        "section": "quality",
        "endpoints": known,
        "agent": agent_id,
        "current": current,
        "agents": [one for one in run_agents(frame.project) if one not in {known_one.agent_id for known_one in known}],
        "form": form or EndpointForm(initial={"url": current.url if current else ""}),
        "made": made,
        "names": people_named(tenant_id=frame.caller.tenant_id, actors={one.set_by for one in known}),
        "overlaps": _overlaps(current),
        "here": _here(request),
    }
    return page(request, _PAGE, context, status=status)


def _overlaps(current: ReplayEndpoint | None) -> bool:
    """Whether the secret before the last rotation signs still."""
    return current is not None and current.previous_until is not None and current.previous_until > now()
