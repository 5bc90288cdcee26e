"""The table of the To correct tab (contract, section 8)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import django_tables2 as tables
from django.http import QueryDict
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from judging.models import State
from judging.queue_view import QueueView, Sort
from judging.words.parts import number
from quality_console.queue.rows import Holder, Row
from quality_console.tables.keyset import ConsoleTable
from quality_console.templatetags.console import clock, icon, initials, short_id, short_moment

_OPEN_ONLY = {"held"}
_CLOSED_ONLY = {"closed"}
_NUMBER = {"th": {"class": "num"}, "td": {"class": "num"}}


def _td(classes: str) -> dict[str, dict[str, str]]:
    return {"td": {"class": classes}}


class QueueTable(ConsoleTable):
    """Rows of the queue; what can be sorted is named as :class:`judging.queue_view.Sort` has it."""

    fixed = {"ran"}  # noqa: RUF012 - as the base has it
    hidden = {"added", "so_far", "closed"}  # noqa: RUF012
    unlisted = {"pick", "acts"}  # noqa: RUF012

    pick = tables.Column(empty_values=(), orderable=False, attrs={"td": {"class": "pick"}, "th": {"class": "tight"}})
    ran = tables.Column(gettext_lazy("What ran"), accessor="what", attrs=_td("lead"))
    finished = tables.Column(gettext_lazy("Finished"), accessor="item__completed_at", attrs=_td("when flow"))
    why = tables.Column(gettext_lazy("Why it's here"), accessor="rules", empty_values=(), attrs=_td("why flow"))
    stands = tables.Column(gettext_lazy("Where it stands"), attrs=_td("stands"))
    held = tables.Column(gettext_lazy("Held by"), accessor="holder", default="")
    added = tables.Column(gettext_lazy("Added to the queue"), accessor="item__created_at", attrs=_td("when"))
    so_far = tables.Column(gettext_lazy("Corrections so far"), orderable=False, attrs=_NUMBER)
    closed = tables.Column(gettext_lazy("Left the queue"), accessor="item__closed_at", orderable=False)
    acts = tables.Column(
        empty_values=(),
        orderable=False,
        attrs={"td": {"class": "act tight"}, "th": {"class": "tight"}},
    )

    class Meta(ConsoleTable.Meta):
        """As the design has the queue."""

        attrs = {"class": "fold-table queue"}  # noqa: RUF012

    def __init__(self, rows: Sequence[Row], *, view: QueueView, dismissing: str, query: QueryDict) -> None:
        """Rows of a view; ``dismissing`` is the address of the dialog that asks before a run is dismissed."""
        self.view, self.dismissing = view, dismissing
        self.rules_tab = f"{reverse('quality', args=[view.project.slug])}?tab=rules"
        self.acts_on = any(row.can_dismiss or row.can_reopen for row in rows)
        sort = f"{'-' if view.descending else ''}{view.sort}"
        super().__init__(rows, query=query, sorted_by=sort)
        left_out = _CLOSED_ONLY if view.state == State.OPEN else _OPEN_ONLY
        for name in left_out if self.acts_on else {*left_out, "pick", "acts"}:
            self.columns.hide(name)
        self.columns["pick"].column.verbose_name = self._pick_all()
        self.columns["acts"].column.verbose_name = format_html('<span class="sr">{}</span>', _("Actions"))

    @property
    def choices(self) -> list[tuple[str, str, bool, bool]]:
        """For the Columns menu: those that the rows of this state have."""
        without = _CLOSED_ONLY if self.view.state == State.OPEN else _OPEN_ONLY
        return [choice for choice in super().choices if choice[0] not in without]

    def _pick_all(self) -> SafeString:
        """In the head, a tick for the whole page; a script shows and minds it."""
        return format_html(
            '<label class="hit" hidden data-pick-all><input type="checkbox" aria-label="{}"></label>'
            '<span class="sr">{}</span>',
            _("Select all %(count)s on this page") % {"count": number(len(self.rows))},
            _("Select"),
        )

    def render_pick(self, record: Row) -> SafeString | str:
        """A tick, where something can be done to the run."""
        if not (record.can_dismiss or record.can_reopen):
            return ""
        return format_html(
            '<label class="hit"><input type="checkbox" name="run" value="{}" aria-label="{}"></label>',
            record.item.run_id,
            _("Select %(run)s") % {"run": record.name},
        )

    def render_ran(self, record: Row) -> SafeString:
        """A link to where the run is corrected."""
        text = '<a class="what" href="{}">{}</a> <code class="note">{}</code>'
        return format_html(text, record.address, record.what, short_id(record.item.run_id))

    def render_finished(self, value: datetime) -> SafeString | str:
        """When the run ended."""
        return short_moment(value)

    render_added = render_closed = render_finished

    def render_why(self, record: Row) -> SafeString:
        """The rules that queued it, or the suggested change that asked for it."""
        if record.asked_for is not None:
            address = reverse("suggested-change", args=[self.view.project.slug, record.asked_for])
            return format_html('<a href="{}">{}</a>', address, _("Suggested change"))
        links = ((self.rules_tab, rule_id, name) for rule_id, name in record.rules)
        return format_html_join(", ", '<a href="{}#rule-{}">{}</a>', links)

    def render_stands(self, record: Row) -> SafeString:
        """What it needs, or how it left the queue."""
        ring = f"ring {record.sign}".rstrip()
        return format_html('<span class="{}" aria-hidden="true"></span>{}', ring, record.stands)

    def render_held(self, value: Holder) -> SafeString:
        """Who has it open."""
        return format_html(
            '<span class="who"><span class="face" aria-hidden="true">{}</span><span class="name">{}</span>'
            ' <span class="note">{}</span></span>',
            initials(value.name),
            value.name,
            _since(value.since),
        )

    def render_so_far(self, value: int) -> str:
        """How many corrections it has."""
        return number(value)

    def render_acts(self, record: Row) -> SafeString | str:
        """What can be done to it."""
        if record.can_dismiss:
            return self._dismiss(record)
        return self._reopen(record) if record.can_reopen else ""

    def _dismiss(self, record: Row) -> SafeString:
        address = f"{self.dismissing}&run={record.item.run_id}"
        return format_html(
            # What becomes of the dialog says the form around the rows.
            '<div class="acts"><a class="btn quiet icon" href="{0}" hx-get="{0}"'
            ' aria-label="{1}" title="{2}">{3}</a></div>',
            address,
            _("Dismiss %(run)s") % {"run": record.name},
            _("Dismiss"),
            icon("dismiss"),
        )

    def _reopen(self, record: Row) -> SafeString:
        return format_html(
            '<div class="acts"><button class="btn quiet icon" name="only" value="{}" aria-label="{}" title="{}">'
            "{}</button></div>",
            record.item.run_id,
            _("Reopen %(run)s") % {"run": record.name},
            _("Reopen"),
            icon("reopen"),
        )


def _since(at: datetime) -> SafeString:
    return format_html(_("since {}"), clock(at))


def sorts_of(view: QueueView) -> list[tuple[str, str, bool]]:
    """What the rows can be sorted by, for the Columns menu: the address's word, what it says, whether it is so."""
    held = [] if view.state != State.OPEN else [(Sort.HELD, False)]
    offered = [
        (Sort.ADDED, False), (Sort.ADDED, True), (Sort.FINISHED, False), (Sort.FINISHED, True),
        (Sort.RAN, False), (Sort.WHY, False), (Sort.STANDS, False), *held,
    ]  # fmt: skip
    return [
        (
            f"{'-' if falls else ''}{sort}",
            order_in_words(sort, falls=falls),
            (sort, falls) == (view.sort, view.descending),
        )
        for sort, falls in offered
    ]


def order_in_words(sort: Sort, *, falls: bool) -> str:
    """By what rows are sorted: ``Finished, oldest first``."""
    return str((_FALLING if falls else _RISING)[sort])


_RISING = {
    Sort.ADDED: gettext_lazy("Added, oldest first"),
    Sort.FINISHED: gettext_lazy("Finished, oldest first"),
    Sort.RAN: gettext_lazy("What ran, A to Z"),
    Sort.WHY: gettext_lazy("Why it's here, A to Z"),
    Sort.STANDS: gettext_lazy("Where it stands, least corrected first"),
    Sort.HELD: gettext_lazy("Held ones first"),
}
_FALLING = {
    Sort.ADDED: gettext_lazy("Added, newest first"),
    Sort.FINISHED: gettext_lazy("Finished, newest first"),
    Sort.RAN: gettext_lazy("What ran, Z to A"),
    Sort.WHY: gettext_lazy("Why it's here, Z to A"),
    Sort.STANDS: gettext_lazy("Where it stands, most corrected first"),
    Sort.HELD: gettext_lazy("Held ones last"),
}
