"""What public functions are given that they cannot take: errors of the family say so, and nothing else is raised.

The values are of every kind that Python has at hand, and texts that break what is careless with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tidewire
from tidewire.events import Bootstrap, Ddl, Events, RowChange, Watermark
from tidewire.messages.registry import SavedSchemas
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import DescriptionError, SqlError, TidewireError
from tidewire.runtime.tables.columns import COLUMN_FIELDS, INDEX_FIELDS
from tidewire.runtime.tables.description import TABLE_FIELDS
from tidewire.tables import ColumnDescription, IndexDescription, TableDescription, TableStore

pytestmark = pytest.mark.codec

TS = 470607536966860800
DIGITS = "9" * 15_000
VALUES: list[Any] = [
    *(None, 5, -1, 2**63, 2**64, 2**100_000, 1.5, float("nan"), True),
    *("", "x", "\ud800", "x\0y", "\x1b[31m", "\u202ex", "a" * 5000, DIGITS),
    *(b"", b"x", b"{", b"{}", b'{"a":1}', DIGITS.encode(), bytearray(b"x"), memoryview(b"x")),
    *([], [1], ["a"], [None], [b"x", None], [[]], [{}], (), {}, {"a": 1}, {1: 2}, {"a", "b"}, range(3), object()),
    *(pa.array([b"x"]), pa.array(["x"]), pa.array([1]), pa.array([None]), pa.chunked_array([[b"x"]])),
    *(int, ValueError, len, Column("id", 8, 2), [Column("id", 8, 2)]),
]
MODULES = {name: one.load() for name, one in tidewire.protocols().items()}
every_protocol = pytest.mark.parametrize("name", MODULES)
FLAGS = (0, int(ColumnFlag.BINARY), int(ColumnFlag.UNSIGNED)) if tidewire.runtime.compiled else (0,)
Call = Callable[[], object]


def check(calls: Iterator[tuple[str, Call]]) -> None:
    """Calls all of these; what is raised has to be of the family, and can be read."""
    wrong: list[str] = []
    for said, call in calls:
        try:
            call()
        except TidewireError as error:
            text = str(error)
            if len(text) > 5000 or not text.isprintable():
                wrong.append(f"{said}: a text of {len(text)} characters: {text[:200]!r}")
        except Exception as error:
            wrong.append(f"{said}: {type(error).__name__}: {str(error)[:200]}")
    assert not wrong, "\n".join([f"{len(wrong)} errors:", *wrong[:20]])


def with_value(value: Any) -> str:
    """The value for people."""
    try:
        return repr(value)[:40]
    except ValueError:
        return type(value).__name__


def of_codec(m: Any, v: Any) -> Iterator[tuple[str, Call]]:
    yield "decode", lambda: m.decode(v)
    yield "decode's key", lambda: m.decode(b"{}", v)
    yield "decode's options", lambda: m.decode(b"{}", None, v)
    yield "decode_batch", lambda: m.decode_batch(v)
    yield "decode_batch of a list", lambda: m.decode_batch([v])
    yield "decode_batch's keys", lambda: m.decode_batch([b"{}"], v)
    yield "decode_batch's list of keys", lambda: m.decode_batch([b"{}"], [v])
    yield "dissect", lambda: m.dissect(v)
    yield "dissect's key", lambda: m.dissect(b"{}", v)
    yield "encode", lambda: m.encode(v)
    yield "encode of a list", lambda: m.encode([v])
    yield "encode_batch", lambda: m.encode_batch(v)
    yield "Decoder", lambda: m.Decoder(v)
    yield "Encoder", lambda: m.Encoder(v)
    yield "Decoder.decode", lambda: m.Decoder().decode(v)
    yield "Decoder.parts", lambda: list(m.Decoder().parts(v))
    yield "Encoder.encode", lambda: m.Encoder().encode(v)
    yield "from_strings", lambda: m.Options.from_strings(v)


def of_options(m: Any, v: Any) -> Iterator[tuple[str, Call]]:
    for one in m.OPTIONS:
        yield f"Options {one.name}", partial(m.Options, **{one.python_name: v})
        yield f"from_strings {one.name}", partial(m.Options.from_strings, {one.name: v})
        try:
            options = m.Options(**{one.python_name: v})
        except TidewireError:
            continue
        yield f"Decoder with {one.name}", partial(m.Decoder, options)
        yield f"Encoder with {one.name}", partial(m.Encoder, options)


ROW: dict[str, Any] = {
    "kind": "update",
    "commit_ts": TS,
    "schema": "s",
    "table": "t",
    "new": {"id": 1, "c": "x"},
    "old": {"id": 1, "c": "y"},
    "table_id": 7,
    "columns": [Column("id", 8, int(ColumnFlag.HANDLE_KEY), "bigint"), Column("c", 15, 0, "varchar(10)")],
    "table_version": 3,
}
DDL: dict[str, Any] = {"commit_ts": TS, "schema": "s", "table": "t", "ddl_type": 3, "query": "create table t (a int)"}


def written(module: Any, event: Callable[..., Any], given: dict[str, Any]) -> object:
    """An event with these parts, as messages."""
    return module.encode([event(**given)])


def described(column: dict[str, Any], index: dict[str, Any] | None, given: dict[str, Any]) -> TableDescription:
    """A table with this column and index, and what else is given."""
    parts: dict[str, Any] = {"columns": [ColumnDescription(**column)]}
    if index is not None:
        parts["indexes"] = [IndexDescription(**index)]
    return TableDescription(**{"schema": "s", "table": "t", **parts, **given})


def of_events(m: Any, v: Any) -> Iterator[tuple[str, Call]]:
    for name in (*RowChange.POSITIONAL, *RowChange.NAMED):
        if name == "kind" and not isinstance(v, str):
            continue  # compiled, it is a str in its signature
        yield f"RowChange {name}", partial(written, m, RowChange, {**ROW, name: v})
    for name in (*Ddl.POSITIONAL, *Ddl.NAMED):
        yield f"Ddl {name}", partial(written, m, Ddl, {**DDL, name: v})
    yield "Watermark", lambda: m.encode([Watermark(v)])
    yield "Bootstrap", lambda: m.encode([Bootstrap(1, "s", "t", table_after=v, table_id=5)])
    for kind in ColumnType:
        for flags in FLAGS:
            columns = [Column("id", 8, 2), Column("c", int(kind), flags)]
            given = {**ROW, "kind": "insert", "new": {"id": 1, "c": v}, "old": None, "columns": columns}
            yield f"a value of {kind.name} {flags}", partial(written, m, RowChange, given)
    for at in range(4):
        parts: list[Any] = ["c", 15, 0, "varchar(10)"]
        parts[at] = v
        columns = [Column("id", 8, 2, "bigint"), Column(*parts)]
        yield f"Column {at}", partial(written, m, RowChange, {**ROW, "columns": columns})


@every_protocol
def test_functions_of_protocols(name: str) -> None:
    check((f"{said} {with_value(v)}", call) for v in VALUES for said, call in of_codec(MODULES[name], v))


@pytest.mark.once
@every_protocol
def test_options(name: str) -> None:
    check((f"{said} {with_value(v)}", call) for v in VALUES for said, call in of_options(MODULES[name], v))


@every_protocol
def test_events(name: str) -> None:
    check((f"{said} {with_value(v)}", call) for v in VALUES for said, call in of_events(MODULES[name], v))


def test_numbers_of_events_are_not_rounded() -> None:
    for module in MODULES.values():
        for wrong in (1.5, "1", float("nan")):
            with pytest.raises(TidewireError):
                module.encode([Watermark(wrong)])  # type: ignore[arg-type]


def of_package(v: Any) -> Iterator[tuple[str, Call]]:
    one = [b"{}"]
    yield "detect", lambda: tidewire.detect(v, options=False)
    yield "detect of a list", lambda: tidewire.detect([v], options=False)
    yield "detect's keys", lambda: tidewire.detect(one, v, options=False)
    yield "detect's options", lambda: tidewire.detect(one, options=False, known=v)
    yield "protocols", lambda: tidewire.protocols().get(v) if isinstance(v, str) else None
    yield "transcode", lambda: tidewire.transcode(v, "craft", "canal-json")
    yield "transcode of a list", lambda: tidewire.transcode([v], "canal-json", "craft")
    yield "transcode's source", lambda: tidewire.transcode(one, v, "craft")
    yield "transcode's target", lambda: tidewire.transcode(one, "craft", v)
    yield "transcode's options", lambda: tidewire.transcode(one, "open-protocol", "craft", v or {"x": "y"})
    yield "transcode's keys", lambda: tidewire.transcode(one, "open-protocol", "craft", keys=v)
    yield "transcode's tables", lambda: tidewire.transcode(one, "simple", "craft", tables=v)
    yield "Events.of", lambda: Events.of(v)
    yield "Events.of a list", lambda: Events.of([v])


def of_tables(v: Any) -> Iterator[tuple[str, Call]]:
    store = TableStore()
    yield "TableStore", lambda: TableStore(v)
    yield "TableStore of a list", lambda: TableStore([v])
    yield "add", lambda: store.add(v)
    yield "add_events", lambda: store.add_events(v)
    yield "add_sql", lambda: store.add_sql(v)
    yield "add_sql's schema", lambda: store.add_sql("create table t (a int)", v)
    yield "add_sql's version", lambda: store.add_sql("create table t (a int)", "s", v)
    yield "find", lambda: store.find(v, v, v)
    yield "find's version", lambda: store.find("s", "t", v)
    yield "latest", lambda: store.latest(v, v)
    yield "at", lambda: store.at(v, v, None)
    column: dict[str, Any] = {"name": "a", "mysql_type": "int"}
    for name in TABLE_FIELDS:
        yield f"TableDescription {name}", partial(described, column, None, {name: v})
    for name in COLUMN_FIELDS:
        yield f"ColumnDescription {name}", partial(described, {**column, name: v}, None, {})
    for name in INDEX_FIELDS:
        yield f"IndexDescription {name}", partial(described, column, {"name": "a", "columns": ["a"], name: v}, {})


def test_functions_of_the_package() -> None:
    check((f"{said} {with_value(v)}", call) for v in VALUES for said, call in of_package(v))


@pytest.mark.once
def test_functions_of_stores() -> None:
    check((f"{said} {with_value(v)}", call) for v in VALUES for said, call in of_tables(v))


LITERALS = [
    *("0x" + "F" * 15_001, "x'" + "F" * 15_002 + "'", "b'" + "1" * 15_000 + "'", "0b" + "1" * 15_000),
    *(DIGITS, "-" + DIGITS, DIGITS + ".5", "1e" + DIGITS, "'" + DIGITS + "'", ".5e99999999999", "x''", "b''"),
]
STATEMENTS = [
    *(f"create table t (a {one} default %s)" for one in ("int", "decimal(5,2)", "varchar(10)", "bit(64)", "double")),
    *(f"create table t (a {one} default %s)" for one in ("enum('x')", "set('x')", "year", "json", "binary(5)", "time")),
    *("create table t (a bigint(%s))", "create table t (a decimal(%s,2))", "create table t (a timestamp(%s))"),
    *("create table t (a int) auto_increment=%s", "create table t (a int comment %s)", "create table t (a enum(%s))"),
    *("create table t (a int, key (a(%s)))", "create table t (a blob default (%s))", "%s"),
    "create table t (a int) partition by range (a) (partition p values less than (%s))",
]


@pytest.mark.once
def test_numbers_of_many_digits_in_sql() -> None:
    def call(text: str) -> None:
        for one in TableStore().add_sql(text, "s"):
            repr(one)

    check((text[:60], partial(call, text)) for one in STATEMENTS for text in [one % x for x in LITERALS])


@pytest.mark.once
def test_a_default_of_more_bytes_than_a_number_has_is_kept() -> None:
    (found,) = TableStore().add_sql(f"create table t (a varchar(9000) default x'{'41' * 8000}')", "s")
    assert found.columns[0].default == "A" * 8000
    with pytest.raises((DescriptionError, SqlError)):
        TableStore().add_sql(f"create table t (a bit(64) default b'{'1' * 15_000}')", "s")


def test_a_wrong_call_spoils_no_other() -> None:
    for module in MODULES.values():
        wrongs: list[Any] = [[], [1], {}, 0, ""]
        for wrong in wrongs:
            with pytest.raises(TidewireError):
                module.decode(b"{}", None, wrong)
        assert module.decode_batch([None]).tombstones == [0]


@pytest.mark.once
@pytest.mark.parametrize("path", ["x\0y", "\0", "\ud800", "a" * 5000, "/", "/dev/null", ".", "", 5, None, b"x"])
def test_paths_that_no_file_has(path: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    avro = MODULES["avro"]
    record = b"\0\0\0\0\1abc"

    def calls() -> Iterator[tuple[str, Call]]:
        yield "SavedSchemas", lambda: SavedSchemas(path)
        yield "schema", lambda: SavedSchemas(path).schema(1)
        yield "register", lambda: SavedSchemas(path).register("s", '"int"')
        yield "decode", lambda: avro.decode_batch([record], [record], avro.Options(schema_registry=path)).errors
        yield "encode", lambda: avro.encode([RowChange(**ROW)], avro.Options(schema_registry=path))
        for name in ("schema_registry_ca_file", "schema_registry_certificate", "schema_registry_key"):
            yield name, partial(decoder_with, {"schema_registry": "http://h", name: path})

    def decoder_with(given: dict[str, Any]) -> object:
        return avro.Decoder(avro.Options(**given))

    check(calls())
