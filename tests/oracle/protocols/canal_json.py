"""Canal-JSON: a JSON object for an event, values as text, columns with their declared types."""

from __future__ import annotations

import base64
import json
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
    PRIMARY,
    SET,
    STRINGS,
    UNSIGNED,
    VECTOR,
    YEAR,
    Case,
    Column,
    Happening,
    Options,
    Row,
    Statement,
    Value,
)
from ..maker import QUERIES
from .base import Cell, Cells, Found, Reader, Text
from .stored import CLAIMED, LARGE, OUR_STORAGE, RAW, STORAGE, Stored, as_stored, claimed
from .texts import LOST, REPLACED, alike, carried, equal, unreadable

EXTENSION = "enable-tidb-extension"
FULL = "content-compatible"
UPDATED = "only-output-updated-columns"
KEYS_OF_DELETES = "delete-only-output-handle-key-columns"
COMPRESSION = "large-message-handle-compression"
TERMINATOR = "terminator"
"""The storage sink's: messages with it are written by its encoder, which is `encoder: txn` of the oracle."""
CUT = b'"onlyHandleKey":true}}'
_LOCATION = re.compile(rb'"claimCheckLocation":"([^"]*)"}}$')
SENT_MS = 1767323045678

CLASSES = {
    "CREATE": {3},
    "RENAME": {14, 47},
    "CINDEX": {7, 9, 32},
    "DINDEX": {8, 10, 33},
    "ALTER": {5, 6, 12, 13, 15, 17, 18, 19, 20, 22, 23, 37, 38, 41, 61, 64, 71, 72},
    "ERASE": {4},
    "TRUNCATE": {11},
}
"""convertDdlEventType; all others are QUERY."""

ORDER = "messages identical but for the order of mysqlType"
SINK_LIMIT = "no-limit-in-storage-sink"
"""TiCDC refuses a row that is longer than max-message-bytes also where there are no messages, only files."""
ENUM_AS_BINARY = "decoder-takes-enum-for-binary"
"""TiCDC's decoder looks for "blob" and "binary" in the whole type, labels included, and leaves such numbers as text."""
_MEMBER = re.compile(r'"(?:[^"\\]|\\.)*":"(?:[^"\\]|\\.)*"')


class DecoderReader(Reader):
    """TiCDC's decoder: names and values, no types, in random order; old rows are filled up from the new ones."""

    def takes(self, event: Happening, found: Found, options: Options) -> bool:
        """It parses statements, asks a database for rows that were cut, and knows no rows without columns."""
        if isinstance(event, Statement):
            return event.query in QUERIES
        if not isinstance(event, Row):
            return True
        if ("handle_key_only", True) in found.more:
            return False
        return all(image is None or len(image) > 0 for image in (found.new or found.old,))

    def sees(self, found: Found, options: Options) -> Found:
        """See the class; a commit ts that is not told is 0."""
        old = found.old
        if found.kind == "update" and old is not None:
            named = {cell.name: cell for cell in old}
            old = tuple(named.get(cell.name, cell) for cell in found.new or ())
        when = found.when[1] if found.when[0] == "commit_ts" else 0
        more = tuple(fact for fact in found.more if fact[0] == "query")
        return Found(
            found.kind, ("commit_ts", when), found.schema, found.table, None, _bare(found.new), _bare(old), more
        )


def _bare(cells: Cells) -> Cells:
    if cells is None:
        return None
    found = [
        Cell(cell.name, 0, 0, None, cell.value.encode() if isinstance(cell.value, str) else cell.value)
        for cell in cells
    ]
    return tuple(sorted(found, key=lambda cell: cell.name))


class CanalJson(Stored):
    """See the module."""

    name = "canal-json"
    types = (*INTEGERS, YEAR, BIT, VECTOR, ENUM, SET, FLOAT, DOUBLE, *DATES, JSON, DECIMAL, *STRINGS)
    valueless = (0, 6, 255)
    declares = True
    differences = (ENUM_AS_BINARY, SINK_LIMIT, REPLACED)
    takes_shapes = frozenset({"delete without handle key columns, and only those are sent"})
    laxer = frozenset({"row without columns"})  # what is left of a row that was cut and has no handle key
    stricter = frozenset({"row without a schema", "row without a table"})
    readers = (DecoderReader("TiCDC's decoder", {"fresh": True}),)
    row_facts = ("handle_key_only", "sent_ms")
    ddl_facts = ("ddl_type", "ddl_class", "query", "sent_ms")
    mark_facts = ("sent_ms",)
    sent_ms = SENT_MS

    def options(self, r: random.Random) -> dict[str, Any]:
        """See the base."""
        chances = {EXTENSION: 0.6, FULL: 0.3, UPDATED: 0.3, KEYS_OF_DELETES: 0.25}
        options: dict[str, Any] = {name: True for name, chance in chances.items() if r.random() < chance}
        mood = r.random()
        if mood < 0.3:
            # Not together with a limit: two compressors need not come to the same length.
            options[COMPRESSION] = r.choice(("none", "snappy", "lz4"))
        elif mood < 0.4 and EXTENSION in options:
            options |= {LARGE: "claim-check", "max-message-bytes": r.choice((700, 1000, 1500)), STORAGE: OUR_STORAGE}
            options[RAW] = r.random() < 0.5
        elif mood < 0.55 and EXTENSION in options:
            options |= {LARGE: "handle-key-only", "max-message-bytes": r.choice((300, 500, 700, 1000, 1500, 3000))}
        elif mood < 0.65:
            options["max-message-bytes"] = r.choice((500, 1000, 2000, 5000, 10485760))
        elif mood < 0.8:
            options[TERMINATOR] = r.choice(("\n", "\r\n", "\r"))
            if r.random() < 0.3:
                options["max-message-bytes"] = r.choice((1000, 3000))
        return options

    def asked(self, options: Options) -> dict[str, Any]:
        """See the base."""
        return self._theirs(super().asked(options))

    def _theirs(self, options: Options) -> dict[str, Any]:
        theirs = dict(options)
        if TERMINATOR in options:
            theirs["encoder"] = "txn"
        return theirs

    def reading(self, options: Options) -> dict[str, Any]:
        """With handle-key-only it asks for a database; only what a reader needs."""
        needed = [EXTENSION, COMPRESSION, TERMINATOR]
        if STORAGE in options:
            needed += [LARGE, STORAGE, RAW]
        return self._theirs({name: value for name, value in as_stored(options).items() if name in needed})

    def flush(self, options: Options) -> str:
        """The storage sink gathers the rows of a transaction."""
        return "commit-ts"

    def has_others(self, options: Options) -> bool:
        """The storage sink writes only rows with this codec."""
        return TERMINATOR not in options

    # ---- what a reader finds

    def found(self, event: Happening, options: Options, message: bytes) -> Found | None:
        """Watermarks need the extension."""
        if not isinstance(event, Row | Statement) and not options.get(EXTENSION):
            return None
        return super().found(event, options, message)

    def when(self, commit_ts: int, options: Options) -> tuple[str, int | None]:
        """See the base."""
        return ("commit_ts", commit_ts) if options.get(EXTENSION) else ("commit_ms", commit_ts >> 18)

    def more(self, event: Happening, options: Options, message: bytes) -> tuple[tuple[str, Any], ...]:
        """See the base."""
        clock = ("sent_ms", SENT_MS)
        if isinstance(event, Statement):
            name = next((name for name, types in CLASSES.items() if event.type in types), "QUERY")
            return ("ddl_class", name), ("query", event.query), clock
        if isinstance(event, Row) and message.endswith(CUT):
            return ("handle_key_only", True), clock
        return (clock,)

    def described(self, column: Column, options: Options) -> tuple[int, int, Text]:
        """Keys that pkNames tells, and what the declared type tells."""
        flags = PRIMARY | HANDLE if column.flags & PRIMARY else 0
        if column.type not in (YEAR, BIT):
            flags |= column.flags & UNSIGNED
        if column.type in STRINGS:
            flags |= column.flags & BINARY
        assert column.declared is not None
        return column.type, flags, column.declared.full if options.get(FULL) else column.declared.short

    def carried(self, column: Column, value: Value, options: Options) -> Value:
        """Bytes that are no UTF-8 are lost in a text."""
        if isinstance(value, bytes) and not column.flags & BINARY:
            return carried(value)
        return value

    def has(self, row: Row, side: str, position: int, options: Options, message: bytes) -> bool:
        """See the base."""
        keys_only = (row.kind == "delete" and options.get(KEYS_OF_DELETES)) or message.endswith(CUT)
        if keys_only and not row.table.columns[position].flags & HANDLE:
            return False
        if row.kind == "update" and side == "old" and (options.get(UPDATED) or options.get(FULL)):
            assert row.new is not None
            assert row.old is not None
            return not equal(row.new[position], row.old[position])
        return True

    # ---- messages

    def plain(self, oracle: Any, values: Sequence[bytes], options: Options) -> list[bytes]:
        """See the base."""
        codec = options.get(COMPRESSION, "none")
        if codec == "none":
            return list(values)
        packed = [base64.b64encode(value).decode() for value in values]
        answer = oracle.checked({"inflate": {"codec": codec, "values": packed}})
        return [base64.b64decode(value) for value in answer.get("values") or []]

    def same(self, theirs: bytes, ours: bytes, case: Case) -> str | None:
        """Members of mysqlType are in random order, and names of files are random: then what is in them is the same."""
        located = _LOCATION.search(theirs), _LOCATION.search(ours)
        if located[0] and located[1]:
            files = [claimed(found[1].decode(), case.options) for found in located if found]
            heads = [
                _sorted(m[: found.start()] + b"}}") for m, found in zip((theirs, ours), located, strict=True) if found
            ]
            same = heads[0] == heads[1] and files[0][0] == files[1][0] and _sorted(files[0][1]) == _sorted(files[1][1])
            return CLAIMED if same else None
        end = case.options.get(TERMINATOR, "").encode()
        pairs = zip(_parts(theirs, end), _parts(ours, end), strict=False)
        if theirs.count(end) != ours.count(end) or any(_sorted(t) != _sorted(o) for t, o in pairs):
            return None
        return ORDER

    def rewriting(self, case: Case) -> Options | None:
        """Without commit ts nobody can tell transactions of one millisecond apart; handle keys that are no primary keys
        are not told, so that rows that were cut must not be cut once more; and texts that are no UTF-8 may have become
        one text, which then has not changed.
        """
        options = case.options
        if STORAGE in options or (TERMINATOR in options and EXTENSION not in options):
            return None
        if (UPDATED in options or FULL in options) and any(isinstance(e, Row) and alike(e) for e in case.events):
            return None
        return {name: value for name, value in options.items() if name != KEYS_OF_DELETES}

    def readable(self, value: bytes) -> bytes:
        """What was no UTF-8 is a character now, and written as one."""
        return LOST.sub(b"\\1\xef\xbf\xbd", value)

    def refused(self, error: str) -> bool:
        """A row that is too large, whatever is done about it."""
        return "ErrMessageTooLarge" in error or "too large" in error

    def taken(self, options: Options, error: str) -> str | None:
        """See the base."""
        return f"events {SINK_LIMIT}" if TERMINATOR in options else None

    def declined(self, event: Happening) -> str | None:
        """See the base."""
        if not isinstance(event, Row):
            return None
        columns = event.table.columns
        images = [zip(columns, image, strict=True) for image in (event.new, event.old) if image is not None]
        return REPLACED if any(unreadable(column, value) for image in images for column, value in image) else None

    def excuse(self, stage: str, wanted: Cell, got: Cell) -> str | None:
        """See the base."""
        declared = wanted.mysql_type or ""
        if stage == "TiCDC's decoder" and declared.startswith(("enum", "set")) and isinstance(got.value, bytes):
            labels = declared.partition("(")[2]
            if ("blob" in labels or "binary" in labels) and got.value == str(wanted.value).encode():
                return f"cells {ENUM_AS_BINARY}"
        return None


def _parts(value: bytes, end: bytes) -> list[bytes]:
    return value.split(end) if end else [value]


def _sorted(message: bytes) -> tuple[str, list[str], str]:
    """A message with the members of its mysqlType in order. A column of that name has a number in sqlType before it."""
    text = message.decode()
    start = text.find(',"mysqlType":{')
    if start < 0:
        return text, [], ""
    start += len(',"mysqlType":')
    _, end = json.JSONDecoder().raw_decode(text, start)
    return text[:start], sorted(_MEMBER.findall(text, start, end)), text[end:]
