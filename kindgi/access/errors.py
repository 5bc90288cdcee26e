"""Refusals of the access app."""

from kindgi.api.errors import BadInput, Conflict, NotFound


class TenantNotFound(NotFound):
    """No such tenant; only commands name one."""

    code = "tenant-not-found"


class TenantSlugTaken(Conflict):
    """Another tenant has the slug."""

    code = "tenant-slug-taken"


class UserEmailTaken(Conflict):
    """Somebody, of whatever tenant, has the email."""

    code = "user-email-taken"


class ProjectNotFound(NotFound):
    """No such project, or none that the caller may read."""

    code = "project-not-found"
    default_message = "There's no such project."


class ProjectSlugTaken(Conflict):
    """Another project of the tenant has the slug."""

    code = "project-slug-taken"


class ProjectNotEmpty(Conflict):
    """A project that holds runs can't be deleted."""

    code = "project-not-empty"
    default_message = "The project holds runs or corrections, so it can't be deleted."


class ProjectIsDefault(Conflict):
    """The tenant's default project can't be deleted."""

    code = "project-is-default"
    default_message = "The tenant's default project can't be deleted."


class MembershipNotFound(NotFound):
    """The person has no role in the project."""

    code = "membership-not-found"
    default_message = "This person isn't a member of the project."


class MembershipExists(Conflict):
    """The person already has a role; change it instead."""

    code = "membership-exists"
    default_message = "This person is already a member of the project; change their role instead."


class UserNotFound(NotFound):
    """No such active person in the tenant."""

    code = "user-not-found"
    default_message = "There's no such person in the tenant."


class ServiceAccountNotFound(NotFound):
    """No such service account in the tenant."""

    code = "service-account-not-found"
    default_message = "There's no such service account."


class ServiceAccountNameTaken(Conflict):
    """Another live service account of the tenant has the name."""

    code = "service-account-name-taken"


class TokenNotFound(NotFound):
    """No such token, or none that the caller may see."""

    code = "token-not-found"
    default_message = "There's no such token."


class TokenExpiryExceedsMinter(BadInput):
    """A token that expires mints none that outlives it."""

    code = "token-expiry-exceeds-minter"
    default_message = "The token that mints this one expires, so this one must expire no later."


class ReviewerNotFound(NotFound):
    """No such person on the roster."""

    code = "reviewer-not-found"
    default_message = "There's no such reviewer."
