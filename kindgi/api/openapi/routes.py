"""Every operation of /v1, found by walking the URL patterns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.converters import IntConverter, UUIDConverter
from django.urls.resolvers import RoutePattern

from kindgi.api.endpoints import Endpoint, NoSuchRoute
from kindgi.api.openapi.text import camel
from kindgi.api.operations import Operation

ROOT = "v1/"
METHODS = ("get", "post", "put", "patch", "delete")
_TYPES: dict[type, dict[str, str]] = {
    UUIDConverter: {"type": "string", "format": "uuid"},
    IntConverter: {"type": "integer"},
}


@dataclass(frozen=True, slots=True)
class Route:
    """One method of one path; ``parameters`` are the path's, by name, with their JSON Schema."""

    path: str
    method: str
    operation: Operation
    description: str
    parameters: dict[str, dict[str, str]]

    @property
    def is_write(self) -> bool:
        """Whether it takes an Idempotency-Key."""
        return self.method != "get"


def routes(urlconf: str) -> list[Route]:
    """The operations under /v1 in the order of the URL patterns; those about the document itself come last."""
    found = [route for pattern in endpoints(urlconf) for route in _operations(pattern)]
    return sorted(found, key=lambda route: route.operation.public)


def endpoints(urlconf: str) -> list[tuple[str, URLPattern]]:
    """Each pattern under /v1 with its whole route, but for the one that catches what nobody has."""
    found = [
        entry
        for resolver in get_resolver(urlconf).url_patterns
        if isinstance(resolver, URLResolver) and str(resolver.pattern) == ROOT
        for entry in _walk(resolver, ROOT)
    ]
    return [(route, pattern) for route, pattern in found if getattr(pattern.callback, "cls", None) is not NoSuchRoute]


def _walk(resolver: URLResolver, prefix: str) -> Iterator[tuple[str, URLPattern]]:
    for pattern in resolver.url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern, route)
        else:
            yield route, pattern


def _operations(entry: tuple[str, URLPattern]) -> Iterator[Route]:
    route, pattern = entry
    endpoint = getattr(pattern.callback, "cls", None)
    if not (
        isinstance(endpoint, type) and issubclass(endpoint, Endpoint) and isinstance(pattern.pattern, RoutePattern)
    ):
        raise TypeError(f"{route} must be a path() to an Endpoint.")
    path, parameters = "/" + route, {}
    for name, converter in pattern.pattern.converters.items():
        parameters[camel(name)] = _TYPES.get(type(converter), {"type": "string"})
        path = _placed(path, name)
    for method in METHODS:
        handler = getattr(endpoint, method, None)
        if handler is not None:
            yield Route(path, method, handler.operation, (handler.__doc__ or "").strip(), parameters)


def _placed(path: str, name: str) -> str:
    """``path`` with ``{name}`` for its ``<converter:name>``."""
    begin, end = path.index("<"), path.index(">")
    return f"{path[:begin]}{{{camel(name)}}}{path[end + 1 :]}"
