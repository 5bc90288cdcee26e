"""The queue recounted from scratch, as ``manage.py check_queue`` does."""

from __future__ import annotations

from django.db import transaction

from judging.services.checking import queue_check
from tests.support.shops import Shop


def assert_all_is_well(shop: Shop) -> None:
    """Nothing is found in the shop's project."""
    with transaction.atomic():
        findings = queue_check(project=shop.project)
    assert not findings.found, str(findings)
