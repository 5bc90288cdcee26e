"""What every admin of ours stands on: a tenant admin's staff sees one tenant, and a million rows are as fast as ten.

Superusers see everything. Staff who are tenant admins see and change what is in their own tenant,
without any of Django's permissions. Other staff see nothing.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from django.contrib import admin, messages
from django.contrib.admin.exceptions import NotRegistered
from django.core.paginator import Paginator
from django.db import IntegrityError, models, transaction
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from kindgi.access.callers import Caller
from kindgi.access.models import Tenant, User
from kindgi.access.selectors import caller_for_user
from kindgi.api.errors import ApiError, LockTimeout, PermissionDenied
from kindgi.api.ids import parse_id

if TYPE_CHECKING:
    BaseAdmin = admin.options.BaseModelAdmin[Any]
    ModelAdmin = admin.ModelAdmin[Any]
    TabularInline = admin.TabularInline[Any, Any]
else:
    BaseAdmin = object
    ModelAdmin = admin.ModelAdmin
    TabularInline = admin.TabularInline

Saved = TypeVar("Saved", bound=models.Model)

COUNTED = 10_000
INLINED = 100


def may_use(request: HttpRequest) -> bool:
    """Whether the person may see anything at all: superusers, and staff who are tenant admins."""
    user = request.user
    if not isinstance(user, User) or not (user.is_active and user.is_staff):
        return False
    return user.is_superuser or (user.is_tenant_admin and user.tenant_id is not None)


def tenant_of(request: HttpRequest) -> UUID | None:
    """The tenant that the person is confined to; ``None`` for superusers. Ask :func:`may_use` first."""
    user = _person(request)
    return None if user.is_superuser else user.tenant_id


def caller_in(request: HttpRequest, tenant_id: UUID) -> Caller:
    """The person as services take them, acting in the tenant; raises ``PermissionDenied`` where they may not."""
    user = _person(request)
    if user.is_superuser:
        return Caller(tenant_id=tenant_id, kind="user", id=user.pk, principal_id=user.pk, is_tenant_admin=True)
    if not may_use(request) or tenant_id != user.tenant_id:
        raise PermissionDenied
    return caller_for_user(user)


def _person(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


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


class Scoped(BaseAdmin):
    """Who may, and which rows and choices: for admins and their inlines alike."""

    tenant_path = "tenant"
    """The lookup from the model to its tenant; ``pk`` for the tenant itself."""

    def scoped(self, request: HttpRequest, rows: models.QuerySet[Any]) -> models.QuerySet[Any]:
        """``rows`` that the person may see."""
        if not may_use(request):
            return rows.none()
        tenant_id = tenant_of(request)
        return rows if tenant_id is None else rows.filter(**{self.tenant_path: tenant_id})

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Whether the app is listed."""
        return may_use(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Rows outside the person's tenant are never found, so that only the person counts."""
        return may_use(request)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As for seeing."""
        return may_use(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As for seeing."""
        return may_use(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As for seeing."""
        return may_use(request)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Only choices that the person may see; a tenant admin's tenant is their own."""
        related: type[models.Model] = db_field.related_model
        tenant_id = tenant_of(request)
        if related is Tenant and tenant_id is not None:
            own = Tenant.objects.filter(pk=tenant_id)
            return db_field.formfield(queryset=own, initial=tenant_id, empty_label=None)
        try:
            kwargs["queryset"] = self.admin_site.get_model_admin(related).get_queryset(request)
        except NotRegistered:
            if tenant_id is not None:
                kwargs["queryset"] = related._base_manager.none()
        return super().formfield_for_foreignkey(db_field, request, **kwargs)


class TenantScopedAdmin(Scoped, ModelAdmin):
    """An admin of rows that belong to a tenant, by way of ``tenant_path``.

    Sorted by id, newest first, which an index gives; other orders over many rows have none.
    Services' refusals are shown where the form's own are.
    """

    ordering = ("-pk",)
    sortable_by = ()
    list_per_page = 50
    show_full_result_count = False
    paginator = BoundedPaginator
    change_list_template = "admin/kindgi/change_list.html"
    id_search_fields: tuple[str, ...] = ("pk",)

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Any]:
        """The rows that the person may see."""
        return self.scoped(request, super().get_queryset(request))

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
        """A whole id is looked up; anything else by ``search_fields``."""
        parsed = parse_id(search_term.strip())
        if parsed is None:
            return super().get_search_results(request, queryset, search_term)
        by_id = models.Q()
        for field in self.id_search_fields:
            by_id |= models.Q(**{field: parsed})
        return queryset.filter(by_id), False

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
        except ApiError as refused:
            refusal = refused.message
        except IntegrityError:
            refusal = LockTimeout.default_message
        request.refusal = refusal  # type: ignore[attr-defined]
        return super().changeform_view(request, object_id, form_url, extra_context)

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> Any:
        """The page that asks first; a service's refusal is shown on the row's page."""
        try:
            return super().delete_view(request, object_id, extra_context)
        except ApiError as refused:
            return self._refused(request, refused, request.path.removesuffix("delete/") + "change/")

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """The list; an action runs in one transaction, which a service's refusal undoes."""
        if request.method != "POST":
            return super().changelist_view(request, extra_context)
        try:
            with transaction.atomic():
                return super().changelist_view(request, extra_context)
        except ApiError as refused:
            return self._refused(request, refused, request.get_full_path())

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


class ScopedInline(Scoped, TabularInline):
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


def _has_many(inline: type[Any], obj: models.Model) -> bool:
    key = next(field.name for field in inline.model._meta.concrete_fields if field.related_model is type(obj))
    return bool(inline.model._base_manager.filter(**{key: obj})[: INLINED + 1].count() > INLINED)
