"""Changes of the form's shape that its buttons ask for: nothing is saved by them."""

from __future__ import annotations

from quality_console.correcting.form import CorrectionForm
from quality_console.correcting.typed import MOST_ADDED, AddedCall
from quality_console.presenting.form_calls import can_be_named


def reshape(form: CorrectionForm, do: str) -> None:
    """Change the form as ``do`` says: ``add``, ``drop:0``, ``item:/a/0``, ``list``, ``calls:100``, ``said``.

    Whatever else it says leaves the form as it is.
    """
    what, _, which = do.partition(":")
    typed = form.typed
    if what in ("add", "look"):
        add_named(form)
    elif what == "drop" and which.isdecimal():
        del typed.added[int(which) : int(which) + 1]
    elif what == "item" and form.may_judge(which):
        typed.items.setdefault(which, "wrong")
    elif what == "calls" and which.isdecimal():
        typed.calls_from = min(int(which), form.call_count)
    elif what == "said" and not typed.should_say:
        typed.should_say = (form.corrected.said or "")[:4000]
    form.opened_items = what in ("item", "list")


def add_named(form: CorrectionForm) -> None:
    """Add a call of the tool that is named beside "Add", if any; a name that can't be added stays there."""
    typed = form.typed
    tool = typed.to_add
    known = can_be_named(tool) if form.takes_any_tool else tool in {choice.id for choice in form.tools}
    if known and len(typed.added) < MOST_ADDED:
        typed.added.append(AddedCall(tool))
        typed.to_add = ""
