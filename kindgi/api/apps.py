"""App config of the /v1 conventions."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    """What every /v1 endpoint stands on: errors, auth, pages, idempotency, OpenAPI."""

    name = "kindgi.api"
    label = "api"
    verbose_name = "API conventions"
