"""What may be done with a suggested change, and why something can't be, in words (contract, section 7)."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext

from improve.statuses import Status
from improve.words.standing import stands
from judging.words.parts import number

YOU_MAY_DECIDE = gettext_lazy("You neither drafted nor asked for it, so you may decide.")
YOU_DRAFTED = gettext_lazy("You drafted it, so another reviewer decides.")
YOU_ASKED = gettext_lazy("You asked for it to go live, so another reviewer decides.")
A_REVIEWER_DECIDES = gettext_lazy("A reviewer of this company decides; you aren't on its roster.")
NO_REVIEWERS = gettext_lazy("No reviewer may write in this project yet: a tenant admin adds people to the roster.")
NO_OTHER_REVIEWER = gettext_lazy(
    "No other reviewer may write in this project: a tenant admin adds people to the roster."
)
READS_ONLY = gettext_lazy("You can read it. People who may write in this project can act on it.")
NOT_BETTER_NEEDS_ADMIN = gettext_lazy(
    "It isn't better on the test cases. Only a tenant admin can ask for it to go live then, and says why."
)
ASKS_ALL_THE_SAME = gettext_lazy("Only a tenant admin can ask for this one to go live then, and says why.")
NEEDS_ENDPOINT = gettext_lazy("The agent has no replay endpoint in this project, so nothing can be replayed.")
ADMIN_SETS_ENDPOINT = gettext_lazy("A project admin sets its address.")
SUGGESTED_ALREADY = gettext_lazy("This change is suggested already.")
NO_BLOCKS = gettext_lazy(
    "This version has no blocks, so there's nothing to change. Register the version's prompts and settings as its"
    " blocks, and they can be changed here."
)

_HEADS: dict[Status, Promise] = {
    Status.DRAFT: gettext_lazy("Evaluate it"),
    Status.EVALUATING: gettext_lazy("Being evaluated"),
    Status.EVALUATED: gettext_lazy("Better: ask to make it live"),
    Status.NOT_BETTER: gettext_lazy("Not better"),
    Status.EVALUATION_FAILED: gettext_lazy("Evaluate it again"),
    Status.PROMOTED: gettext_lazy("It is live"),
}

# Headings that tell somebody what to do.
_ASKS = frozenset({Status.DRAFT, Status.EVALUATED, Status.EVALUATION_FAILED})


def head(status: Status, *, may_decide: bool, may_act: bool, live_now: bool) -> str:
    """The heading over what can be done; for who can do nothing, where it stands."""
    if status == Status.PROMOTED and not live_now:
        return gettext("It went live")
    if status == Status.IN_REVIEW:
        return gettext("Waits for your decision") if may_decide else gettext("Waits for a reviewer")
    return str(_HEADS[status]) if status in _HEADS and (may_act or status not in _ASKS) else stands(status)


def asked_to_go_live(who: str) -> str:
    """Who asked for it; ``who`` begins the sentence."""
    return gettext("%(who)s asked for it to go live.") % {"who": who}


def going_live_does(*, agent: str, version: str, project: str) -> str:
    """What "Make it live" does."""
    message = gettext(
        "Making it live registers %(agent)s %(version)s and pins it in %(project)s. A test run then checks the"
        " corrected runs against it."
    )
    return message % {"agent": agent, "version": version, "project": project}


def going_back_does(*, agent: str, before: str, project: str) -> str:
    """What "Roll back" does; ``before`` is what was pinned, empty for nothing."""
    if not before:
        return gettext("%(project)s follows the latest version of %(agent)s again.") % {
            "project": project,
            "agent": agent,
        }
    return gettext("%(project)s is pinned to %(agent)s %(before)s again.") % {
        "project": project,
        "agent": agent,
        "before": before,
    }


def runs_another(project: str) -> str:
    """That the project has come to run something else than what went live."""
    message = gettext("%(project)s runs another version by now, so there's nothing to roll back.")
    return message % {"project": project}


def runs_instead(*, project: str, version: str, changed: str) -> str:
    """That the project runs another version than the one that is changed, and what to do then."""
    message = gettext("%(project)s runs %(version)s by now, not %(changed)s: suggest the change for %(version)s.")
    return message % {"project": project, "version": version, "changed": changed}


def stands_now(status: Status, *, version: str = "") -> str:
    """What to say where the page was older than what became of it."""
    message = gettext("That can't be done any more. It stands as: %(status)s. Nothing was changed.")
    return message % {"status": stands(status, version=version)}


def answers_sent(count: int) -> str:
    """What sending did."""
    if not count:
        return gettext("All of these answers are in To correct already.")
    message = ngettext("%(count)s answer was sent to To correct.", "%(count)s answers were sent to To correct.", count)
    return message % {"count": number(count)}
