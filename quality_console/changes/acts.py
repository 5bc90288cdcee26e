"""What whoever looks at a suggested change can do with it, and why not where that helps (contract, sections 7 to 9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from django import forms

from improve.models import Evaluation, Finding, Promotion
from improve.policies import is_reviewer
from improve.selectors.endpoints import replay_endpoint_of
from improve.selectors.live import version_run_instead, version_to_go_back_to
from improve.standing import Standing
from improve.statuses import Action, Status
from improve.words import acting as words
from improve.words.standing import means
from kindgi.access.selectors import reviewers_who_write
from quality_console.forms.changes import DecideForm, EvaluateForm, NothingForm, WhyForm, WithdrawForm
from quality_console.frame import Frame

FORMS: Mapping[Action, type[forms.Form]] = {
    Action.EVALUATE: EvaluateForm,
    Action.CANCEL: NothingForm,
    Action.RESCORE: NothingForm,
    Action.SEND: NothingForm,
    Action.REQUEST: WhyForm,
    Action.DECIDE: DecideForm,
    Action.ROLLBACK: WhyForm,
    Action.WITHDRAW: WithdrawForm,
}


@dataclass(frozen=True)
class Acts:
    """The actions of a suggested change; ``sent`` is the form that came back with something wrong, by its action."""

    frame: Frame
    standing: Standing
    who: Callable[[str], str]
    sent: tuple[Action, forms.Form] | None = None

    def _may(self, action: Action) -> bool:
        return action in self.standing.can

    def _form(self, action: Action) -> forms.Form:
        if self.sent is not None and self.sent[0] == action:
            return self.sent[1]
        return FORMS[action]() if action == Action.EVALUATE else FORMS[action](auto_id=f"{action}-%s")

    @property
    def head(self) -> str:
        """The heading over all of it."""
        may_act = bool(self.standing.can)
        return words.head(
            self.standing.status,
            may_decide=self._may(Action.DECIDE),
            may_act=may_act,
            live_now=self.standing.live_now,
        )

    @property
    def evaluation(self) -> Evaluation | None:
        """The latest evaluation."""
        return self.standing.evaluation

    @property
    def promotion(self) -> Promotion | None:
        """What was asked for on it."""
        return self.standing.promotion

    @property
    def is_better(self) -> bool:
        """Whether the latest evaluation found it better."""
        return self.evaluation is not None and self.evaluation.finding == Finding.BETTER

    @property
    def compares(self) -> bool:
        """Whether the latest evaluation came to the point of comparing."""
        return self.evaluation is not None and self.evaluation.finding in (Finding.BETTER, Finding.NOT_BETTER)

    @cached_property
    def has_endpoint(self) -> bool:
        """Whether the agent can be replayed at all; read only where somebody would have it replayed."""
        proposal = self.standing.proposal
        return replay_endpoint_of(project=self.frame.project, agent_id=proposal.agent_id) is not None

    @property
    def evaluate(self) -> forms.Form | None:
        """The form that has it evaluated."""
        return self._form(Action.EVALUATE) if self._may(Action.EVALUATE) and self.has_endpoint else None

    @property
    def needs_endpoint(self) -> bool:
        """Whether it would be evaluated if only the agent had a replay endpoint."""
        return self._may(Action.EVALUATE) and not self.has_endpoint

    @property
    def cancel(self) -> bool:
        """Whether its evaluation can be stopped."""
        return self._may(Action.CANCEL)

    @cached_property
    def runs_instead(self) -> str:
        """What the project runs instead of the version that is changed; read only where somebody would ask."""
        return version_run_instead(self.standing.proposal) if self._may(Action.REQUEST) else ""

    @property
    def request(self) -> forms.Form | None:
        """The form that asks for it to go live; where that ends without a reviewer only a tenant admin has it."""
        passes = self.is_better and not self.runs_instead
        if not self._may(Action.REQUEST) or not (passes or self.frame.caller.is_tenant_admin):
            return None
        return self._form(Action.REQUEST)

    @property
    def decide(self) -> forms.Form | None:
        """The form that decides."""
        return self._form(Action.DECIDE) if self._may(Action.DECIDE) else None

    @property
    def rollback(self) -> forms.Form | None:
        """The form that goes back to what was pinned before."""
        return self._form(Action.ROLLBACK) if self._may(Action.ROLLBACK) and self.standing.live_now else None

    @property
    def withdraw(self) -> forms.Form | None:
        """The form that withdraws it."""
        return self._form(Action.WITHDRAW) if self._may(Action.WITHDRAW) else None

    @property
    def withdraw_fails(self) -> bool:
        """Whether that form came back."""
        return self.sent is not None and self.sent[0] == Action.WITHDRAW

    @property
    def send(self) -> bool:
        """Whether answers can be given to people to judge."""
        return self._may(Action.SEND)

    @property
    def rescore(self) -> bool:
        """Whether what people said since can be counted."""
        return self._may(Action.RESCORE)

    @property
    def goes_live(self) -> str:
        """What going live does."""
        proposal = self.standing.proposal
        return words.going_live_does(
            agent=proposal.agent_id, version=proposal.candidate_version, project=self.frame.project.name
        )

    @property
    def goes_back(self) -> str:
        """What going back does."""
        before = version_to_go_back_to(self.standing.proposal, self.promotion) if self.promotion else ""
        return words.going_back_does(
            agent=self.standing.proposal.agent_id, before=before, project=self.frame.project.name
        )

    @cached_property
    def says(self) -> list[str]:
        """What there is to be said over the forms."""
        status, said = self.standing.status, []
        if status == Status.IN_REVIEW and self.promotion is not None:
            who = self.who(self.promotion.requested_by)
            said.append(words.asked_to_go_live(who[:1].upper() + who[1:]))
            said.append(self._why_decided_by())
        elif means(status):
            said.append(means(status))
        if status == Status.PROMOTED and not self.standing.live_now:
            said.append(words.runs_another(self.frame.project.name))
        said += self._why_not_asked()
        if self.standing.legal and not self.frame.may_write:
            said.append(str(words.READS_ONLY))
        return [one for one in said if one]

    def _why_not_asked(self) -> list[str]:
        """Why asking for it to go live ends without a reviewer, for who would ask."""
        if not self._may(Action.REQUEST):
            return []
        project, changed = self.frame.project.name, self.standing.proposal.from_version
        instead, said = self.runs_instead, []
        if instead:
            said.append(words.runs_instead(project=project, version=instead, changed=changed))
        if self.request is None and self.compares:
            said.append(str(words.ASKS_ALL_THE_SAME if self.is_better else words.NOT_BETTER_NEEDS_ADMIN))
        return said

    def _why_decided_by(self) -> str:
        """Why whoever looks may decide, or who does."""
        if self.decide is not None:
            return str(words.YOU_MAY_DECIDE)
        if not self.frame.may_write:
            return ""
        caller, proposal = self.frame.caller, self.standing.proposal
        others = [one for one in reviewers_who_write(self.frame.project) if f"user:{one}" not in self._barred()]
        nobody = "" if others else str(words.NO_OTHER_REVIEWER if caller.reviewer_role else words.NO_REVIEWERS)
        if caller.actor == proposal.drafted_by:
            return _together(words.YOU_DRAFTED, nobody)
        if is_reviewer(caller, proposal):
            return _together(words.YOU_ASKED, nobody)
        return nobody or str(words.A_REVIEWER_DECIDES)

    def _barred(self) -> set[str]:
        """Those who may not decide about what is theirs."""
        asked_by = self.promotion.requested_by if self.promotion else ""
        return {self.standing.proposal.drafted_by, asked_by}


def _together(*sentences: object) -> str:
    return " ".join(str(one) for one in sentences if one)
