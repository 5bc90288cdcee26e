"""Trying a replay endpoint: one request, as a replay sends it, of which nothing is kept (contract, section 7)."""

from __future__ import annotations

from django.conf import settings

from improve.blocks import blocks_text
from improve.replaying.asking import Failed, Message, Outcome, Target, ask_once, request_body
from improve.replaying.places import Trials
from improve.replaying.problems import Problem
from improve.replaying.transport import Limits
from improve.secrets import SecretUnreadable
from improve.selectors.endpoints import replay_endpoint_get
from improve.services.endpoints import keys_of
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.access.policies import check_administer
from kindgi.api.errors import ServiceUnavailable
from kindgi.api.ids import new_id
from kindgi.runs.selectors import agent_get, blocks_of

# Whoever tries one waits for it.
MOST_SECONDS = 10.0
SAMPLE = b'{"message": "Hello"}'
# They have one of the server's threads meanwhile: at most half of a process's, and of a tenant one.
_trials = Trials(max(1, settings.WEB_THREADS // 2))


def replay_endpoint_check(*, caller: Caller, project: Project, agent_id: str, said: bytes) -> Outcome:
    """What comes of one request with the input ``said``, of the agent's Latest with its blocks.

    Call outside of a transaction: it takes up to ``MOST_SECONDS``.
    Raises ``PermissionDenied``, ``AgentNotFound``, :class:`ReplayEndpointNotFound`, and ``ServiceUnavailable``
    where somebody else of the tenant tries one at the moment, or too many others do.
    """
    check_administer(caller, project.pk)
    endpoint = replay_endpoint_get(project=project, agent_id=agent_id)
    latest = agent_get(tenant_id=project.tenant_id, agent_id=agent_id).latest
    blocks = {block.block_id: block.content for block in blocks_of(latest)} if latest else {}
    body = request_body(
        said,
        version=latest.version if latest else "",
        change=None,
        blocks=blocks_text(blocks) if blocks else None,
    )
    try:
        target = Target(endpoint.url, keys_of(endpoint))
    except SecretUnreadable:
        return Failed(Problem.SECRET_UNREADABLE)
    seconds = min(MOST_SECONDS, settings.REPLAY_SECONDS)
    limits = Limits(seconds=seconds, allowed=settings.REPLAY_ALLOWED_NETWORKS)
    with _trials.of(project.tenant_id) as there_is_a_place:
        if not there_is_a_place:
            raise ServiceUnavailable("Another endpoint is tried just now.", retry_after=5)
        return ask_once(Message(str(new_id()), body), target, limits=limits)
