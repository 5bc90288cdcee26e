"""What browser tests stand on: people sign in, pages are as asked for, and what goes wrong in a page is noticed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import assert_accessible, assert_no_sideways_scroll, violations
from tests.browser.browsing import DESKTOP, PHONE, Browsing
from tests.browser.troubles import Troubles
from tests.judging.queues import item_of, make_rule, rules_path

STRICT = "default-src 'none'; style-src 'self'"
GOOD = (
    '<!DOCTYPE html><html lang="en"><head><title>A page</title></head>'
    "<body><main><h1>A page</h1>{}</main></body></html>"
)


def made_up(page: Page, body: str, *, policy: str = "", status: int = 200) -> Page:
    """Open a page of the site that says ``body``, answered so."""
    headers = {"Content-Security-Policy": policy} if policy else {}
    html = GOOD.format(body)
    page.route(
        "**/made-up", lambda route: route.fulfill(body=html, content_type="text/html", status=status, headers=headers)
    )
    page.goto("/made-up")
    return page


@pytest.fixture
def noticed(browser, site, committed):
    """Pages whose troubles are the test's own, to look at."""
    troubles = Troubles()
    browsing = Browsing(browser, site.url, troubles)
    yield browsing, troubles
    browsing.close()


def test_the_home_page_is_for_everybody(page_for):
    page = page_for()
    page.goto("/")
    assert_accessible(page)
    assert_no_sideways_scroll(page)


def test_two_people_are_signed_in_at_once_each_in_a_browser_of_their_own(shop, page_for):
    pages = {}
    for admin in (shop.person("tenant-admin"), shop.person("tenant-admin:2")):
        admin.is_staff = True
        admin.save()
        pages[admin] = page_for(admin)
        pages[admin].goto("/admin/")
    for admin, page in pages.items():
        page.reload()
        expect(page.locator("#user-tools")).to_contain_text(str(admin))


def test_somebody_signs_in_by_the_form_of_the_administration(shop, page_for):
    admin = shop.person("tenant-admin")
    admin.is_staff = True
    admin.set_password("correct horse battery staple")
    admin.save()
    page = page_for()
    page.goto("/admin/")
    page.get_by_label("Email").fill(admin.email)
    page.get_by_label("Password").fill("correct horse battery staple")
    page.get_by_role("button", name="Log in").click()
    expect(page.locator("#user-tools")).to_contain_text(str(admin))


def test_the_worker_does_what_the_served_project_leaves_to_it(shop, page_for, worker):
    run_id = shop.run()
    path = f"/v1/{rules_path(shop, make_rule(shop)['ruleId'], 'queue-recent')}"
    bearer = {"Authorization": f"Bearer {shop.editor.secret}"}
    assert page_for().request.post(path, data={"last": 10}, headers=bearer).ok
    worker.wait_until(lambda: item_of(shop, run_id) is not None)


def test_a_page_is_as_wide_as_dark_and_where_the_test_asks(page_for):
    page = made_up(page_for(width=PHONE, theme="dark", timezone="Asia/Tokyo", locale="de-DE"), "")
    seen = page.evaluate(
        "[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches, navigator.language,"
        " Intl.DateTimeFormat().resolvedOptions().timeZone]"
    )
    assert seen == [PHONE, True, "de-DE", "Asia/Tokyo"]


def test_without_javascript_no_script_of_a_page_runs(page_for):
    body = "<p id=what>nothing ran</p><script>document.querySelector('#what').textContent = 'it ran'</script>"
    expect(made_up(page_for(javascript=False), body).locator("#what")).to_have_text("nothing ran")
    expect(made_up(page_for(), body).locator("#what")).to_have_text("it ran")


@pytest.mark.parametrize(
    ("body", "answer", "trouble"),
    [
        ("<script>console.error('oh')</script>", {}, "console: oh"),
        ("<script>missing()</script>", {}, "script: .*missing is not defined"),
        ("<script>fetch('/static/nothing.js')</script>", {}, "404 GET .*/static/nothing.js"),
        ("<img src='/static/nothing.png' alt=''>", {}, "404 GET .*/static/nothing.png"),
        ("<script>fetch('http://127.0.0.1:1/')</script>", {}, "ERR_.* GET http://127.0.0.1:1/"),
        ("<script>document.title = 'ran'</script>", {"policy": STRICT}, "Content-Security-Policy: script-src"),
        ("<p style='color: red'>red</p>", {"policy": STRICT}, "Content-Security-Policy: style-src"),
        ("", {"status": 503}, "503 GET .*/made-up"),
        ("", {"status": 403}, "403 GET .*/made-up"),
    ],
)
def test_what_goes_wrong_in_a_page_fails_the_test_unless_it_was_expected(noticed, body, answer, trouble):
    browsing, troubles = noticed
    page = made_up(browsing(), body, **answer)
    for _ in range(100):
        page.evaluate("new Promise(requestAnimationFrame)")
        if troubles.found:
            break
    browsing.close()
    with pytest.raises(AssertionError, match=trouble):
        troubles.check()
    troubles.expect(*map(re.escape, troubles.found))
    troubles.check()


def test_a_trouble_that_was_expected_and_did_not_come_fails_the_test(noticed):
    browsing, troubles = noticed
    troubles.expect("503")
    made_up(browsing(), "")
    with pytest.raises(AssertionError, match="didn't come"):
        troubles.check()


def test_a_page_without_troubles_has_none_nor_has_a_form_that_was_filled_in_wrongly(noticed):
    browsing, troubles = noticed
    made_up(browsing(), "<p>All is well.</p>")
    made_up(browsing(), "<p>Say why.</p>", status=422)
    browsing.close()
    troubles.check()


def test_being_offline_is_a_trouble_that_a_test_expects(page_for, troubles):
    page = made_up(page_for(), "")
    page.context.set_offline(True)
    troubles.expect("ERR_INTERNET_DISCONNECTED GET .*/v1/docs")
    page.evaluate("fetch('/v1/docs').catch(() => null)")


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("<img src='data:,'>", "image-alt"),
        ("<input>", "label"),
        ("<button></button>", "button-name"),
        (
            "<style>button{display:block;width:12px;height:12px;padding:0;border:0}</style><button>a</button><button>b</button>",
            "target-size",
        ),
    ],
)
def test_a_page_that_is_not_for_everybody_fails_and_says_why(page_for, body, rule):
    page = made_up(page_for(), body)
    with pytest.raises(AssertionError, match=rule):
        assert_accessible(page)


def test_each_theme_is_looked_at_by_itself(page_for):
    dim = "<style>@media (prefers-color-scheme: dark) { p { color: #222; background: #111 } }</style>"
    page = made_up(page_for(), f"{dim}<p>Who reads this?</p>")
    assert violations(page, theme="light") == []
    with pytest.raises(AssertionError, match=r"color-contrast \(serious, dark theme\)"):
        assert_accessible(page)


def test_axe_runs_where_the_page_forbids_all_scripts(page_for):
    assert_accessible(made_up(page_for(), "<p>Quiet.</p>", policy=STRICT))


def test_a_page_that_is_wider_than_a_phone_fails_and_names_what_is_too_wide(page_for):
    page = made_up(page_for(), "<p style='width: 500px' id='wide'>wide</p>")
    assert_no_sideways_scroll(page, DESKTOP)
    with pytest.raises(AssertionError, match='in a window of 390 px\n- <p style="width: 500px" id="wide">'):
        assert_no_sideways_scroll(page)
    assert_no_sideways_scroll(
        made_up(page_for(), "<div style='overflow-x: auto'><p style='width: 500px'>its own box scrolls</p></div>")
    )
