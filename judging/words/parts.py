"""Pieces that sentences are made of: numbers, shares, lists, and a or an."""

# ruff: noqa: RUF001 - the reference's own signs, as makemessages must find them

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal
from math import floor

from django.utils.formats import number_format
from django.utils.translation import gettext, pgettext

from judging.intervals import Range

# Written with a vowel and said with a consonant, or the other way round. Letters that are spelled out come apart.
_SAID_WITH_CONSONANT = re.compile(r"eu|ew|one(?!r)|once|ubi|uk|uni(?!n|m|mp)|ura|uri|usa|use|usu|uti|uto")
_SAID_WITH_VOWEL = re.compile(r"heir|honest|honor|honour|hour|8|11(?!\d)|18(?!\d)")
_SPELLED = re.compile(r"[A-Z](?:[A-Z]{1,2}|[0-9]+|[B-DF-HJ-NP-TV-XZ]+)?(?![A-Za-z])")
_VOWELS, _LETTERS_WITH_VOWEL = "aeiou", "AEFHILMNORSX"


def number(value: int) -> str:
    """A count, in groups of three digits."""
    return str(number_format(value, force_grouping=True))


def joined(names: Iterable[str]) -> str:
    """``A, B, C``."""
    return pgettext("between the entries of a list", ", ").join(names)


def joined_clauses(clauses: Iterable[str]) -> str:
    """``A; B; C``."""
    return pgettext("between clauses", "; ").join(clauses)


def listed(names: Sequence[str]) -> str:
    """``A``, ``A and B``, ``A, B and C``."""
    if len(names) < 2:
        return "".join(names)
    return gettext("%(names)s and %(last)s") % {"names": joined(names[:-1]), "last": names[-1]}


def takes_an(name: str) -> bool:
    """Whether it is ``an expert`` or ``a bot``: by how it is said, as far as its letters tell."""
    plain = unicodedata.normalize("NFD", name.lstrip("\"'("))
    if _SPELLED.match(plain):
        return plain[0] in _LETTERS_WITH_VOWEL
    lower = plain.lower()
    if _SAID_WITH_VOWEL.match(lower):
        return True
    return lower[:1] in _VOWELS and lower != "" and not _SAID_WITH_CONSONANT.match(lower)


def percent(share: float) -> str:
    """A share, 0 to 1, in whole percents. 100% is said of a share of all alone, and 0% of one of none."""
    return percents(_between(share, 100))


def percent_in_tenths(share: float) -> str:
    """A share, 0 to 1, to a tenth of a percent; see :func:`percent`."""
    return percents(Decimal(_between(share, 1000)).scaleb(-1))


def percents(value: int | Decimal) -> str:
    """A number of percents, with every digit that it has."""
    return gettext("%(share)s%%") % {"share": value if isinstance(value, int) else number_format(value)}


def percent_range(found: Range) -> str:
    """Both ends in whole percents. 99.5% is 100% at the high end, as in the reference: an end is only a bound.

    The low end is no 100% and the high end no 0% that it isn't, so that the share, as
    :func:`percent` has it, is never outside its own range.
    """
    return gettext("%(low)s–%(high)s%%") % {"low": low_end(found), "high": high_end(found)}


def low_end(found: Range) -> int:
    """The low end of a range in percents."""
    return min(_rounded(found.low * 100), 99 if found.low < 1 else 100)


def high_end(found: Range) -> int:
    """The high end of a range in percents."""
    return max(_rounded(found.high * 100), 1 if found.high > 0 else 0)


def _between(share: float, whole: int) -> int:
    """The share in so many parts of a whole; not none nor all of them unless it is."""
    if share in (0, 1):
        return int(share) * whole
    return min(max(_rounded(share * whole), 1), whole - 1)


def _rounded(value: float) -> int:
    return floor(value + 0.5)
