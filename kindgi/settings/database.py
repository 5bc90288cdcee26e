"""The database: ``DATABASE_URL``, or the embedded server when it is not set."""

from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from kindgi.embedded.server import PORT, SUPERUSER, Server
from kindgi.settings.environment import VAR_DIR, Mode, env, whole_number

ENGINE = "kindgi.postgres"
DEVELOPMENT_SERVER = Server(VAR_DIR / "postgres")
TEST_SERVER = Server(VAR_DIR / "test-postgres", durable=False)


def database(mode: Mode) -> dict[str, Any]:
    """Django's ``DATABASES["default"]``."""
    url = env.str("DATABASE_URL", "")
    config = _from_url(url) if url else _embedded(TEST_SERVER if mode is Mode.TEST else DEVELOPMENT_SERVER)
    config["OPTIONS"] = _joined(config.get("OPTIONS", {}), _options())
    # A connection stays open for as long as its thread; a request that finds it dead opens another.
    config["CONN_MAX_AGE"] = None
    config["CONN_HEALTH_CHECKS"] = True
    config["DISABLE_SERVER_SIDE_CURSORS"] = env.bool("DATABASE_TRANSACTION_POOLER", False)
    config["ATOMIC_REQUESTS"] = False
    return config


def _joined(given: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    """Both; of the server's own settings, those of the address come last, and the last one counts."""
    servers = " ".join(options["options"] for options in (ours, given) if options.get("options"))
    return {**given, **ours} | ({"options": servers} if servers else {})


def _from_url(url: str) -> dict[str, Any]:
    try:
        config: dict[str, Any] = dict(dj_database_url.parse(url))
    except ValueError:  # whose text lists every scheme that there is, or repeats a part of the address
        config = {}
    named = config.get("NAME") or config.get("OPTIONS", {}).get("service")
    if config.get("ENGINE") != "django.db.backends.postgresql" or not named:
        raise ImproperlyConfigured("Set DATABASE_URL to a PostgreSQL address: postgres://user:password@host/name.")
    return config | {"ENGINE": ENGINE}


def _embedded(server: Server) -> dict[str, Any]:
    return {
        "ENGINE": ENGINE,
        "EMBEDDED": server,
        "HOST": str(server.socket_dir),
        "PORT": str(PORT),
        "USER": SUPERUSER,
        "NAME": server.database,
    }


def _options() -> dict[str, Any]:
    """psycopg's options. Behind a transaction pooler a prepared statement may not be there for the next use."""
    pooled = env.bool("DATABASE_TRANSACTION_POOLER", False)
    threshold = None if pooled else whole_number("DATABASE_PREPARE_THRESHOLD", 1, least=0, most=1_000_000)
    options: dict[str, Any] = {"server_side_binding": True, "prepare_threshold": threshold}
    if not pooled:
        # A server that is cut off in the middle of a request must not keep its locks; nor may anyone wait for ever.
        options["options"] = (
            "-c idle_in_transaction_session_timeout=30s -c lock_timeout=10s -c client_connection_check_interval=5s"
        )
    return options
