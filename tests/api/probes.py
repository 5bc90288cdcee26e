"""Endpoints that only tests have: they explode, echo, refuse and count. Used as ROOT_URLCONF, beside the real ones."""

from collections.abc import Callable
from typing import Any

import psycopg
from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.urls import include, path
from msgspec import UNSET, Raw, UnsetType
from rest_framework.request import Request
from rest_framework.response import Response

from kindgi import urls
from kindgi.api.endpoints import Endpoint
from kindgi.api.errors import BadInput, PermissionDenied
from kindgi.api.operations import Answer, Body, operation

SECRET_TEXT = "the password is hunter2"


class Content(Body):
    """Text, and content that is kept to the byte."""

    text: str = ""
    content: Raw | UnsetType = UNSET


class Empty(Answer):
    """Nothing."""


class Public(Endpoint):
    """Answers to anybody; what it does is up to the test."""

    does: Callable[[Request], Any] = staticmethod(lambda request: {"fine": True})

    @operation(id="probes.public.get", summary="", answer=Empty, public=True)
    def get(self, request: Request) -> Response:
        return Response(Public.does(request))

    @operation(id="probes.public.post", summary="", answer=Empty, body=Content, public=True)
    def post(self, request: Request) -> Response:
        body = self.body(Content)
        return Response({"text": body.text, "content": body.content or Raw(b"null")})


class Effects(Endpoint):
    """Each POST that is carried out adds a row; ``during`` runs in its transaction, after the row is there."""

    during: Callable[[], None] = staticmethod(lambda: None)

    @operation(id="probes.effects.create", summary="", answer=Empty, body=Content, body_required=False, status=201)
    def post(self, request: Request, name: str = "") -> Response:
        self.body(Content)
        number = _take_effect()
        return Response({"number": number}, status=201, headers={"X-Number": str(number)})

    @operation(id="probes.effects.replace", summary="", answer=Empty, body=Content, body_required=False)
    def put(self, request: Request, name: str = "") -> Response:
        return self.post(request, name)

    @operation(id="probes.effects.delete", summary="", answer=None, status=204)
    def delete(self, request: Request, name: str = "") -> Response:
        _take_effect()
        return Response(status=204)


def _take_effect() -> int:
    """The new row's number."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO probe_effects DEFAULT VALUES RETURNING id")
        number = int(cursor.fetchone()[0])
    Effects.during()
    return number


class Secrets(Endpoint):
    """Its answer carries a secret."""

    @operation(id="probes.secrets.create", summary="", answer=Empty, status=201, secret=True)
    def post(self, request: Request) -> Response:
        _take_effect()
        return Response({"token": SECRET_TEXT}, status=201)


class Words(Endpoint):
    """Its answer tells of a subject that may be erased."""

    subject: Any = None

    @operation(id="probes.words.create", summary="", answer=Empty, status=201)
    def post(self, request: Request) -> Response:
        self.subject_id = Words.subject
        return Response({"words": SECRET_TEXT}, status=201)


class Refusals(Endpoint):
    """Adds a row and then doesn't succeed, in the way that ``how`` says."""

    @operation(id="probes.refusals.create", summary="", answer=Empty)
    def post(self, request: Request, how: str) -> Response:
        _take_effect()
        if how == "raises":
            raise PermissionDenied
        if how == "explodes":
            raise RuntimeError(SECRET_TEXT)
        if how == "returns":
            return Response({"error": {}}, status=422)
        raise BadInput(how)


def bare(request: HttpRequest) -> HttpResponse:
    """A view that is no endpoint, and explodes."""
    raise RuntimeError(SECRET_TEXT)


def bare_forbidden(request: HttpRequest) -> HttpResponse:
    """A view that is no endpoint, and refuses in HTML."""
    return HttpResponse("<h1>no</h1>", status=403)


def lock_not_available(request: Request) -> None:
    """As when a statement waited too long for a lock."""
    try:
        raise psycopg.errors.LockNotAvailable(SECRET_TEXT)
    except psycopg.Error as error:
        raise OperationalError(SECRET_TEXT) from error


v1 = [
    path("probes/public", Public.as_view()),
    path("probes/effects", Effects.as_view()),
    path("probes/effects/<str:name>", Effects.as_view()),
    path("probes/secrets", Secrets.as_view()),
    path("probes/words", Words.as_view()),
    path("probes/refusals/<str:how>", Refusals.as_view()),
    path("probes/bare", bare),
    path("probes/bare-forbidden", bare_forbidden),
]
urlpatterns = [path("v1/", include(v1)), *urls.urlpatterns]
