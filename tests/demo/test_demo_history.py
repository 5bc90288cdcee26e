"""The history is the same each time it is told; only "now" moves it."""

from collections import Counter
from datetime import UTC, datetime, timedelta

from kindgi.demo.history import history
from kindgi.demo.reviews import acts

NOW = datetime(2030, 5, 17, 11, 30, tzinfo=UTC)


def test_the_same_now_gives_the_same_history():
    first, second = history(NOW), history(NOW)
    assert [told.record for told in first] == [told.record for told in second]
    assert acts(first, NOW) == acts(second, NOW)


def test_ids_are_unique_and_do_not_move():
    ids = [told.run_id for told in history(NOW)]
    assert len(ids) == len(set(ids)) == 2000
    assert len(set(ids) & {told.run_id for told in history(NOW + timedelta(days=40, hours=7))}) == 2000


def test_at_any_hour_and_day_there_are_two_thousand_runs_and_nothing_is_in_the_future():
    for hours in (0, 3, 13, 23, 24 * 3, 24 * 250):
        now = NOW + timedelta(hours=hours)
        runs = history(now)
        assert len(runs) == 2000 and max(told.reported_at for told in runs) <= now
        done = acts(runs, now)
        assert 300 < Counter(act.kind for act in done)["say"] < 600
        assert done == sorted(done, key=lambda act: act.at) and done[-1].at <= now
        reported = {told.run_id: told.reported_at for told in runs}
        assert all(reported[act.run_id] <= act.at for act in done)


def test_newer_versions_have_fewer_flaws():
    flawed: Counter[tuple[str, str]] = Counter()
    total: Counter[tuple[str, str]] = Counter()
    for told in history(NOW):
        if told.scene is not None and "agent" in told.record and not told.record.get("dryRun"):
            version = (told.record["agent"]["id"], told.record["agent"]["version"])
            total[version] += 1
            flawed[version] += told.scene.flaw is not None
    assert flawed["meridian.concierge", "1.0.0"] / total["meridian.concierge", "1.0.0"] > 0.25
    assert flawed["meridian.concierge", "2.0.0"] / total["meridian.concierge", "2.0.0"] < 0.2
    assert min(total.values()) > 20
