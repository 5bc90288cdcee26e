"""API tokens: minted here with their secret shown once, and revoked; nothing else changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from kindgi.access.admin_base import TenantScopedAdmin, adopt, caller_in, may_use
from kindgi.access.models import Token
from kindgi.access.services.tokens import TokenSpec, token_mint, token_revoke
from kindgi.api.errors import BadInput

if TYPE_CHECKING:
    TokenModelForm = ModelForm[Token]
else:
    TokenModelForm = ModelForm

_MINTED = ("user", "service_account", "role", "project", "reviewer_role", "label", "expires_at")


class TokenForm(TokenModelForm):
    """What a new token is to be; whom it acts for is one of two."""

    class Meta:
        """What :class:`TokenSpec` takes, and the principal."""

        model = Token
        fields = _MINTED

    def clean(self) -> dict[str, Any] | None:
        """Exactly one principal, so that the token has one tenant."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if bool(cleaned.get("user")) == bool(cleaned.get("service_account")):
            self.add_error(None, "Choose either a user or a service account.")
        return cleaned


@admin.register(Token)
class TokenAdmin(TenantScopedAdmin):
    """The secret is on the page that answers the creation, and nowhere else."""

    form = TokenForm
    list_display = ("__str__", "user", "service_account", "role", "project", "expires_at", "revoked_at", "last_used_at")
    list_filter = ("role", ("revoked_at", admin.EmptyFieldListFilter), "expires_at", "last_used_at")
    list_select_related = ("user", "service_account", "project")
    search_fields = ("pk",)
    search_related = ("user", "service_account")
    search_help_text = (
        "The beginning of the user's email or the service account's name, or the whole id of one of them."
    )
    id_search_fields = ("pk", "user_id", "service_account_id")
    autocomplete_fields = ("user", "service_account", "project")
    actions = ("revoke",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """A new one has only what is typed."""
        read = ("secret_tail", "tenant", "id", "created_by", "created_at", "revoked_at", "last_used_at")
        return _MINTED if obj is None else (*_MINTED, *read)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: a revoked token still says what it was."""
        return False

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """Whoever sees the list."""
        return may_use(request)

    def save_model(self, request: HttpRequest, obj: Token, form: Any, change: bool) -> None:
        """Mint it; the secret waits on the request for the page that shows it."""
        principal = obj.user or obj.service_account
        if principal is None or principal.tenant_id is None:
            raise BadInput("This person belongs to no tenant.")
        if obj.project is not None and obj.project.tenant_id != principal.tenant_id:
            raise BadInput("The project is another tenant's.")
        spec = TokenSpec(
            role=obj.role,
            project=obj.project,
            label=obj.label,
            expires_at=obj.expires_at,
            reviewer_role=obj.reviewer_role,
        )
        minted = token_mint(caller=caller_in(request, principal.tenant_id), principal=principal, spec=spec)
        adopt(obj, minted.token)
        request.minted_secret = minted.secret  # type: ignore[attr-defined]

    def response_add(self, request: HttpRequest, obj: Token, post_url_continue: str | None = None) -> HttpResponse:
        """The one page that shows the secret. It isn't a message, since those are kept in a cookie."""
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": "The token is made",
            "token": obj,
            "secret": request.minted_secret,  # type: ignore[attr-defined]
        }
        response = TemplateResponse(request, "admin/kindgi/token_made.html", context)
        response.headers["Cache-Control"] = "no-store"
        return response

    @admin.action(description="Revoke the selected tokens", permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Token]) -> None:
        """They never work again."""
        for token in queryset:
            token_revoke(caller=caller_in(request, token.tenant_id), token=token)
