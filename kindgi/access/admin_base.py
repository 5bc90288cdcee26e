"""What every admin of ours stands on: each sees their own tenant, and a million rows are as fast as ten."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.paginator import Paginator
from django.db import DatabaseError, IntegrityError, models, transaction
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from kindgi.access.admin_scope import Scoped, caller_in, may_use, tenant_of
from kindgi.api.admin import StrictChangeList
from kindgi.api.answers import as_api_error
from kindgi.api.errors import ApiError, BadInput, LockTimeout
from kindgi.api.ids import parse_id

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
    TabularInline = admin.TabularInline[Any, Any]
else:
    ModelAdmin = admin.ModelAdmin
    TabularInline = admin.TabularInline

__all__ = [
    "BoundedPaginator",
    "ReadOnlyAdmin",
    "Scoped",
    "ScopedInline",
    "TenantScopedAdmin",
    "adopt",
    "caller_in",
    "may_use",
    "tenant_of",
]

Saved = TypeVar("Saved", bound=models.Model)

COUNTED = 10_000
INLINED = 100
SEARCHED = 100


def adopt(row: Saved, saved: Saved) -> None:
    """Make the form's ``row`` the one that a service saved, for what the admin does with it afterwards."""
    row.__dict__.update(saved.__dict__)


class BoundedPaginator(Paginator[Any]):
    """Counts no further than ``COUNTED`` rows, which takes the same time however many there are."""

    @cached_property
    def _counted(self) -> int:
        rows = self.object_list
        if isinstance(rows, models.QuerySet):
            return rows.order_by()[: COUNTED + 1].count()
        return len(rows)

    @property
    def count(self) -> int:
        """How many rows there are to page through."""
        return min(self._counted, COUNTED)

    @property
    def has_more(self) -> bool:
        """Whether there are more rows than were counted."""
        return self._counted > COUNTED


class ScopedChangeList(StrictChangeList):
    """A list that is narrowed by ids alone, also where a filter has too few choices to be shown and is left out."""

    def get_filters(self, request: HttpRequest) -> Any:
        """The filters; raises ``IncorrectLookupParameters`` for what is no id."""
        asked = [texts for name, texts in request.GET.lists() if name.endswith("__id__exact")]
        if not all(parse_id(text) for texts in asked for text in texts):
            raise IncorrectLookupParameters
        return super().get_filters(request)


class IdSelect(AutocompleteSelect):
    """A choice that is searched for; it is drawn again as empty where what was sent is no id."""

    def optgroups(self, name: str, value: Any, attr: Any = None) -> Any:
        """The chosen row, if there is one: Django would look for whatever was sent, and fail."""
        return super().optgroups(name, [one for one in value if parse_id(one)], attr)


class SearchedChoices(Scoped):
    """For admins and their inlines alike: choices that are searched for are ids, whatever was sent."""

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """The field, which draws itself again whatever was sent."""
        if db_field.name in self.get_autocomplete_fields(request):
            kwargs["widget"] = IdSelect(db_field, self.admin_site)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)


class TenantScopedAdmin(SearchedChoices, ModelAdmin):
    """An admin of rows that belong to a tenant, by way of ``tenant_path``.

    ``search_fields`` are of the model itself; ``search_related`` are foreign keys, and what they
    refer to is found first, as its own admin finds it, and no more of it than ``SEARCHED``.
    Services' refusals are shown where the form's own are.
    """

    sortable_by = ()
    search_related: tuple[str, ...] = ()
    list_per_page = 50
    show_full_result_count = False
    paginator = BoundedPaginator
    change_list_template = "admin/kindgi/change_list.html"
    id_search_fields: tuple[str, ...] = ("pk",)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """A list that takes its own filters' lookups and no others."""
        return ScopedChangeList

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Any]:
        """The rows that the person may see."""
        return self.scoped(request, super().get_queryset(request))

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """Newest first: over all rows by the index of their ids, which are in order of time.

        In one tenant by the time itself, so that the database finds the tenant's rows and sorts
        them, rather than look through everybody's for the newest of theirs.
        """
        has_time = any(field.name == "created_at" for field in self.opts.concrete_fields)
        confined = may_use(request) and tenant_of(request) is not None
        return ("-created_at", "-pk") if confined and has_time else ("-pk",)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Of a row that exists, also the fields that nobody edits."""
        declared = [str(field) for field in super().get_readonly_fields(request, obj)]
        if obj is None:
            return declared
        fixed = (field for field in self.opts.concrete_fields if not field.editable)
        return declared + [
            field.name for field in fixed if field.name not in declared and not isinstance(field, models.BinaryField)
        ]

    def get_inlines(self, request: HttpRequest, obj: Any) -> list[Any]:
        """Inlines with few enough rows to be shown as forms; the others have a list of their own."""
        inlines = super().get_inlines(request, obj)
        return [inline for inline in inlines if obj is None or not _has_many(inline, obj)]

    def get_search_results(
        self, request: HttpRequest, queryset: models.QuerySet[Any], search_term: str
    ) -> tuple[models.QuerySet[Any], bool]:
        """A whole id is looked up; anything else by ``search_fields`` and ``search_related``."""
        term = search_term.strip()
        parsed = parse_id(term)
        if not term:
            return queryset, False
        if "\0" in term:
            return queryset.none(), False
        found = models.Q(pk__in=[])
        if parsed is not None:
            for name in self.id_search_fields:
                found |= models.Q(**{name: parsed})
            return queryset.filter(found), False
        found |= self.search_lookups(term)
        for name in self.search_related:
            found |= models.Q(**{f"{name}__in": self._related(request, name, term)})
        return queryset.filter(found), False

    def search_lookups(self, term: str) -> models.Q:
        """What is looked for in the model itself."""
        found = models.Q(pk__in=[])
        for lookup in self.search_fields:
            found |= models.Q() if lookup == "pk" else models.Q(**{str(lookup).removeprefix("="): term})
        return found

    def _related(self, request: HttpRequest, name: str, term: str) -> list[Any]:
        related: type[models.Model] = self.opts.get_field(name).related_model  # type: ignore[assignment]
        its_admin: Any = self.admin_site.get_model_admin(related)
        rows = its_admin.get_queryset(request).filter(its_admin.search_lookups(term))
        return list(rows.order_by().values_list("pk", flat=True)[:SEARCHED])

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Nothing: a form begins as it is declared, whatever its address says."""
        return {}

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[str]]:
        """What is named before a deletion: the rows alone, since what goes with them may be any number."""
        return [str(obj) for obj in objs], {str(self.opts.verbose_name_plural): len(objs)}, set(), []

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """The form; after a refusal one that says so beside what was typed."""
        form: type[ModelForm[Any]] = super().get_form(request, obj, change=change, **kwargs)
        refusal: str | None = getattr(request, "refusal", None)
        return form if refusal is None else _refusing(form, refusal)

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> Any:
        """The form's page; a service's refusal undoes everything and is shown on it."""
        try:
            with transaction.atomic():
                return super().changeform_view(request, object_id, form_url, extra_context)
        except IntegrityError:
            refusal = LockTimeout.default_message
        except (ApiError, DatabaseError) as error:
            refusal = _refusal(error).message
        request.refusal = refusal  # type: ignore[attr-defined]
        return super().changeform_view(request, object_id, form_url, extra_context)

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> Any:
        """The page that asks first; a service's refusal is shown on the row's page."""
        try:
            return super().delete_view(request, object_id, extra_context)
        except (ApiError, DatabaseError) as error:
            return self._refused(request, _refusal(error), request.path.removesuffix("delete/") + "change/")

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """The list; an action runs in one transaction, which a service's refusal undoes."""
        if request.method != "POST":
            return super().changelist_view(request, extra_context)
        try:
            _check_chosen(request)
            with transaction.atomic():
                return super().changelist_view(request, extra_context)
        except (ApiError, DatabaseError) as error:
            return self._refused(request, _refusal(error), request.get_full_path())

    def _refused(self, request: HttpRequest, refused: ApiError, url: str) -> HttpResponse:
        self.message_user(request, refused.message, messages.ERROR)
        return HttpResponseRedirect(url)


class ReadOnlyAdmin(Scoped):
    """Mixed in before :class:`TenantScopedAdmin`: history, which is looked at and never changed."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False


class ScopedInline(SearchedChoices, TabularInline):
    """Rows of the row that is shown, as forms while they are no more than ``INLINED``.

    Whom or what a saved one is for, its ``settled_field``, doesn't change any more.
    """

    extra = 0
    settled_field = ""

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        """The formset, in which saved rows are settled."""
        formset = super().get_formset(request, obj, **kwargs)
        settled_field, base = self.settled_field, formset.form

        def init(form: Any, *args: Any, **kwargs: Any) -> None:
            base.__init__(form, *args, **kwargs)
            if settled_field in form.fields and not form.instance._state.adding:
                form.fields[settled_field].disabled = True

        formset.form = type(base.__name__, (base,), {"__init__": init})
        return formset


def _refusing(form: type[Any], refusal: str) -> type[Any]:
    """``form`` with an error that isn't a field's."""

    class Refusing(form):  # type: ignore[misc]
        def clean(self) -> Any:
            self.add_error(None, refusal)
            return super().clean()

    return Refusing


def _check_chosen(request: HttpRequest) -> None:
    """Refuse an action on what is no id, which Django would look for, and fail; raises ``BadInput``."""
    if not all(parse_id(chosen) for chosen in request.POST.getlist(ACTION_CHECKBOX_NAME)):
        raise BadInput("What was chosen is no row of this list.")


def _refusal(error: ApiError | DatabaseError) -> ApiError:
    """A service's refusal, or that others hold what was needed; raises any other error of the database's again."""
    if isinstance(error, ApiError):
        return error
    refusal = as_api_error(error)
    if not isinstance(refusal, LockTimeout):
        raise error
    return refusal


def _has_many(inline: type[Any], obj: models.Model) -> bool:
    key = next(field.name for field in inline.model._meta.concrete_fields if field.related_model is type(obj))
    return bool(inline.model._base_manager.filter(**{key: obj})[: INLINED + 1].count() > INLINED)
