"""The test runs that going live and going back have started, as a suggested change's page says them (section 7)."""

from __future__ import annotations

from improve.models import PinTest, Promotion


def pin_tests_of(promotion: Promotion) -> list[PinTest]:
    """Those of a promotion, newest first, with their jobs and test runs. One statement."""
    found = PinTest.objects.filter(promotion=promotion).select_related("job", "test_run")
    return list(found.defer("job__change", "job__blocks").order_by("-created_at", "-id"))
