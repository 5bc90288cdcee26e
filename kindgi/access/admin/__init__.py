"""Access in Django admin; what each model's admin does is in the module of its name."""

from django.contrib import admin
from django.contrib.auth.models import Group

from kindgi.access.admin import people, projects, service_accounts, tenants, tokens

# Roles are given in projects; nothing asks for Django's groups and their permissions.
admin.site.unregister(Group)

__all__ = ["people", "projects", "service_accounts", "tenants", "tokens"]
