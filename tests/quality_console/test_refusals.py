"""What is refused before a page is reached looks like the console; to HTMX it is a notice, and what is there stays."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.test import Client, override_settings
from django.urls import path

from kindgi import urls
from tests.quality_console.queue_pages import client_of, words
from tests.support.shops import Shop

HTMX = {"HX-Request": "true", "HX-Target": "correction"}


def failing(request: Any) -> Any:
    raise RuntimeError("a secret of the code")


class WithAFault:
    """The product's addresses, and one that fails."""

    urlpatterns = (path("fault", failing), *urls.urlpatterns)
    handler400, handler403 = urls.handler400, urls.handler403
    handler404, handler500 = urls.handler404, urls.handler500


def strict(undone: Shop) -> Client:
    """Somebody's browser, of which the token of forms is asked, and which sees faults as they are answered."""
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(undone.person("editor"))
    return client


def refusals(undone: Shop, headers: dict[str, str]) -> dict[str, Any]:
    client, signed_in = strict(undone), client_of(undone)
    many = {f"field-{number}": "x" for number in range(settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1)}
    with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=1000):
        large = signed_in.post(
            "/theme", "a=" + "x" * 2000, content_type="application/x-www-form-urlencoded", headers=headers
        )
    return {
        "older than your last signing in": client.post("/theme", {"theme": "dark"}, headers=headers),
        "more than can be sent at once": large,
        "more than can": signed_in.post("/theme", many, headers=headers),
        "no such page": client.get("/nowhere", headers=headers),
        "Something went wrong": client.get("/fault", headers=headers),
    }


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["a page", "to HTMX"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_whatever_is_refused_looks_like_the_console_and_has_its_number(undone: Shop, headers: dict[str, str]):
    with override_settings(ROOT_URLCONF=WithAFault):
        found = refusals(undone, headers)
    assert [answer.status_code for answer in found.values()] == [403, 400, 400, 404, 500]
    for said, answer in found.items():
        html = answer.content.decode()
        assert said in words(html)
        assert f"Request {answer.headers['X-Request-Id']}" in words(html)
        assert "a secret of the code" not in html
        assert ("<html" in html) is not bool(headers)
        assert answer.headers.get("HX-Retarget") == ("#notices" if headers else None)


def test_a_host_that_is_not_served_is_refused_without_anything_of_a_page_around_it(undone: Shop):
    answer = Client().get("/", headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert "This can't be read." in words(answer.content.decode())


def test_under_v1_the_same_are_json(undone: Shop):
    for path_, headers, status in (("/v1/nowhere", {}, 404), ("/v1/runs", {"Host": "evil.example"}, 400)):
        answer = Client().get(path_, headers=headers)
        assert (answer.status_code, answer.headers["Content-Type"]) == (status, "application/json")


def test_a_form_as_large_as_a_correction_can_be_is_read(undone: Shop):
    fields = {f"a-{call}-{index}": "x" for call in range(50) for index in range(200)}
    assert client_of(undone).post("/theme", {"theme": "dark", **fields}).status_code in (302, 303)


def test_a_views_own_refusal_is_marked_for_the_place_that_asked(undone: Shop):
    run_id = undone.run()
    undone.admin.ok("POST", f"runs/{run_id}/erase")
    address = f"/projects/{undone.project.slug}/runs/{run_id}/correct"
    said = {"do": "save", "answer": "right", "class": "", "seen-person": undone.person("editor").pk}
    answer = client_of(undone).post(address, said, headers=HTMX)
    assert answer.status_code in (409, 410)
    assert answer.headers["HX-Retarget"] == "#correction"
