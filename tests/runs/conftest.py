"""Fixtures: a shop for a module's tests, one that is undone after each, and one whose rows are committed."""

from tests.support.shops import fresh, module_db, shop, undone

__all__ = ["fresh", "module_db", "shop", "undone"]
