"""What checks every answer of the other tests against the OpenAPI document: it lets nothing wrong through."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.openapi import _quick_validator, _validator, check

PAGE = "/components/schemas/MembershipAnswerPage"
MEMBERSHIP: dict[str, Any] = {
    "projectId": "018f0000-0000-7000-8000-000000000001",
    "userId": "018f0000-0000-7000-8000-00000000000a",
    "role": "editor",
    "joinedAt": "2026-01-02T03:04:05.678Z",
}
WRONG: dict[str, dict[str, Any]] = {
    "a field that isn't documented": {"colour": "red"},
    "another type": {"userId": 7},
    "nothing where something must be": {"joinedAt": None},
    "none of what there is to choose": {"role": "guest"},
    "a time of microseconds": {"joinedAt": "2026-01-02T03:04:05.678901Z"},
    "a time of another zone": {"joinedAt": "2026-01-02T03:04:05.678+00:00"},
    "an id in capitals": {"userId": "018F0000-0000-7000-8000-00000000000A"},
    "an id without hyphens": {"userId": "018f000000007000800000000000000a"},
    "what is no id": {"userId": "desk"},
}


def page(*memberships: dict[str, Any]) -> dict[str, Any]:
    return {"data": list(memberships), "hasMore": False}


def test_what_is_as_the_document_says_passes():
    check(page(), PAGE)
    check(page(MEMBERSHIP, MEMBERSHIP), PAGE)


@pytest.mark.parametrize("left_out", MEMBERSHIP)
def test_what_lacks_a_field_fails(left_out: str):
    lacking = {name: value for name, value in MEMBERSHIP.items() if name != left_out}
    with pytest.raises(AssertionError, match=f"'{left_out}' is a required property"):
        check(page(MEMBERSHIP, lacking), PAGE)


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_what_is_otherwise_than_the_document_says_fails_and_says_where(wrong: dict[str, Any]):
    with pytest.raises(AssertionError, match=rf"\$\.data\[1\].*{next(iter(wrong))}"):
        check(page(MEMBERSHIP, {**MEMBERSHIP, **wrong}), PAGE)


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_the_quick_validator_finds_what_the_one_finds_that_explains(wrong: dict[str, Any]):
    answer = page({**MEMBERSHIP, **wrong})
    assert not _quick_validator(PAGE).is_valid(answer) and not _validator(PAGE).is_valid(answer)
