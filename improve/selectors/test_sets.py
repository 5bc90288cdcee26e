"""What reads test sets (contract, section 7). Lists never touch their cases."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import QuerySet

from improve.errors import TestSetNotFound
from improve.models import TestCase, TestSet
from kindgi.access.models import Project
from kindgi.api.ids import parse_id


def test_sets_of(project: Project) -> QuerySet[TestSet]:
    """A project's test sets."""
    return TestSet.objects.filter(project=project)


def test_set_get(*, project: Project, test_set_id: str) -> TestSet:
    """A test set of the project; raises :class:`TestSetNotFound`."""
    parsed = parse_id(test_set_id)
    found = test_sets_of(project).filter(pk=parsed).first() if parsed else None
    if found is None:
        raise TestSetNotFound
    return found


def cases_of(test_set: TestSet) -> QuerySet[TestCase]:
    """Its cases, in its order, with the runs' content: as few at a time as may be needed."""
    return TestCase.objects.filter(test_set=test_set).select_related("content").order_by("position")


def test_set_cases(test_set: TestSet) -> QuerySet[TestCase]:
    """Its cases, in its order, with what was said and without the runs' content."""
    return TestCase.objects.filter(test_set=test_set).order_by("position")


def cases_in_batches(test_set: TestSet, *, size: int) -> Iterator[list[TestCase]]:
    """All of its cases with the runs' content, ``size`` at a time."""
    for start in range(0, test_set.cases, size):
        yield list(cases_of(test_set).filter(position__gte=start, position__lt=start + size))
