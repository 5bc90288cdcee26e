"""Judging rules, the queue that they fill, its counts, and catch-ups (contract, section 6)."""

from judging.models.catch_up import CatchUp, CatchUpState
from judging.models.counts import LaneCount, Measure, RuleCount
from judging.models.queue import Lane, QueueEntry, QueueItem, QueueItemChange, SkippedRun, State
from judging.models.rules import JudgingRule, JudgingRuleVersion

__all__ = [
    "CatchUp",
    "CatchUpState",
    "JudgingRule",
    "JudgingRuleVersion",
    "Lane",
    "LaneCount",
    "Measure",
    "QueueEntry",
    "QueueItem",
    "QueueItemChange",
    "RuleCount",
    "SkippedRun",
    "State",
]
