"""An evaluation as its card has it: how it came out, in a chart and in sentences (contract, sections 7 and 8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from improve.models import CaseLabel, Evaluation, Finding
from improve.replaying.problems import sentence
from improve.selectors.case_pages import Facts
from improve.words import findings as words
from improve.words.standing import answered, replayed
from judging.intervals import Range
from quality_console.charts import Chart, chart_of_shares

COMPARED = frozenset({Finding.BETTER, Finding.NOT_BETTER})


@dataclass(frozen=True)
class EvaluationShown:
    """An evaluation of a suggested change; ``facts`` are there where it is shown and has compared."""

    evaluation: Evaluation
    facts: Facts | None = None

    # What a chart's part is called by in its id.
    rule_version = "shown"

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.evaluation.pk)

    @property
    def goes_on(self) -> bool:
        """Whether it isn't over."""
        return not self.evaluation.finding

    @property
    def compares(self) -> bool:
        """Whether it came to the point of comparing."""
        return self.evaluation.finding in COMPARED

    @property
    def head(self) -> str:
        """What it found."""
        return words.found(self.evaluation.finding)

    @property
    def progress(self) -> str:
        """How far it is."""
        job = self.evaluation.job
        return replayed(done=job.done, of=job.of, repetitions=self.evaluation.repetitions)

    @property
    def rests_on(self) -> str:
        """What it rests on, once it has compared."""
        if not self.compares:
            return ""
        return words.rests_on(
            cases=self.evaluation.test_set.cases,
            repetitions=self.evaluation.repetitions,
            counted=self.evaluation.cases or 0,
        )

    @property
    def _result(self) -> Mapping[str, Any]:
        return self.evaluation.result or {}

    @cached_property
    def labels(self) -> dict[str, int]:
        """How many cases came out each way."""
        return {str(label): int(count) for label, count in self._result.get("labels", {}).items()}

    def count(self, label: CaseLabel) -> int:
        """How many cases came out so."""
        return self.labels.get(label, 0)

    @property
    def uncounted(self) -> int:
        """How many cases are the same, but in neither share, since no verdict of theirs counts."""
        shown = sum(self.count(label) for label in (CaseLabel.BETTER, CaseLabel.WORSE, CaseLabel.SAME))
        return max(0, shown - (self.evaluation.cases or 0))

    @property
    def total(self) -> int:
        """How many cases there are."""
        return sum(self.labels.values())

    @property
    def chart(self) -> Chart | None:
        """Both shares with their ranges; ``None`` where there are none."""
        baseline, candidate = (_share(self._result.get(side, {})) for side in ("baseline", "candidate"))
        if baseline is None or candidate is None:
            return None
        recorded = words.recorded([] if self.facts is None else self.facts.versions)
        title = words.chart_title(
            version=recorded,
            baseline=baseline[0],
            candidate=candidate[0],
            ranges=(baseline[1], candidate[1]),
        )
        # The place for a name is small; the title has the version.
        return chart_of_shares([(str(words.WITH_IT), *candidate), (words.recorded(()), *baseline)], title=title)

    @property
    def verdict(self) -> str:
        """The sentence that the card says first."""
        if self.evaluation.finding == Finding.FAILED:
            return self._answered
        if not self.compares:
            return ""
        better, worse = self.count(CaseLabel.BETTER), self.count(CaseLabel.WORSE)
        why_not = None if self.evaluation.finding == Finding.BETTER else self._result.get("whyNot", "")
        return words.split(better=better, worse=worse, why_not=why_not)

    @property
    def sentences(self) -> list[str]:
        """What else there is to be said."""
        if not self.compares:
            problem = self.evaluation.job.problem
            return [sentence(problem, self.evaluation.job.detail)] if problem else []
        evaluation = self.evaluation
        why_not = words.why_not(
            self._result.get("whyNot") or "",
            better=self.count(CaseLabel.BETTER),
            worse=self.count(CaseLabel.WORSE),
            delta=evaluation.delta or 0,
            spread=evaluation.spread or 0,
        )
        apart = words.repetitions_apart(evaluation.spread) if evaluation.spread is not None and not why_not else ""
        left_out = words.left_out(
            refused=self.count(CaseLabel.REFUSED),
            failed=self.count(CaseLabel.FAILED),
            erased=self.count(CaseLabel.ERASED),
            uncounted=self.uncounted,
        )
        picked = words.all_were_wrong() if self._all_were_wrong else ""
        return [one for one in (words.chance(self._result.get("oneIn")), why_not, apart, picked, left_out) if one]

    @property
    def changed(self) -> str:
        """That some answers are news, which nobody has judged."""
        count = self.count(CaseLabel.CHANGED)
        return words.changed(count) if count and self.compares else ""

    @property
    def _all_were_wrong(self) -> bool:
        """Whether cases came out differently that can only have got better."""
        differs = self.count(CaseLabel.BETTER) or self.count(CaseLabel.WORSE)
        from_right = self._result.get("changedFromRight")
        return bool(differs and not from_right and self.facts is not None and self.facts.all_were_wrong)

    @property
    def unsent(self) -> int:
        """How many of the cases that changed people weren't given to judge."""
        return self.count(CaseLabel.CHANGED) - (self.facts.sent if self.facts is not None else 0)

    @property
    def waiting(self) -> int:
        """How many of them wait for a correction."""
        return 0 if self.facts is None else self.facts.waiting

    @property
    def said_since(self) -> bool:
        """Whether people have said something of such answers that isn't counted."""
        return self.facts is not None and self.facts.said_since

    @property
    def sent_words(self) -> str:
        """That people were given some of these, and what they have said since."""
        said = [words.sent(self.waiting)] if self.waiting else []
        return " ".join([*said, words.said_since()] if self.said_since else said)

    @property
    def _answered(self) -> str:
        job = self.evaluation.job
        return answered(answered=job.answered + job.refused, of=job.of, repetitions=self.evaluation.repetitions) + "."


def _share(side: Mapping[str, Any]) -> tuple[float, Range] | None:
    if side.get("share") is None or side.get("low") is None or side.get("high") is None:
        return None
    return float(side["share"]), Range(float(side["low"]), float(side["high"]))
