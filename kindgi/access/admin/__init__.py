"""Access in Django admin; what each model's admin does is in the module of its name."""

from kindgi.access.admin import people, projects, service_accounts, tenants, tokens

__all__ = ["people", "projects", "service_accounts", "tenants", "tokens"]
