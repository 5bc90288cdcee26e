"""Endpoints that begin something before their handlers, which only tests have. Used as ROOT_URLCONF."""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection
from django.urls import include, path
from rest_framework.request import Request
from rest_framework.response import Response

from kindgi import urls
from kindgi.api.endpoints import Endpoint
from kindgi.api.operations import Answer, Body, operation


class Content(Body):
    """A text."""

    text: str = ""


class Number(Answer):
    """Which of the things that were begun it is."""

    number: int


class Beginning(Endpoint):
    """Begins a thing once a key, and then answers its number; ``before`` runs in the one, ``during`` in the other."""

    before: Callable[[], None] = staticmethod(lambda: None)
    during: Callable[[], None] = staticmethod(lambda: None)
    number: int

    def begin(self, request: Request, key_hash: bytes | None, name: str) -> None:
        self.body(Content)
        self.number = _begun_once(name, key_hash)
        Beginning.before()

    @operation(id="probes.beginnings.create", summary="", answer=Number, body=Content, status=201, begins=True)
    def post(self, request: Request, name: str) -> Response:
        Beginning.during()
        return Response(Number(self.number), status=201)

    @operation(id="probes.beginnings.replace", summary="", answer=Number, body=Content)
    def put(self, request: Request, name: str) -> Response:
        return Response(Number(0))


def _begun_once(name: str, key_hash: bytes | None) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO probe_beginnings (name, key_hash) VALUES (%s, %s) "
            "ON CONFLICT (key_hash) DO UPDATE SET times = probe_beginnings.times + 1 RETURNING id",
            [name, key_hash],
        )
        number = int(cursor.fetchone()[0])
    return number


urlpatterns = [path("v1/", include([path("beginnings/<str:name>", Beginning.as_view())])), *urls.urlpatterns]
