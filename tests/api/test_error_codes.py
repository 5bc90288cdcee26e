"""Every error has one stable code, and every code of the contract is somebody's (sections 2 to 5, and 9)."""

import re
from collections import Counter

import pytest

from kindgi.api.errors import ApiError, error_classes
from kindgi.api.openapi.text import first_line

STATUSES = {400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422, 500, 503}

CONTRACT = {
    # 2: conventions
    "auth-missing": 401,
    "auth-expired": 401,
    "auth-revoked": 401,
    "route-not-found": 404,
    "bad-input": 400,
    "permission-denied": 403,
    "request-too-large": 413,
    "idempotency-key-body-mismatch": 409,
    "idempotency-key-in-flight": 409,
    "idempotency-key-replay-withheld": 409,
    "idempotency-store-unavailable": 503,
    # 3: runs
    "run-already-terminal": 409,
    "runtime-not-configured": 422,
    # 4: corrections, through both doors
    "item-not-found": 400,
    "run-not-found": 404,
    "run-not-finished": 409,
    "run-erased": 410,
    "corrector-group-not-applicable": 400,
    "corrector-group-not-allowed": 403,
    "judge-class-not-applicable": 400,
    "judge-class-not-allowed": 403,
    "correction-removed": 409,
    # 5: judge classes
    "judge-class-name-taken": 409,
}


@pytest.fixture(scope="module")
def statuses():
    return {known.code: known.status for known in error_classes()}


def test_a_code_belongs_to_one_error():
    counted = Counter(known.code for known in error_classes())
    assert [code for code, times in counted.items() if times > 1] == []


@pytest.mark.parametrize(("code", "status"), CONTRACT.items())
def test_a_code_that_the_contract_names_exists_with_its_status(statuses, code, status):
    assert statuses.get(code) == status


@pytest.mark.parametrize("known", error_classes(), ids=lambda known: known.code)
def test_an_error_is_well_made(known: type[ApiError]):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", known.code)
    assert known.status in STATUSES
    meaning = first_line(known.__doc__)
    assert meaning.endswith(".") and not re.search("`[A-Z]", meaning), "Its meaning is read in the documentation."
    assert known.default_message.endswith(".")
