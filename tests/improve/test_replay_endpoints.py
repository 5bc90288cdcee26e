"""A replay endpoint is a project admin's to set, its secret is shown once, and never anywhere else."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection
from standardwebhooks import Webhook

from improve.models import ReplayEndpoint, ReplayJob
from improve.replaying.addresses import Network
from improve.selectors.endpoints import replay_endpoint_get
from improve.services.endpoints import keys_of
from kindgi.api.times import as_of, now
from tests.improve.answering import GOOD, answering, counts_transactions, says
from tests.improve.replays import begin, endpoint_path, set_endpoint, work
from tests.support.admin_pages import listed, staff_of, superuser, url
from tests.support.shops import AGENT, VERSION, Shop

URL = "https://agents.example.com/replay"


def test_the_secret_is_shown_when_it_is_made_and_when_it_is_rotated(undone: Shop):
    admin, path = undone.api("admin"), endpoint_path(undone)
    made = admin.request("PUT", path, {"url": URL})
    assert made.status_code == 201 and made.json()["secret"].startswith("whsec_")
    assert made.json()["setBy"] == f"user:{undone.person('admin').pk}"
    moved = admin.request("PUT", path, {"url": URL + "/2"})
    assert moved.status_code == 200 and "secret" not in moved.json() and moved.json()["url"] == URL + "/2"
    rotated = admin.ok("POST", endpoint_path(undone, "rotate"))
    assert rotated["secret"].startswith("whsec_") and rotated["secret"] != made.json()["secret"]
    seen = undone.editor.ok("GET", path)
    assert "secret" not in seen and seen["rotatedAt"] == rotated["rotatedAt"]
    assert seen["previousSecretUntil"] > seen["rotatedAt"]


def test_for_a_day_after_a_rotation_both_secrets_sign_and_never_three(undone: Shop):
    first = set_endpoint(undone, URL)
    second, third = (
        undone.api("admin").ok("POST", endpoint_path(undone, "rotate"), {"again": again})["secret"]
        for again in (False, True)
    )
    endpoint = replay_endpoint_get(project=undone.project, agent_id=AGENT)
    assert keys_of(endpoint) == (third, second) and first not in keys_of(endpoint)
    with as_of(now() + timedelta(hours=23, minutes=59)):
        assert keys_of(endpoint) == (third, second)
    with as_of(now() + timedelta(hours=24, minutes=1)):
        assert keys_of(endpoint) == (third,)


def test_within_that_day_it_is_rotated_again_only_where_that_is_said(undone: Shop):
    set_endpoint(undone, URL)
    admin, path = undone.api("admin"), endpoint_path(undone, "rotate")
    admin.ok("POST", path)
    before = keys_of(replay_endpoint_get(project=undone.project, agent_id=AGENT))
    for body in (None, {}, {"again": False}):
        refused = admin.request("POST", path, body)
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "replay-endpoint-overlaps")
    assert keys_of(replay_endpoint_get(project=undone.project, agent_id=AGENT)) == before
    with as_of(now() + timedelta(hours=24, minutes=1)):
        admin.ok("POST", path)


def test_a_rotation_moves_no_time_but_its_own(undone: Shop):
    set_endpoint(undone, URL)
    before = undone.editor.ok("GET", endpoint_path(undone))
    undone.api("admin").ok("POST", endpoint_path(undone, "rotate"))
    after = undone.editor.ok("GET", endpoint_path(undone))
    assert after["updatedAt"] == before["updatedAt"] and after["rotatedAt"] > before["updatedAt"]


def test_an_endpoint_that_is_set_anew_has_another_secret(undone: Shop):
    first = set_endpoint(undone, URL)
    assert undone.api("admin").request("DELETE", endpoint_path(undone)).status_code == 204
    assert undone.editor.request("GET", endpoint_path(undone)).status_code == 404
    assert set_endpoint(undone, URL) not in ("", first)


def test_secrets_are_stored_encrypted(undone: Shop):
    first = set_endpoint(undone, URL)
    second = undone.api("admin").ok("POST", endpoint_path(undone, "rotate"))["secret"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT row_to_json(improve_replayendpoint)::text FROM improve_replayendpoint")
        stored = "".join(text for (text,) in cursor.fetchall())
    for secret in (first, second):
        assert secret not in stored and secret.encode().hex() not in stored
        assert secret.removeprefix("whsec_") not in stored


def test_the_answer_with_the_secret_is_not_kept(undone: Shop):
    path = endpoint_path(undone)
    made = undone.api("admin").request("PUT", path, {"url": URL}, key="key-1")
    assert made.status_code == 201
    with connection.cursor() as cursor:
        cursor.execute("SELECT row_to_json(api_idempotencykey)::text FROM api_idempotencykey")
        kept = "".join(text for (text,) in cursor.fetchall())
    assert made.json()["secret"] not in kept and made.json()["secret"].encode().hex() not in kept


def test_an_answer_without_a_secret_is_kept(undone: Shop):
    admin, path = undone.api("admin"), endpoint_path(undone)
    set_endpoint(undone, URL)
    moved, again = (admin.request("PUT", path, {"url": URL + "/2"}, key="key-2") for _ in range(2))
    assert (moved.status_code, again.status_code) == (200, 200)
    assert again.content == moved.content and again.headers["X-Idempotent-Replay"] == "true"


def test_no_secret_is_in_logs_the_admin_or_what_a_job_leaves(
    undone: Shop, caplog: pytest.LogCaptureFixture, settings: LazySettings
):
    with caplog.at_level(logging.DEBUG), answering(says()) as server:
        secret = set_endpoint(undone, server.url)
        job = work(begin(undone, 1))
        assert job.answered == 1
    endpoint = replay_endpoint_get(project=undone.project, agent_id=AGENT)
    stored = bytes(endpoint.secret)
    pages = [
        client.get(page).content.decode()
        for client in (superuser(), staff_of(undone.tenant))
        for page in (
            url(ReplayEndpoint),
            url(ReplayEndpoint, "change", endpoint.pk),
            url(ReplayJob),
            url(ReplayJob, "change", job.pk),
        )
    ]
    assert any(server.url in page for page in pages) and any("1 of 1" in page for page in pages)
    for text in [caplog.text, *pages, repr(endpoint)]:
        assert secret not in text and stored.decode() not in text and stored.hex() not in text


def test_the_admin_shows_a_tenant_its_own_and_changes_nothing(undone: Shop):
    other = Shop.open()
    set_endpoint(undone, URL)
    set_endpoint(other, URL)
    endpoint = replay_endpoint_get(project=undone.project, agent_id=AGENT)
    staff = staff_of(undone.tenant)
    assert listed(staff, ReplayEndpoint) == [endpoint]
    assert staff.get(url(ReplayEndpoint, "add")).status_code == 403
    assert staff.post(url(ReplayEndpoint, "delete", endpoint.pk), {"post": "yes"}).status_code == 403
    assert staff.post(url(ReplayEndpoint, "change", endpoint.pk), {"url": "https://x.example/"}).status_code == 403
    assert replay_endpoint_get(project=undone.project, agent_id=AGENT).url == URL


def test_the_admin_says_why_a_job_failed(undone: Shop):
    job = work(begin(undone, 1))
    page = superuser().get(url(ReplayJob, "change", job.pk)).content.decode()
    assert "Fewer than half of the replays were answered (0/1)." in page


LOCAL_ONES = ["https://[::1]/", "https://[::ffff:127.0.0.1]/"]
REFUSED = [
    *LOCAL_ONES,
    "", "agents.example.com", "ftp://agents.example.com/", "https://user:pass@agents.example.com/",
    "https://agents.example.com/#a", "https://agents.example.com/a b", "https://" + "a" * 2000 + "/",
    "https://169.254.169.254/", "https://10.0.0.1/",
    "https://[64:ff9b::a9fe:a9fe]/", "http://8.8.8.8/", "javascript:alert(1)",
]  # fmt: skip


@pytest.mark.parametrize("address", [*REFUSED, "http://127.0.0.1/", "http://agents.example.com/"])
def test_where_the_deployment_allows_nothing_only_https_to_public_addresses_is_set(
    undone: Shop, settings: LazySettings, address: str
):
    settings.REPLAY_ALLOWED_NETWORKS = ()
    answer = undone.api("admin").request("PUT", endpoint_path(undone), {"url": address})
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["code"], error["details"]) == ("bad-input", {"path": "/url"})


@pytest.mark.parametrize("address", [one for one in REFUSED if one not in LOCAL_ONES])
def test_what_the_deployment_allows_is_no_more_than_that(undone: Shop, address: str):
    assert undone.api("admin").request("PUT", endpoint_path(undone), {"url": address}).status_code == 400


@pytest.mark.parametrize(
    "address",
    [*LOCAL_ONES, "http://127.0.0.1:8400/replay", "http://agents.internal/", URL, "https://8.8.8.8:8443/a?b=c"],
)
def test_what_may_be_asked_may_be_set(undone: Shop, address: str):
    assert set_endpoint(undone, address)


def test_networks_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch):
    from django.core.exceptions import ImproperlyConfigured

    from kindgi.settings.environment import Mode
    from kindgi.settings.replays import allowed_networks

    assert allowed_networks(Mode.PRODUCTION) == ()
    assert [str(network) for network in allowed_networks(Mode.DEVELOPMENT)] == ["127.0.0.0/8", "::1/128"]
    monkeypatch.setenv("REPLAY_ALLOWED_NETWORKS", "10.0.0.0/8, fd00::/8")
    found: tuple[Network, ...] = allowed_networks(Mode.PRODUCTION)
    assert [str(network) for network in found] == ["10.0.0.0/8", "fd00::/8"] and allowed_networks(Mode.TEST) == found
    monkeypatch.setenv("REPLAY_ALLOWED_NETWORKS", "10.0.0.1/8")
    with pytest.raises(ImproperlyConfigured, match="REPLAY_ALLOWED_NETWORKS"):
        allowed_networks(Mode.PRODUCTION)


def check(shop: Shop, body: Any = None) -> dict[str, Any]:
    said: dict[str, Any] = shop.api("admin").ok("POST", endpoint_path(shop, "check"), body)
    return said


def test_an_endpoint_can_be_tried(undone: Shop):
    with answering(says()) as server:
        secret = set_endpoint(undone, server.url)
        said = check(undone, {"input": {"message": "Where is it?"}})
        assert said.pop("tookMs") >= 0
        assert said == {"outcome": "answered", **GOOD}
        check(undone)
        first, second = server.asked
    Webhook(secret).verify(first.body, first.headers)
    assert first.json == {"input": {"message": "Where is it?"}, "version": VERSION, "dryRun": True}
    assert second.json["input"] == {"message": "Hello"}


def test_whoever_tries_one_that_does_not_answer_reads_why(undone: Shop):
    with answering(says(b"<p>", status="500 Internal")) as server:
        set_endpoint(undone, server.url)
        said = check(undone)
        assert len(server.asked) == 1
    assert (said["outcome"], said["problem"]) == ("failed", "status-5xx")
    assert said["message"] == "The endpoint failed with status 500."


def test_no_transaction_is_open_while_one_is_tried(fresh: Shop):
    seen: list[int] = []
    with answering(counts_transactions(seen)) as server:
        set_endpoint(fresh, server.url)
        assert check(fresh)["outcome"] == "answered"
        again = fresh.api("admin").request("POST", endpoint_path(fresh, "check"), key="key-1")
        assert again.status_code == 200
    assert seen == [0, 0]
