"""A page that shows pictures in groups, each as large as asked for by a click."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path

_STYLE = """
body { font: 14px system-ui; margin: 24px; background: Canvas; color: CanvasText; color-scheme: light dark }
section { margin-block: 32px } figure { margin: 0 } figcaption { margin-block-end: 4px }
div { display: flex; flex-wrap: wrap; gap: 16px; align-items: flex-start }
img { max-height: 420px; max-width: 100%; border: 1px solid }
"""


@dataclass(frozen=True, slots=True)
class Picture:
    """A file in the folder of the page."""

    group: str
    name: str
    file: str


def write_sheet(folder: Path, pictures: list[Picture]) -> Path:
    """The page, written into the folder; pictures of a group stand together as they come."""
    groups = "".join(_group(name, list(members)) for name, members in groupby(pictures, key=lambda one: one.group))
    page = folder / "index.html"
    page.write_text(
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Screenshots</title>'
        f"<style>{_STYLE}</style><h1>{len(pictures)} pictures</h1>{groups}</html>"
    )
    return page


def _group(name: str, members: list[Picture]) -> str:
    return f"<section><h2>{escape(name)}</h2><div>{''.join(map(_figure, members))}</div></section>"


def _figure(picture: Picture) -> str:
    name, file = escape(picture.name), escape(picture.file)
    return (
        f'<figure><figcaption>{name}</figcaption><a href="{file}">'
        f'<img src="{file}" alt="{name}" loading="lazy"></a></figure>'
    )
