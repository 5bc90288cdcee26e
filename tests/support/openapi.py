"""Checks answers against the OpenAPI document that describes them.

Stricter than the document: an answer's field that isn't documented fails, and times must be in the one form.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable
from functools import cache, partial
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema_rs import Draft202012Validator as QuickValidator
from jsonschema_rs import Registry as QuickRegistry
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from kindgi.api.openapi.document import document

URI = "urn:openapi"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
Operation = dict[str, Any]

formats = FormatChecker(formats=[])


@formats.checks("date-time")
def _is_time(value: object) -> bool:
    return not isinstance(value, str) or TIME.fullmatch(value) is not None


@formats.checks("uuid", raises=ValueError)
def _is_uuid(value: object) -> bool:
    return not isinstance(value, str) or str(UUID(value)) == value


def assert_matches_openapi(response: HttpResponse, operation_id: str) -> None:
    """Fail unless the document says that the operation may answer so: status, media type, body, error code."""
    path, method = operations()[operation_id]
    described = document()["paths"][path][method]["responses"]
    status = str(response.status_code)
    assert status in described, f"{operation_id} doesn't say that it may answer {status}: {response.content[:500]!r}"
    assert response.headers["X-Request-Id"]
    where = f"/paths/{_escaped(path)}/{method}/responses/{status}"
    found = described[status]
    if "$ref" in found:
        where = found["$ref"].removeprefix("#")
        found = document()["components"]["responses"][found["$ref"].rpartition("/")[2]]
    if "content" not in found:
        assert response.content == b"", f"{operation_id} says that {status} has no body."
        return
    media_type = response.headers["Content-Type"].partition(";")[0]
    assert media_type in found["content"], f"{operation_id} doesn't answer {media_type}."
    if media_type == "application/json":
        check(json.loads(response.content), f"{where}/content/{_escaped(media_type)}/schema")


def assert_answer_is_documented(method: str, path: str, response: HttpResponse) -> None:
    """The same, for whichever operation has the path; what no operation has must be answered with an error."""
    operation_id = operation_at(method, path)
    if operation_id is not None:
        assert_matches_openapi(response, operation_id)
        return
    assert response.status_code in (404, 405), f"{method} {path} isn't documented, but answers {response.status_code}."
    check(json.loads(response.content), "/components/schemas/Error")


def check(value: Any, pointer: str) -> None:
    """Fail unless ``value`` is as the schema at ``pointer`` in the document says."""
    if _quick_validator(pointer).is_valid(value):
        return
    problems = sorted(_validator(pointer).iter_errors(value), key=str)
    listed = "\n".join(f"- {problem.json_path}: {problem.message[:300]}" for problem in problems)
    raise AssertionError(f"Not as {pointer} says:\n{listed}")


def operation_at(method: str, path: str) -> str | None:
    """The id of the operation that answers ``method`` on ``path``."""
    method = "get" if method == "HEAD" else method.lower()
    for template, pattern in _templates():
        if pattern.fullmatch(path):
            found: Operation | None = document()["paths"][template].get(method)
            return found["operationId"] if found else None
    return None


@cache
def operations() -> dict[str, tuple[str, str]]:
    """Path and method of each operation id."""
    return {
        operation["operationId"]: (path, method)
        for path, methods in document()["paths"].items()
        for method, operation in methods.items()
    }


@cache
def _templates() -> list[tuple[str, re.Pattern[str]]]:
    """The paths, those without parameters first, as Django's order has it."""
    paths: Iterable[str] = sorted(document()["paths"], key=lambda path: path.count("{"))
    return [(path, re.compile("[^/]+".join(map(re.escape, re.split(r"{\w+}", path))))) for path in paths]


@cache
def _validator(pointer: str) -> Draft202012Validator:
    resource = Resource.from_contents(_closed_document(), default_specification=DRAFT202012)
    registry: Registry[Any] = Registry().with_resource(URI, resource)
    return Draft202012Validator({"$ref": f"{URI}#{pointer}"}, registry=registry, format_checker=formats)


@cache
def _quick_validator(pointer: str) -> QuickValidator:
    """The same in Rust: nearly all answers are as they should be, and checking them was a tenth of all tests' time."""
    registry = QuickRegistry([(URI, _closed_document())])
    checks: dict[str, Any] = {name: partial(formats.conforms, format=name) for name in formats.checkers}
    return QuickValidator({"$ref": f"{URI}#{pointer}"}, registry=registry, formats=checks, validate_formats=True)


@cache
def _closed_document() -> dict[str, Any]:
    """The document, with every object of its components closed to fields that it doesn't name."""
    closed = copy.deepcopy(document())
    _close(closed["components"]["schemas"])
    return closed


def _close(schema: Any) -> None:
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" in schema:
            schema.setdefault("additionalProperties", False)
        for part in schema.values():
            _close(part)
    elif isinstance(schema, list):
        for part in schema:
            _close(part)


def _escaped(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1").replace("{", "%7B").replace("}", "%7D")
