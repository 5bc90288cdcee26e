"""What happened to a suggested change, in words (contract, section 7)."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from improve.history import Entry, Step
from improve.models import Finding

_STEPS: dict[Step, Promise] = {
    Step.DRAFTED: gettext_lazy("Drafted"),
    Step.EVALUATION_STARTED: gettext_lazy("Evaluation begun"),
    Step.EVALUATION_FAILED: gettext_lazy("Evaluation failed"),
    Step.EVALUATION_CANCELLED: gettext_lazy("Evaluation cancelled"),
    Step.REQUESTED: gettext_lazy("Asked to make it live"),
    Step.REFUSED: gettext_lazy("Refused, as it isn't better"),
    Step.REJECTED: gettext_lazy("Rejected"),
    Step.SUPERSEDED: gettext_lazy("Superseded: another version went live meanwhile"),
    Step.EXPIRED: gettext_lazy("Expired: nobody decided in time"),
    Step.WITHDRAWN: gettext_lazy("Withdrawn"),
}


def happened(entry: Entry) -> str:
    """What happened, in a few words: ``Evaluated: better``."""
    if entry.step in (Step.EVALUATED, Step.RESCORED):
        better = entry.found == Finding.BETTER
        if entry.step == Step.EVALUATED:
            return gettext("Evaluated: better") if better else gettext("Evaluated: not better")
        return gettext("Scored again: better") if better else gettext("Scored again: not better")
    if entry.step == Step.SUPERSEDED and entry.version:
        return gettext("Superseded: the project ran %(version)s by then") % {"version": entry.version}
    if entry.step == Step.PROMOTED:
        return gettext("Made live in %(version)s") % {"version": entry.version}
    if entry.step == Step.ROLLED_BACK:
        if not entry.version:
            return gettext("Rolled back to the latest version")
        return gettext("Rolled back to %(version)s") % {"version": entry.version}
    return str(_STEPS[entry.step])


def why(entry: Entry) -> str:
    """Why, as somebody said; what the change should improve, and why replays failed, the page says elsewhere."""
    return "" if entry.step == Step.DRAFTED else entry.reason
