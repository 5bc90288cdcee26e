"""A list's filters are read strictly: what can't be read is refused, never left out (contract, section 2)."""

import pytest
from django.http import QueryDict
from django_filters import CharFilter, FilterSet, MultipleChoiceFilter

from kindgi.access.models import Project
from kindgi.api.errors import BadInput
from kindgi.api.filters import FlagFilter, IdFilter, InstantFilter, check_parameters, filtered
from kindgi.api.ids import new_id
from tests.builders import default_project, make_project, make_tenant

pytestmark = pytest.mark.django_db


class ProjectFilter(FilterSet):
    """A filter of each kind."""

    name = CharFilter("name")
    tenantId = IdFilter("tenant_id")
    createdAfter = InstantFilter("created_at", lookup_expr="gt")
    isDefault = FlagFilter(method="by_default")
    slug = MultipleChoiceFilter(choices=[("default", "default"), ("a", "a"), ("b", "b")])

    def by_default(self, rows, name, value):
        return rows.filter(is_default=value == "true")


@pytest.fixture
def tenant():
    found = make_tenant()
    for slug in ("a", "b", "c"):
        make_project(found, slug, name=f"Project {slug}")
    return found


def slugs(tenant, query):
    rows = filtered(ProjectFilter, QueryDict(query), Project.objects.filter(tenant=tenant))
    return sorted(rows.values_list("slug", flat=True))


def test_each_filter_narrows(tenant):
    default = default_project(tenant).slug
    assert slugs(tenant, "") == sorted([default, "a", "b", "c"])
    assert slugs(tenant, "name=Project+a") == ["a"]
    assert slugs(tenant, f"tenantId={tenant.pk}&slug=a") == ["a"]
    assert slugs(tenant, "slug=a&slug=b") == ["a", "b"]
    assert slugs(tenant, "isDefault=true") == [default]
    assert slugs(tenant, "isDefault=false") == ["a", "b", "c"]
    assert len(slugs(tenant, "createdAfter=2020-01-01T00:00:00Z")) == 4
    assert slugs(tenant, "createdAfter=2999-01-01T00:00:00Z") == []


@pytest.mark.parametrize("unknown", [new_id(), "nothing", "0", "{}", "A" * 10_000])
def test_an_id_that_nothing_has_finds_nothing_whatever_its_shape(tenant, unknown):
    assert slugs(tenant, f"tenantId={unknown}") == []


@pytest.mark.parametrize(
    "query",
    [
        "nme=a",
        "Name=a",
        "name=a&name=b",
        "createdAfter=yesterday",
        "createdAfter=2026-13-01T00:00:00Z",
        "createdAfter=0001-01-01T00:00:00%2B14:00",
        "createdAfter=9999-12-31T23:59:59-14:00",
        "isDefault=1",
        "isDefault=True",
        "slug=c",
        "slug=a&slug=c",
        "limit=1&limit=2",
        "cursor=a&cursor=b",
    ],
)
def test_what_can_not_be_read_is_bad_input(tenant, query):
    with pytest.raises(BadInput):
        slugs(tenant, query)


def test_a_parameter_that_a_list_does_not_have_is_named():
    with pytest.raises(BadInput, match="'sort'") as refused:
        check_parameters(QueryDict("sort=name"), {"name"})
    assert refused.value.details == {"parameter": "sort"}
