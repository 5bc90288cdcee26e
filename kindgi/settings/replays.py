"""Settings of replays: which endpoints may be asked, and for how long."""

from ipaddress import IPv4Network, IPv6Network, ip_network

from django.core.exceptions import ImproperlyConfigured

from kindgi.settings.environment import Mode, env

# Where the example listens, and the endpoints of tests.
LOOPBACK = ("127.0.0.0/8", "::1/128")


def allowed_networks(mode: Mode) -> tuple[IPv4Network | IPv6Network, ...]:
    """``REPLAY_ALLOWED_NETWORKS``: networks that endpoints may be in beside the public internet, and over http too.

    Where it isn't set: none in production, else this machine's own. Raises ``ImproperlyConfigured``.
    """
    named = env.list("REPLAY_ALLOWED_NETWORKS", [] if mode is Mode.PRODUCTION else list(LOOPBACK))
    try:
        return tuple(ip_network(text.strip()) for text in named if text.strip())
    except ValueError as error:
        raise ImproperlyConfigured(
            f"Set REPLAY_ALLOWED_NETWORKS to networks such as 10.0.0.0/8,fd00::/8: {error}."
        ) from None
