"""What the tests of suggested changes share."""

from tests.support.shops import fresh, module_db, shop, undone

__all__ = ["fresh", "module_db", "shop", "undone"]
