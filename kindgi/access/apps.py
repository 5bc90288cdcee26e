"""App config of tenants, people, service accounts and tokens."""

from django.apps import AppConfig


class AccessConfig(AppConfig):
    """Who exists and who may do what (contract, section 9)."""

    name = "kindgi.access"
    label = "access"
    verbose_name = "Access"

    def ready(self) -> None:
        """Tell the API layer, which knows no app, how a bearer token becomes a caller."""
        from kindgi.access.selectors import caller_by_token
        from kindgi.api.auth import token_resolver

        token_resolver.register(caller_by_token)
