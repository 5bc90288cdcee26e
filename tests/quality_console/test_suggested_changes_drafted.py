"""Drafting a suggested change from what was corrected: its block as it is, evidence filled in, refusals in place."""

from __future__ import annotations

import html
import json
import re
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.builders import browser
from tests.improve import suggesting
from tests.improve.suggesting import BLOCK, FROM, PROMPT, TEMPLATE
from tests.quality_console.tabs import text_of
from tests.support.shops import AGENT, Shop


@pytest.fixture(scope="module")
def corrections(shop: Shop) -> list[dict[str, Any]]:
    """Three corrections that say wrong, and one that says right."""
    suggesting.register(shop)
    return suggesting.corrected_runs(shop, 3, right=1)


def address(shop: Shop, **query: Any) -> str:
    asked = urlencode({"agent": AGENT, "version": FROM, **query}, doseq=True)
    return f"/projects/{shop.project.slug}/suggested-changes/new?{asked}"


def typed_in(answer: Any) -> str:
    """What stands in the field of the content."""
    found = re.search(r'<textarea name="content".*?>\n?(.*?)</textarea>', answer.content.decode(), re.DOTALL)
    assert found is not None
    return html.unescape(found[1])


def send(shop: Shop, query: dict[str, Any], **form: Any) -> Any:
    return browser(shop.person("editor")).post(address(shop, **query), {"hypothesis": "It helps.", **form})


def proposal_of(shop: Shop, sent: Any) -> dict[str, Any]:
    assert sent.status_code == 303, text_of(sent)
    found: dict[str, Any] = shop.editor.ok("GET", f"proposals/{sent.headers['Location'].rpartition('/')[2]}")
    return found


def test_a_wrong_correction_of_an_agents_run_leads_to_it_with_the_evidence(undone, corrections):
    shop = undone
    run = browser(shop.person("editor")).get(
        f"/projects/{shop.project.slug}/runs/{corrections[0]['runId']}?tab=corrections"
    )
    link = re.search(r'href="([^"]*suggested-changes/new[^"]*)"', run.content.decode())
    assert link is not None and "Suggest a change" in text_of(run)
    page = browser(shop.person("editor")).get(html.unescape(link[1]))
    evidence = suggesting.judgments(shop, corrections[0])[0]
    ticked = re.findall(r'name="evidence"\s+value="([^"]+)"\s+checked', page.content.decode())
    assert ticked == [evidence]
    assert page.content.decode().count('name="evidence"') == 3
    for by, run_id in (("viewer", corrections[0]["runId"]), ("editor", corrections[3]["runId"])):
        other = browser(shop.person(by)).get(f"/projects/{shop.project.slug}/runs/{run_id}?tab=corrections")
        assert "suggested-changes/new" not in other.content.decode()


def test_a_prompt_is_changed_as_text_and_keeps_what_nobody_touched(undone, corrections):
    shop = undone
    page = browser(shop.person("editor")).get(address(shop, block=PROMPT))
    assert typed_in(page) == TEMPLATE
    evidence = suggesting.judgments(shop, corrections[1])
    changed = f"{TEMPLATE}\nBe brief.".replace("\n", "\r\n")
    made = proposal_of(shop, send(shop, {"block": PROMPT}, content=changed, evidence=evidence))
    assert made["change"]["content"] == {"template": f"{TEMPLATE}\nBe brief."}
    assert made["evidence"] == {"judgmentIds": evidence} and made["hypothesis"] == "It helps."
    again = send(shop, {"block": PROMPT}, content=changed)
    assert again.status_code == 303
    assert again.headers["Location"].endswith(made["id"])
    told = browser(shop.person("editor"))
    told.post(address(shop, block=PROMPT), {"hypothesis": "Again.", "content": changed})
    assert "This change is suggested already." in text_of(told.get(again.headers["Location"]))


def test_a_templates_own_line_ends_stay(undone, corrections):
    shop = undone
    block = {"id": "dos", "kind": "prompt", "template": "One.\r\nTwo.\r\n"}
    shop.admin.ok("PUT", f"agents/{AGENT}/versions/3.0.0", {"blocks": [block]})
    unchanged = send(shop, {"version": "3.0.0"}, content="One.\r\nTwo.\r\n")
    assert unchanged.status_code == 422 and "a suggested change changes something" in text_of(unchanged)
    made = proposal_of(shop, send(shop, {"version": "3.0.0"}, content="One.\r\nThree.\r\n"))
    assert made["change"]["content"] == {"template": "One.\r\nThree.\r\n"}


def test_settings_are_changed_as_json_to_the_byte(undone, corrections):
    shop = undone
    page = browser(shop.person("editor")).get(address(shop, block=BLOCK))
    assert json.loads(typed_in(page))["tool"] == "shop.lookup"
    made = send(shop, {"block": BLOCK}, content='{"tool": "x", "days": 90.0, "big": 12345678901234567890}')
    proposal_of(shop, made)
    raw = shop.editor.request("GET", f"proposals/{made.headers['Location'].rpartition('/')[2]}").content.decode()
    assert '{"tool": "x", "days": 90.0, "big": 12345678901234567890}' in raw


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"a": 1,\n  nonsense}', "This isn't JSON: something is wrong at line 2, column 3."),
        ("[1]", "Settings are an object."),
        ('{"a": NaN}', "This isn't JSON."),
        ("[" * 5000, "nested"),
        ("", "required"),
    ],
)
def test_what_isnt_settings_is_refused_beside_its_field_and_stays_typed(shop, corrections, content: str, said: str):
    refused = send(shop, {"block": BLOCK}, content=content, hypothesis="<b>Mine</b>")
    assert refused.status_code == 422
    assert said in text_of(refused)
    assert "&lt;b&gt;Mine&lt;/b&gt;" in refused.content.decode()
    assert typed_in(refused) == content


def test_a_hypothesis_is_needed_and_evidence_of_others_is_none(shop, corrections):
    refused = send(shop, {"block": BLOCK}, content="{}", hypothesis=" ")
    assert refused.status_code == 422 and "Say what should get better, and why." in text_of(refused)
    stranger = Shop.open()
    suggesting.register(stranger)
    foreign = suggesting.judgments(stranger, suggesting.corrected_runs(stranger, 1)[0])
    page = browser(shop.person("editor")).get(address(shop, evidence=[*foreign, "nonsense"]))
    assert f'value="{foreign[0]}"' not in page.content.decode()
    refused = send(shop, {"block": BLOCK}, content='{"a": 1}', evidence=foreign)
    assert refused.status_code == 422


def test_a_version_without_blocks_says_how_they_are_registered(undone, corrections):
    shop = undone
    for version in ("1.0.0", "nobody-registered-it"):
        page = text_of(browser(shop.person("editor")).get(address(shop, version=version)))
        assert "There's nothing to change yet" in page and f"/versions/{version}" in page.replace(" ", "")
    assert browser(shop.person("editor")).get(address(shop, agent="")).status_code == 404


def test_a_template_that_no_form_can_send_is_left_to_the_api(undone, corrections):
    shop = undone
    body = '{"blocks": [{"id": "odd", "kind": "prompt", "template": "a\\u0001b"}]}'
    shop.admin.ok("PUT", f"agents/{AGENT}/versions/4.0.0", body.encode())
    page = browser(shop.person("editor")).get(address(shop, version="4.0.0"))
    assert page.status_code == 200 and "no form can send" in text_of(page)


def test_what_a_schema_refuses_is_said_with_its_place_and_in_words(undone, corrections):
    shop = undone
    bounded = {"type": "object", "additionalProperties": {"properties": {"a": {"maximum": 10}}}}
    block = {"id": "bounded", "kind": "settings", "values": {"key150": {"a": 1}}, "schema": bounded}
    shop.admin.ok("PUT", f"agents/{AGENT}/versions/5.0.0", {"blocks": [block]})
    refused = send(shop, {"version": "5.0.0"}, content='{"key150": {"a": 11}}')
    assert refused.status_code == 422
    assert "At /values/key150/a: It must be at most 10." in text_of(refused)


def test_another_block_is_shown_with_all_that_was_typed_into_each(undone, corrections):
    shop = undone
    ticked = suggesting.judgments(shop, corrections[0])
    typed = {"block": BLOCK, "content": '{"a":\r\n 1', "hypothesis": "Mine.", "evidence": ticked}
    other = send(shop, {"block": BLOCK}, **typed, show=PROMPT)
    assert other.status_code == 200 and typed_in(other) == TEMPLATE
    assert "Mine." in other.content.decode() and f'value="{ticked[0]}"' in other.content.decode()
    name, kept = re.findall(
        r'<textarea name="(kept-\d+)" hidden>\n(.*?)</textarea>', other.content.decode(), re.DOTALL
    )[0]
    more = {"block": PROMPT, "content": f"{TEMPLATE}\nBe brief.", "hypothesis": "Mine.", name: html.unescape(kept)}
    back = send(shop, {"block": BLOCK}, **more, show=BLOCK)
    assert typed_in(back) == '{"a":\n 1' and "Be brief." in back.content.decode()
    made = proposal_of(shop, send(shop, {"block": BLOCK}, **more))
    assert made["change"]["content"] == {"template": f"{TEMPLATE}\nBe brief."}


def test_a_block_that_was_emptied_comes_back_empty(undone, corrections):
    shop = undone
    typed = {"block": BLOCK, "content": "", "hypothesis": "Mine."}
    other = send(shop, {"block": BLOCK}, **typed, show=PROMPT)
    assert typed_in(other) == TEMPLATE
    (kept,) = re.findall(r'<textarea name="(kept-\d+)" hidden>\n</textarea>', other.content.decode())
    back = send(shop, {"block": BLOCK}, block=PROMPT, content=TEMPLATE, **{kept: ""}, show=BLOCK)
    assert typed_in(back) == ""
