"""Where suggested changes stand, in SQL: what lists are narrowed by (contract, section 7).

The same rules as :func:`improve.statuses.status_of`, which a test holds them against, row by row.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Case, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.fields import CharField

from improve.models import Evaluation, Finding, Promotion, Proposal, Settled
from improve.statuses import Status

_NEWEST = ("-created_at", "-id")
_FOUND = {
    Finding.BETTER: Status.EVALUATED,
    Finding.NOT_BETTER: Status.NOT_BETTER,
    Finding.FAILED: Status.EVALUATION_FAILED,
    Finding.CANCELLED: Status.EVALUATION_FAILED,
}


def with_status(proposals: QuerySet[Proposal], at: datetime) -> QuerySet[Any]:
    """``proposals``, each with where it stands at an instant, as ``stands``."""
    evaluations = Evaluation.objects.filter(proposal=OuterRef("pk")).order_by(*_NEWEST)
    promotions = Promotion.objects.filter(proposal=OuterRef("pk")).order_by(*_NEWEST)
    found = proposals.alias(
        tried_in=Subquery(evaluations.values("pk")[:1]),
        tried=Subquery(evaluations.values("finding")[:1]),
        asked_on=Subquery(promotions.values("evaluation_id")[:1]),
        asked=Subquery(promotions.values("settled")[:1]),
        asked_until=Subquery(promotions.values("expires_at")[:1]),
        back_at=Subquery(promotions.values("rolled_back_at")[:1]),
    )
    on_latest = Q(asked_on=F("tried_in"))
    cases: list[Any] = [
        When(withdrawn_at__isnull=False, then=Value(Status.WITHDRAWN.value)),
        When(on_latest & Q(back_at__isnull=False), then=Value(Status.ROLLED_BACK.value)),
        *(When(on_latest & Q(asked=one.value), then=Value(Status(one.value).value)) for one in Settled),
        When(on_latest & Q(asked_until__gt=at), then=Value(Status.IN_REVIEW.value)),
        When(on_latest, then=Value(Status.EXPIRED.value)),
        *(When(tried=finding.value, then=Value(status.value)) for finding, status in _FOUND.items()),
        When(tried="", then=Value(Status.EVALUATING.value)),
    ]
    stands = Case(*cases, default=Value(Status.DRAFT.value), output_field=CharField())
    annotated: QuerySet[Any] = found.annotate(stands=stands)
    return annotated
