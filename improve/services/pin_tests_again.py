"""Tests of versions that failed, begun anew while the project runs the version (contract, section 4).

A version is often pinned at the moment of a deploy, when the agent's endpoint is away for a while.
"""

from __future__ import annotations

import logging

from django.db import transaction

from improve.models import PinTest
from improve.selectors.pin_tests_again import FailedTest, pin_test_failed, pin_tests_due, pin_tests_due_of
from improve.services.pin_tests import pin_test_begin_again
from kindgi.runs.hooks import VersionMoved
from kindgi.runs.services.agents import agent_lock

logger = logging.getLogger(__name__)


def pin_tests_resume() -> list[PinTest]:
    """Begin those anew whose pause is over, each in a transaction of its own; those that were begun.

    What raises is logged and keeps nobody else's from being begun; it is tried again the next time.
    """
    begun = []
    for seen in pin_tests_due():
        try:
            test = _begin_due(seen)
        except Exception:
            logger.exception("The test %s of a version could not be begun again.", seen.id)
            continue
        if test is not None:
            begun.append(test)
    return begun


@transaction.atomic
def _begin_due(seen: FailedTest) -> PinTest | None:
    """The new test; ``None`` where it isn't due any more, once the agent is locked: moved, or begun by another."""
    agent = agent_lock(tenant_id=seen.tenant_id, agent_id=seen.agent_id)
    due = pin_tests_due_of(project_id=seen.project_id, agent_id=seen.agent_id)
    return None if due is None or due.pk != seen.id else pin_test_begin_again(due, agent=agent)


def version_pinned_again(pins: list[VersionMoved]) -> None:
    """Where the last test of what is pinned has failed, begin it anew at once; the agents are locked."""
    for pin in pins:
        failed = pin_test_failed(project_id=pin.project.pk, agent_id=pin.agent.agent_id)
        if failed is not None:
            pin_test_begin_again(failed, agent=pin.agent)
