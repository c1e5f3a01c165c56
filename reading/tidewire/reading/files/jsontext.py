"""Parses lines of JSON from external sources."""

from __future__ import annotations

import json
from typing import Any

from tidewire.reading.files.streams import TOO_LONG, too_long


def parse_object(text: bytes | str, what: str) -> dict[str, Any]:
    """The JSON object in a line.

    Args:
        text: the line.
        what: a sentence about what a line should be, for errors: "a line is a JSON object with key and value".

    Raises:
        ValueError: the line contains something else; the text is a sentence.
    """
    if text is TOO_LONG:
        raise ValueError(too_long())
    try:
        found = json.loads(text)
    except RecursionError:
        raise ValueError(f"nested too deeply to be read; {what}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}; {what}") from None
    except ValueError as error:
        raise ValueError(f"{what}; this is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(what)
    return found


def shown(value: object, most: int = 40) -> str:
    """The beginning of a value as JSON, for an error."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "something that is nested too deeply"
    return text if len(text) <= most else text[: most - 1] + "…"
