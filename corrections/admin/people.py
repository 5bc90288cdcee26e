"""Who made what, as the lists name them: a row knows only an id."""

from __future__ import annotations

from typing import Any

from django.db.models import F, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from kindgi.access.models import Token, User


def with_maker(rows: QuerySet[Any]) -> QuerySet[Any]:
    """``rows`` with ``maker``: the user's email or the service's name, looked up only for the rows that are shown."""
    user = User.objects.filter(pk=OuterRef("made_by_id")).values("email")[:1]
    service = Token.objects.filter(pk=OuterRef("made_by_id")).annotate(name=F("service_account__name"))
    named: QuerySet[Any] = rows.annotate(
        maker=Coalesce(Subquery(user), Subquery(service.values("name")[:1]), Value(""))
    )
    return named
