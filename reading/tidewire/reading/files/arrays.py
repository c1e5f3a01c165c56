"""Messages in one JSON array, which is read element by element: a file can be longer than memory."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator

from tidewire.reading.files.streams import MOST_LINE, DamagedError, too_long

CUT_ARRAY = "the array is cut off"
"""How the reason begins why an array cannot be read to its end."""
_DECODER = json.JSONDecoder()
_BETWEEN = " \t\r\n,"
_CUT = 16
"""At this distance in characters from the end of what was read, a syntax error may only mean that more is to come."""


def elements(pieces: Iterable[bytes]) -> Iterator[list[bytes]]:
    """The elements of an array as JSON text, in lists of those that were completed by the same piece.

    Parsing is retried only after the unparsed text has doubled, so that the total work is linear.

    Args:
        pieces: the bytes of the file.

    Raises:
        DamagedError: the array is malformed or truncated; the elements before the error have been returned.
    """
    reader = codecs.getincrementaldecoder("utf-8")()
    text, tried, begun, number = "", 0, False, 0
    for piece in _with_end(pieces):
        try:
            text += reader.decode(piece or b"", piece is None)
        except UnicodeDecodeError as error:
            raise DamagedError(f"the array is not UTF-8 behind element {number}: {error.reason}") from None
        if not begun:
            begun, text = True, text.lstrip()[1:]
        if piece is not None and len(text) < 2 * tried:
            continue
        found: list[bytes] = []
        at, ended = 0, False
        while True:
            while at < len(text) and text[at] in _BETWEEN:
                at += 1
            if at == len(text):
                break
            if text[at] == "]":
                ended = True
                break
            try:
                _, end = _DECODER.raw_decode(text, at)
            except ValueError as error:
                place = getattr(error, "pos", at)
                sure = place < len(text) - _CUT and not str(error).startswith("Unterminated string")
                if sure or piece is None:
                    if found:
                        yield found
                    what = "the array is damaged" if sure else CUT_ARRAY
                    raise DamagedError(f"{what} in element {number + 1}: {error}") from None
                break
            except RecursionError:
                if found:
                    yield found
                raise DamagedError(f"element {number + 1} of the array is nested too deeply to be read") from None
            found.append(text[at:end].encode())
            number += 1
            at = end
        if found:
            yield found
        if ended:
            return
        text = text[at:]
        tried = len(text)
        if tried > MOST_LINE:
            raise DamagedError(f"element {number + 1} of the array: {too_long()}")
    raise DamagedError(f"{CUT_ARRAY} behind element {number}: it does not end with ]")


def _with_end(pieces: Iterable[bytes]) -> Iterator[bytes | None]:
    """The pieces, followed by None."""
    yield from pieces
    yield None
