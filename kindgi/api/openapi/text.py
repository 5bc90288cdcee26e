"""Names and sentences of the code, as the document spells them."""

from __future__ import annotations

import re
from inspect import cleandoc

_ROLE = re.compile(r":\w+:`([^`]*)`")
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def camel(name: str) -> str:
    """``run_id`` as ``runId``."""
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


def pascal(code: str) -> str:
    """``run-not-found`` as ``RunNotFound``."""
    return "".join(word.title() for word in code.split("-"))


def words(name: str) -> str:
    """``judgingRules`` as ``judging rules``."""
    return _WORD.sub(" ", name).lower()


def prose(docstring: str | None) -> str:
    """A docstring's paragraphs, each on one line, with code in single backticks."""
    text = _ROLE.sub(r"`\1`", cleandoc(docstring or "")).replace("``", "`")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def first_line(docstring: str | None) -> str:
    """A docstring's first paragraph."""
    return prose(docstring).partition("\n\n")[0]
