"""Messages of thousands of tables: a decoder's caches keep them up to their limits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from canal_json.test_reading import insert
from craft.wire import Cell, Change, parts
from fuzz.engine import Paired
from fuzz.keyed_inputs import halves, joined
from manual.pages import manual, said
from open_protocol.wire import column, key, message
from timed import spent

import tidewire.runtime
from tidewire import canal_json, craft, open_protocol
from tidewire.events import Column, Events, RowChange
from tidewire.runtime.arrow.storage import BYTES, INT, TEXT
from tidewire.runtime.batch.layout import SCHEMAS, schema_of

pytestmark = pytest.mark.codec

COMPILED = tidewire.runtime.compiled


def text_of(table: int, size: int | None) -> str:
    """The value of column b: of that many characters, or of a few."""
    return "x" * (table % 7 if size is None else size)


def craft_message(table: int, size: int | None = None) -> bytes:
    cells = (Cell("id", 3, 0, table), Cell("a", 15, 0, f"text of {table}"), Cell("b", 15, 0, text_of(table, size)))
    return parts([Change("insert", 1, "s", f"t{table}", None, cells, None)]).build()


def json_message(table: int, size: int | None = None) -> bytes:
    row = '[{"id":"%d","a":"text of %d","b":"%s"}]' % (table, table, text_of(table, size))  # noqa: UP031
    return insert("", "", table=f'"t{table}"', mysqlType='{"id":"int","a":"varchar(20)","b":"varchar(7)"}', data=row)


class Framed:
    """Open Protocol, key and value as one."""

    @staticmethod
    def Decoder() -> Paired:
        return Paired(open_protocol.Decoder(), halves)


def framed_message(table: int, size: int | None = None) -> bytes:
    row = {"id": column(3, table), "a": column(15, f"text of {table}"), "b": column(15, text_of(table, size))}
    return joined(message((key(table=f"t{table}"), {"u": row})))


WIRES: list[tuple[Any, Callable[..., bytes]]] = [
    (craft, craft_message),
    (canal_json, json_message),
    (Framed, framed_message),
]
wires = pytest.mark.parametrize(("codec", "message"), WIRES, ids=["binary", "json", "frames"])


def rows(decoded: Any, each: int = 1) -> Iterator[tuple[str, dict[str, Any]]]:
    """Table and values of each row, or of one of so many, in order."""
    tables, layouts, events = decoded.tables, decoded.layouts, decoded.events
    columns = [events.column(n).to_pylist()[::each] for n in ("table", "new_layout", "new_row")]
    for table, layout, row in zip(*columns, strict=True):
        batch = layouts[layout].to_batch()
        yield tables[table][1], {name: batch.column(name)[row].as_py() for name in ("id", "a", "b")}


@wires
def test_rows_are_those_of_their_tables(codec: Any, message: Callable[[int], bytes]) -> None:
    """More tables than a generation holds, twice, and a few of them between all others."""
    count = 36_000 if COMPILED else 300
    decoder, messages = codec.Decoder(), [message(table) for table in range(count)]
    for _ in range(2):
        for start in range(0, count, count // 7):
            wanted = [*range(start, min(start + count // 7, count)), 0, 1, 2, 1]
            decoded = decoder.decode([messages[table] for table in wanted])
            assert not decoded.errors
            assert len(decoded.layouts) == len(decoded.tables) == len(set(wanted))
            for table, (name, row) in zip(wanted[::97], rows(decoded, 97), strict=True):
                assert (name, row["id"]) == (f"t{table}", table)
                assert (row["a"], row["b"]) == (f"text of {table}", "x" * (table % 7))


@wires
def test_short_texts_lie_beside_the_numbers(codec: Any, message: Callable[[int], bytes]) -> None:
    """From the second batch on, compiled: no memory of its own for each text column of thousands of tables."""
    decoder = codec.Decoder()
    batch = [message(table) for table in range(50)]
    for beside in (False, COMPILED, COMPILED):
        for layout in decoder.decode(batch).layouts:
            block, text = layout.arrays[0].buffers()[1].address, layout.arrays[1].buffers()[2].address
            # 27 bytes of three columns lie between them; memory of its own is aligned
            assert (block < text < block + 1000 and (text - block) % 8 == 27 % 8) == beside


@wires
def test_values_that_grow_from_batch_to_batch(codec: Any, message: Callable[[int], bytes]) -> None:
    """A few rows of a table in each batch, more or fewer than before, with longer or shorter values."""
    decoder = codec.Decoder()
    for counts in ([1, 1, 2, 1, 9, 3, 30, 8, 8, 1], [8, 20, 1, 5]):
        for size in counts:
            for first in (10**15, 3, 10**4):
                decoded = decoder.decode([message(first)] * size)
                # events read them where they lie, before there are Arrow arrays of them
                assert [event.new["a"] for event in Events(decoded) if isinstance(event, RowChange) and event.new] == [
                    f"text of {first}"
                ] * size
                assert [row["a"] for _, row in rows(decoded)] == [f"text of {first}"] * size


@wires
def test_a_batch_has_what_its_arrays_have(codec: Any, message: Callable[..., bytes]) -> None:
    """Made without them, of memory that is the decoder's: of one row, of a few, of many, with long values and short."""
    decoder = codec.Decoder()
    for size in (None, 300, 3, 40_000):
        for count in (1, 2, 9, 300):
            for layout in decoder.decode([message(at % 3, size) for at in range(count)]).layouts:
                before, again = layout.to_batch(), layout.to_batch()
                before.validate(full=True)
                assert before.schema.names == [column.name for column in layout.columns] == ["id", "a", "b"]
                assert before.columns == again.columns == layout.arrays
                assert before.schema.types == [array.type for array in layout.arrays]
                assert layout.to_batch().equals(before)
            assert not decoder.decode([]).layouts


def test_schemas_of_batches_are_kept_up_to_a_bound() -> None:
    """Those of equal columns once; the bound is that of all that is known of columns."""
    columns = (Column("a", 15, 0),)
    assert schema_of(columns, [TEXT]) is schema_of((Column("a", 15, 0),), [TEXT]) == pa.schema({"a": pa.utf8()})
    assert schema_of(columns, [BYTES]) == pa.schema({"a": pa.binary()}), "the same columns may hold something else"
    assert schema_of(columns, [INT]) == pa.schema({"a": pa.int64()})
    wide = [tuple(Column(f"c{table}_{at}", 3, 0) for at in range(900)) for table in range(60)]
    long = [(Column("x" * size, 3, 0),) for size in (100_000, 200_000, 3 << 20)]
    for one in (*wide, *long, *wide):
        assert schema_of(one, [INT] * len(one)).names == [column.name for column in one]
    assert SCHEMAS.find(wide[-1]) is not None
    assert SCHEMAS.find(wide[0]) is None, "two generations of 4 MiB are less than 60 times 230 kB"
    assert SCHEMAS.find(long[-1]) is None, "what is large is not kept"


@wires
@pytest.mark.parametrize("bits", [7, 8, 15, 16, 17])
def test_values_after_a_long_one(codec: Any, message: Callable[..., bytes], bits: int) -> None:
    """How much memory a few rows get depends on how long the values of the last batch were, whatever number that is."""
    decoder = codec.Decoder()
    for size in range((1 << bits) - 40, (1 << bits) + 9, 4):
        for size_now in (size, 3, 300):
            texts = [row["b"] for _, row in rows(decoder.decode([message(1, size_now), message(2, size_now)]))]
            assert texts == ["x" * size_now] * 2


@pytest.mark.once
@wires
def test_many_tables_that_take_turns_cost_what_one_does(codec: Any, message: Callable[[int], bytes]) -> None:
    """An event of many tables that take turns, in time: 3 times that of one, with room for a busy machine."""
    count, many = (20_000, 10_000) if COMPILED else (400, 200)

    def batch(tables: int) -> list[bytes]:
        known = [message(table) for table in range(tables)]
        return [known[at % tables] for at in range(count)]

    batches = {tables: batch(tables) for tables in (1, many)}
    decoders = {tables: codec.Decoder() for tables in batches}
    best = dict.fromkeys(batches, 1e9)
    for _ in range(6):
        for tables, messages in batches.items():
            start = time.process_time()
            decoders[tables].decode(messages)
            best[tables] = min(best[tables], time.process_time() - start)
    assert best[many] < 7 * best[1]


@pytest.mark.once
@wires
def test_what_is_remembered_of_tables_is_bounded(codec: Any, message: Callable[[int], bytes]) -> None:
    """Tables that never come again: two generations of them, less than 192 MiB."""
    decoder = codec.Decoder()
    messages = [message(table) for table in range(80_000 if COMPILED else 2_000)]

    def work() -> None:
        for start in range(0, len(messages), 2_000):
            decoder.decode(messages[start : start + 2_000])

    _, kept = spent(work)
    assert kept < 192 << 20


def test_limits_are_those_of_the_manual() -> None:
    """What a generation holds, as the page on limits says it."""
    folder = Path(tidewire.runtime.__file__).with_name("decoding")
    source = folder.joinpath("layout_cache.py").read_text(encoding="utf-8")
    for name, value in (("MOST_REMEMBERED", "1 << 15"), ("MOST_COLUMNS", "1 << 19"), ("MOST_BYTES", "1 << 25")):
        assert f"{name}: cython.Py_ssize_t = {value}\n" in source
    limits = said(manual("limits"))
    assert "32,768 layouts, 2^19" in limits
    assert "32 MiB of names and descriptions" in limits
