"""What a version does on a run that people corrected: made from what they say is right, or as it was.

Knows no database.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from kindgi.demo.scenes.planning import TOO_MUCH
from kindgi.demo.scenes.scene import Flaw, Scene, Step

Course = Literal["mended", "as-it-was", "reworded"]


def played(scene: Scene, course: Course) -> Scene:
    """The scene as a version plays it again."""
    if course == "as-it-was":
        return scene
    mended = _mended(scene, scene.flaw) if scene.flaw else scene
    return _reworded(mended) if course == "reworded" else mended


def _mended(scene: Scene, flaw: Flaw) -> Scene:
    """Without its flaw: with the calls, the answer or the matches that a careful reviewer says are right."""
    if flaw.wrong_places:
        return _ranked_again(scene, flaw)
    if TOO_MUCH in scene.answer:  # what should be done about a plan is said, not the whole plan
        return replace(scene, answer=scene.answer.replace(TOO_MUCH, "A short drive, and the museum before lunch."))
    instead = {call["tool"] for call in flaw.should_call}.union(flaw.must_not_call)
    made = [_step(scene, call) for call in flaw.should_call]
    steps = [step for step in scene.steps if step.tool not in instead]
    return replace(scene, steps=(*steps, *made), answer=flaw.should_say or _answer(scene, made))


def _step(scene: Scene, call: dict[str, Any]) -> Step:
    """A call that should have been made, with what the agent knew for it."""
    before = next((step.args for step in scene.steps if step.tool == call["tool"]), None)
    known = before or ({} if call["args"] else scene.steps[0].args)
    return Step(call["tool"], {**known, **call["args"]}, {"done": True})


def _answer(scene: Scene, made: list[Step]) -> str:
    """The answer after calls that should have been made, where nobody said what it should have been."""
    for step in made:
        before = next((old.args for old in scene.steps if old.tool == step.tool), {})
        if "amount" in before:
            return scene.answer.replace(f"{before['amount']:.2f}", f"{step.args['amount']:.2f}")
    return "I'm very sorry. A colleague takes over now; they have read all of this already."


def _ranked_again(scene: Scene, flaw: Flaw) -> Scene:
    """The matches that fit, in their order; the answer tells how many there are before any other number."""
    matches = tuple(match for place, match in enumerate(scene.matches) if place not in flaw.wrong_places)
    answer = scene.answer.replace(_name(scene.matches[0]), _name(matches[0]))
    return replace(
        scene, matches=matches, answer=answer.replace(str(len(scene.matches)), str(len(matches)), 1), flaw=None
    )


def _name(match: dict[str, Any]) -> str:
    return str(match.get("title") or match["name"])


def _reworded(scene: Scene) -> Scene:
    """The same in other words, and with other scores: somebody has to look whether that is right."""
    english = str(scene.context.get("locale", "en")).startswith("en")
    matches = tuple({**match, "score": round(match["score"] - 0.013, 3)} for match in scene.matches)
    answer = scene.answer + (" Just write again if anything is unclear." if english else " 🙂")
    return replace(scene, answer=answer, matches=matches)
