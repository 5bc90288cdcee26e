"""Every 4xx and 5xx of /v1 is one envelope, names its request and says nothing of the inside (contract, section 2)."""

import json
import logging
import re

import pytest
from django.db import InterfaceError, OperationalError
from django.http import Http404
from django.test import Client
from rest_framework import exceptions

from kindgi.api.answers import as_api_error, plain_error_response
from kindgi.api.request_ids import RequestIdFilter
from tests.api import probes
from tests.builders import Api, make_tenant, make_user

pytestmark = [pytest.mark.urls("tests.api.probes"), pytest.mark.django_db]

NEW_ID = re.compile(r"req-[0-9a-f]{32}")
MALFORMED = [
    *[b"   ", b"{", b"{]", b"nul", b"{}{}", b"{1: 2}", b"{'text': 1}", b"\xff", b"\xef\xbb\xbf{}"],
    *[b"[]", b"null", b'"text"', b"1", b'{"text": 1}', b'{"text": null}'],
    *[b'{"text": NaN}', b'{"content": NaN}', b'{"content": Infinity}', b'{"content": -Infinity}'],
    *[b'{"text": "\\u0000"}', b'{"text": "\\ud800"}', b'{"text": "a\x00"}', b'{"text": "\xed\xa0\x80"}'],
]
NOT_TOKENS = [None, "", "Bearer", "Bearer ", "Basic a2luZGdp", "kgi_a", "Bearer a", "Bearer kgi_a", "Bearer \xe9\x00"]


@pytest.fixture
def client():
    return Client(raise_request_exception=False)


@pytest.fixture
def does(monkeypatch):
    """Set what GET probes/public does."""
    return lambda work: monkeypatch.setattr(probes.Public, "does", staticmethod(work))


def raising(error):
    def work(request):
        raise error

    return work


def refused(response, status, code):
    """The error of an answer that must be the envelope."""
    assert (response.status_code, response.headers["Content-Type"]) == (status, "application/json")
    body = response.json()
    assert set(body) == {"error"}
    error = body["error"]
    assert set(error) - {"details"} == {"code", "message", "requestId"}
    assert error["code"] == code
    assert error["message"]
    assert error["requestId"] == response.headers["X-Request-Id"]
    assert response.headers["Cache-Control"] == "no-store"
    assert probes.SECRET_TEXT not in response.content.decode()
    return error


@pytest.mark.parametrize(
    "path", ["/v1/", "/v1/nothing", "/v1/runs/a/b/c", "/v1/tokens/", "/v1//runs", "/v1/%00", "/v1/%ff"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"])
def test_an_unknown_path_is_route_not_found_whatever_the_method(client, method, path):
    refused(client.generic(method, path), 404, "route-not-found")


@pytest.mark.parametrize(
    ("method", "allowed"), [("DELETE", "GET, POST, HEAD"), ("OPTIONS", "GET, POST, HEAD"), ("BREW", "GET, POST, HEAD")]
)
def test_a_method_that_a_path_does_not_take_is_405_and_says_which_it_takes(client, method, allowed):
    response = client.generic(method, "/v1/probes/public")
    refused(response, 405, "method-not-allowed")
    assert response.headers["Allow"] == allowed


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonx",
        "application/x-ndjson",
    ],
)
def test_a_body_of_another_media_type_is_415(client, content_type):
    refused(
        client.generic("POST", "/v1/probes/public", b"{}", content_type=content_type), 415, "unsupported-media-type"
    )


@pytest.mark.parametrize("content_type", ["application/json", "application/json; charset=utf-8", "Application/JSON"])
def test_json_is_read_however_its_media_type_is_spelled(client, content_type):
    assert client.generic("POST", "/v1/probes/public", b"{}", content_type=content_type).status_code == 200


def test_a_compressed_body_is_415(client):
    response = client.post(
        "/v1/probes/public", b"{}", content_type="application/json", headers={"Content-Encoding": "gzip"}
    )
    refused(response, 415, "unsupported-media-type")


@pytest.mark.parametrize("body", MALFORMED)
def test_a_body_that_is_not_what_it_must_be_is_bad_input(client, body):
    refused(client.post("/v1/probes/public", body, content_type="application/json"), 400, "bad-input")


def test_an_empty_body_is_bad_input(client):
    refused(client.post("/v1/probes/public", headers={"Content-Type": "application/json"}), 400, "bad-input")


def test_an_unknown_field_is_named(client):
    response = client.post("/v1/probes/public", b'{"nothingLikeIt": 1}', content_type="application/json")
    assert "nothingLikeIt" in refused(response, 400, "bad-input")["message"]


def test_an_unknown_field_of_any_length_does_not_blow_up_the_answer(client):
    response = client.post("/v1/probes/public", json.dumps({"n" * 1_000_000: 1}), content_type="application/json")
    assert "nnnn" in refused(response, 400, "bad-input")["message"]
    assert len(response.content) < 1000


def test_a_wrong_value_is_named_by_its_place(client):
    response = client.post("/v1/probes/public", b'{"text": 1}', content_type="application/json")
    error = refused(response, 400, "bad-input")
    assert error["message"].startswith("/text: ")
    assert error["details"] == {"path": "/text"}


def test_an_unhandled_exception_is_a_plain_500(client, does):
    does(raising(RuntimeError(probes.SECRET_TEXT)))
    refused(client.get("/v1/probes/public"), 500, "internal-error")


def test_what_an_endpoint_answers_that_is_no_json_is_a_plain_500(client, does):
    does(lambda request: {"set": object()})
    refused(client.get("/v1/probes/public"), 500, "internal-error")


@pytest.mark.parametrize("path", ["/v1/probes/bare"])
def test_a_fault_outside_of_endpoints_is_the_envelope_too(client, path):
    refused(client.get(path), 500, "internal-error")


def test_an_error_in_html_becomes_the_envelope(client):
    refused(client.get("/v1/probes/bare-forbidden"), 403, "permission-denied")


def test_a_host_that_is_not_ours_is_refused_in_the_envelope(client):
    refused(client.get("/v1/nothing", headers={"Host": "elsewhere.example"}), 400, "bad-input")


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Http404(probes.SECRET_TEXT), 404, "route-not-found"),
        (exceptions.PermissionDenied(probes.SECRET_TEXT), 403, "permission-denied"),
        (exceptions.NotAuthenticated(probes.SECRET_TEXT), 401, "auth-missing"),
        (exceptions.ParseError(probes.SECRET_TEXT), 400, "bad-input"),
        (OperationalError(probes.SECRET_TEXT), 503, "service-unavailable"),
        (InterfaceError(probes.SECRET_TEXT), 503, "service-unavailable"),
        (RecursionError(probes.SECRET_TEXT), 500, "internal-error"),
        (MemoryError(probes.SECRET_TEXT), 500, "internal-error"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_a_foreign_exception_never_shows_its_text(client, does, error, status, code):
    does(raising(error))
    response = client.get("/v1/probes/public")
    refused(response, status, code)
    assert ("Retry-After" in response.headers) == (status == 503)
    assert (response.headers.get("WWW-Authenticate") == "Bearer") == (status == 401)


def test_waiting_too_long_for_a_lock_is_409_with_retry_after(client, does):
    does(probes.lock_not_available)
    response = client.get("/v1/probes/public")
    refused(response, 409, "lock-timeout")
    assert response.headers["Retry-After"] == "1"


def test_a_query_parameter_with_a_nul_is_bad_input(client):
    refused(client.get("/v1/probes/public?name=a%00b"), 400, "bad-input")
    refused(client.get("/v1/probes/public?a%00b=name"), 400, "bad-input")


def test_a_query_of_ten_thousand_parameters_is_bad_input(client):
    refused(client.get("/v1/probes/public?" + "&".join(f"p{number}=1" for number in range(10_000))), 400, "bad-input")


@pytest.mark.parametrize("path", ["/v1/tokens", "/v1/probes/effects"])
@pytest.mark.parametrize("authorization", NOT_TOKENS)
def test_without_a_token_that_somebody_was_given_it_is_auth_missing(client, path, authorization):
    headers = {} if authorization is None else {"Authorization": authorization}
    response = client.generic("POST", path, b"{}", content_type="application/json", headers=headers)
    refused(response, 401, "auth-missing")
    assert response.headers["WWW-Authenticate"] == "Bearer"


class TestRequestId:
    """``X-Request-Id`` echoes the caller's when it is bounded and safe."""

    @pytest.mark.parametrize("given", ["a", "req-1", "A.b_c:d/e+f=g@h-0", "x" * 128])
    def test_a_safe_one_comes_back(self, client, given):
        for path in ("/v1/nothing", "/v1/probes/public", "/v1/openapi.json"):
            assert client.get(path, headers={"X-Request-Id": given}).headers["X-Request-Id"] == given

    @pytest.mark.parametrize(
        "given",
        ["", " ", "x" * 129, "a b", "a\tb", "a\r\nSet-Cookie: b=c", "é", "<script>", 'a"b', "a,b", "a\x00", "\u2028"],
    )
    def test_any_other_is_replaced(self, client, given):
        response = client.get("/v1/nothing", HTTP_X_REQUEST_ID=given)
        assert NEW_ID.fullmatch(response.headers["X-Request-Id"])
        assert response.json()["error"]["requestId"] == response.headers["X-Request-Id"]

    def test_a_new_one_is_made_for_each_request(self, client):
        assert len({client.get("/v1/nothing").headers["X-Request-Id"] for _ in range(20)}) == 20

    def test_it_is_on_successes_and_on_pages_outside_of_v1(self, client):
        assert NEW_ID.fullmatch(client.get("/v1/probes/public").headers["X-Request-Id"])
        assert NEW_ID.fullmatch(client.get("/elsewhere").headers["X-Request-Id"])

    def test_it_finds_the_traceback_in_the_log(self, client, does, caplog):
        does(raising(RuntimeError(probes.SECRET_TEXT)))
        caplog.handler.addFilter(RequestIdFilter())
        with caplog.at_level(logging.ERROR, "kindgi.api"):
            client.get("/v1/probes/public", headers={"X-Request-Id": "find-me"})
        [record] = [record for record in caplog.records if record.name == "kindgi.api"]
        assert record.request_id == "find-me"
        assert probes.SECRET_TEXT in str(record.exc_info[1])

    def test_the_logs_lines_hold_it(self, settings):
        [handler] = settings.LOGGING["handlers"].values()
        assert handler["filters"] == ["request_id"]
        assert "%(request_id)s" in settings.LOGGING["formatters"][handler["formatter"]]["format"]


def test_answers_that_succeed_are_not_cached_either():
    response = Api.of(make_user(make_tenant())).get("identity/whoami")
    assert (response.status_code, response.headers["Cache-Control"]) == (200, "no-store")


def test_head_answers_as_get_does_without_the_body(client):
    response = client.head("/v1/probes/public")
    assert (response.status_code, response.content) == (200, b"")
    assert client.head("/v1/nothing").status_code == 404


def test_an_error_without_a_request_id_is_still_an_envelope(rf):
    response = plain_error_response(as_api_error(Http404()), rf.get("/"))
    assert json.loads(response.content)["error"]["requestId"] == ""
