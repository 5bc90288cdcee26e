"""Request bodies, read no further than the limit (contract, section 2)."""

from __future__ import annotations

from typing import IO

from django.http import HttpRequest

from kindgi.api.errors import BadInput, RequestTooLarge, UnsupportedMediaType

MAX_BYTES = 2 * 1024 * 1024
_CHUNK = 64 * 1024
_LENGTH_DIGITS = 18


def read_body(request: HttpRequest) -> bytes:
    """The raw body, at most ``MAX_BYTES``.

    A declared length over the limit is refused unread; a body without one (chunked, or over
    HTTP/2) is refused at the first byte past it. Raises :class:`RequestTooLarge`.
    """
    declared = request.META.get("CONTENT_LENGTH") or ""
    if declared:
        return _read_declared(request.META["wsgi.input"], declared)
    if not request.META.get("wsgi.input_terminated"):
        # This server's stream has no end of its own, so that nobody can read what has no length.
        if "HTTP_TRANSFER_ENCODING" in request.META:
            raise BadInput("Send the body with a Content-Length.")
        return b""
    body = _read(request.META["wsgi.input"], MAX_BYTES + 1)
    if len(body) > MAX_BYTES:
        raise RequestTooLarge(MAX_BYTES)
    return body


def _read_declared(stream: IO[bytes], declared: str) -> bytes:
    """A body of ``declared`` bytes: one that ends early is not acted on as if it were whole."""
    if not (declared.isascii() and declared.isdecimal()):
        raise BadInput("Content-Length isn't a number.")
    if len(declared) > _LENGTH_DIGITS or int(declared) > MAX_BYTES:
        raise RequestTooLarge(MAX_BYTES)
    body = _read(stream, int(declared))
    if len(body) < int(declared):
        raise BadInput("The body ended before it was whole.")
    return body


def _read(stream: IO[bytes], most: int) -> bytes:
    """Up to ``most`` bytes of ``stream``; fewer only at its end."""
    pieces: list[bytes] = []
    while most > 0:
        try:
            piece = stream.read(min(most, _CHUNK))
        except OSError:
            raise BadInput("The body ended before it was whole.") from None
        if not piece:
            break
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def check_media_type(request: HttpRequest, accepted: tuple[str, ...]) -> None:
    """Refuse a body whose media type is none of ``accepted``, or that is compressed."""
    media_type = request.META.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
    if media_type not in accepted:
        raise UnsupportedMediaType(f"Send the body as {' or '.join(accepted)}.")
    if request.META.get("HTTP_CONTENT_ENCODING", "identity").lower() != "identity":
        raise UnsupportedMediaType("Send the body without a Content-Encoding.")
