"""What may go better a moment later is asked again, with longer and longer waits; what may not is asked once."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from improve.replaying.answers import NotAnAnswer, read_answer
from improve.replaying.asking import LONGEST_WAIT, Answered, Failed, Message, Outcome, Target, ask
from improve.replaying.problems import RETRIED, Problem, sentence
from improve.replaying.signing import new_secret
from improve.replaying.transport import Limits
from tests.improve.answering import LOCAL, Answering, Behaviour, answer, answering, hangs, in_turn, says

FAILS = says(b"", status="500 Internal")
BUSY = says(b"", status="503 Busy", headers="Retry-After: 7\r\n")


def closes(connection: socket.socket, *_: object) -> None:
    connection.close()


def cuts_short(connection: socket.socket, *_: object) -> None:
    connection.sendall(answer(length=10_000))


def asked(server: Answering, *, sleep: Callable[[float], None]) -> Outcome:
    target = Target(server.url, (new_secret(),))
    limits = Limits(seconds=0.5, allowed=LOCAL)
    return ask(Message("message-1", b"{}"), target=lambda: target, limits=limits, sleep=sleep)


def nap(naps: list[float]) -> Callable[[float], None]:
    return naps.append


@pytest.mark.parametrize("bad", [FAILS, says(b"", status="429 Too Many"), hangs, closes, cuts_short])
def test_what_may_go_better_is_asked_again(bad: Behaviour):
    naps: list[float] = []
    with answering(in_turn(bad, bad, says())) as server:
        assert isinstance(asked(server, sleep=nap(naps)), Answered)
        assert {request.headers["webhook-id"] for request in server.asked} == {"message-1"}
        assert len(server.asked) == 3 and len(naps) == 2 and all(0 <= one <= 8 for one in naps)


def test_after_three_requests_it_is_over():
    naps: list[float] = []
    with answering(in_turn(FAILS, FAILS, FAILS, says())) as server:
        outcome = asked(server, sleep=nap(naps))
        assert len(server.asked) == 3 and len(naps) == 2
    assert isinstance(outcome, Failed) and (outcome.problem, outcome.detail) == (Problem.STATUS_5XX, "500")


@pytest.mark.parametrize(
    "bad",
    [
        says(b"", status="400 Bad"), says(b"", status="404 Not Found"), says(b"", status="302 Found"), says(b"<p>"),
        says(b"{}"), says(b'{"calls": []}'), says(b" " * 2_000_000),
    ],
)  # fmt: skip
def test_what_will_not_go_better_is_asked_once(bad: Behaviour):
    naps: list[float] = []
    with answering(in_turn(bad, says())) as server:
        assert isinstance(asked(server, sleep=nap(naps)), Failed)
        assert len(server.asked) == 1 and naps == []


def test_it_waits_as_long_as_the_endpoint_says():
    naps: list[float] = []
    with answering(in_turn(BUSY, says())) as server:
        assert isinstance(asked(server, sleep=nap(naps)), Answered)
    assert naps == [7.0]


@pytest.mark.parametrize("status", ["429 Too Many", "503 Busy"])
def test_it_does_not_wait_for_one_that_says_to_come_back_much_later(status: str):
    naps: list[float] = []
    long = says(b"", status=status, headers=f"Retry-After: {LONGEST_WAIT + 1:.0f}\r\n")
    with answering(in_turn(long, says())) as server:
        assert isinstance(asked(server, sleep=nap(naps)), Failed)
        assert len(server.asked) == 1 and naps == []


@pytest.mark.parametrize("said", ["soon", "-1", "1e3", "Wed, 21 Oct 2026 07:28:00 GMT", "9" * 30, ""])
def test_a_wait_that_is_no_number_of_seconds_is_not_heeded(said: str):
    naps: list[float] = []
    odd = says(b"", status="503 Busy", headers=f"Retry-After: {said}\r\n")
    with answering(in_turn(odd, says())) as server:
        assert isinstance(asked(server, sleep=nap(naps)), Answered)
    assert len(naps) == 1 and naps[0] <= 8


def test_where_to_ask_is_read_before_each_request():
    limits = Limits(seconds=5, allowed=LOCAL)
    with answering(FAILS) as first, answering(says()) as second:
        places = iter([first.url, second.url])
        outcome = ask(
            Message("message-1", b"{}"),
            target=lambda: Target(next(places), (new_secret(),)),
            limits=limits,
            sleep=lambda seconds: None,
        )
        assert isinstance(outcome, Answered) and (len(first.asked), len(second.asked)) == (1, 1)


def test_where_there_is_nowhere_to_ask_that_is_the_outcome():
    gone = Failed(Problem.ENDPOINT_REMOVED)
    assert ask(Message("m", b"{}"), target=lambda: gone, limits=Limits(seconds=1), sleep=lambda seconds: None) == gone


def test_what_stops_a_wait_stops_it_all():
    class Stopped(Exception):
        pass

    def stop(seconds: float) -> None:
        raise Stopped

    with answering(FAILS) as server:
        with pytest.raises(Stopped):
            asked(server, sleep=stop)
        assert len(server.asked) == 1


@pytest.mark.parametrize("problem", Problem)
def test_each_problem_has_a_sentence_for_people(problem: Problem):
    said = sentence(problem, "some detail")
    assert said.endswith((".", "some detail")) and "%" not in said and said != "It failed."


def test_a_job_s_problem_says_the_last_replay_s():
    said = sentence(Problem.FAILED_IN_A_ROW, "10 status-5xx 503")
    assert said == "10 replays in a row failed, the last one because: The endpoint failed with status 503."
    assert sentence(Problem.FAILED_IN_A_ROW, "10 not-json ").endswith("The answer isn't JSON.")


def test_what_was_stored_by_another_release_has_a_sentence_too():
    assert sentence("never-heard-of", "x") == "It failed."


def test_only_what_the_contract_names_is_asked_again():
    assert {"unreachable", "timed-out", "disconnected", "cut-short", "unknown-host"} <= set(map(str, RETRIED))
    assert Problem.STATUS_4XX not in RETRIED and Problem.NOT_ALLOWED_ADDRESS not in RETRIED


_SOUP = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["output", "calls", "tool", "args", "refused"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.binary(max_size=60) | _SOUP.map(lambda said: json.dumps(said).encode()))
def test_whatever_comes_is_an_answer_or_a_problem(body: bytes):
    try:
        read = read_answer(body)
    except NotAnAnswer as problem:
        assert sentence(problem.problem, problem.detail)
    else:
        said = json.loads(body)
        assert json.loads(read.calls) == said["calls"]
        assert read.output is None or json.loads(read.output) == said["output"]
