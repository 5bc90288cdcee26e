"""Replay endpoints: set, moved, their secret rotated, removed; by project admins (contract, section 7)."""

from __future__ import annotations

from ipaddress import ip_address
from typing import NamedTuple

from django.conf import settings

from improve.errors import ReplayEndpointOverlaps
from improve.models import ReplayEndpoint
from improve.replaying.addresses import is_allowed, is_public, plain
from improve.replaying.signing import OVERLAP, new_secret
from improve.replaying.transport import HostNotAscii, Place, place_of
from improve.secrets import decrypt, encrypt
from improve.selectors.endpoints import replay_endpoint_get, replay_endpoint_lock
from kindgi.access.callers import Caller
from kindgi.access.models import Project
from kindgi.access.policies import check_administer
from kindgi.api.errors import BadInput
from kindgi.api.ids import new_id
from kindgi.api.times import now
from kindgi.runs.selectors import agent_get

MAX_URL = 2000


class WithSecret(NamedTuple):
    """An endpoint, and its secret where that is new: it is shown this once."""

    endpoint: ReplayEndpoint
    secret: str | None


def replay_endpoint_set(*, caller: Caller, project: Project, agent_id: str, url: str) -> WithSecret:
    """Set where an agent is replayed; a new endpoint gets a secret, one that moves keeps its own.

    Raises ``PermissionDenied``, ``AgentNotFound``, ``BadInput`` for an address that nothing can be sent to.
    """
    check_administer(caller, project.pk)
    agent_get(tenant_id=project.tenant_id, agent_id=agent_id)
    check_url(url)
    secret, at = new_secret(), now()
    made = ReplayEndpoint(
        id=new_id(),
        created_at=at,
        updated_at=at,
        tenant_id=project.tenant_id,
        project=project,
        agent_id=agent_id,
        url=url,
        secret=encrypt(secret),
        set_by=caller.actor,
    )
    ReplayEndpoint.objects.bulk_create([made], ignore_conflicts=True)
    endpoint = replay_endpoint_lock(project=project, agent_id=agent_id)
    if endpoint.pk == made.pk:
        return WithSecret(endpoint, secret)
    if endpoint.url != url:
        endpoint.url, endpoint.set_by, endpoint.updated_at = url, caller.actor, at
        endpoint.save(update_fields=["url", "set_by", "updated_at"])
    return WithSecret(endpoint, None)


def replay_endpoint_rotate(*, caller: Caller, project: Project, agent_id: str, again: bool = False) -> WithSecret:
    """Give an endpoint a new secret; the one before signs beside it for ``OVERLAP``.

    One that was before that signs no more, so within ``OVERLAP`` it is rotated only where that is said by ``again``.
    Raises ``PermissionDenied``, :class:`ReplayEndpointNotFound`, :class:`ReplayEndpointOverlaps`.
    """
    check_administer(caller, project.pk)
    endpoint = replay_endpoint_lock(project=project, agent_id=agent_id)
    secret, at = new_secret(), now()
    if overlaps(endpoint) and not again:
        raise ReplayEndpointOverlaps
    endpoint.previous_secret, endpoint.previous_until = endpoint.secret, at + OVERLAP
    endpoint.secret, endpoint.rotated_at = encrypt(secret), at
    endpoint.save(update_fields=["previous_secret", "previous_until", "secret", "rotated_at"])
    return WithSecret(endpoint, secret)


def overlaps(endpoint: ReplayEndpoint) -> bool:
    """Whether the secret before the last rotation signs still."""
    return endpoint.previous_until is not None and endpoint.previous_until > now()


def replay_endpoint_remove(*, caller: Caller, project: Project, agent_id: str) -> None:
    """Remove an endpoint with its secrets; jobs that go on fail by it.

    Raises ``PermissionDenied``, :class:`ReplayEndpointNotFound`.
    """
    check_administer(caller, project.pk)
    replay_endpoint_get(project=project, agent_id=agent_id).delete()


def keys_of(endpoint: ReplayEndpoint) -> tuple[str, ...]:
    """The secrets that sign now, the newest first; raises :class:`improve.secrets.SecretUnreadable`."""
    keys = [decrypt(endpoint.secret)]
    until = endpoint.previous_until
    if endpoint.previous_secret is not None and until is not None and until > now():
        keys.append(decrypt(endpoint.previous_secret))
    return tuple(keys)


def check_url(url: str) -> None:
    """Raise ``BadInput`` for an address that no request could go to; what its name resolves to is seen when asked."""
    if len(url) > MAX_URL:
        raise _refused(f"The address has more than {MAX_URL} characters.")
    try:
        place = place_of(url)
    except HostNotAscii:
        raise _refused("Write the host's name in ASCII, as the DNS has it: such as xn--bcher-kva.example.") from None
    except ValueError:
        raise _refused(
            "The address must be a URL such as https://agents.example.com/replay, without a user name or a fragment."
        ) from None
    if not place.encrypted and not settings.REPLAY_ALLOWED_NETWORKS:
        raise _refused("The address must begin with https://.")
    _check_literal(place)


def _check_literal(place: Place) -> None:
    """Where the host is an address itself, it is known already whether it may be asked."""
    try:
        address = plain(ip_address(place.host))
    except ValueError:
        return
    if not (is_allowed(address, settings.REPLAY_ALLOWED_NETWORKS) or (place.encrypted and is_public(address))):
        raise _refused("That isn't a public address that can be asked over https, and the deployment doesn't allow it.")


def _refused(message: str) -> BadInput:
    return BadInput(f"/url: {message}", details={"path": "/url"})
