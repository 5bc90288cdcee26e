"""Suggested changes, test sets, replays and replay endpoints (contract, section 7)."""

from improve.models.endpoints import ReplayEndpoint
from improve.models.jobs import CaseReplay, JobState, ReplayJob, ReplayState
from improve.models.proposals import CaseLabel, CaseResult, Evaluation, Finding, Promotion, Proposal, Settled
from improve.models.test_runs import PinTest
from improve.models.test_sets import TestCase, TestSet

__all__ = [
    "CaseLabel",
    "CaseReplay",
    "CaseResult",
    "Evaluation",
    "Finding",
    "JobState",
    "PinTest",
    "Promotion",
    "Proposal",
    "ReplayEndpoint",
    "ReplayJob",
    "ReplayState",
    "Settled",
    "TestCase",
    "TestSet",
]
