"""Tenants, projects, people, service accounts, tokens and the roster of reviewers (contract, section 9)."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Lower

from kindgi.api.ids import new_id
from kindgi.api.times import now

MOST_RETENTION_DAYS = 36_500
_RETENTION_REFUSED = f"Runs are kept for 1 to {MOST_RETENTION_DAYS} days, or for ever when this is empty."


class ProjectRole(models.TextChoices):
    """What somebody may do in a project; each includes the ones before it."""

    VIEWER = "viewer"
    EDITOR = "editor"
    ADMIN = "admin"
    OWNER = "owner"


class ReviewerRole(models.TextChoices):
    """A reviewer's standing on the tenant's roster; each includes the ones before it."""

    STANDARD = "standard"
    SENIOR = "senior"
    ADMIN = "admin"


class TokenRole(models.TextChoices):
    """The most that a token may do under its principal's grants."""

    ADMIN = "admin"
    MEMBER = "member"


class Row(models.Model):
    """A row of ours: a time-ordered id, and when it was made."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    created_at = models.DateTimeField(default=now, editable=False)

    class Meta:
        """Abstract."""

        abstract = True


class Tenant(Row):
    """A company. Nothing of one tenant can be seen from another."""

    name = models.CharField(max_length=200)
    slug = models.SlugField(max_length=100, unique=True)

    class Meta:
        """By name."""

        ordering: ClassVar[list[str]] = ["name", "id"]

    def __str__(self) -> str:
        """Its name."""
        return self.name


class UserManager(BaseUserManager["User"]):
    """Makes users; an email is one person's, whatever its case."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """Make a user; without a password they can't sign in with one."""
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        """Make a user who may do everything in Django admin, of whatever tenant."""
        return self.create_user(email, password, **{**fields, "is_staff": True, "is_superuser": True})

    def get_by_natural_key(self, username: str | None) -> User:
        """The user who signs in as ``username``, an email in any case."""
        return self.by_email(username or "").get()

    def by_email(self, email: str) -> models.QuerySet[User]:
        """The user with the email in any case, by the index that keeps it unique."""
        return self.alias(_lower_email=Lower("email")).filter(_lower_email=Lower(models.Value(email)))


class User(AbstractBaseUser, PermissionsMixin):
    """A person of one tenant. People who leave are deactivated, never deleted (section 10)."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, null=True, blank=True, related_name="users")
    email = models.EmailField(max_length=254, unique=True)
    display_name = models.CharField(max_length=200, blank=True)
    is_tenant_admin = models.BooleanField("tenant admin", default=False, help_text="May do everything in the tenant.")
    is_active = models.BooleanField(default=True, help_text="Take this away from people who leave; never delete them.")
    is_staff = models.BooleanField(default=False, help_text="May sign in to Django admin.")
    created_at = models.DateTimeField(default=now, editable=False)

    objects = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    class Meta:
        """One account an email."""

        ordering: ClassVar[list[str]] = ["email"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                Lower("email"), name="user_email_once", violation_error_message="Somebody has this email already."
            ),
        ]

    def __str__(self) -> str:
        """Their name, else their email: the stable label of what they recorded."""
        return self.display_name or self.email


class Project(Row):
    """Where runs, corrections and rules live; the unit of access."""

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="projects")
    name = models.CharField(max_length=200)
    slug = models.SlugField(max_length=100)
    description = models.TextField(blank=True, max_length=2000)
    is_default = models.BooleanField(default=False)
    blind = models.BooleanField(
        default=True, help_text="Reviewers don't see what others said of a run before they saved their own."
    )
    retention_days = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[
            MinValueValidator(1, _RETENTION_REFUSED),
            MaxValueValidator(MOST_RETENTION_DAYS, _RETENTION_REFUSED),
        ],
        help_text="Runs older than this are purged.",
    )
    updated_at = models.DateTimeField(default=now, editable=False)

    class Meta:
        """A slug is unique in its tenant, which has at most one default project."""

        ordering: ClassVar[list[str]] = ["name", "id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["tenant", "slug"], name="project_slug_once_in_tenant"),
            models.UniqueConstraint(
                fields=["tenant"], condition=models.Q(is_default=True), name="project_one_default_in_tenant"
            ),
            models.CheckConstraint(
                condition=models.Q(retention_days__range=(1, MOST_RETENTION_DAYS)),
                name="project_retention_in_bounds",
                violation_error_message=_RETENTION_REFUSED,
            ),
        ]

    def __str__(self) -> str:
        """Its name."""
        return self.name


class Membership(Row):
    """A person's role in a project."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=10, choices=ProjectRole.choices)

    class Meta:
        """One role a person and project."""

        ordering: ClassVar[list[str]] = ["id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["project", "user"], name="membership_once"),
            models.CheckConstraint(condition=models.Q(role__in=ProjectRole.values), name="membership_role_known"),
        ]

    def __str__(self) -> str:
        """Who is what."""
        return f"{self.user_id} {self.role}"


class ServiceAccount(Row):
    """A named principal that is no person: an app, a runtime, a pipeline. It acts through its tokens."""

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="service_accounts")
    name = models.CharField(max_length=200)
    description = models.CharField(max_length=500, blank=True)
    is_tenant_admin = models.BooleanField("tenant admin", default=False)
    created_by = models.CharField(max_length=80, editable=False)
    unregistered_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        """A name is unique among the tenant's live accounts."""

        ordering: ClassVar[list[str]] = ["name", "id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["tenant", "name"],
                condition=models.Q(unregistered_at__isnull=True),
                name="service_account_name_once",
            ),
        ]

    def __str__(self) -> str:
        """Its name."""
        return self.name


class ServiceAccountGrant(Row):
    """A service account's role in a project."""

    service_account = models.ForeignKey(ServiceAccount, on_delete=models.CASCADE, related_name="grants")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="service_account_grants")
    role = models.CharField(max_length=10, choices=ProjectRole.choices)

    class Meta:
        """One role an account and project."""

        ordering: ClassVar[list[str]] = ["id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["service_account", "project"], name="service_account_grant_once"),
            models.CheckConstraint(condition=models.Q(role__in=ProjectRole.values), name="grant_role_known"),
        ]

    def __str__(self) -> str:
        """Who is what."""
        return f"{self.service_account_id} {self.role}"


class Token(Row):
    """An API token of a user or a service account; only the hash of its secret is stored (section 2)."""

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="tokens")
    user = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="tokens")
    service_account = models.ForeignKey(
        ServiceAccount, on_delete=models.PROTECT, null=True, blank=True, related_name="tokens"
    )
    secret_hash = models.BinaryField(max_length=32, unique=True, editable=False)
    secret_tail = models.CharField(
        max_length=4, editable=False, help_text="The secret's last characters, to tell tokens apart."
    )
    role = models.CharField(max_length=6, choices=TokenRole.choices, default=TokenRole.MEMBER)
    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, null=True, blank=True, help_text="Narrows the token to one project."
    )
    reviewer_role = models.CharField(max_length=8, choices=ReviewerRole.choices, blank=True)
    label = models.CharField(max_length=200, blank=True)
    created_by = models.CharField(max_length=80, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        """It acts for exactly one principal."""

        ordering: ClassVar[list[str]] = ["-created_at", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=True) ^ models.Q(service_account__isnull=True),
                name="token_one_principal",
            ),
        ]

    def __str__(self) -> str:
        """Its label and the end of its secret."""
        return f"{self.label or 'token'} …{self.secret_tail}"


class Reviewer(Row):
    """A person on the tenant's roster of reviewers; taken off softly, so that records keep their label."""

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="reviewers")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="reviewer_rows")
    role = models.CharField(max_length=8, choices=ReviewerRole.choices)
    display_name = models.CharField(max_length=200, blank=True)
    deactivated_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        """One row a person."""

        ordering: ClassVar[list[str]] = ["id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["tenant", "user"], name="reviewer_once"),
            models.CheckConstraint(condition=models.Q(role__in=ReviewerRole.values), name="reviewer_role_known"),
        ]

    def __str__(self) -> str:
        """Who is what."""
        return f"{self.display_name or self.user_id} {self.role}"
