"""The fuzzing engine for Simple, whose rows are read by what other messages say of their tables.

Most descriptions are those that were recorded: they are known before the first batch, so that good messages stay what
they are whatever others claim. Hostile ones come in between, in the order in which a topic could have them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from random import Random
from typing import Any

import recorded
from json_twin import MalformedError, bits
from simple.twin import Column, Flat, Index, Located, Table, Tables, read

from tidewire import simple
from tidewire.events import Bootstrap, Ddl, RowChange, Watermark
from tidewire.mysql import declared
from tidewire.runtime.tables import DescribedTable
from tidewire.runtime.tables.differences import contradiction
from tidewire.simple.decoder import Decoder
from tidewire.tables import ColumnDescription, IndexDescription, TableDescription, TableStore

from . import text_edits
from .crowd import Row
from .described_engine import DescribedEngine
from .engine import Wire

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
VERSIONS = (b"version", b"schemaVersion")
_VERSION = re.compile(rb'"(%b)":([0-9]{2,})' % b"|".join(VERSIONS))
PIECES = (
    *text_edits.PIECES,
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


class SimpleEngine(DescribedEngine):
    """The decoder of Simple's objects."""

    name = "simple"
    module = simple
    sparse = 60

    @classmethod
    def made(cls) -> Sequence[bytes]:
        return MADE

    @classmethod
    def recorded(cls) -> Iterator[list[bytes]]:
        for stream in recorded.streams("simple"):
            yield [one.value for one in recorded.plain(stream)]

    def decoder_with(self, tables: TableStore) -> Wire:
        return Decoder(store=tables)

    def of_crowds(self) -> Wire:
        return self.decoder_with(Crowd())

    @classmethod
    @cache
    def twins(cls) -> Tables:
        """What is described, as the twin has it."""
        return {(one.schema, one.table, one.version): one for one in map(as_twin, cls.described())}

    def known_before(self) -> Any:
        return dict(self.twins())

    def known_nothing(self) -> Any:
        return {}

    def read_by_twin(self, value: bytes, known: Tables) -> Flat:
        """The event of a message, whose tables are not added yet."""
        return read(value, Seen(known))

    def read(self, value: bytes, known: Any) -> list[Any]:
        found = self.read_by_twin(value, known)
        described = [table for table in (found.after, found.before) if table is not None]
        try:
            for table in described:
                as_described(table)
            for table in described:
                learn(table, known)
            if found.table_version is not None:
                readable(known[found.schema or "", found.table or "", found.table_version])
        except ValueError as error:
            raise MalformedError(str(error)) from None
        return [of_twin(found)]

    def said(self, event: Any) -> Any:
        return of_event(event)

    def spoiled(self, chance: Random, corpus: Sequence[bytes]) -> bytes:
        """One to three changes: what is said of a table or row, a version, or any change."""
        found = chance.choice(corpus)
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            kind, told = chance.random(), None
            if kind < 0.4:
                told = text_edits.told_otherwise(chance, found, FACTS, _FACT, PIECES)
            elif kind < 0.5:
                # rows of unknown versions, and descriptions of versions that are known, or that others will have
                others = (b"%d" % chance.randrange(10, 20), b"%d" % (chance.choice(self.versions()) or 0))
                told = text_edits.told_otherwise(chance, found, dict.fromkeys(VERSIONS, others), _VERSION)
            found = text_edits.edited(chance, found, corpus, PIECES) if told is None else told
        return found

    def written(self, row: Row) -> bytes:
        return json.dumps(
            {
                "version": 1, "database": "s", "table": row.table, "tableID": 1, "type": "INSERT", "commitTs": 1,
                "buildTs": 1, "schemaVersion": 1,
                "data": {"id": str(row.id)} | {f"c{k}": value for k, value in enumerate(row.texts)},
            },
            ensure_ascii=row.id % 2 == 0,
        ).encode()  # fmt: skip

    def pointing(self, value: bytes, location: str) -> bytes | None:
        try:
            found = json.loads(value)
            cut = found.keys() & {"claimCheckLocation", "handleKeyOnly"}
            if cut or found["type"] not in ("INSERT", "UPDATE", "DELETE"):
                return None
            return json.dumps({**found, "claimCheckLocation": location}).encode()
        except (ValueError, LookupError, TypeError, RecursionError):
            return None
