"""What people said of a run: hidden until who may correct it has said something, then whole, and changed by hand."""

import html
import re

import pytest

from tests import builders
from tests.support.shops import TOOLS


def tab(shop, run_id, query=""):
    return f"/projects/{shop.project.slug}/runs/{run_id}?tab=corrections{query}"


def seen(shop, run_id, query="", *, by="editor"):
    response = builders.browser(shop.person(by)).get(tab(shop, run_id, query))
    assert response.status_code == 200
    return response.content.decode()


def words(page):
    """What a page says, without its tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page.replace("<wbr>", ""))).split())


def post(shop, correction, what, *, by="editor", query="", answered=303, **said):
    path = "remove" if what == "remove" else f"change/{what}"
    where = f"/projects/{shop.project.slug}/corrections/{correction['id']}/{path}{query}"
    response = builders.browser(shop.person(by)).post(where, said)
    assert response.status_code == answered, response.content.decode()[:1000]
    return response


def read(shop, correction):
    return shop.editor.ok("GET", f"corrections/{correction['id']}")


def visible(shop):
    """The shop, whose reviewers see at once what others said."""
    shop.project.blind = False
    shop.project.save()
    return shop


def test_what_others_said_is_hidden_from_who_may_correct_until_they_have(undone):
    expert = undone.judge_class("expert")
    run_id = undone.run()
    for by, fields in (("editor:2", {}), ("editor:3", {"correctorGroupId": expert})):
        undone.correct(run_id, by=by, answer="wrong", why="Much too late.", shouldSay="Today.", **fields)
    page = words(seen(undone, run_id))
    assert "2 people corrected this run: 1 unclassified, 1 expert." in page or (
        "2 people corrected this run: 1 expert, 1 unclassified." in page
    )
    assert "What they said shows once you have saved yours." in page
    assert "Much too late." not in page and "Today." not in page and "What others said" not in page
    undone.correct(run_id, by="editor", answer="right")
    page = words(seen(undone, run_id))
    assert page.count("Much too late.") == 2
    assert "once you have saved yours" not in page


def test_a_correction_for_an_end_user_and_one_by_a_service_tell_no_more_to_the_blind(undone):
    run_id = undone.run()
    undone.correct(run_id, by="service", answer="wrong", why="Much too late.", participantId="customer-17")
    page = words(seen(undone, run_id))
    assert "1 other corrected this run, unclassified." in page
    assert "Much too late." not in page and "customer-17" not in page


def test_taking_back_the_own_correction_hides_what_others_said_again(undone):
    run_id = undone.run()
    undone.correct(run_id, by="editor:2", answer="wrong", why="Much too late.")
    mine = undone.correct(run_id, by="editor", answer="right", why="I like it.")
    assert "Much too late." in seen(undone, run_id)
    post(undone, mine, "remove")
    page = words(seen(undone, run_id))
    assert "Much too late." not in page
    assert "I like it." in page, "their own is still theirs to read"


@pytest.mark.parametrize("query", ["", "&said=all", "&from=x", "&steps=1", "&dialog=note&correction={id}"])
def test_no_address_shows_what_is_hidden(undone, query):
    run_id = undone.run()
    other = undone.correct(run_id, by="editor:2", answer="wrong", why="Much too late.")
    undone.correct(run_id, by="editor:2", answer="wrong", why="It is late.")
    page = seen(undone, run_id, query.format(id=other["id"]))
    assert "late." not in page.replace("This is", "")


def test_all_is_shown_where_the_project_is_not_blind_and_to_who_may_not_correct(undone):
    run_id = undone.run()
    undone.correct(run_id, by="editor:2", answer="wrong", why="Much too late.")
    assert "Much too late." in seen(undone, run_id, by="viewer")
    assert "Much too late." not in seen(undone, run_id)
    assert "Much too late." in seen(visible(undone), run_id)
    assert 'id="correction"' in seen(undone, run_id), "and the form is there beside it"


def test_a_correction_says_all_that_it_says(undone):
    expert = undone.judge_class("expert", assertableBy={"principalKinds": ["user"]})
    run_id = undone.run(calls=[{"tool": TOOLS[0], "args": {"order": "A-17"}}])
    undone.correct(
        run_id,
        by="editor:2",
        decisions="wrong",
        shouldCall=[{"tool": TOOLS[0], "args": {"order": "A-17"}}],
        mustNotCall=[TOOLS[1]],
        answer="wrong",
        shouldSay="Your parcel is lost.",
        why="It never left.",
        items=[{"key": "case-a", "pointer": "/matches/0", "rank": 0, "verdict": "right"}],
        correctorGroupId=expert,
    )
    page = seen(visible(undone), run_id, by="viewer")
    said = words(page)
    assert "as expert (restricted)" in said
    assert "lookup must be called once, as call 1 was" in said
    assert "refund must not be called" in said
    assert "<del>" in page and "<ins>" in page
    assert "It never left." in said and "case-a" in said
    assert "Sorted toThe agent's owner" in said
    assert "With the owner · the rule: wrong tool calls go to the agent's owner" in said
    assert f"Saved · {undone.person('editor:2')}" in said


def test_a_status_is_set_by_hand_and_stands_in_the_history_with_who_and_why(undone):
    run_id = visible(undone).run()
    correction = undone.correct(run_id, by="editor:2", answer="wrong", why="No.")
    where = f"/projects/{undone.project.slug}/corrections/{correction['id']}/change/status?tab=corrections&whose=mine"
    client = builders.browser(undone.person("editor"))
    response = client.post(where, {"status": "being-fixed"})
    assert response.status_code == 303
    assert response.headers["Location"].startswith(f"{tab(undone, run_id)}&whose=mine#correction-")
    assert read(undone, correction)["status"] == "being-fixed"
    client.post(where, {"status": "wont-fix", "reason": "Nobody reads it."})
    assert read(undone, correction)["status"] == "wont-fix"
    page = words(seen(undone, run_id, by="viewer"))
    assert "Won't be fixed · " in page and ": Nobody reads it. · " in page
    assert "Being fixed · " in page


def test_whom_it_is_sorted_to_a_note_and_a_link_are_set_and_taken_away(undone):
    run_id = visible(undone).run()
    correction = undone.correct(run_id, by="editor:2", answer="wrong", why="No.")
    url = "https://git.example/shop/pull/17"
    post(undone, correction, "sort", sorted_to="developer")
    post(undone, correction, "note", note="On it.")
    post(undone, correction, "link", url=url)
    now = read(undone, correction)
    assert (now["sortedTo"], now["statusNote"]["text"]) == ("developer", "On it.")
    assert now["link"] == {"kind": "pull-request", "url": url}
    page = seen(undone, run_id, by="viewer")
    assert f'href="{url}"' in page and 'rel="noopener noreferrer"' in page
    assert "git.example/shop/pull/17" in words(page)
    assert "Sorted to: A developer" in words(page) and "Note: On it." in words(page)
    post(undone, correction, "sort", sorted_to="nobody")
    post(undone, correction, "note", note="")
    post(undone, correction, "link", url="")
    assert not {"sortedTo", "statusNote", "link"} & read(undone, correction).keys()
    assert "Note taken away" in words(seen(undone, run_id, by="viewer"))


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "git.example/1",
        "http://git.example/1",
        "https://",
        "https:///git.example/1",
        "https://:443/1",
        "https://git.example:port/1",
        "https://[git.example/1",
        "https://git.example\\@evil.example/1",
        "https://git.example@evil.example/1",
        "https://a b",
        "https://a/\0",
    ],
)
def test_a_link_that_leads_nowhere_comes_back_with_what_is_wrong(undone, url):
    run_id = undone.run()
    correction = undone.correct(run_id, by="editor", answer="wrong", why="No.")
    page = post(undone, correction, "link", url=url, answered=422).content.decode()
    assert '<dialog class="dialog"' in page and 'class="error"' in page
    assert "link" not in read(undone, correction)


def test_a_dialog_has_an_address_and_only_for_who_may_use_it(undone):
    run_id = undone.run()
    correction = undone.correct(run_id, by="editor", answer="wrong", why="No.")
    for what in ("status", "link", "note", "remove"):
        asked = f"&dialog={what}&correction={correction['id']}"
        assert '<dialog class="dialog"' in seen(undone, run_id, asked)
        assert "<dialog" not in seen(undone, run_id, asked, by="viewer")
    for asked in ("&dialog=nothing&correction=" + correction["id"], "&dialog=note&correction=x", "&dialog=note"):
        assert "<dialog" not in seen(undone, run_id, asked)


def test_who_may_not_may_not(undone):
    run_id = undone.run()
    correction = undone.correct(run_id, by="editor:2", answer="wrong", why="No.")
    where = f"/projects/{undone.project.slug}/corrections/{correction['id']}"
    viewer, editor = (builders.browser(undone.person(name)) for name in ("viewer", "editor"))
    assert viewer.post(f"{where}/change/status", {"status": "wont-fix"}).status_code == 403
    assert viewer.post(f"{where}/remove").status_code == 403
    assert editor.post(f"{where}/remove").status_code == 404, "they don't see it yet"
    stranger = builders.browser(builders.make_user(builders.make_tenant(), admin=True))
    assert stranger.post(f"{where}/remove").status_code == 404
    page = seen(undone, run_id, by="viewer")
    assert "Set status" not in page and "Remove…" not in page
    undone.correct(run_id, by="editor", answer="right")
    assert editor.post(f"{where}/remove").status_code == 403, "it isn't theirs"
    assert "dialog=remove&amp;correction=" + correction["id"] not in seen(undone, run_id)
    assert "dialog=remove&amp;correction=" + correction["id"] in seen(visible(undone), run_id, by="admin")
    assert read(undone, correction)["status"] == "open"


@pytest.mark.parametrize("by", ["editor", "admin", "tenant-admin"])
def test_what_is_hidden_is_not_changed_either_until_they_have_said_something_themselves(undone, by):
    run_id = undone.run()
    correction = undone.correct(run_id, by="editor:2", answer="wrong", why="No.")
    client = builders.browser(undone.person(by))
    where = f"/projects/{undone.project.slug}/corrections/{correction['id']}"
    said = {"status": {"status": "being-fixed"}, "note": {"note": "Hm."}, "sort": {"sorted_to": "owner"}}
    undone.correct(run_id, by=by, answer="right", participantId="customer-17")
    answers = [client.post(f"{where}/change/{what}", fields) for what, fields in said.items()]
    answers.append(client.post(f"{where}/remove"))
    assert [answer.status_code for answer in answers] == [404] * 4
    assert "No." not in "".join(answer.content.decode() for answer in answers)
    assert read(undone, correction)["status"] == "open"
    undone.correct(run_id, by=by, answer="right")
    assert client.post(f"{where}/change/status", said["status"]).status_code == 303
    assert read(undone, correction)["status"] == "being-fixed"


def test_of_a_run_that_nobody_can_correct_any_more_nothing_is_hidden_and_all_can_be_changed(undone):
    run_id = undone.run()
    correction = undone.correct(run_id, by="editor:2", answer="wrong", why="No.")
    undone.admin.ok("POST", f"runs/{run_id}/erase")
    post(undone, correction, "status", status="being-fixed")
    assert read(undone, correction)["status"] == "being-fixed"


def test_a_correction_of_another_project_is_not_changed_from_here(undone):
    other = undone.other_project()
    correction = undone.correct(undone.run(projectId=str(other.pk)), by="tenant-admin", answer="wrong", why="No.")
    where = f"/projects/{undone.project.slug}/corrections/{correction['id']}"
    admin = builders.browser(undone.person("tenant-admin"))
    assert admin.post(f"{where}/change/status", {"status": "wont-fix"}).status_code == 404
    assert admin.post(f"{where}/remove").status_code == 404


@pytest.mark.parametrize(
    ("what", "said"),
    [("status", {"status": "fixed"}), ("status", {}), ("sort", {"sorted_to": "x"}), ("nothing", {"status": "open"})],
)
def test_what_nobody_can_set_is_refused(undone, what, said):
    correction = undone.correct(undone.run(), by="editor", answer="wrong", why="No.")
    where = f"/projects/{undone.project.slug}/corrections/{correction['id']}/change/{what}"
    assert builders.browser(undone.person("editor")).post(where, said).status_code == 400
    assert read(undone, correction)["status"] == "open"


def test_a_change_of_what_is_gone_is_refused_and_said_on_the_page(undone):
    correction = undone.correct(undone.run(), by="editor", answer="wrong", why="No.")
    undone.correct(correction["runId"], by="editor", answer="wrong", why="Again.")
    client = builders.browser(undone.person("editor"))
    where = f"/projects/{undone.project.slug}/corrections/{correction['id']}/change"
    assert client.post(f"{where}/status", {"status": "wont-fix"}).status_code == 409
    answer = client.post(f"{where}/note", {"note": "Hm."}, follow=True)
    assert "A later correction replaced this one" in words(answer.content.decode())


def test_removed_and_replaced_ones_are_folded_at_the_end(undone):
    run_id = undone.run()
    first = undone.correct(run_id, by="editor:2", answer="wrong", why="First said.")
    undone.correct(run_id, by="editor:2", answer="wrong", why="Said again.")
    page = seen(undone, run_id, by="viewer")
    folded = page.index("that counts no more")
    assert page.index("Said again.") < folded < page.index("First said.")
    assert f'id="correction-{first["id"]}"' in page
    assert "Replaced by a later correction" in words(page)


def test_what_was_fixed_and_went_wrong_again_is_told(undone):
    run_id = undone.run()
    correction = undone.correct(run_id, by="editor:2", answer="wrong", shouldSay="Today.")
    report = {"agentId": "shop.desk", "version": "2.0.0", "how": "pin"}
    path = f"projects/{undone.project.pk}/test-runs"
    output = {"response": {"content": "Today."}}
    undone.admin.ok("POST", path, {**report, "replays": [{"runId": run_id, "output": output}]})
    assert "Fixed in 2.0.0" in words(seen(undone, run_id, by="viewer"))
    output = {"response": {"content": "Your parcel is on its way."}}
    undone.admin.ok("POST", path, {**report, "version": "3.0.0", "replays": [{"runId": run_id, "output": output}]})
    assert read(undone, correction)["status"] == "open"
    page = words(seen(undone, run_id, by="viewer"))
    assert "3.0.0 got it wrong again." in page
    assert "Open again: 3.0.0 got it wrong" in page


def test_of_many_corrections_the_first_ones_are_shown_and_all_when_asked_for(undone):
    run_id = undone.run()
    for number in range(23):
        undone.correct(run_id, by=f"editor:{number + 2}", answer="wrong", why=f"Why {number}.")
    page = seen(undone, run_id, by="viewer")
    assert "Show 3 more" in page and page.count("<article") == 20
    assert seen(undone, run_id, "&said=all", by="viewer").count("<article") == 23


def test_an_erased_run_shows_the_verdicts_and_none_of_the_words(undone):
    run_id = undone.run()
    correction = undone.correct(run_id, by="editor:2", answer="wrong", why="Jo isn't a customer.", shouldSay="Dear Jo")
    undone.api("admin").ok("POST", f"runs/{run_id}/erase")
    page = seen(undone, run_id)
    assert "wrong" in words(page) and "Jo" not in page
    assert "dialog=note" not in page and "dialog=status" not in page, "nothing is written about it any more"
    post(undone, correction, "status", status="wont-fix")
    assert read(undone, correction)["status"] == "wont-fix"


def test_names_are_those_of_people_and_of_services(undone):
    run_id = undone.run()
    undone.correct(run_id, by="service", answer="wrong", why="No.")
    undone.correct(run_id, by="editor:2", answer="wrong", why="No.")
    said = words(seen(undone, run_id, by="viewer"))
    assert undone.person("service").name in said
    assert str(undone.person("editor:2")) in said
