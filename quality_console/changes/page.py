"""A suggested change's page, read together (contract, sections 7 and 8)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from django import forms
from django.conf import settings

from improve.errors import ProposalNotFound
from improve.history import Entry
from improve.models import Evaluation, Finding, JobState, PinTest, Proposal, ReplayJob
from improve.replaying.problems import sentence
from improve.selectors.case_pages import evaluation_facts
from improve.selectors.evaluations import evaluations_of
from improve.selectors.evidence import verdicts_named
from improve.selectors.pin_tests_shown import pin_tests_of
from improve.selectors.proposals import proposal_get, proposal_history, proposal_standing
from improve.standing import Standing
from improve.statuses import Action, Status
from improve.words.findings import cancelled, fixed_by_test_run
from improve.words.history import happened, why
from improve.words.standing import replayed
from judging.words.rules import who
from kindgi.access.selectors import people_named
from kindgi.runs.models import BlockKind
from quality_console.changes.acts import Acts
from quality_console.changes.cases import CasesShown
from quality_console.changes.evaluated import EvaluationShown
from quality_console.changes.evidence import MOST_SHOWN, Piece, pieces_of
from quality_console.changes.rows import Tag, tag_of, title_of
from quality_console.frame import ConsoleRequest
from quality_console.presenting.content_diffs import ContentDiff, content_diff
from quality_console.said.history import Event

MOST_EVALUATIONS = 20


def proposal_of_page(request: ConsoleRequest, proposal_id: object) -> Proposal:
    """The suggested change of the page's project; raises ``ProposalNotFound``."""
    found = proposal_get(caller=request.frame.caller, proposal_id=str(proposal_id))
    if found.project_id != request.frame.project.pk:
        raise ProposalNotFound
    return found


class ChangePage:
    """The page as an address asks for it: ``evaluation`` an earlier one, ``evidence=all``, ``lines=all``, and cases."""

    def __init__(
        self, request: ConsoleRequest, proposal: Proposal, *, sent: tuple[Action, forms.Form] | None = None
    ) -> None:
        """With the form ``sent``, by its action, that came back with something wrong."""
        self.frame, self.query, self.proposal, self.sent = request.frame, request.GET, proposal, sent

    @cached_property
    def standing(self) -> Standing:
        """Where it stands; read once."""
        return proposal_standing(caller=self.frame.caller, proposal=self.proposal)

    @property
    def title(self) -> str:
        """What it is called."""
        return title_of(self.proposal.hypothesis)

    @property
    def tag(self) -> Tag:
        """Where it stands in a word."""
        return tag_of(self.standing)

    @property
    def is_prompt(self) -> bool:
        """Whether it changes a prompt's template rather than settings."""
        return self.proposal.kind == BlockKind.PROMPT

    @cached_property
    def _steps(self) -> list[Entry]:
        """All that happened, newest first."""
        return proposal_history(self.proposal)

    @property
    def history(self) -> list[Event]:
        """The same in words."""
        return [Event(happened(one), self.who(one.by) if one.by else "", one.at, why(one)) for one in self._steps]

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What everybody who took a step is called; one statement."""
        actors = {one.by for one in self._steps if one.by}
        return people_named(tenant_id=self.frame.caller.tenant_id, actors=actors)

    def who(self, actor: str) -> str:
        """``you``, a name, or what is known of them."""
        return who(actor, name=self.names.get(actor), me=self.frame.caller.actor)

    @property
    def drafted_by(self) -> str:
        """Who drafted it."""
        return self.who(self.proposal.drafted_by)

    @cached_property
    def evidence(self) -> list[Piece]:
        """The corrections that speak for it, or the first of them."""
        found = verdicts_named(project=self.frame.project, ids=self.proposal.evidence)
        shown = found if self.query.get("evidence") == "all" else found[:MOST_SHOWN]
        return pieces_of(self.frame, shown)

    @property
    def evidence_left(self) -> int:
        """How many aren't shown."""
        if self.query.get("evidence") == "all" or len(self.evidence) < MOST_SHOWN:
            return 0
        return len(self.proposal.evidence) - len(self.evidence)

    @cached_property
    def diff(self) -> ContentDiff:
        """The block's content against what is suggested."""
        whole = self.query.get("lines") == "all"
        return content_diff(self.proposal.block.content, self.proposal.content, whole=whole)

    @cached_property
    def evaluations(self) -> list[Evaluation]:
        """Its evaluations, newest first."""
        return list(evaluations_of(self.proposal).order_by("-created_at", "-id")[:MOST_EVALUATIONS])

    @cached_property
    def evaluation(self) -> EvaluationShown | None:
        """The evaluation that is shown: the one that the address names, or the latest."""
        asked = self.query.get("evaluation", "")
        found = next((one for one in self.evaluations if str(one.pk) == asked), None)
        found = found or (self.evaluations[0] if self.evaluations else None)
        if found is None:
            return None
        found.proposal = self.proposal
        shown = EvaluationShown(found)
        return EvaluationShown(found, evaluation_facts(found)) if shown.compares else shown

    @property
    def earlier(self) -> list[EvaluationShown]:
        """All of them, to choose between."""
        return [EvaluationShown(one) for one in self.evaluations]

    @property
    def is_latest(self) -> bool:
        """Whether that is the latest, on which everything acts."""
        return self.evaluation is not None and self.evaluation.evaluation == self.evaluations[0]

    @property
    def sends(self) -> bool:
        """Whether answers that nobody has judged can be given to people who weren't given them."""
        return self._acts_on_shown and self.acts.send and self.evaluation is not None and self.evaluation.unsent > 0

    @property
    def counts(self) -> bool:
        """Whether there is something to count that people have said since."""
        return self._acts_on_shown and self.acts.rescore and self.evaluation is not None and self.evaluation.said_since

    @property
    def _acts_on_shown(self) -> bool:
        return self.is_latest and self.evaluation is not None and self.evaluation.compares

    @cached_property
    def cases(self) -> CasesShown | None:
        """Its cases, once it has compared them."""
        if self.evaluation is None or not self.evaluation.compares:
            return None
        return CasesShown(self.frame, self.query, self.evaluation)

    @cached_property
    def acts(self) -> Acts:
        """What can be done."""
        return Acts(self.frame, self.standing, self.who, self.sent)

    @property
    def seconds_to_answer(self) -> int:
        """How long an endpoint may take for an answer."""
        return round(settings.REPLAY_SECONDS)

    @property
    def cancelled_words(self) -> str:
        """Who cancelled the evaluation that is shown, and how far it was."""
        shown = self.evaluation
        if shown is None or shown.evaluation.finding != Finding.CANCELLED:
            return ""
        by, job = shown.evaluation.job.cancelled_by, shown.evaluation.job
        return cancelled(self.who(by) if by else "", done=job.done, of=job.of)

    @cached_property
    def tested(self) -> PinTest | None:
        """The test run that its going live, or its rollback, has started last."""
        promotion = self.standing.promotion
        if promotion is None or self.standing.status not in (Status.PROMOTED, Status.ROLLED_BACK):
            return None
        return next(iter(pin_tests_of(promotion)), None)

    @property
    def tested_words(self) -> str:
        """What that test run has fixed, how far it is, or why it failed."""
        if self.tested is None:
            return ""
        if self.tested.test_run is not None:
            counts = self.tested.test_run.counts
            return fixed_by_test_run(
                fixed=int(counts.get("right", 0)),
                of=int(counts.get("corrections", 0)),
                reopened=int(counts.get("reopened", 0)),
            )
        job: ReplayJob = self.tested.job
        if job.state == JobState.RUNNING:
            return replayed(done=job.done, of=job.of)
        return sentence(job.problem, job.detail) if job.problem else ""
