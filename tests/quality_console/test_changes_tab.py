"""While nobody has suggested a change, the tab says what will be there, and shows no group that has none."""

from __future__ import annotations

import pytest

from tests.quality_console.tabs import tab, text_of


@pytest.mark.parametrize("role", ["viewer", "editor", "admin"])
def test_without_suggested_changes_the_tab_says_so(shop, role):
    found = text_of(tab(shop, "suggested-changes", by=role))
    assert "No suggested changes" in found
    assert "Nobody has suggested one." in found
    for group in ("To review", "Waiting for a reviewer", "Being evaluated", "Need a look", "Closed"):
        assert group not in found


def test_the_tab_is_the_current_one(shop):
    page = " ".join(tab(shop, "suggested-changes").content.decode().split())
    assert 'tab=suggested-changes" aria-current="page"' in page
