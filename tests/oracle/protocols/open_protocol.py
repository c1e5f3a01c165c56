"""Open Protocol: key and value are runs of framed JSON objects, one of each for an event; columns with their flags."""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Sequence
from typing import Any

from ..cases import (
    BINARY,
    BIT,
    DATES,
    DECIMAL,
    DOUBLE,
    ENUM,
    FLOAT,
    HANDLE,
    INTEGERS,
    JSON,
    NEWDATE,
    SET,
    STRINGS,
    UNSIGNED,
    VAR_STRING,
    VECTOR,
    YEAR,
    Case,
    Column,
    Happening,
    Options,
    Row,
    Value,
)
from .base import Found, PublicReader, Sent
from .stored import CLAIMED, LARGE, OUR_STORAGE, STORAGE, Stored, as_stored, claimed
from .texts import LOST, REPLACED, alike, carried, equal, unreadable

OLD = "open-output-old-value"
"""TiCDC's; ours is without `open-`."""
UPDATED = "only-output-updated-columns"
KEYS_OF_DELETES = "delete-only-output-handle-key-columns"
COMPRESSION = "large-message-handle-compression"
CUT = b'"ohk":true'
QUOTABLE = (15, VAR_STRING, 254)
"""Strings that are sent as text, or quoted; all others are sent in base64 and lose nothing."""
READERS_LIMIT = "decoder-fails-above-int64"
"""TiCDC's decoder fails at a BIT, SET or ENUM above an int64, and at a YEAR without its unsigned flag."""
_LOCATION = re.compile(rb'"ccl":"([^"]*)"')


class OpenReader(PublicReader):
    """It asks an upstream database for rows that were cut down, and knows no row ids."""

    def takes(self, event: Happening, found: Found, options: Options) -> bool:
        """What it does not fail at."""
        if not isinstance(event, Row):
            return True
        cells = [(cell.type, cell.flags, cell.value) for cell in found.cells() if cell.value is not None]
        return (
            event.table.sane
            and dict(found.more).get("handle_key_only") is None
            and all(kind not in (BIT, ENUM, SET) or value < 1 << 63 for kind, _, value in cells)
            and all(kind != YEAR or (flags & UNSIGNED and value >= 0) for kind, flags, value in cells)
        )

    def sees(self, found: Found, options: Options) -> Found:
        """All but the flags and the row id."""
        more = tuple((name, value) for name, value in found.more if name != "row_id")
        return super().sees(found, options)._replace(more=more)


class OpenProtocol(Stored):
    """See the module."""

    name = "open-protocol"
    types = (*INTEGERS, YEAR, BIT, VECTOR, ENUM, SET, FLOAT, DOUBLE, *DATES, NEWDATE, JSON, DECIMAL, *STRINGS)
    valueless = (0, 6, 255, 17, 200, 244)
    differences = (REPLACED, READERS_LIMIT)
    any_flags = True
    wide = True
    partitions = True
    row_ids = True
    stricter = frozenset(
        (
            *("row without a schema", "row without a table"),
            *("insert without an image", "delete without an image", "row without columns"),
        )
    )
    readers = (OpenReader("TiCDC's decoder", {"fresh": True}),)
    row_facts = ("row_id", "handle_key_only")

    def options(self, r: random.Random) -> dict[str, Any]:
        """See the base."""
        chances = {UPDATED: 0.3, KEYS_OF_DELETES: 0.25}
        options: dict[str, Any] = {name: True for name, chance in chances.items() if r.random() < chance}
        if r.random() < 0.25:
            options[OLD] = False
        if r.random() < 0.6:
            options["max-batch-size"] = r.choice((1, 2, 3, 4, 16, 64, 1000))
        mood = r.random()
        if mood < 0.25:
            # Not together with a limit: two compressors need not come to the same length.
            options[COMPRESSION] = r.choice(("none", "snappy", "lz4"))
        elif mood < 0.4:
            options |= {LARGE: "claim-check", "max-message-bytes": r.choice((400, 700, 1000, 1500))}
            options[STORAGE] = OUR_STORAGE
        elif mood < 0.55:
            options |= {LARGE: "handle-key-only", "max-message-bytes": r.choice((200, 300, 500, 700, 1000, 3000))}
        elif mood < 0.75:
            options["max-message-bytes"] = r.choice((188, 300, 500, 1000, 2000, 5000, 10485760))
        return options

    def ours(self, options: Options) -> Any:
        """See the base."""
        named = {name.removeprefix("open-"): value for name, value in options.items()}
        return super().ours({**named, "invalid-text": "bytes"})

    def reading(self, options: Options) -> dict[str, Any]:
        """With handle-key-only it asks for a database; only what a reader needs."""
        needed = [COMPRESSION, *([LARGE, STORAGE] if STORAGE in options else [])]
        return {name: value for name, value in as_stored(options).items() if name in needed}

    # ---- what a reader finds

    def each(self, sent: Sent, plain: bytes) -> list[bytes]:
        """The keys."""
        return frames((sent.key or b"")[8:])

    def found(self, event: Happening, options: Options, message: bytes) -> Found | None:
        """An update reads as an insert when nothing of the old row is sent."""
        found = super().found(event, options, message)
        if found is None:
            return None
        new, old = (image and tuple(sorted(image)) for image in (found.new, found.old))
        if isinstance(event, Row) and event.kind == "update" and not old:
            return found._replace(kind="insert", new=new, old=None)
        return found._replace(new=new, old=old)

    def more(self, event: Happening, options: Options, message: bytes) -> tuple[tuple[str, Any], ...]:
        """See the base."""
        if not isinstance(event, Row):
            return super().more(event, options, message)
        handle = (("row_id", event.row_id),) if event.row_id else ()
        return handle + ((("handle_key_only", True),) if CUT in message else ())

    def carried(self, column: Column, value: Value, options: Options) -> Value:
        """Bytes that are no UTF-8 are lost in a text, but not in base64."""
        lossy = isinstance(value, bytes) and column.type in QUOTABLE and not column.flags & BINARY
        return carried(value) if lossy and isinstance(value, bytes) else value

    def has(self, row: Row, side: str, position: int, options: Options, message: bytes) -> bool:
        """See the base."""
        keys_only = (row.kind == "delete" and options.get(KEYS_OF_DELETES)) or CUT in message
        if keys_only and not row.table.columns[position].flags & HANDLE:
            return False
        if row.kind == "update" and side == "old":
            assert row.new is not None
            assert row.old is not None
            if options.get(UPDATED) and equal(row.new[position], row.old[position]):
                return False
            return options.get(OLD) is not False
        return True

    # ---- messages

    def plain(self, oracle: Any, values: Sequence[bytes], options: Options) -> list[bytes]:
        """Every frame without its compression."""
        codec = options.get(COMPRESSION, "none")
        if codec == "none":
            return list(values)
        items = [frames(value) for value in values]
        packed = [base64.b64encode(item).decode() for of_value in items for item in of_value if item]
        answer = iter(oracle.checked({"inflate": {"codec": codec, "values": packed}}).get("values") or [])
        return [
            b"".join(framed(base64.b64decode(next(answer)) if item else b"") for item in of_value) for of_value in items
        ]

    def same_key(self, theirs: bytes | None, ours: bytes | None, case: Case) -> bool:
        """Names of files are random: then what is in them is the same."""
        if theirs is None or ours is None or _LOCATION.sub(b"", theirs) != _LOCATION.sub(b"", ours):
            return False
        located = [_LOCATION.findall(key) for key in (theirs, ours)]
        files = [[claimed(location.decode(), case.options) for location in locations] for locations in located]
        return files[0] == files[1]

    def same(self, theirs: bytes, ours: bytes, case: Case) -> str | None:
        """The keys differ."""
        return CLAIMED if theirs == ours and STORAGE in case.options else None

    def rewriting(self, case: Case) -> Options | None:
        """Texts that are no UTF-8 may have become one text, which then has not changed; and what is lost is written
        shorter than it was.
        """
        options = case.options
        rows = [event for event in case.events if isinstance(event, Row)]
        lossy = any(self.declined(row) for row in rows)
        if STORAGE in options or (lossy and (UPDATED in options or "max-message-bytes" in options)):
            return None
        return None if UPDATED in options and any(map(alike, rows)) else options

    def readable(self, value: bytes) -> bytes:
        """What was no UTF-8 is a character now, and written as one."""
        return b"".join(framed(LOST.sub(b"\\1\xef\xbf\xbd", item)) for item in frames(value))

    def refused(self, error: str) -> bool:
        """A row that is too large, whatever is done about it, or has no handle key where only that is sent."""
        return "ErrMessageTooLarge" in error or "too large" in error or "not found handle key columns" in error

    def declined(self, event: Happening) -> str | None:
        """See the base."""
        if not isinstance(event, Row):
            return None
        images = [zip(event.table.columns, image, strict=True) for image in (event.new, event.old) if image is not None]
        lost = any(c.type in QUOTABLE and unreadable(c, value) for image in images for c, value in image)
        return REPLACED if lost else None


def frames(data: bytes) -> list[bytes]:
    """What is in a run of frames."""
    found = []
    while data:
        size = int.from_bytes(data[:8], "big")
        found.append(data[8 : 8 + size])
        data = data[8 + size :]
    return found


def framed(content: bytes) -> bytes:
    """A frame."""
    return len(content).to_bytes(8, "big") + content
