"""Suggested changes: looked at, and acted on by the services of /v1, from where each stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from msgspec import UNSET

from improve.evaluating import EvaluateBody
from improve.models import Proposal
from improve.selectors.proposals import proposal_history, proposal_standings
from improve.services.evaluations import proposal_cancel, proposal_evaluate, proposal_rescore
from improve.services.promoting import proposal_decide, proposal_request, proposal_roll_back
from improve.services.proposals import proposal_withdraw
from improve.services.sending import answers_send
from improve.standing import Standing
from improve.suggesting import LONGEST_TEXT, DecideBody, ReasonBody
from improve.words.history import happened, why
from judging.admin.told import moment, named, names_of
from kindgi.access.admin_base import ReadOnlyAdmin, caller_in, may_use
from kindgi.access.callers import OPERATOR_ID, Caller, operator_in
from kindgi.api.errors import BadInput
from kindgi.runs.admin.tables import BigTableAdmin, CreatedFilter, ListedFilter

Does = Callable[[Caller, str, str], Any]


@dataclass(frozen=True, slots=True)
class Doing:
    """An action: what it is called, what is asked before, and what does it. ``label`` is its reason's, if any."""

    name: str
    title: str
    question: str
    does: Does
    label: str = ""


def _evaluate(caller: Caller, proposal_id: str, reason: str) -> None:
    proposal_evaluate(caller=caller, proposal_id=proposal_id, body=EvaluateBody())


def _request(caller: Caller, proposal_id: str, reason: str) -> None:
    proposal_request(caller=caller, proposal_id=proposal_id, body=ReasonBody(reason=reason or UNSET))


def _decide(decision: Any, caller: Caller, proposal_id: str, reason: str) -> None:
    body = DecideBody(decision=decision, reason=reason or UNSET)
    proposal_decide(caller=caller, proposal_id=proposal_id, body=body)


def _roll_back(caller: Caller, proposal_id: str, reason: str) -> None:
    proposal_roll_back(caller=caller, proposal_id=proposal_id, body=ReasonBody(reason=reason or UNSET))


DOINGS = (
    Doing("evaluate", "Evaluate it", "Replay every corrected run of the agent with this change made?", _evaluate),
    Doing(
        "cancel",
        "Cancel its evaluation",
        "Stop the evaluation that goes on?",
        lambda caller, pk, _: proposal_cancel(caller=caller, proposal_id=pk),
    ),
    Doing(
        "rescore",
        "Score it again",
        "Score what was answered again, with what people said since?",
        lambda caller, pk, _: proposal_rescore(caller=caller, proposal_id=pk),
    ),
    Doing(
        "send",
        "Send what nobody judged to people",
        "Make runs of the answers that nobody has judged, for this change's reviewers?",
        lambda caller, pk, _: answers_send(caller=caller, proposal_id=pk),
    ),
    Doing("ask", "Ask to make it live", "Ask for this change to go live?", _request, "Why (needed if it isn't better)"),
    Doing(
        "approve", "Approve it", "Make this change live in its project?", partial(_decide, "approve"), "Why (optional)"
    ),
    Doing("reject", "Reject it", "Reject this change for good?", partial(_decide, "reject"), "Why"),
    Doing("roll_back", "Roll it back", "Pin what the project ran before?", _roll_back, "Why (optional)"),
    Doing(
        "withdraw",
        "Withdraw it",
        "Withdraw this change for good?",
        lambda caller, pk, reason: proposal_withdraw(caller=caller, proposal_id=pk, reason=reason),
        "Why",
    ),
)


@admin.register(Proposal)
class ProposalAdmin(ReadOnlyAdmin, BigTableAdmin):
    """Where each stands is read with the page, and what may be done from there is refused or done as over /v1."""

    list_display = ("created_at", "__str__", "agent_id", "from_version", "block_name", "stands", "project")
    list_display_links = ("created_at", "__str__")
    list_select_related = ("project", "block")
    list_filter = (("tenant", ListedFilter), ("project", ListedFilter), ("created_at", CreatedFilter))
    search_fields = ("pk",)
    search_help_text = "The whole id of a suggested change or of its project."
    id_search_fields = ("pk", "project_id")
    readonly_fields = ("stands", "history", "suggested", "before")
    fieldsets = (
        (None, {"fields": ("hypothesis", "agent_id", "from_version", "candidate_version", "project", "tenant")}),
        ("What is changed", {"fields": ("block_name", "kind", "before", "suggested", "evidence")}),
        ("Where it stands", {"fields": ("stands", "history")}),
        ("When", {"fields": ("created_at", "updated_at", "drafted_by")}),
        (None, {"fields": ("id",)}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With what the list names."""
        return super().get_queryset(request).select_related("project", "block")

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """The list, with where its rows stand: the same few statements for any number."""
        found = super().get_changelist_instance(request)
        _tell(list(found.result_list))
        return found

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """The row of a page, with where it stands."""
        found = super().get_object(request, object_id, from_field)
        if found is not None:
            _tell([found])
        return found

    @admin.display(description="where it stands")
    def stands(self, obj: Any) -> str:
        """Its status."""
        standing: Standing = obj.told_standing
        return str(standing.status)

    @admin.display
    def history(self, obj: Proposal) -> SafeString:
        """Every step, newest first."""
        entries = proposal_history(obj)
        names = names_of(entry.by for entry in entries)
        told = [(moment(entry.at), happened(entry), named(entry.by, names), why(entry)) for entry in entries]
        return format_html_join("", "<p>{} · {} · {} · {}</p>", told)

    @admin.display(description="suggested content")
    def suggested(self, obj: Proposal) -> SafeString:
        """As it was sent."""
        return format_html_join("", "<pre>{}</pre>", [(obj.content,)])

    @admin.display(description="content before")
    def before(self, obj: Proposal) -> SafeString:
        """As the version pins it."""
        return format_html_join("", "<p>{}</p><pre>{}</pre>", [(obj.block, obj.block.content)])

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whoever sees the list may try; the services refuse what they may not do."""
        return may_use(request)

    def get_actions(self, request: HttpRequest) -> Any:
        """What may be done with one that is chosen."""
        own = {one.name: (_action(one), one.name, one.title) for one in DOINGS} if may_use(request) else {}
        return {**super().get_actions(request), **own}

    def act(self, request: HttpRequest, queryset: QuerySet[Any], doing: Doing) -> HttpResponse | None:
        """Do it with the one that is chosen, once that was confirmed."""
        if queryset.count() != 1:
            raise BadInput("Choose one suggested change.")
        asked = self.confirmed(request, queryset, question=doing.question)
        if asked is not None:
            if doing.label:
                asked.template_name = "admin/improve/act.html"
                (asked.context_data or {})["reason_label"] = doing.label
            return asked
        proposal: Proposal = queryset.get()
        reason = request.POST.get("reason", "").strip()
        if len(reason) > LONGEST_TEXT or "\0" in reason:
            raise BadInput(f"A reason has up to {LONGEST_TEXT:,} characters.")
        doing.does(caller_in(request, proposal.tenant_id), str(proposal.pk), reason)
        self.log_change(request, proposal, f"{doing.title}.")
        self.message_user(request, f"{doing.title}: done.", messages.SUCCESS)
        return None


def _action(doing: Doing) -> Callable[[ProposalAdmin, HttpRequest, QuerySet[Any]], HttpResponse | None]:
    return lambda shown, request, queryset: shown.act(request, queryset, doing)


def _tell(rows: list[Any]) -> None:
    """Set where each stands; whoever looks, this is the same."""
    for row, standing in zip(rows, proposal_standings(caller=operator_in(OPERATOR_ID), proposals=rows), strict=True):
        row.told_standing = standing
