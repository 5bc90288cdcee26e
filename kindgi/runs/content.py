"""Content as it is stored: the JSON text to the byte, compressed (contract, section 3)."""

from __future__ import annotations

from threading import local

import zstandard

from kindgi.api.bodies import MAX_BYTES

LEVEL = 3


class _Codecs(local):
    """A compressor and a decompressor for each thread: they may not be shared, and are dear to make."""

    def __init__(self) -> None:
        """Make both."""
        self.compressor = zstandard.ZstdCompressor(level=LEVEL, write_content_size=True)
        self.decompressor = zstandard.ZstdDecompressor()


_codecs = _Codecs()


def pack(text: bytes | None) -> bytes | None:
    """The stored form of a JSON text."""
    return None if text is None else _codecs.compressor.compress(text)


def unpack(stored: bytes | memoryview | None) -> bytes | None:
    """The JSON text of a stored form, to the byte."""
    return None if stored is None else _codecs.decompressor.decompress(bytes(stored), max_output_size=MAX_BYTES)
