from django.apps import AppConfig


class EmbeddedConfig(AppConfig):
    name = "kindgi.embedded"
    label = "embedded"
