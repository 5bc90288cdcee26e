"""What the Rules tab is narrowed to and sorted by (contract, section 8)."""

from __future__ import annotations

from typing import Any, ClassVar

import django_filters
from django.http import QueryDict

from judging.models import JudgingRule
from quality_console.rules import SORTS

REMOVED = "removed"
_SORTS = [(f"{way}{sort}", f"{way}{sort}") for sort in SORTS for way in ("", "-")]


class RulesFilter(django_filters.FilterSet):
    """The filters as the address has them; ``cleaned`` leaves out what they can't be.

    A search looks in words that no column holds, so the tab applies them to the rules that it has read.
    """

    q = django_filters.CharFilter(max_length=200)
    show = django_filters.ChoiceFilter(choices=[(REMOVED, REMOVED)])
    sort = django_filters.ChoiceFilter(choices=_SORTS)

    class Meta:
        """Fields of the address, none of the model."""

        model = JudgingRule
        fields: ClassVar[list[str]] = []

    def __init__(self, query: QueryDict) -> None:
        """Read ``query``."""
        super().__init__(query)
        self.form.is_valid()

    @property
    def cleaned(self) -> dict[str, Any]:
        """What is asked for, by name; what nobody could ask for counts as not asked."""
        return {name: value for name, value in self.form.cleaned_data.items() if value}
