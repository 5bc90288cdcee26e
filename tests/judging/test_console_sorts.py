"""The console's lists of a queue: any sort, both directions, pages both ways, never a row twice or left out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import product
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judging.queue_view import QueueView, Sort, Subject
from judging.selectors.queue_pages import queue_neighbours
from judging.selectors.queue_waiting import queue_state_counts
from judging.services.holds import queue_item_hold
from judging.services.items import queue_item_dismiss
from kindgi.api.times import as_of, now, wire
from tests.judging.queues import import_runs, old_rule
from tests.judging.viewing import Brute, caller_of, read, view_of
from tests.support.shops import AGENT, Shop, completed

SUBJECTS: list[dict[str, Any]] = [
    {"agent": {"id": AGENT, "version": "1.0.0"}},
    {"agent": {"id": "Other", "version": "2.0.0"}},
    {"flow": {"id": "orders", "version": "1.0.0"}},
]
WHENS: list[dict[str, Any]] = [{}, {"agentIds": [AGENT]}, {"agentIds": [AGENT, "Other"]}, {"flowIds": ["orders"]}]
NAMES = ["everything", "Everything", "Support sample", "日本", "éclair", "Z"]
STATES = ["open", "judged", "dismissed", "erased"]
EVERY = list(product(Sort, [False, True]))

run = st.fixed_dictionaries(
    {
        "subject": st.integers(0, 2),
        "added": st.integers(0, 3),
        "finished": st.integers(0, 3),
        "said": st.lists(st.integers(0, 5), max_size=2),
        "then": st.sampled_from(["", "", "", "hold", "hold", "expired", "dismiss", "erase"]),
    }
)
rule = st.tuples(st.sampled_from(NAMES), st.integers(0, 3), st.integers(0, 2))
asked = st.fixed_dictionaries(
    {"by": st.sampled_from(["editor", "service", "viewer"]), "rule": st.integers(0, 4), "subject": st.integers(0, 4)}
)


class Story:
    """A queue made of what Hypothesis thought of."""

    def __init__(self, shop: Shop, rules: list[Any], runs: list[Any]) -> None:
        self.shop, self.at = shop, now()
        bots = shop.judge_class("bot", assertableBy={"principalKinds": ["service"]})
        self.classes = [None, shop.judge_class("Expert"), bots]
        self.rules = [
            old_rule(shop, name=name, when=WHENS[when], judgeClassId=self.classes[want]) for name, when, want in rules
        ]
        for added in range(4):
            self.import_runs([one for one in runs if one["added"] == added], self.at - timedelta(minutes=4 - added))

    def import_runs(self, runs: list[Any], at: datetime) -> None:
        """Runs that come in at one moment, of which some ended at the same one."""
        made = [
            {"id": str(uuid4()), **completed(**SUBJECTS[one["subject"]], completedAt=wire(self.finished(one)))}
            for one in runs
        ]
        if made:
            with as_of(at):
                import_runs(self.shop, *made)
        queued = {str(item.run_id) for item in Brute(self.shop).items}
        for one, run in zip(runs, made, strict=True):
            if run["id"] in queued:
                self.tend(one, run["id"])

    def finished(self, one: Any) -> datetime:
        return self.at - timedelta(minutes=30 - one["finished"])

    def tend(self, one: Any, run_id: str) -> None:
        """What people do with a run that is queued."""
        for by, said in zip(("service", "editor"), one["said"], strict=False):
            judge_class = self.classes[said % (3 if by == "service" else 2)]
            self.shop.correct(run_id, by=by, **({"correctorGroupId": judge_class} if judge_class else {}))
        item = next(item for item in Brute(self.shop).items if str(item.run_id) == run_id)
        then, caller = one["then"], caller_of(self.shop, "editor")
        if then in ("hold", "expired") and item.state == "open":
            with as_of(self.at - timedelta(hours=then == "expired")):
                queue_item_hold(caller=caller, project=self.shop.project, run_id=run_id)
        if then == "dismiss" and item.state == "open":
            queue_item_dismiss(caller=caller, project=self.shop.project, run_id=run_id, reason=None)
        if then == "erase":
            self.shop.admin.ok("POST", f"runs/{run_id}/erase")

    def asked(self, asked: Any) -> dict[str, Any]:
        """Filters as a view takes them."""
        rules, subjects = [*self.rules, None, None, None], [*SUBJECTS, None, None]
        rule, subject = rules[asked["rule"] % len(rules)], subjects[asked["subject"]]
        return {
            "by": asked["by"],
            "rule_id": None if rule is None else UUID(rule["ruleId"]),
            "subject": None if subject is None else subject_in(subject),
        }


def subject_in(body: dict[str, Any]) -> Subject:
    """What a report says that ran."""
    return Subject("flow", body["flow"]["id"]) if "flow" in body else Subject("agent", body["agent"]["id"])


@contextmanager
def taken_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@given(
    rules=st.lists(rule, min_size=1, max_size=4),
    runs=st.lists(run, min_size=3, max_size=12),
    asked=asked,
    data=st.data(),
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_sort_is_read_both_ways_as_a_list_in_memory_is(
    undone: Shop, rules: list[Any], runs: list[Any], asked: Any, data: st.DataObject
):
    for name in ("editor", "service", "viewer", "tenant-admin"):
        undone.api(name)  # made outside of what is undone after each example
    with taken_back():
        story = Story(undone, rules, runs)
        brute, filters = Brute(undone), story.asked(asked)
        state, for_me = data.draw(st.sampled_from(["open", *STATES])), data.draw(st.booleans())
        with as_of(story.at):
            for sort, descending in EVERY:
                view = view_of(undone, state=state, for_me=for_me, sort=sort, descending=descending, **filters)
                wanted = brute.rows(view, story.at)
                assert read(view, data.draw(st.integers(1, 5))) == (wanted, wanted), (sort, descending, state, for_me)
                check_neighbours(view, brute, wanted, data.draw(st.integers(0, 11)))
            check_counts(view, brute)


def check_neighbours(view: QueueView, brute: Brute, wanted: list[str], number: int) -> None:
    """An item of a list has the place and the neighbours that it has in it."""
    items = {str(item.run_id): item for item in brute.items}
    for one in range(len(wanted))[number : number + 1]:
        found = queue_neighbours(view, items[wanted[one]])
        around = [wanted[other] if 0 <= other < len(wanted) else None for other in (one - 1, one + 1)]
        ids = [str(run_id) if run_id else None for run_id in (found.previous_run_id, found.next_run_id)]
        assert (found.position, found.total, ids) == (one + 1, len(wanted), around), (view.sort, view.descending)


def check_counts(view: QueueView, brute: Brute) -> None:
    """Each state has as many as are in memory, for whoever looks and altogether."""
    for state, counted in queue_state_counts(view).items():
        stand_so = [item for item in brute.matching(view) if item.state == state]
        assert counted == (sum(brute.is_for(view, item) for item in stand_so), len(stand_so)), state
