"""A second, naive reader of Simple's records: what their decoder has to agree with.

It was written after Avro's specification and after the records that TiCDC's schema file has, and knows nothing of the
spec. It gives what the twin of the objects gives (`twin.py`), and it remembers where everything stands, so that a
fuzzer can put something else there.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from json_twin import MalformedError, decimal, need

from simple.twin import BYTES, I64, SIGNED, TEXTS, U64, Column, Flat, Index, Located, Table, Tables, UndescribedError

CLASSES = ("CREATE", "ALTER", "ERASE", "RENAME", "TRUNCATE", "CINDEX", "DINDEX", "QUERY")
KINDS = ("insert", "update", "delete")
STRINGS = ("char", "varchar", "var_string", "tinytext", "text", "mediumtext", "longtext")
"""Types that have bytes where their character set is binary."""
VALUES = ("null", "long", "float", "double", "string", "bytes", "Timestamp", "UnsignedBigint")
"""The branches of the union that a value is one of."""
MESSAGE = 11
"""The number of the record `Message` among all records."""
U32, I32 = 2**32 - 1, 2**31 - 1


class Place(NamedTuple):
    """Where something stands in a message."""

    kind: str
    """long, boolean, string, branch, block (how many items follow), blocks (an array or a map), item or value."""
    name: str
    """Of the field."""
    start: int
    end: int


class Value(NamedTuple):
    """A value of a column: the branch that it is, what stands there, and a location."""

    branch: str
    found: Any
    zone: bytes = b""


class Reader:
    """Reads what messages are made of, from front to back.

    Attributes:
        places: where everything stands that was read so far.
    """

    def __init__(self, value: bytes) -> None:
        self.value = value
        self.pos = 0
        self.places: list[Place] = []

    def noted(self, kind: str, name: str, start: int) -> None:
        self.places.append(Place(kind, name, start, self.pos))

    def taken(self, size: int) -> bytes:
        need(0 <= size <= len(self.value) - self.pos, "too short")
        self.pos += size
        return self.value[self.pos - size : self.pos]

    def zigzag(self) -> int:
        number = 0
        for k in range(10):
            (byte,) = self.taken(1)
            number |= (byte & 127) << 7 * k
            if byte < 128:
                break
        else:
            raise MalformedError("too many bytes of a number")
        need(number <= U64, "more than 64 bits")
        return number >> 1 if number % 2 == 0 else -(number >> 1) - 1

    def long(self, name: str, low: int = -I64 - 1, high: int = I64) -> int:
        start = self.pos
        number = self.zigzag()
        self.noted("long", name, start)
        need(low <= number <= high, name)
        return number

    def branch(self, name: str, count: int) -> int:
        start = self.pos
        number = self.zigzag()
        self.noted("branch", name, start)
        need(0 <= number < count, name)
        return number

    def optional(self, name: str, read: Callable[[str], Any]) -> Any:
        return read(name) if self.branch(name, 2) else None

    def boolean(self, name: str) -> bool:
        start = self.pos
        (byte,) = self.taken(1)
        self.noted("boolean", name, start)
        need(byte < 2, name)
        return byte == 1

    def sized(self, name: str) -> bytes:
        start = self.pos
        found = self.taken(self.zigzag())
        self.noted("string", name, start)
        return found

    def string(self, name: str) -> str:
        return decoded(self.sized(name))

    def several(self, name: str, read: Callable[[], Any]) -> list[Any]:
        """The items of an array or a map."""
        found: list[Any] = []
        whole = self.pos
        while True:
            start = self.pos
            count = self.zigzag()
            if count < 0:
                count = -count
                need(0 <= self.zigzag() <= len(self.value) - self.pos, "block")
            self.noted("block", name, start)
            need(count <= len(self.value) - self.pos, "block")
            if count == 0:
                break
            for _ in range(count):
                start = self.pos
                found.append(read())
                self.noted("item", name, start)
        self.noted("blocks", name, whole)
        return found

    # ---- rows

    def value_of(self) -> Value:
        start = self.pos
        branch = VALUES[self.branch("value", len(VALUES))]
        found: Any = None
        zone = b""
        if branch in ("long", "UnsignedBigint"):
            found = self.long("value")
        elif branch in ("float", "double"):
            form, size = ("<f", 4) if branch == "float" else ("<d", 8)
            (found,) = struct.unpack(form, self.taken(size))
        elif branch != "null":
            zone = self.sized("location") if branch == "Timestamp" else b""
            found = self.sized("value")
        self.noted("value", "value", start)
        return Value(branch, found, zone)

    def map(self, name: str) -> list[tuple[bytes, Value]]:
        return self.several(name, lambda: (self.sized("column"), self.value_of()))

    def row(self, tables: Tables) -> Flat:
        schema, table, table_id = self.string("database"), self.string("table"), self.long("tableID")
        kind = KINDS[self.branch("type", len(KINDS))]
        commit_ts, sent_ms = self.long("commitTs", 0), self.long("buildTs")
        version = self.long("schemaVersion", 0)
        claim, partial = self.optional("claimCheckLocation", self.string), self.optional("handleKeyOnly", self.boolean)
        checksum = self.optional("checksum", self.checksum)
        new, old = self.optional("data", self.map), self.optional("old", self.map)
        self.ended()
        described = tables.get((schema, table, version))
        if described is None:
            raise UndescribedError(f"{schema}.{table} {version}")
        need(bool(schema) and bool(table), "names")
        new, old = (
            image(one, described) if wanted else None
            for one, wanted in ((new, kind != "delete"), (old, kind != "insert"))
        )
        need(partial or (old if new is None else new) != {}, "no columns")
        zones = {cell.zone for one in (new, old) for cell in (one or {}).values() if isinstance(cell, Located)}
        need(len(zones) < 2, "locations")
        return Flat(
            kind, commit_ts, sent_ms, schema, table, table_id, version, bool(partial), claim or None, checksum,
            new=new, old=old,
        )  # fmt: skip

    def checksum(self, name: str) -> tuple[int, bool, int, int]:
        version, corrupted = self.long("checksum/version", -I32 - 1, I32), self.boolean("corrupted")
        return version, corrupted, self.long("current", 0, U32), self.long("previous", 0, U32)

    # ---- descriptions

    def table(self, name: str) -> Table:
        schema, table = self.string("schema"), self.string("described table")
        table_id, version = self.long("tableID"), self.long("version", 0)
        columns = self.several("columns", self.column)
        return Table(schema, table, table_id, version, tuple(columns), tuple(self.several("indexes", self.index)))

    def column(self) -> Column:
        name, kind = self.string("name"), self.string("mysqlType")
        charset, collation = self.string("charset"), self.string("collate")
        length = self.long("length")
        scale = self.optional("decimal", lambda name: self.long(name, -I32 - 1, I32))
        labels = self.optional("elements", lambda name: self.several(name, lambda: self.string("label")))
        unsigned, zerofill = self.optional("unsigned", self.boolean), self.optional("zerofill", self.boolean)
        nullable = self.boolean("nullable")
        default = self.optional("default", self.sized)
        default_length = None
        if default is not None and kind == "bit":
            need(len(default) < 256, "default")
            default_length = len(default) if (default[:1] == b"\0" and len(default) > 1) or not default else None
            default = int.from_bytes(default, "big")
        elif default is not None:
            default = decoded(default)
        return Column(
            name, kind, charset, collation, length or None, scale or None, tuple(labels or ()), bool(unsigned),
            bool(zerofill), nullable, default, default_length,
        )  # fmt: skip

    def index(self) -> Index:
        name = self.string("name")
        unique, primary, nullable = (self.boolean(one) for one in ("unique", "primary", "nullable"))
        return Index(name, unique, primary, nullable, tuple(self.several("indexed", lambda: self.string("column"))))

    # ---- messages

    def message(self, tables: Tables) -> Flat:
        need(self.branch("record", MESSAGE + 1) == MESSAGE, "no Message")
        kind = self.branch("type", 4)
        need(self.branch("payload", 4) == kind, "another payload")
        self.long("message version", -I32 - 1, I32)
        if kind == 0:
            found = Flat("watermark", self.long("commitTs", 0), self.long("buildTs"))
        elif kind == 1:
            found = Flat("bootstrap", 0, self.long("buildTs"), after=self.table("tableSchema"))
        elif kind == 2:
            ddl_class, query = CLASSES[self.branch("type", len(CLASSES))], self.string("sql")
            commit_ts, sent_ms = self.long("commitTs", 0), self.long("buildTs")
            after, before = (self.optional(one, self.table) for one in ("tableSchema", "preTableSchema"))
            found = Flat(
                "ddl", commit_ts, sent_ms, ddl_class=ddl_class, query=query or None, after=after, before=before
            )
        else:
            return self.row(tables)
        self.ended()
        return found

    def ended(self) -> None:
        need(self.pos == len(self.value), "bytes left over")


def decoded(image: bytes) -> str:
    """A text of UTF-8."""
    try:
        return image.decode()
    except UnicodeDecodeError:
        raise MalformedError("no UTF-8") from None


def image(cells: list[tuple[bytes, Value]] | None, table: Table) -> dict[str, Any]:
    """A row image, as the columns of its table are described."""
    need(cells is not None, "no image")
    columns = {column.name: column for column in table.columns}
    found: dict[str, Any] = {}
    for written, cell in cells or ():
        name = decoded(written)
        need(name in columns and name not in found, "column")
        found[name] = typed(columns[name], cell)
    return found


def typed(column: Column, cell: Value) -> Any:
    """The value of a cell; a reader takes numbers from any branch that has them."""
    kind, *words = re.split("[ (]", column.mysql_type.lower())
    branch, found, unsigned = cell.branch, cell.found, column.unsigned or "unsigned" in words
    if branch == "null":
        return None
    if kind == "timestamp":
        need(branch == "Timestamp", "branch")
        located = Located(decoded(found))
        located.zone = decoded(cell.zone)
        return located
    if kind in BYTES or (kind in STRINGS and column.charset == "binary"):
        need(branch == "bytes", "branch")
        return found
    if kind in (*TEXTS, *STRINGS, "vector"):
        need(branch == "string", "branch")
        return decimal(decoded(found)) if kind == "decimal" else decoded(found)
    if kind in ("float", "double"):
        need(branch in ("float", "double"), "branch")
        return found
    if (kind in SIGNED and not unsigned) or kind == "year":
        need(branch == "long", "branch")
        return found
    need(kind in SIGNED or kind in ("bit", "enum", "set"), "type")
    if branch == "string":
        need(re.fullmatch(rb"[0-9]+", found) is not None, "digits")
        digits = found.lstrip(b"0")
        need(len(digits) < 21 and int(digits or b"0") <= U64, "digits")
        return int(digits or b"0")
    need(branch in ("long", "UnsignedBigint"), "branch")
    need(found >= 0 or kind in ("bigint", "set", "bit"), "below 0")
    return found % 2**64


def read(value: bytes, tables: Tables) -> Flat:
    """The event of a value without compression. The tables are those that are known, by which rows are read; the
    caller adds those that messages describe.

    Raises:
        MalformedError: it has to be refused.
        UndescribedError: its table is not among the tables.
    """
    return Reader(value).message(tables)


def in_order(value: bytes) -> bytes:
    """A message whose maps have their items in the order of their bytes: producers write them in any order."""
    found = places(value)
    for whole in [one for one in found if one.kind == "blocks" and one.name in ("data", "old")]:
        items = [one for one in found if one.kind == "item" and whole.start <= one.start and one.end <= whole.end]
        if items:
            ordered = b"".join(sorted(value[one.start : one.end] for one in items))
            value = value[: items[0].start] + ordered + value[items[-1].end :]
    return value


def places(value: bytes) -> list[Place]:
    """Where everything stands in a message, as far as it can be parsed."""
    reader = Reader(value)
    with suppress(MalformedError):
        reader.message({})
    return reader.places
