"""People and the roster of reviewers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from kindgi.access.admin_base import TenantScopedAdmin, adopt, caller_in, tenant_of
from kindgi.access.errors import UserNotFound
from kindgi.access.models import Reviewer, User
from kindgi.access.services.reviewers import reviewer_register, reviewer_remove
from kindgi.access.services.tenants import user_create, user_update

if TYPE_CHECKING:
    AddForm = AdminUserCreationForm[User]
    ChangeForm = UserChangeForm[User]
    UserAdminBase = DjangoUserAdmin[User]
else:
    AddForm, ChangeForm, UserAdminBase = AdminUserCreationForm, UserChangeForm, DjangoUserAdmin


class UserAddForm(AddForm):
    """A new person, with or without a password."""

    class Meta:
        """Signed in by email."""

        model = User
        fields = ("tenant", "email", "display_name", "is_tenant_admin", "is_staff")
        field_classes: ClassVar[dict[str, Any]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Whom this makes belongs to a tenant; ``createsuperuser`` makes those who belong to none."""
        super().__init__(*args, **kwargs)
        self.fields["tenant"].required = True


class UserEditForm(ChangeForm):
    """A person; the password has a page of its own."""

    class Meta:
        """Signed in by email."""

        model = User
        fields = (
            "tenant",
            "email",
            "password",
            "display_name",
            "is_active",
            "is_staff",
            "is_tenant_admin",
            "is_superuser",
        )
        field_classes: ClassVar[dict[str, Any]] = {}


@admin.register(User)
class UserAdmin(TenantScopedAdmin, UserAdminBase):
    """People are deactivated, never deleted. Only superusers touch superusers."""

    form = UserEditForm
    add_form = UserAddForm
    list_display = ("email", "display_name", "tenant", "is_active", "is_tenant_admin", "is_staff", "created_at")
    list_filter = ("is_active", "is_tenant_admin", "is_staff", "is_superuser")
    list_select_related = ("tenant",)
    ordering = ("-pk",)
    search_fields = ("email__startswith",)
    search_help_text = "The beginning of the email, or the whole id."
    autocomplete_fields = ("tenant",)
    filter_horizontal = ()
    fieldsets = (
        (None, {"fields": ("tenant", "email", "password", "display_name", "is_active")}),
        ("Permissions", {"fields": ("is_tenant_admin", "is_staff", "is_superuser")}),
        (None, {"fields": ("id", "created_at", "last_login")}),
    )
    add_fieldsets = (
        (None, {"fields": ("tenant", "email", "display_name", "usable_password", "password1", "password2")}),
        ("Permissions", {"fields": ("is_tenant_admin", "is_staff")}),
    )
    readonly_fields = ("last_login",)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """The tenant of somebody who exists stays; superusers are made by superusers."""
        fixed = super().get_readonly_fields(request, obj)
        fixed += ["tenant"] if obj is not None and obj.tenant_id is not None else []
        return fixed if tenant_of(request) is None else [*fixed, "is_superuser"]

    def search_lookups(self, term: str) -> Q:
        """By the index of the emails, in the case that was typed and in lower case, as nearly all are written."""
        return Q(email__startswith=term) | Q(email__startswith=term.lower())

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A tenant admin can't change a superuser, nor so become one."""
        untouchable = obj is not None and obj.is_superuser and tenant_of(request) is not None
        return super().has_change_permission(request, obj) and not untouchable

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: what they recorded keeps their name."""
        return False

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Save the person."""
        if change:
            user_update(user=obj)
            return
        made = user_create(
            tenant=form.cleaned_data["tenant"],
            email=obj.email,
            password=form.cleaned_data["password1"] if form.cleaned_data["set_usable_password"] else None,
            display_name=obj.display_name,
            is_tenant_admin=obj.is_tenant_admin,
            is_staff=obj.is_staff,
        )
        adopt(obj, made)


@admin.register(Reviewer)
class ReviewerAdmin(TenantScopedAdmin):
    """The roster: people are put on it, change their role, and are taken off."""

    list_display = ("user", "role", "display_name", "tenant", "created_at", "deactivated_at")
    list_filter = ("role", ("deactivated_at", admin.EmptyFieldListFilter))
    list_select_related = ("user", "tenant")
    search_fields = ("pk",)
    search_related = ("user",)
    search_help_text = "The beginning of the person's email, or the whole id of the entry or the person."
    id_search_fields = ("pk", "user_id")
    autocomplete_fields = ("user",)
    fields = ("user", "role", "display_name")
    actions = ("take_off",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """A new entry has only what is typed."""
        return self.fields if obj is None else ("tenant", *self.fields, "id", "created_at", "deactivated_at")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """An entry stays its person's."""
        return super().get_readonly_fields(request, obj) + ([] if obj is None else ["tenant", "user"])

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: they are taken off, and what they recorded keeps their name."""
        return False

    def save_model(self, request: HttpRequest, obj: Reviewer, form: Any, change: bool) -> None:
        """Put the person on the roster of their tenant, or change their entry."""
        tenant_id = obj.tenant_id if change else obj.user.tenant_id
        if tenant_id is None:
            raise UserNotFound("This person belongs to no tenant.")
        caller = caller_in(request, tenant_id)
        saved, _ = reviewer_register(caller=caller, user=obj.user, role=obj.role, display_name=obj.display_name)
        adopt(obj, saved)

    @admin.action(description="Take the selected people off the roster", permissions=["change"])
    def take_off(self, request: HttpRequest, queryset: QuerySet[Reviewer]) -> None:
        """Whoever is off it already stays off."""
        for reviewer in queryset.filter(deactivated_at__isnull=True):
            reviewer_remove(caller=caller_in(request, reviewer.tenant_id), reviewer=reviewer)
