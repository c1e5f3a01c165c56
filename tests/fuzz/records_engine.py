"""The same for Simple's records: binary messages, whose rows are read by what other messages say of their tables.

What is known of tables, and how events are compared, is as for the objects (`simple_engine.py`). Messages are spoiled
where the twin says that something stands: numbers, texts, branches of unions, the items of arrays and maps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from random import Random
from typing import Any

import recorded
from json_twin import MalformedError
from simple.avro_twin import write
from simple.record_twin import VALUES, Place, places, read
from simple.twin import Flat, Tables, UndescribedError

from tidewire.runtime.record.sink import long_bytes
from tidewire.simple.record_decoder import Decoder
from tidewire.tables import TableStore

from .crowd import Row
from .engine import Wire
from .mutations import OVERLONG, SINGLE
from .simple_engine import TYPES, Seen, SimpleEngine
from .text_edits import LONG

SPACE = "com.pingcap.simple.avro"
VERSION = 7
VERSIONS = ("version", "schemaVersion")
NUMBERS = (0, 1, -1, 2, 7, 64, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**32, 2**63 - 1, -(2**63), 65_536, 127)
"""What stands in place of a number."""
TEXTS = (b"", b"a", b"A", b"id", b"\0", b"\xff", b"\xed\xa0\x80", b"binary", b"utf8mb4", b"1", b"18446744073709551616")
"""What stands in place of a text, or of bytes."""
LONG_TEXTS = (b"7" * 400, b"\xff" * 9, b"\xff" * 2000, "é".encode() * 300, *(b"x" * size for size in LONG))
_KINDS = ("tinyint", "int", "bigint", "float", "double", "bit", "year", "date", "time", "timestamp", "json", "vector")


def _column(name: str, kind: str, charset: str = "binary", **more: Any) -> dict[str, Any]:
    said = {"mysqlType": kind, "charset": charset, "collate": charset, "length": 0, "decimal": None, "elements": None}
    default = more.pop("default", None)
    kinds = {**said, "unsigned": None, "zerofill": None, **more}
    return {"name": name, "dataType": kinds, "nullable": True, "default": default}


def _table(version: int, columns: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {
        "database": "made", "table": "t", "tableID": 1, "version": version, "columns": columns, "indexes": [], **more,
    }  # fmt: skip


def _row(kind: str, data: Any, old: Any, **more: Any) -> bytes:
    said = {
        "version": 1, "database": "made", "table": "t", "tableID": -5, "type": kind, "commitTs": 5, "buildTs": -6,
        "schemaVersion": VERSION, "claimCheckLocation": None, "handleKeyOnly": None, "checksum": None, "data": data,
        "old": old,
    }  # fmt: skip
    return write("DML", "DML", **{**said, **more})


@cache
def _made() -> list[bytes]:
    """What no recording has."""
    key = {"name": "uk", "unique": True, "primary": False, "nullable": False, "columns": ["u"]}
    all_kinds = [
        *(_column(f"c_{kind}", kind) for kind in _KINDS),
        _column("u", "bigint", unsigned=True, zerofill=False, default="1"),
        _column("d", "decimal", length=10, decimal=2),
        _column("e", "enum", "utf8mb4", elements=["x", "y"]),
        _column("s", "set", "utf8mb4", elements=["x", "y"]),
        _column("v", "varchar", "utf8mb4", length=20),
        _column("b", "varbinary", length=20),
    ]
    whole = _table(VERSION, all_kinds, indexes=[key])
    small = _table(8, [_column("id", "int"), _column("bits", "bit", default="\x02a")])
    wrapped, at = (f"{SPACE}.UnsignedBigint", {"value": -1}), (f"{SPACE}.Timestamp", {"location": "UTC", "value": "x"})
    sums = {"version": 1, "corrupted": False, "current": 2**32 - 1, "previous": 0}
    data = {
        "c_float": ("float", 1.5), "c_double": -0.0, "c_bit": "255", "c_year": 2155, "c_timestamp": at, "v": "é😀",
        "b": b"\0\xff", "d": "-1.50", "u": None,
    }  # fmt: skip
    old = {"c_tinyint": -128, "c_json": "{}", "u": wrapped, "e": 2, "s": wrapped, "c_bit": -1, "c_timestamp": at}
    many = {f"c{number}": number for number in range(200)}
    ddl = {"version": 1, "sql": "a\u2028", "commitTs": 1, "buildTs": 1, "tableSchema": None, "preTableSchema": None}
    return [
        write("BOOTSTRAP", "Bootstrap", version=1, buildTs=1, tableSchema=whole),
        write("DDL", "DDL", **{**ddl, "type": "CREATE", "tableSchema": small}),
        write("DDL", "DDL", **{**ddl, "type": "ALTER", "tableSchema": small, "preTableSchema": whole}),
        write("DDL", "DDL", **{**ddl, "type": "QUERY", "sql": ""}),
        write("WATERMARK", "Watermark", version=1, commitTs=2**63 - 1, buildTs=-2),
        _row("UPDATE", data, old, checksum=sums),
        _row("DELETE", None, old, handleKeyOnly=True),
        _row("INSERT", {"id": 1, "bits": "7"}, many, schemaVersion=8, handleKeyOnly=False),
        _row("UPDATE", {}, {}, schemaVersion=8, handleKeyOnly=True),
    ]


@lru_cache(4096)
def known_places(message: bytes) -> tuple[Place, ...]:
    """Where everything stands in a message of the corpus."""
    return tuple(places(message))


class RecordsEngine(SimpleEngine):
    """The decoder of Simple's records."""

    name = "simple-records"
    chosen = {"encoding_format": "avro"}  # noqa: RUF012

    @classmethod
    def made(cls) -> Sequence[bytes]:
        return _made()

    @classmethod
    def recorded(cls) -> Iterator[list[bytes]]:
        for stream in recorded.streams("simple-records"):
            yield [one.value for one in recorded.plain(stream)]

    def decoder_with(self, tables: TableStore) -> Wire:
        return Decoder(store=tables)

    def read_by_twin(self, value: bytes, known: Tables) -> Flat:
        return read(value, Seen(known))

    def spoiled(self, chance: Random, corpus: Sequence[bytes]) -> bytes:
        """One to three changes: of what stands somewhere, or of any bytes."""
        if chance.random() < 0.15:
            return made_anew(chance)
        message = chance.choice(corpus)
        for turn in range(chance.choice((1, 1, 1, 2, 3))):
            if chance.random() < 0.3:
                if message:
                    message = chance.choice(SINGLE)(chance, message, corpus)
                continue
            found = places(message) if turn else known_places(message)
            if found:
                message = replaced(chance, message, chance.choice(found), found)
        return message

    def written(self, row: Row) -> bytes:
        data = {"id": row.id} | {f"c{k}": value for k, value in enumerate(row.texts)}
        return _row("INSERT", data, None, database="s", table=row.table, schemaVersion=1)

    def pointing(self, value: bytes, location: str) -> bytes | None:
        try:
            read(value, {})
        except UndescribedError:  # what it says of the row may be wrong
            found = places(value)
            names = ("claimCheckLocation", "handleKeyOnly")
            claim, partial = (next(one for one in found if one.name == name) for name in names)
            if value[claim.start] or value[partial.start]:
                return None
            text = location.encode()
            return value[: claim.start] + b"\x02" + long_bytes(len(text)) + text + value[claim.end :]
        except MalformedError:
            pass
        return None


def made_anew(chance: Random) -> bytes:
    """A description of a version that others of the batch may describe otherwise, with other types of columns; or a row
    of such a version, with other values.
    """
    message = chance.choice(_made())
    for _ in range(chance.choice((0, 1, 2, 4))):
        found = [
            one for one in places(message) if one.kind == "value" or one.name in ("mysqlType", "charset", "default")
        ]
        if found:
            message = replaced(chance, message, chance.choice(found), found)
    for one in reversed(places(message)):
        if one.name in VERSIONS:
            message = message[: one.start] + long_bytes(chance.randrange(10, 30)) + message[one.end :]
    return message


def replaced(chance: Random, message: bytes, place: Place, found: Sequence[Place]) -> bytes:
    """The message with something else at a place.

    Args:
        chance: picks it.
        message: a message.
        place: where.
        found: all places of the message.
    """
    old = message[place.start : place.end]
    if place.kind == "boolean":
        put = bytes((chance.choice((0, 1, 2, 3, 127, 128, 255)),))
    elif place.kind == "branch" and chance.random() < 0.7:
        put = long_bytes(1 - min(old[0] >> 1, 1))  # of an optional field the other one
    elif place.kind == "branch":
        put = long_bytes(chance.choice((0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, -1, -2, 2**31)))
    elif place.kind == "long":
        put = _number(chance, place.name)
    elif place.kind == "string":
        put = _text(chance, place.name)
    elif place.kind == "value":
        put = _value(chance)
    elif place.kind == "item":
        put = old * chance.choice((0, 2, 2, 50))
    elif place.kind == "block":
        put = long_bytes(chance.choice((*NUMBERS, 3, 4, 5, -2)))
    else:
        put = _blocks(chance, message, place, found)
    if chance.random() < 0.05:
        put = chance.choice(OVERLONG)
    return message[: place.start] + put + message[place.end :]


def _number(chance: Random, name: str) -> bytes:
    if name in VERSIONS:
        # rows of unknown versions, and descriptions of versions that are known, or that others will have
        return long_bytes(
            chance.choice((VERSION, 8, chance.randrange(10, 20), chance.choice(RecordsEngine.versions()) or 0))
        )
    return long_bytes(chance.choice((*NUMBERS, chance.randrange(-200, 200))))


def _text(chance: Random, name: str) -> bytes:
    if name == "mysqlType":
        text = chance.choice(TYPES).encode()
    else:
        text = chance.choice(LONG_TEXTS if chance.random() < 0.1 else TEXTS)
    return long_bytes(len(text)) + text


def _value(chance: Random) -> bytes:
    """A value in any branch."""
    number = chance.randrange(len(VALUES))
    found = long_bytes(number)
    match VALUES[number]:
        case "long" | "UnsignedBigint":
            return found + long_bytes(chance.choice(NUMBERS))
        case "float":
            return found + chance.randbytes(4)
        case "double":
            return found + chance.randbytes(8)
        case "string" | "bytes":
            return found + _text(chance, "")
        case "Timestamp":
            zone = chance.choice((b"\x06UTC", b"\x00", b"\x02\xff", b"\x14Asia/Tokyo"))
            return found + zone + _text(chance, "")
    return found


def _blocks(chance: Random, message: bytes, whole: Place, found: Sequence[Place]) -> bytes:
    """An array or a map whose items are parted into several blocks, of which some say their length, in any order."""
    items = [
        message[one.start : one.end]
        for one in found
        if one.kind == "item" and one.name == whole.name and whole.start <= one.start and one.end <= whole.end
    ]
    if chance.random() < 0.5:
        chance.shuffle(items)
    put = b""
    while items:
        count = chance.randrange(1, len(items) + 1)
        block = b"".join(items[:count])
        del items[:count]
        if chance.random() < 0.5:
            size = len(block) if chance.random() < 0.8 else chance.choice(NUMBERS)
            put += long_bytes(-count) + long_bytes(size) + block
        else:
            put += long_bytes(count) + block
    return put + b"\0"
