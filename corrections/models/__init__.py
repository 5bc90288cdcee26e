"""Corrections, judge classes and test runs (contract, sections 1, 4, 5)."""

from corrections.models.classes import JudgeClass
from corrections.models.corrections import (
    ANSWER_KEY,
    DECISIONS_KEY,
    Correction,
    CorrectionChange,
    Door,
    MadeBy,
    RunCopy,
    SortedTo,
    Status,
    Verdict,
)
from corrections.models.test_runs import How, Outcome, Replay, TestResult, TestRun

__all__ = [
    "ANSWER_KEY",
    "DECISIONS_KEY",
    "Correction",
    "CorrectionChange",
    "Door",
    "How",
    "JudgeClass",
    "MadeBy",
    "Outcome",
    "Replay",
    "RunCopy",
    "SortedTo",
    "Status",
    "TestResult",
    "TestRun",
    "Verdict",
]
