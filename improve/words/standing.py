"""Where a suggested change stands, in words (contract, sections 7 and 8)."""

from __future__ import annotations

from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext

from improve.statuses import Status
from judging.words.parts import number, percent

HOLDS = gettext_lazy(
    "Each suggested change's page holds its actions: evaluate, ask to make it live, roll back, withdraw."
)


class Group(StrEnum):
    """What suggested changes wait for: the tab's groups, in their order (contract, section 7)."""

    TO_REVIEW = "to-review"
    FOR_REVIEWER = "waiting-for-a-reviewer"
    EVALUATED = "being-evaluated"
    LOOK = "need-a-look"
    CLOSED = "closed"


_GROUPS = {
    Status.DRAFT: Group.EVALUATED,
    Status.EVALUATING: Group.EVALUATED,
    Status.PROMOTED: Group.CLOSED,
    Status.ROLLED_BACK: Group.CLOSED,
    Status.WITHDRAWN: Group.CLOSED,
}
_NAMES: dict[Group, Promise] = {
    Group.TO_REVIEW: gettext_lazy("To review"),
    Group.FOR_REVIEWER: gettext_lazy("Waiting for a reviewer"),
    Group.EVALUATED: gettext_lazy("Being evaluated"),
    Group.LOOK: gettext_lazy("Need a look"),
    Group.CLOSED: gettext_lazy("Closed"),
}
_STANDS: dict[Status, Promise] = {
    Status.DRAFT: gettext_lazy("Drafted, not evaluated yet"),
    Status.EVALUATING: gettext_lazy("Being evaluated"),
    Status.EVALUATED: gettext_lazy("Better on the test cases"),
    Status.NOT_BETTER: gettext_lazy("Not better on the test cases"),
    Status.EVALUATION_FAILED: gettext_lazy("Evaluation failed"),
    Status.IN_REVIEW: gettext_lazy("In review"),
    Status.REFUSED: gettext_lazy("Refused"),
    Status.REJECTED: gettext_lazy("Rejected"),
    Status.EXPIRED: gettext_lazy("Expired"),
    Status.SUPERSEDED: gettext_lazy("Superseded"),
    Status.ROLLED_BACK: gettext_lazy("Rolled back"),
    Status.WITHDRAWN: gettext_lazy("Withdrawn"),
}
_MEANS: dict[Status, Promise] = {
    Status.REFUSED: gettext_lazy("Asked to make it live without being better, and refused."),
    Status.REJECTED: gettext_lazy("A reviewer decided that it doesn't go live. It can be suggested again."),
    Status.ROLLED_BACK: gettext_lazy("It went live and was rolled back. It can be suggested again."),
    Status.WITHDRAWN: gettext_lazy("It was withdrawn. It can be suggested again."),
    Status.EXPIRED: gettext_lazy("No reviewer decided in time. It can be asked for again."),
    Status.SUPERSEDED: gettext_lazy(
        "The project runs another version than the one that this changes, or did when it was decided."
    ),
}


def group_of(status: Status, *, may_decide: bool) -> Group:
    """The group of the tab; ``may_decide`` is whether who looks may decide about it, once that is asked for."""
    if status in (Status.EVALUATED, Status.IN_REVIEW):
        return Group.TO_REVIEW if may_decide else Group.FOR_REVIEWER
    return _GROUPS.get(status, Group.LOOK)


def group_head(group: Group, count: int) -> str:
    """``Need a look (1)``."""
    return gettext("%(group)s (%(count)s)") % {"group": _NAMES[group], "count": number(count)}


def stands(status: Status, *, version: str = "", live_now: bool = True, cancelled: bool = False) -> str:
    """Where it stands; ``version`` is what it went live in, and ``live_now`` says whether the project runs that still.

    ``cancelled`` says that its evaluation was stopped.
    """
    if status == Status.PROMOTED:
        message = gettext("Live in %(version)s") if live_now else gettext("Went live in %(version)s")
        return message % {"version": version}
    if status == Status.EVALUATION_FAILED and cancelled:
        return gettext("Evaluation cancelled")
    return str(_STANDS[status])


def means(status: Status) -> str:
    """What that means, where the word alone doesn't say it."""
    return str(_MEANS.get(status, ""))


def marked_right(share: float) -> str:
    """A share in whole percents: ``82%``."""
    return percent(share)


def of_test_cases(count: int) -> str:
    """What shares rest on: ``of 44 test cases``."""
    return ngettext("of %(count)s test case", "of %(count)s test cases", count) % {"count": number(count)}


def replayed(*, done: int, of: int, repetitions: int = 1) -> str:
    """How far an evaluation is: ``34 of 60 test cases replayed``."""
    if repetitions > 1:
        message = ngettext("%(done)s of %(of)s replay done", "%(done)s of %(of)s replays done", of)
    else:
        message = ngettext("%(done)s of %(of)s test case replayed", "%(done)s of %(of)s test cases replayed", of)
    return message % {"done": number(done), "of": number(of)}


def answered(*, answered: int, of: int, repetitions: int = 1) -> str:
    """What a failed evaluation got: ``The agent's replay endpoint answered 12 of 60 cases``."""
    if repetitions > 1:
        message = ngettext(
            "The agent's replay endpoint answered %(answered)s of %(of)s replay",
            "The agent's replay endpoint answered %(answered)s of %(of)s replays",
            of,
        )
    else:
        message = ngettext(
            "The agent's replay endpoint answered %(answered)s of %(of)s case",
            "The agent's replay endpoint answered %(answered)s of %(of)s cases",
            of,
        )
    return message % {"answered": number(answered), "of": number(of)}
