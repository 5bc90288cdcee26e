"""The document as ``templates/api/docs.html`` shows it."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString

from kindgi.api.errors import error_classes
from kindgi.api.openapi.examples import example_of
from kindgi.api.openapi.fields import Field, Fields, kind_of, with_code
from kindgi.api.openapi.routes import METHODS
from kindgi.api.openapi.text import first_line

Json = dict[str, Any]

HOST = "https://example.com"
ONE_LINE = 80
_PARAMETER = re.compile(r"{(\w+)}")
# The errors have a section of their own.
_NOT_OBJECTS = {"Error", "ErrorCode"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a success is answered with."""

    status: int
    phrase: str
    kind: SafeString


@dataclass(frozen=True, slots=True)
class Shown:
    """One operation; ``codes`` are its errors by status."""

    id: str
    method: str
    path: str
    summary: str
    description: SafeString
    is_public: bool
    parameters: list[Field]
    body: list[Field]
    answers: list[Answer]
    codes: list[tuple[int, list[str]]]
    curl: str


@dataclass(frozen=True, slots=True)
class Group:
    """Operations of one tag."""

    name: str
    title: str
    operations: list[Shown]


@dataclass(frozen=True, slots=True)
class Object:
    """A named schema."""

    name: str
    meaning: list[SafeString]
    fields: list[Field]


def groups(document: Json) -> list[Group]:
    """The operations by tag, in the document's order."""
    shown: dict[str, list[Shown]] = {}
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                found = methods[method]
                shown.setdefault(found["tags"][0], []).append(_shown(document, path, method, found))
    return [Group(tag["name"], tag["x-displayName"], shown[tag["name"]]) for tag in document["tags"]]


def objects(document: Json) -> list[Object]:
    """The named schemas but those of errors and pages, which are conventions."""
    schemas = document["components"]["schemas"]
    fields = Fields(schemas)
    return [
        Object(name, paragraphs(schema.get("description", "")), fields.of_object(schema))
        for name, schema in schemas.items()
        if name not in _NOT_OBJECTS and not _is_page(schema)
    ]


def refusals_table(document: Json) -> list[tuple[int, str, SafeString]]:
    """Status, code and meaning of every error."""
    known = set(document["components"]["schemas"]["ErrorCode"]["enum"])
    rows = [(one.status, one.code, with_code(first_line(one.__doc__))) for one in error_classes() if one.code in known]
    return sorted(rows, key=lambda row: row[:2])


def paragraphs(text: str) -> list[SafeString]:
    """The paragraphs of ``text`` as HTML."""
    return [with_code(paragraph) for paragraph in text.split("\n\n") if paragraph]


def _shown(document: Json, path: str, method: str, operation: Json) -> Shown:
    components = document["components"]
    fields = Fields(components["schemas"])
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    return Shown(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        description=with_code(operation["description"]),
        is_public=operation.get("security") == [],
        parameters=[fields.of_parameter(one) for one in operation["parameters"] if "$ref" not in one]
        + [fields.of_parameter(_shared(components, one)) for one in operation["parameters"] if _is_paging(one)],
        body=fields.of_body(body["schema"]) if body else [],
        answers=[
            _answer(fields, int(status), found) for status, found in operation["responses"].items() if int(status) < 400
        ],
        codes=[
            (int(status), _codes(components, found))
            for status, found in operation["responses"].items()
            if int(status) >= 400
        ],
        curl=_curl(path, method, operation),
    )


def _is_paging(parameter: Json) -> bool:
    reference: str = parameter.get("$ref", "")
    return reference.endswith(("/Limit", "/Cursor"))


def _shared(components: Json, reference: Json) -> Json:
    found: Json = components["parameters"][reference["$ref"].rpartition("/")[2]]
    return found


def _answer(fields: Fields, status: int, response: Json) -> Answer:
    kind = with_code("nothing")
    for media_type, content in response.get("content", {}).items():
        schema = fields.resolved(content["schema"])
        if media_type != "application/json":
            kind = with_code(f"`{media_type}`")
        elif _is_page(schema):
            kind = format_html("a page of {}", kind_of(schema["properties"]["data"]["items"]))
        else:
            kind = kind_of(content["schema"])
    return Answer(status, HTTPStatus(status).phrase, kind)


def _is_page(schema: Json) -> bool:
    return {"data", "hasMore"} <= set(schema.get("properties", {}))


def _codes(components: Json, reference: Json) -> list[str]:
    response = components["responses"][reference["$ref"].rpartition("/")[2]]
    own = response["content"]["application/json"]["schema"]["allOf"][1]
    codes: list[str] = own["properties"]["error"]["properties"]["code"]["enum"]
    return codes


def _curl(path: str, method: str, operation: Json) -> str:
    """A command line that a shell takes as it stands."""
    url = HOST + _PARAMETER.sub(lambda found: example_of(found.group(1)), path)
    lines = [f"curl {url}" if method == "get" else f"curl -X {method.upper()} {url}"]
    if operation.get("security") != []:
        lines.append('-H "Authorization: Bearer $TOKEN"')
    if method != "get":
        lines.append('-H "Idempotency-Key: $(uuidgen)"')
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body:
        text = json.dumps(body["example"])
        text = text if len(text) <= ONE_LINE else json.dumps(body["example"], indent=2)
        lines += ['-H "Content-Type: application/json"', f"-d {shlex.quote(text)}"]
    return " \\\n  ".join(lines)
