"""The OpenAPI document describes every operation, and nothing else (contract, section 2)."""

import json
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from openapi_spec_validator import OpenAPIV31SpecValidator

import kindgi
from kindgi.api import jsontext
from kindgi.api.errors import error_classes
from kindgi.api.openapi.document import build, document
from kindgi.api.openapi.routes import endpoints, routes
from tests.support.openapi import check

ROUTES = routes(settings.ROOT_URLCONF)
IDS = [route.operation.id for route in ROUTES]
OPERATIONS = {
    operation["operationId"]: operation for methods in document()["paths"].values() for operation in methods.values()
}
WITH_BODY = [route for route in ROUTES if route.operation.body is not None]
CONVENTIONAL = {"bad-input", "internal-error"}
AUTHENTICATION = {"auth-missing", "auth-expired", "auth-revoked"}
WRITING = {
    "request-too-large",
    "lock-timeout",
    "idempotency-key-body-mismatch",
    "idempotency-key-in-flight",
    "idempotency-key-replay-withheld",
    "idempotency-store-unavailable",
}


def codes(operation_id: str) -> set[str]:
    """Every error code that an operation says it may answer."""
    found = set()
    for response in OPERATIONS[operation_id]["responses"].values():
        if "$ref" in response:
            shared = document()["components"]["responses"][response["$ref"].rpartition("/")[2]]
            schema = shared["content"]["application/json"]["schema"]
            found |= set(schema["allOf"][1]["properties"]["error"]["properties"]["code"]["enum"])
    return found


def test_it_is_valid_openapi():
    assert document()["openapi"].startswith("3.1.")
    assert list(OpenAPIV31SpecValidator(document()).iter_errors()) == []


def test_it_is_served_without_a_token():
    response = Client().get("/v1/openapi.json")
    assert (response.status_code, response.headers["Content-Type"]) == (200, "application/json")
    assert response.json() == document()


def test_the_command_prints_it():
    printed = StringIO()
    call_command("openapi", stdout=printed)
    assert json.loads(printed.getvalue()) == document()


def test_it_is_the_same_each_time_it_is_made():
    assert json.dumps(build(routes(settings.ROOT_URLCONF))) == json.dumps(build(routes(settings.ROOT_URLCONF)))


def test_its_version_is_the_projects():
    assert f'version = "{kindgi.__version__}"' in (settings.BASE_DIR / "pyproject.toml").read_text()


def test_every_route_has_an_operation():
    described = set(document()["paths"])
    assert len(described) == len(endpoints(settings.ROOT_URLCONF))


def test_every_handler_of_every_endpoint_is_an_operation():
    for _, pattern in endpoints(settings.ROOT_URLCONF):
        endpoint = getattr(pattern.callback, "cls")  # noqa: B009 - which no type of Django's declares
        for method in ("get", "post", "put", "patch", "delete"):
            if hasattr(endpoint, method):
                assert getattr(endpoint, method).operation.id in OPERATIONS, f"{endpoint.__name__}.{method}"


def test_operation_ids_are_unique():
    assert sorted(IDS) == sorted(set(IDS))


@pytest.mark.parametrize("route", ROUTES, ids=IDS)
def test_an_operation_says_what_the_conventions_make_it_answer(route):
    found = codes(route.operation.id)
    expected = CONVENTIONAL | {known.code for known in route.operation.errors}
    expected |= set() if route.operation.public else AUTHENTICATION | {"service-unavailable"}
    expected |= WRITING if route.is_write else set()
    expected |= {"unsupported-media-type"} if route.operation.body is not None or route.is_write else set()
    expected |= {"route-not-found"} if route.parameters else set()
    assert found == expected


@pytest.mark.parametrize("route", ROUTES, ids=IDS)
def test_writes_take_an_idempotency_key_and_lists_take_pages(route):
    taken = {parameter.get("$ref", "").rpartition("/")[2] for parameter in OPERATIONS[route.operation.id]["parameters"]}
    assert ("IdempotencyKey" in taken) == route.is_write
    limit = "LimitOrNone" if route.operation.counted else "Limit"
    assert taken & {"Limit", "LimitOrNone", "Cursor"} == ({limit, "Cursor"} if route.operation.paged else set())
    assert "XRequestId" in taken


@pytest.mark.parametrize("route", ROUTES, ids=IDS)
def test_only_public_operations_go_without_a_token(route):
    assert (OPERATIONS[route.operation.id].get("security") == []) == route.operation.public
    assert route.operation.public == route.operation.id.startswith("docs.")


@pytest.mark.parametrize("route", WITH_BODY, ids=[route.operation.id for route in WITH_BODY])
def test_the_example_of_a_body_is_one_that_the_operation_reads(route):
    example = OPERATIONS[route.operation.id]["requestBody"]["content"]["application/json"]["example"]
    jsontext.decode(json.dumps(example).encode(), route.operation.body)


@pytest.mark.parametrize("route", ROUTES, ids=IDS)
def test_the_example_of_an_answer_is_as_its_schema_says(route):
    path = route.path.replace("/", "~1").replace("{", "%7B").replace("}", "%7D")
    for status in [status for status, kind in route.operation.answers if kind is not None]:
        content = OPERATIONS[route.operation.id]["responses"][str(status)]["content"]
        if "application/json" in content:
            pointer = f"/paths/{path}/{route.method}/responses/{status}/content/application~1json/schema"
            check(content["application/json"]["example"], pointer)


def test_every_error_code_is_documented_with_its_meaning():
    schema = document()["components"]["schemas"]["ErrorCode"]
    for known in error_classes():
        assert known.code in schema["enum"]
        assert f"`{known.code}` ({known.status}): " in schema["description"]


def test_prose_holds_no_markup_of_docstrings():
    text = json.dumps(document())
    assert ":class:" not in text and "``" not in text and ":func:" not in text


def test_a_list_of_filters_comes_with_its_choices():
    parameters = {parameter.get("name"): parameter for parameter in OPERATIONS["runs.list"]["parameters"]}
    assert parameters["status"]["schema"]["items"]["enum"][0] == "pending"
    assert parameters["createdAfter"]["schema"] == {"type": "string", "format": "date-time"}
    assert parameters["topLevel"]["schema"] == {"type": "boolean"}
    assert parameters["agentId"]["description"] == "Runs of this agent."
