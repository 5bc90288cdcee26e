"""What a catch-up did, in words (contract, section 6, "queue-recent")."""

from __future__ import annotations

from django.utils.translation import gettext, ngettext

from judging.words.parts import number


def caught_up(*, queued: int, already_queued: int, already_reviewed: int) -> str:
    """``52 queued, 9 already queued, 14 already reviewed``: together all matches."""
    message = gettext("%(queued)s queued, %(already_queued)s already queued, %(already_reviewed)s already reviewed")
    return message % {
        "queued": number(queued),
        "already_queued": number(already_queued),
        "already_reviewed": number(already_reviewed),
    }


def caught_up_among(counts: str, *, matches: int, last: int | None, since: str | None) -> str:
    """:func:`caught_up` and where the matches were looked for; ``last``, ``since`` or both, as it was asked."""
    message = ngettext(
        "%(counts)s: %(matches)s match among %(runs)s.", "%(counts)s: %(matches)s matches among %(runs)s.", matches
    )
    return message % {"counts": counts, "matches": number(matches), "runs": _among(last, since)}


def catching_up(counts: str, *, done: int, of: int) -> str:
    """How far a catch-up is, with :func:`caught_up` of what it has done."""
    message = gettext("%(done)s of %(of)s looked at: %(counts)s so far")
    return message % {"done": number(done), "of": number(of), "counts": counts}


def _among(last: int | None, since: str | None) -> str:
    if last is None:
        return gettext("the runs completed since %(since)s") % {"since": since}
    if since is None:
        return ngettext("the last run", "the last %(last)s runs", last) % {"last": number(last)}
    message = ngettext(
        "the last run completed since %(since)s", "the last %(last)s runs completed since %(since)s", last
    )
    return message % {"last": number(last), "since": since}
