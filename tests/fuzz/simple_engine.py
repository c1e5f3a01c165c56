"""The same for Simple, whose rows are read by what other messages say of their tables.

Most descriptions are those that were recorded: they are known before the first batch, so that good messages stay what
they are whatever others claim. Hostile ones come in between, in the order in which a topic could have them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from random import Random
from typing import Any

from json_twin import MalformedError, bits
from recorded import messages as recorded_messages
from recorded import option_set, streams
from simple.twin import Column, Flat, Index, Located, Table, Tables, UndescribedError, read

from tidewire import simple
from tidewire.events import Bootstrap, Ddl, Events, RowChange, Watermark
from tidewire.mysql import declared
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.errors import DecodeError, MissingTableError
from tidewire.runtime.tables import DescribedTable
from tidewire.runtime.tables.differences import contradiction
from tidewire.simple.decoder import Decoder
from tidewire.tables import ColumnDescription, IndexDescription, TableDescription, TableStore

from .crowd import Row
from .engine import CODES, Engine, Wire
from .json_engine import PIECES as JSON_PIECES
from .paths import Way

LARGEST = 8192
"""Bytes of the longest recorded message that is taken."""
TYPES = (
    *("tinyint", "int", "bigint", "float", "double", "decimal", "bit", "year", "date", "datetime", "time", "timestamp"),
    *("json", "enum", "set", "char", "varchar", "varbinary", "binary", "text", "longblob", "vector", "geometry"),
    *("unspecified", "null", "var_string", "nosuch", "", "int(11)", "enum('a')", "int unsigned", "BIGINT", "enum("),
)
_NUMBERS = (
    *(b"0", b"-1", b"-2", b"1", b"7", b"9223372036854775807", b"9223372036854775808", b"-9223372036854775809"),
    *(b"18446744073709551615", b"18446744073709551616", b"1.0", b"1e2", b"null", b'"1"', b"1" * 400, b"true", b"[]"),
)
_TEXTS = (b'""', b'"a"', b'"A"', b'"\\u0000"', b'"\\ud800"', b'"binary"', b'"utf8mb4"', b"null", b"1", b"{}")
_BOOLS = (b"true", b"false", b"null", b"0", b'""')
_LISTS = (b"[]", b"null", b"{}", b'["a"]', b'["id"]', b'["a","a"]', b'["id","ID"]', b"[1]", b"[null]", b"[[]]")
FACTS: dict[bytes, tuple[bytes, ...]] = {
    b"mysqlType": tuple(json.dumps(one).encode() for one in TYPES),
    **dict.fromkeys(
        (b"version", b"tableID", b"length", b"decimal", b"commitTs", b"schemaVersion", b"buildTs"), _NUMBERS
    ),
    **dict.fromkeys((b"name", b"schema", b"table", b"database", b"charset", b"collate", b"default", b"sql"), _TEXTS),
    **dict.fromkeys((b"unsigned", b"zerofill", b"nullable", b"unique", b"primary", b"handleKeyOnly"), _BOOLS),
    **dict.fromkeys((b"corrupted",), _BOOLS),
    **dict.fromkeys((b"columns", b"indexes", b"elements"), _LISTS),
    b"type": tuple(b'"%b"' % one for one in (b"INSERT", b"UPDATE", b"DELETE", b"CREATE", b"BOOTSTRAP", b"QUERY", b"X")),
}
"""What is said instead of something else."""
_FACT = re.compile(rb'"(%b)":("(?:[^"\\]|\\.)*"|\[[^\[\]{}]*\]|[^,{}\[\]"]+)' % b"|".join(FACTS))
_VERSION = re.compile(rb'"(version|schemaVersion)":([0-9]{2,})')
PIECES = (
    *JSON_PIECES,
    *(
        b'"schemaVersion":7,',
        b'"data":{',
        b'"old":{',
        b'"tableSchema":{',
        b'"handleKeyOnly":true,',
        b'"NaN"',
        b'"+Inf"',
    ),
    *(b'{"location":"UTC","value":"2020-01-01 00:00:00"}', b'"AP8="', b'{"name":"a"}', b"[" * 2000, b'{"a":' * 500),
)
"""What is put into messages."""
VERSION = 7


def _table(columns: str, indexes: str = "", version: int = VERSION) -> bytes:
    described = f'"tableID":1,"version":{version},"columns":[{columns}],"indexes":[{indexes}]'
    named = f'"tableSchema":{{"schema":"made","table":"t",{described}}}'
    return f'{{"version":1,"type":"BOOTSTRAP","commitTs":0,"buildTs":1,{named}}}'.encode()


def _column(name: str, kind: str, more: str = "", charset: str = "binary") -> str:
    said = f'"mysqlType":"{kind}","charset":"{charset}","collate":"{charset}"{more}'
    return f'{{"name":"{name}","dataType":{{{said}}},"nullable":true,"default":null}}'


_KINDS = ("tinyint", "int", "bigint", "float", "double", "bit", "year", "date", "time", "timestamp", "json", "vector")
MADE = (
    _table(
        ",".join(
            [
                *(_column(f"c_{kind}", kind) for kind in _KINDS),
                _column("u", "bigint", ',"unsigned":true'),
                _column("d", "decimal", ',"length":10,"decimal":2'),
                _column("e", "enum", ',"elements":["x","y"]', "utf8mb4"),
                _column("s", "set", ',"elements":["x","y"]', "utf8mb4"),
                _column("v", "varchar", ',"length":20', "utf8mb4"),
                _column("b", "varbinary", ',"length":20'),
            ]
        ),
        '{"name":"uk","unique":true,"primary":false,"nullable":false,"columns":["u"]}',
    ),
    b' { "old" : { "u" : "18446744073709551615" , "e":"2","s":"3"} , "schemaVersion":7,"tableID":-5, "type":"DELETE",'
    b'"buildTs":-1,"commitTs":18446744073709551615,"table":"t","database":"made", "x":[{"y":[null]}],"version":1 } ',
    b'{"version":1,"database":"made","table":"t","tableID":1,"type":"UPDATE","commitTs":5,"buildTs":6,"schemaVersion":7,'
    b'"checksum":{"version":1,"corrupted":false,"current":4294967295,"previous":0},"data":{"c_float":"1.5",'
    b'"c_double":"-0","c_bit":"255","c_year":"2155","c_timestamp":{"location":"Asia/Shanghai","value":"x"},'
    b'"v":"\\u00e9\\ud83d\\ude00","b":"AP8=","d":"-1.50","u":null},"old":{"c_tinyint":"-128","c_json":"{}"}}',
    b'{"version":1,"type":"CREATE","sql":"a\\u2028","commitTs":1,"buildTs":1}',
    b'{"version":1,"type":"WATERMARK","commitTs":1,"buildTs":2}',
)
"""What no recording has."""


@cache
def messages() -> tuple[bytes, ...]:
    """Well-formed messages, the shortest first; always the same."""
    found = {
        one.value
        for stream in streams("simple")
        if not any(word in option_set(stream) for word in ("lz4", "snappy"))
        for one in recorded_messages(stream)
        if len(one.value) <= LARGEST
    } | set(MADE)
    return tuple(sorted(found, key=lambda message: (len(message), message)))


@cache
def described() -> tuple[TableDescription, ...]:
    """The tables that well-formed messages describe."""
    store = TableStore()
    for stream in streams("simple"):
        if not any(word in option_set(stream) for word in ("lz4", "snappy")):
            simple.decode_batch([one.value for one in recorded_messages(stream)], tables=store)
    simple.decode_batch(MADE, tables=store)
    found = simple.decode_batch(messages(), tables=store).errors
    assert not found, found[0]
    return tuple(store)


@cache
def _store_of(tables: tuple[TableDescription, ...]) -> TableStore:
    return TableStore(tables)


def store(tables: tuple[TableDescription, ...]) -> TableStore:
    """One of one's own with these tables; to add them anew would take a hundred times as long."""
    made, known = TableStore(), _store_of(tables)
    made._known.update(known._known)
    made._latest.update(known._latest)
    return made


@cache
def twins() -> Tables:
    """The same as the twin has them."""
    return {(one.schema, one.table, one.version): one for one in map(as_twin, described())}


def as_twin(table: DescribedTable) -> Table:
    columns = tuple(
        Column(
            one.name, one.mysql_type, one.charset or "", one.collation or "", one.length, one.scale, one.labels,
            one.unsigned, one.zerofill, bool(one.nullable), one.default, one.default_length,
        )
        for one in table.columns
    )  # fmt: skip
    indexes = tuple(Index(one.name, one.unique, one.primary, bool(one.nullable), one.columns) for one in table.indexes)
    return Table(table.schema or "", table.table, table.id or 0, table.version or 0, columns, indexes)


def as_described(twin: Table) -> TableDescription:
    """What the twin found as a description.

    Raises:
        ValueError: it describes no table.
    """
    columns = [
        ColumnDescription(
            one.name, one.mysql_type, one.unsigned, one.zerofill, one.length, one.scale, one.labels, one.charset,
            one.collation, one.nullable, one.default, default_length=one.default_length,
        )
        for one in twin.columns
    ]  # fmt: skip
    indexes = [IndexDescription(one.name, one.columns, one.unique, one.primary, one.nullable) for one in twin.indexes]
    return TableDescription(twin.schema, twin.table, columns, indexes, twin.table_id, twin.version)


class Seen(dict[Any, Any]):
    """Tables that the twin may look up; what it finds is looked at before it counts."""

    def __init__(self, known: Tables) -> None:
        super().__init__()
        self.known = known

    def get(self, key: Any, default: Any = None) -> Any:
        return self.known.get(key, default)


def learn(table: Table, known: Tables) -> None:
    """Adds a table.

    Raises:
        ValueError: it contradicts what is known of it, or is no table.
    """
    made = as_described(table)
    before = known.setdefault((table.schema, table.table, table.version), table)
    if before is not table and contradiction(as_described(before), made) is not None:
        raise ValueError("contradiction")


@lru_cache(4096)
def readable(table: Table) -> None:
    """Raises ValueError where a column has a type by which nothing can be read."""
    for column in as_described(table).row_columns():
        declared(column.mysql_type or "")


def _value(value: Any) -> Any:
    return str(value) if isinstance(value, str) else bits(value)


def _image(image: Any) -> dict[str, Any] | None:
    return None if image is None else {name: _value(value) for name, value in image.items()}


def of_event(event: Any) -> tuple[Any, ...]:
    """What an event says, as `of_twin` says it."""
    if isinstance(event, Watermark):
        return "watermark", event.commit_ts, event.sent_ms
    if isinstance(event, Bootstrap):
        return "bootstrap", event.sent_ms, event.table_after and as_twin(event.table_after)
    if isinstance(event, Ddl):
        after, before = (one and as_twin(one) for one in (event.table_after, event.table_before))
        return "ddl", event.commit_ts, event.sent_ms, event.ddl_class, event.query, after, before
    assert isinstance(event, RowChange)
    sums = event.checksum_version, event.checksum_corrupted, event.checksum, event.checksum_before
    return (
        event.kind, event.commit_ts, event.sent_ms, event.schema, event.table, event.table_id, event.table_version,
        bool(event.handle_key_only), event.claim_check, None if sums[0] is None else sums, event.time_zone,
        _image(event.new), _image(event.old),
    )  # fmt: skip


def of_twin(found: Flat) -> tuple[Any, ...]:
    """What the twin found."""
    if found.kind == "watermark":
        return "watermark", found.commit_ts, found.sent_ms
    if found.kind == "bootstrap":
        return "bootstrap", found.sent_ms, found.after
    if found.kind == "ddl":
        return "ddl", found.commit_ts, found.sent_ms, found.ddl_class, found.query, found.after, found.before
    cells = [value for image in (found.new, found.old) for value in (image or {}).values()]
    zone = next((value.zone for value in cells if isinstance(value, Located)), None)
    return (
        found.kind, found.commit_ts, found.sent_ms, found.schema, found.table, found.table_id, found.table_version,
        found.handle_key_only, found.claim_check, found.checksum, zone, _image(found.new), _image(found.old),
    )  # fmt: skip


class Crowd(TableStore):
    """Knows the tables of crowds."""

    def find(self, schema: str | None, table: str, version: int | None) -> TableDescription:
        columns = [ColumnDescription("id", "int")]
        columns += [ColumnDescription(f"c{k}", "varchar", charset="utf8mb4") for k in range(1 + int(table[1:]) % 3)]
        return TableDescription(schema, table, columns, version=version)


class SimpleEngine(Engine):
    """The decoder of Simple. It begins anew, with what is known of tables, before each batch that is compared."""

    errors = (DecodeError, MissingTableError)
    codes = CODES | {MissingTableError("", "", None).code}

    def begin(self, number: int) -> None:
        if number % (self.sample // 2) == 0:
            self.decoder = self.fresh()

    def described(self) -> tuple[TableDescription, ...]:
        """The tables that are known."""
        return described()

    def store(self) -> TableStore:
        """One of one's own with these tables."""
        return store(self.described())

    def twins(self) -> Tables:
        """The same as the twin has them."""
        return twins()

    def read_by_twin(self, value: bytes, known: Tables) -> Flat:
        """The event of a message, whose tables are not added yet."""
        return read(value, Seen(known))

    def fresh(self) -> Wire:
        return Decoder(store=self.store())

    def of_crowds(self) -> Wire:
        return Decoder(store=Crowd())

    def expected(self, value: bytes) -> Any:
        return self._read(value, dict(self.twins()))

    def expected_of(self, values: Sequence[bytes]) -> list[Any]:
        known = dict(self.twins())
        return [self._read(value, known) for value in values]

    def _read(self, value: bytes, known: Tables) -> Any:
        try:
            found = self.read_by_twin(value, known)
            described = [table for table in (found.after, found.before) if table is not None]
            for table in described:
                as_described(table)
            for table in described:
                learn(table, known)
            if found.table_version is not None:
                readable(known[found.schema or "", found.table or "", found.table_version])
        except (MalformedError, UndescribedError, ValueError):
            return None
        return [of_twin(found)]

    def plain(self, columns: EventColumns) -> dict[int, list[Any]]:
        found: dict[int, list[Any]] = {}
        numbers = columns.events["message"].to_pylist()
        for event, message in zip(Events(columns), numbers, strict=True):
            found.setdefault(message, []).append(of_event(event))
        return found

    def way(self, values: Sequence[bytes]) -> Way:
        known = self.store()
        simple.Decoder(tables=known).decode(values)
        return Way(
            simple,
            simple.Options(),
            lambda name, most: simple.Options(large_message_handle_compression=name, max_unpacked_bytes=most),
            lambda directory: simple.Options(claim_check=directory),
            pointing=pointing,
            given={"tables": known},
        )

    def row(self) -> Callable[[Row], bytes]:
        return written

    def cut(self) -> Sequence[bytes]:
        """Some: recorded messages differ little."""
        return [*MADE, *self.corpus[::60]]

    def _encoded_again(self, values: Sequence[bytes], columns: EventColumns) -> None:
        """Writing has tests of its own."""

    def spoiled(self, chance: Random, corpus: Sequence[bytes]) -> bytes:
        """One to three changes: what is said of a table or row, a version, a bit, a piece, a string, a graft."""
        image = bytearray(chance.choice(corpus))
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            place = chance.randrange(len(image) + 1)
            choice = chance.randrange(16)
            facts = list((_FACT if choice < 14 else _VERSION).finditer(image)) if choice >= 8 else []
            if facts:
                fact = chance.choice(facts)
                # rows of unknown versions, and descriptions of versions that are known, or that others will have
                others = (b"%d" % chance.randrange(10, 20), str(chance.choice(described()).version or 0).encode())
                put = chance.choice(FACTS[bytes(fact[1])] if choice < 14 else others)
                image[fact.start(2) : fact.end(2)] = put if chance.random() < 0.9 else chance.choice(PIECES)
            elif choice == 0 and image:
                image[place % len(image)] ^= 1 << chance.randrange(8)
            elif choice == 1:
                image[place:place] = chance.choice(PIECES)
            elif choice == 2:
                del image[place : place + chance.randrange(1, 12)]
            elif choice == 3:
                image[place : place + chance.randrange(1, 6)] = chance.choice(PIECES)
            elif choice == 4:
                other = chance.choice(corpus)
                start = chance.randrange(len(other) + 1)
                image[place : place + chance.randrange(60)] = other[start : start + chance.randrange(60)]
            elif choice < 7:
                quotes = [at for at, byte in enumerate(image) if byte == 34]
                if len(quotes) > 1:
                    at = chance.randrange(len(quotes) - 1)
                    image[quotes[at] + 1 : quotes[at + 1]] = chance.choice(PIECES)
            else:
                del image[place:]
        return bytes(image)


def written(row: Row) -> bytes:
    """A row that was inserted, as a message."""
    return json.dumps(
        {
            "version": 1, "database": "s", "table": row.table, "tableID": 1, "type": "INSERT", "commitTs": 1,
            "buildTs": 1, "schemaVersion": 1,
            "data": {"id": str(row.id)} | {f"c{k}": value for k, value in enumerate(row.texts)},
        },
        ensure_ascii=row.id % 2 == 0,
    ).encode()  # fmt: skip


def pointing(value: bytes, location: str) -> bytes | None:
    """The message as one that points to a file; None where it is none that can."""
    try:
        found = json.loads(value)
        cut = found.keys() & {"claimCheckLocation", "handleKeyOnly"}
        if cut or found["type"] not in ("INSERT", "UPDATE", "DELETE"):
            return None
        return json.dumps({**found, "claimCheckLocation": location}).encode()
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
