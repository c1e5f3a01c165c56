"""Rows that lie behind each other in one buffer are read together, a field at a time, also those of a list: they are
put there. Messages of an array with offsets of 64 bits are read one by one.

Both give the same, whatever the schemas are, whatever rows stand between them, and whichever message is damaged.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import fastavro
import pyarrow as pa
import pytest

import tidewire.runtime
from tidewire import avro
from tidewire.events import Events
from tidewire.messages.registry import MemorySchemas, RegisteredSchema

pytestmark = pytest.mark.codec

Json = dict[str, Any]
GATHERS = " bmi2 " in Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").exists() else False
"""Whether the processor has the instruction (Linux)."""
SEEDS = range(40 if tidewire.runtime.compiled else 12)
TABLES = (1, 2, 17, 64, 200) if tidewire.runtime.compiled else (1, 64)
LARGE, BINARY = pa.large_binary(), pa.binary()


class Kind(NamedTuple):
    """A type of columns, and values of it."""

    type: Any
    value: Callable[[Random], Any]


def _tidb(name: str, type: str, **more: str) -> Json:
    return {"type": type, "connect.parameters": {"tidb_type": name, **more}}


def _number(bits: int) -> Callable[[Random], int]:
    """Numbers of every length, with either sign, below 2**bits."""
    return lambda r: r.choice((-1, 1)) * r.getrandbits(r.randrange(bits + 1)) - r.randrange(2)


def _text(r: Random) -> str:
    letters = r.choice(("abcXYZ 019", "aé", "漢字", "a😀", "\u0000\x7f\u0080"))
    return "".join(r.choices(letters, k=r.choice((0, 1, 5, 31, 32, 33, 63, 64, 65, 300))))


def _decimal(scale: int) -> Callable[[Random], Decimal]:
    return lambda r: Decimal(r.choice((-1, 1)) * r.randrange(10 ** r.randrange(1, 39))).scaleb(-scale)


KINDS = (
    Kind("int", _number(31)),
    Kind(_tidb("INT UNSIGNED", "int"), lambda r: r.getrandbits(r.randrange(32))),
    Kind("long", _number(63)),
    Kind(_tidb("BIGINT UNSIGNED", "string"), lambda r: str(r.getrandbits(r.randrange(65)))),
    Kind("float", lambda r: r.choice((0.0, -0.0, 1.5, -(2.0**100)))),
    Kind("double", lambda r: r.uniform(-1e300, 1e300)),
    Kind("boolean", lambda r: r.random() < 0.5),
    Kind("string", _text),
    Kind("bytes", lambda r: r.randbytes(r.choice((0, 1, 31, 32, 33, 200)))),
    Kind(_tidb("ENUM", "string", allowed="a,bb,c"), lambda r: r.choice(("a", "bb", "c"))),
    Kind(_tidb("SET", "string", allowed="a,bb,c"), lambda r: r.choice(("", "a", "a,c", "a,bb,c"))),
    Kind(_tidb("BIT", "bytes", length="20"), lambda r: r.randbytes(2)),
    Kind({"type": "bytes", "logicalType": "decimal", "precision": 40, "scale": 0}, _decimal(0)),
    Kind({"type": "bytes", "logicalType": "decimal", "precision": 60, "scale": 9}, _decimal(9)),
)


class Table(NamedTuple):
    """A schema, the kinds of its columns, and how often something of the event is said."""

    id: int
    schema: Json
    fields: list[tuple[str, Kind]]


def _said(r: Random) -> list[tuple[str, Kind]]:
    """Fields that say something of the event: none, those that most rows have, or all."""
    op = ("_tidb_op", Kind("string", lambda r: r.choice("cud")))
    ts = ("_tidb_commit_ts", Kind("long", lambda r: r.getrandbits(62)))
    ms = ("_tidb_commit_physical_time", Kind("long", lambda r: r.getrandbits(40)))
    checksum = [
        ("_tidb_row_level_checksum", Kind("string", lambda r: r.choice(("", str(r.getrandbits(32)))))),
        ("_tidb_corrupted", Kind("boolean", lambda r: r.random() < 0.5)),
        ("_tidb_checksum_version", Kind("int", lambda r: r.randrange(3))),
    ]
    return r.choice(([], [op, ts, ms], [op, ts, ms], [ts, ms], [op, ms], [op], [op, ts, ms, *checksum]))


def _table(r: Random, id: int) -> Table:
    fields = [(f"c{k}", r.choice(KINDS)) for k in range(r.choice((0, 1, 3, 8, 40)))]
    for k, one in enumerate(fields):
        type = one[1].type
        union = r.choice((None, ["null", type], [type, "null"]))
        if union is not None:
            fields[k] = (one[0], Kind(union, _nullable(one[1], r.random())))
    fields += _said(r)
    schema = {"type": "record", "name": f"t{id}", "namespace": "d"}
    return Table(id, {**schema, "fields": [{"name": name, "type": kind.type} for name, kind in fields]}, fields)


def _nullable(kind: Kind, share: float) -> Callable[[Random], Any]:
    return lambda r: None if r.random() < share else kind.value(r)


def _record(id: int, schema: Any, value: Json) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, value)
    return b"\0" + id.to_bytes(4, "big") + out.getvalue()


class Messages:
    """Rows of some tables, in any order."""

    def __init__(self, seed: int, tables: int, count: int) -> None:
        r = Random(seed)
        self.random = r
        key = {"type": "record", "name": "k", "fields": [{"name": "c0", "type": "int"}]}
        made = [_table(r, id) for id in range(2, tables + 2)]
        known = [RegisteredSchema(1, "t-key", 1, json.dumps(key))]
        known += [RegisteredSchema(one.id, f"t{one.id}-value", 1, json.dumps(one.schema)) for one in made]
        self.schemas = MemorySchemas(known)
        parsed = {one.id: fastavro.parse_schema(one.schema) for one in made}
        self.rows = []
        self.values: list[bytes | None] = []
        for _ in range(count):
            table = r.choice(made)
            self.rows.append({name: kind.value(r) for name, kind in table.fields})
            self.values.append(_record(table.id, parsed[table.id], self.rows[-1]))
        self.keys: list[bytes | None] = [_record(1, key, {"c0": k}) for k in range(count)]

    def check(self, options: avro.Options | None = None) -> int:
        """Both ways give the same events and errors; how many events there are."""
        wide, arrays = (tuple(pa.array(one, kind) for one in (self.values, self.keys)) for kind in (LARGE, BINARY))
        one_by_one = avro.Decoder(options, schemas=self.schemas).attempt(*wide)
        together = avro.Decoder(options, schemas=self.schemas)
        for given in (arrays, arrays, (self.values, self.keys), arrays):  # with layouts that are known, too
            found = together.attempt(*given)
            _gather_otherwise(together)
            assert found.events.equals(one_by_one.events)
            assert list(map(repr, found.errors)) == list(map(repr, one_by_one.errors))
            assert found.tombstones == one_by_one.tombstones
            assert [layout.columns for layout in found.layouts] == [layout.columns for layout in one_by_one.layouts]
            for layout, other in zip(found.layouts, one_by_one.layouts, strict=True):
                assert list(map(str, layout.arrays)) == list(map(str, other.arrays))
                assert all(map(pa.Array.equals, layout.arrays, other.arrays)) or _has_nan(layout.arrays)
        return int(found.events.num_rows)


def _gather_otherwise(decoder: avro.Decoder) -> None:
    """The bits of numbers are put together in the other way, where the processor can do it in one instruction."""
    wire: Any = decoder._decode
    many = wire.__self__.many
    if many is not None and GATHERS:
        many.gathers = not many.gathers


def _has_nan(arrays: list[Any]) -> bool:
    return any(pa.types.is_floating(one.type) for one in arrays)


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_of_any_schemas(seed: int) -> None:
    """Tables in turn, nulls at either branch, numbers of every length, values that are read singly in between."""
    sent = Messages(seed, tables=seed % 5 + 1, count=300)
    assert sent.check() == 300


@pytest.mark.parametrize("seed", SEEDS)
def test_a_damaged_message_costs_one_row(seed: int) -> None:
    """Cut, longer than it should be, or with other bytes; those around it are what they were."""
    sent = Messages(seed, tables=seed % 3 + 1, count=300)
    r = sent.random
    for _ in range(r.choice((1, 1, 5, 60))):
        at = r.randrange(len(sent.values))
        value = sent.values[at] or b""
        place = r.randrange(len(value) + 1)
        damaged = (value[:place], value + b"\0", value[:place] + r.randbytes(3) + value[place + 3 :])
        sent.values[at] = r.choice(damaged)
    sent.check(avro.Options(invalid_text=r.choice(("error", "replace", "bytes"))))


@pytest.mark.parametrize("tables", TABLES)
@pytest.mark.parametrize("wrong", [0, 1, 20])
def test_many_tables_in_turn(tables: int, wrong: int) -> None:
    """The more tables there are, the more rows are read together; the rows of one table lie behind each other."""
    sent = Messages(tables + wrong, tables, count=2500)
    for at in sent.random.sample(range(2500), wrong):
        sent.values[at] = (sent.values[at] or b"")[:-1]
    assert sent.check() >= 2500 - wrong


@pytest.mark.parametrize("seed", range(10))
def test_rows_between_messages_without_key_or_value(seed: int) -> None:
    """A deleted row has no value; a message that has neither says nothing; statements and watermarks have no schema."""
    sent = Messages(seed, tables=2, count=500)
    r = sent.random
    for at in range(len(sent.values)):
        if r.random() < (0.02, 0.3)[seed % 2]:
            sent.values[at] = r.choice((None, b"\2" + r.randbytes(8), b"\1" + json.dumps({"query": "x"}).encode()))
        if r.random() < 0.02:
            sent.keys[at] = r.choice((None, b"", b"\0\0\0\0\1"))
    sent.check()


def test_numbers_that_do_not_fit() -> None:
    """Unsigned numbers below 0, and numbers of 32 bits that are larger, are refused one by one."""
    key = {"type": "record", "name": "k", "fields": [{"name": "a", "type": "int"}]}
    fields = [{"name": "a", "type": "int"}, {"name": "b", "type": _tidb("INT UNSIGNED", "int")}]
    kept = {1: key, 2: {"type": "record", "name": "t", "fields": fields}}
    schemas = MemorySchemas([RegisteredSchema(id, f"s{id}", 1, json.dumps(one)) for id, one in kept.items()])
    wide = {"type": "record", "name": "w", "fields": [{"name": "a", "type": "long"}, {"name": "b", "type": "long"}]}
    rows = [(k, k) for k in range(200)]
    for at, row in ((20, (2**31, 0)), (21, (-(2**31) - 1, 0)), (90, (0, -1)), (91, (-(2**31), 2**31 - 1))):
        rows[at] = row
    values = [_record(2, wide, {"a": a, "b": b}) for a, b in rows]
    found = avro.Decoder(schemas=schemas).attempt(
        pa.array(values, pa.binary()), pa.array([_record(1, key, {"a": 1})] * 200, pa.binary())
    )
    assert [error.message for error in found.errors] == [20, 21, 90]
    (layout,) = found.layouts
    kept_rows = list(zip(*(one.to_pylist() for one in layout.arrays), strict=True))
    assert kept_rows == [row for at, row in enumerate(rows) if at not in (20, 21, 90)]
    assert len(list(Events(found))) == 197


@pytest.mark.parametrize("name", ["_tidb_op", "_tidb_row_level_checksum"])
@pytest.mark.parametrize("at", [3, 60, 140])
def test_what_is_said_of_one_event_is_wrong(name: str, at: int) -> None:
    """It is found when the rows of all have been read; those before and behind it stay."""
    key = {"type": "record", "name": "k", "fields": [{"name": "a", "type": "int"}]}
    texts = [{"name": one, "type": "string"} for one in ("_tidb_op", "_tidb_row_level_checksum")]
    table = {"type": "record", "name": "t", "fields": [{"name": "a", "type": "int"}, *texts]}
    kept = {1: key, 2: table, 3: {**table, "name": "u"}}
    sent = Messages(0, tables=1, count=0)
    sent.schemas = MemorySchemas([RegisteredSchema(id, f"s{id}", 1, json.dumps(one)) for id, one in kept.items()])
    for k in range(200):
        row = {"a": k, "_tidb_op": "c", "_tidb_row_level_checksum": "7" if k % 3 else ""}
        sent.values.append(_record(2 + k % 2, table, {**row, **({name: "wrong"} if k == at else {})}))
        sent.keys.append(_record(1, key, {"a": k}))
    assert sent.check() == 199


@pytest.mark.parametrize("ops", ["c", "u", "d", "ccccccccd", "du"])
@pytest.mark.parametrize("tables", [1, 3])
def test_the_same_happened_to_all_rows(ops: str, tables: int) -> None:
    """What all of them have in common is found once: the events are those of rows that are read one by one."""
    key = {"type": "record", "name": "k", "fields": [{"name": "a", "type": "int"}]}
    fields = [{"name": "a", "type": "int"}, {"name": "_tidb_op", "type": "string"}]
    kept = {id: {"type": "record", "name": f"t{id}", "fields": fields} for id in range(2, 2 + tables)}
    sent = Messages(0, tables=1, count=0)
    made = [RegisteredSchema(id, f"s{id}", 1, json.dumps(one)) for id, one in ({1: key} | kept).items()]
    sent.schemas = MemorySchemas(made)
    for k in range(700):
        sent.values.append(_record(2 + k % tables, kept[2], {"a": k, "_tidb_op": ops[k % len(ops)]}))
        sent.keys.append(_record(1, key, {"a": k}))
    assert sent.check() == 700
