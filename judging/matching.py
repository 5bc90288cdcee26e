"""Which runs a rule is about, in memory and in SQL (contract, section 6). Knows no database.

Each condition is written in both ways side by side, as one :class:`Condition`: there is no list of
conditions that only one of the two would read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from judging.sampling import Sample
from kindgi.api.errors import BadInput
from kindgi.api.operations import Body
from kindgi.runs.models import Run, RunStatus, Via
from kindgi.runs.records import Name, Version

LIVE = Via.LIVE.value
_COMPLETED = RunStatus.COMPLETED.value


class When(Body):
    """Which runs the rule is about: each field narrows it. A step of a flow, a replay and an erased run never match."""

    agent_ids: (
        Annotated[
            list[Name], Meta(min_length=1, max_length=50, description="Runs of these agents. Not with `flowIds`.")
        ]
        | UnsetType
    ) = UNSET
    flow_ids: (
        Annotated[
            list[Name], Meta(min_length=1, max_length=50, description="Runs of these flows. Not with `agentIds`.")
        ]
        | UnsetType
    ) = UNSET
    versions: (
        Annotated[
            list[Version],
            Meta(
                min_length=1,
                max_length=50,
                description="These versions exactly; `live` is for runs that ran the agent's live version.",
            ),
        ]
        | UnsetType
    ) = UNSET
    status: (
        Annotated[
            list[Literal["completed"]],
            Meta(min_length=1, max_length=1, description="How the run ended: only a completed one can be corrected."),
        ]
        | UnsetType
    ) = UNSET
    include_dry_runs: Annotated[bool, Meta(description="`true`: dry runs too.")] | UnsetType = UNSET


def check_when(when: When) -> None:
    """What the types can't say. Raises :class:`BadInput`."""
    if when.agent_ids is not UNSET and when.flow_ids is not UNSET:
        raise BadInput("A rule names agents or flows: agentIds and flowIds can't be there both.")


def when_stored(when: When) -> dict[str, Any]:
    """``when`` as it is stored and sent: what was given, as it was given."""
    stored: dict[str, Any] = msgspec.to_builtins(when)
    return stored


def when_of(stored: dict[str, Any]) -> When:
    """What :func:`when_stored` made it of."""
    return msgspec.convert(stored, When)


class Condition(NamedTuple):
    """One thing that a run must be; ``sql`` says the same of the row ``{run}``, and is never NULL."""

    holds: Callable[[Run], bool]
    sql: str
    parameters: Sequence[Any] = ()


def _conditions(when: When) -> Iterator[Condition]:
    """What a run must be for a rule with this ``when``; first what most runs are not."""
    if when.agent_ids:
        yield _agent_in(when.agent_ids)
    if when.flow_ids:
        yield _flow_in(when.flow_ids)
    if when.versions:
        yield _version_in(when.versions)
    if not when.include_dry_runs:
        yield Condition(lambda run: not run.dry_run, "NOT {run}.dry_run")
    yield from _ALWAYS


# Whatever its `when`. The only `status` there is to ask for is what it is without.
_ALWAYS = (
    Condition(lambda run: run.status == _COMPLETED, "{run}.status = %s", [_COMPLETED]),
    Condition(lambda run: run.parent_run_id is None, "{run}.parent_run_id IS NULL"),
    Condition(lambda run: run.replay_of is None, "{run}.replay_of IS NULL"),
    Condition(lambda run: run.eval_run_id == "", "{run}.eval_run_id = ''"),
    Condition(lambda run: run.content_erased_at is None, "{run}.content_erased_at IS NULL"),
)


def _agent_in(ids: list[str]) -> Condition:
    named = frozenset(ids)
    return Condition(lambda run: run.agent_id in named, "{run}.agent_id = ANY(%s::text[])", [ids])


def _flow_in(ids: list[str]) -> Condition:
    named = frozenset(ids)
    return Condition(lambda run: run.flow_id in named, "{run}.flow_id = ANY(%s::text[])", [ids])


def _version_in(versions: list[str]) -> Condition:
    """``live`` asks why the version ran, and is the name of none; the others are names."""
    vias = frozenset(versions) & {LIVE}
    named = frozenset(versions) - {LIVE}
    return Condition(
        lambda run: run.agent_via in vias or (run.agent_version if run.agent_id else run.flow_version) in named,
        "({run}.agent_via = ANY(%s::text[])"
        " OR CASE {run}.agent_id WHEN '' THEN {run}.flow_version ELSE {run}.agent_version END = ANY(%s::text[]))",
        [list(vias), list(named)],
    )


def _sampled(sample: Sample) -> Condition:
    return Condition(lambda run: sample.takes(run.run_id), *sample.takes_sql("{run}.run_id"))


@dataclass(frozen=True, slots=True)
class Matcher:
    """A rule, ready to be held against many runs.

    That a rule is only about runs that end after it was made is for the caller to see to: a
    catch-up doesn't ask.
    """

    rule_id: UUID
    when: When
    sample: float
    _matching: tuple[Condition, ...] = field(init=False, repr=False, compare=False)
    _taking: tuple[Condition, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Work out the conditions, once. A rule that takes all hashes nothing."""
        matching = tuple(_conditions(self.when))
        sampled = () if self.sample == 1 else (_sampled(Sample(self.rule_id, self.sample)),)
        object.__setattr__(self, "_matching", matching)
        object.__setattr__(self, "_taking", matching + sampled)

    def matches(self, run: Run) -> bool:
        """Whether the rule is about ``run``."""
        return _all_hold(self._matching, run)

    def takes(self, run: Run) -> bool:
        """Whether the rule is about ``run`` and has it in its sample."""
        return _all_hold(self._taking, run)

    def matches_sql(self, alias: str) -> tuple[str, list[Any]]:
        """:meth:`matches` as an SQL condition on the row ``alias`` of ``runs_run``, never NULL, with its parameters."""
        return _all_sql(self._matching, alias)

    def takes_sql(self, alias: str) -> tuple[str, list[Any]]:
        """:meth:`takes` as an SQL condition on the row ``alias`` of ``runs_run``, never NULL, with its parameters."""
        return _all_sql(self._taking, alias)


def _all_hold(conditions: Sequence[Condition], run: Run) -> bool:
    for condition in conditions:  # noqa: SIM110 - all() takes twice as long
        if not condition.holds(run):
            return False
    return True


def _all_sql(conditions: Sequence[Condition], alias: str) -> tuple[str, list[Any]]:
    sql = " AND ".join(condition.sql for condition in conditions)
    return f"({sql.format(run=alias)})", [value for condition in conditions for value in condition.parameters]
