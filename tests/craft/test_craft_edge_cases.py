"""Edge cases that are well formed: decoded to what they say, encoded to the producer's bytes, read so by the twin.

Those that are malformed are in test_malformed.py; every truncation, flip and hostile count is in test_errors.py.
"""

from __future__ import annotations

import pytest

from craft import wire
from craft.plain import made, plain
from craft.twin import read
from craft.vectors import BY_NAME, CASE_1, CASE_1_END, CASE_1_HEADERS, VECTORS, Vector, document_update, double, row
from craft.wire import Cell, Change, Mark, Plain, Statement
from tidewire import craft
from tidewire.events import Ddl, RowChange
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import DecodeError, EncodeError

pytestmark = pytest.mark.codec


def encoded(events: list[Plain] | tuple[Plain, ...], **options: int | bool) -> list[bytes]:
    """The messages of events."""
    messages = craft.encode(made(events), craft.Options(**options))  # type: ignore[arg-type]
    assert [message.key for message in messages] == [None] * len(messages)
    return [message.value or b"" for message in messages]


def same(*events: Plain) -> bytes:
    """Encodes the events as one message, which has the twin's bytes and is decoded to them again; gives the message."""
    messages = encoded(events, max_batch_size=max(1, len(events)), max_message_bytes=2**31 - 1)
    assert messages == [wire.write(events)]
    assert plain(craft.decode(messages[0])) == read(messages[0]) == list(events)
    return messages[0]


def insert(*cells: Cell, ts: int = 1, schema: str = "test", table: str = "t", partition: int | None = None) -> Change:
    return Change("insert", ts, schema, table, partition, cells, None)


INT = Cell("i", 3, 0, 7)


# ---- golden vectors


@pytest.mark.parametrize("vector", VECTORS, ids=[vector.name for vector in VECTORS])
def test_golden_vectors(vector: Vector) -> None:
    assert encoded(vector.events, delete_only_output_handle_key_columns=vector.handle_key_only) == [vector.message]
    events = craft.decode(vector.message)
    assert plain(events) == read(vector.message) == list(vector.decoded or vector.events)
    assert [message.value for message in craft.encode(events)] == [vector.message]


@pytest.mark.parametrize(("events", "size", "unsigned"), [(BY_NAME["case 0"].events, 301, 300), (CASE_1, 997, 993)])
def test_size_table_of_the_document(events: tuple[Plain, ...], size: int, unsigned: int) -> None:
    """301 and 997 bytes. The document's 300 and 993 are of a format whose size tables were unsigned differences."""
    message = same(*events)
    assert len(message) == size
    parts = wire.parts(events)
    tables = [
        [len(parts.sections()[name]) for name in ("headers", "terms")],
        [len(b) for b in parts.bodies],
        *parts.group_sizes,
    ]
    parts.size_tables = b"".join(wire.uvarint(len(table)) + wire.delta_uvarints(table) for table in tables)
    assert len(parts.build()) == unsigned
    with pytest.raises(DecodeError):
        craft.decode(parts.build())


def test_sections_of_case_1() -> None:
    (message,) = encoded(CASE_1)
    assert message[1:41] == CASE_1_HEADERS
    assert message.endswith(CASE_1_END)
    sizes = {name: len(section) for name, section in wire.parts(CASE_1).sections().items()}
    assert sizes == {"version": 1, "headers": 40, "bodies": 864, "terms": 66, "gap": 0, "sizes": 25, "sizes_length": 1}


# ---- terms


def test_one_term_for_schema_table_and_column() -> None:
    message = same(insert(Cell("t", 3, 0, 7), schema="t", table="t"))
    assert b"\x01\x01t" in message
    assert message.count(b"t") == 1


def test_no_dictionary_without_names() -> None:
    message = same(Mark(7))
    assert wire.parts([Mark(7)]).sections()["terms"] == b""
    assert craft.decode(message).columns.tables == [(None, None)]


def test_create_database_has_no_table() -> None:
    (event,) = craft.decode(BY_NAME["create database: no table"].message)
    assert isinstance(event, Ddl)
    assert (event.schema, event.table) == ("a", None)


def test_differences_of_two_bytes_between_terms() -> None:
    """The columns of a table that comes later have ids whose difference to the first ones' is 64 and more."""
    first = insert(*(Cell(f"a{k}", 3, 0, k) for k in range(61)), table="t")
    for more in range(4):
        second = insert(*(Cell(f"b{k}", 3, 0, k) for k in range(2 + more)), Cell("a0", 3, 0, 1), table="u")
        same(first, second, first)


@pytest.mark.parametrize("columns", [127, 128, 129, 300])
def test_more_columns_than_one_byte_counts(columns: int) -> None:
    same(insert(*(Cell(f"column {k}", 3, k << 55, k) for k in range(columns))))


def test_terms_in_order_of_schemas_tables_columns() -> None:
    a, b = insert(Cell("x", 3, 0, 1), schema="s1", table="t1"), insert(Cell("y", 3, 0, 1), schema="s2", table="t2")
    message = same(a, b, a)
    assert wire.uvarint(6) + wire.strings([b"s1", b"s2", b"t1", b"t2", b"x", b"y"]) in message


# ---- commit ts


@pytest.mark.parametrize(
    "stamps", [[7, 7], [1, 2, 3], [5, 3], [0], [2**64 - 1], [0, 2**64 - 1, 0, 1], [2**63, 2**63 - 1]], ids=str
)
def test_commit_ts_that_repeat_fall_and_wrap(stamps: list[int]) -> None:
    same(*(insert(INT, ts=ts) for ts in stamps))


# ---- values

INTS = [
    Cell("i", kind, flags, value)
    for kind, bits in ((1, 8), (2, 16), (9, 24), (3, 32), (8, 64))
    for flags, ends in ((0, (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)), (0x80, (0, 2**bits - 1)))
    for value in ends
] + [Cell("i", 8, flags, value) for flags in (0, 0x80) for value in (63, 64, 127, 128, 8191, 8192)]
WHOLE = [
    Cell("year", 13, 0x80, 2155),
    Cell("year", 13, 0, 1901),
    Cell("bit", 16, 0, 2**64 - 1),
    Cell("set of 64", 248, 0, 2**64 - 1),
    Cell("set", 248, 0, 1 << 63),
    Cell("enum", 247, 0, 0),
    Cell("enum", 247, 0, 65535),
]


@pytest.mark.parametrize("cell", INTS + WHOLE, ids=lambda cell: f"{cell.name}-{cell.type}-{cell.flags}-{cell.value}")
def test_integers_at_the_ends_of_their_ranges(cell: Cell) -> None:
    same(insert(cell))


def test_a_year_is_zigzag_although_it_is_unsigned() -> None:
    assert b"\xca\x1f" in same(insert(Cell("y", 13, 0x80, 2021)))


FLOAT32 = [0.10000000149011612, 3.4028234663852886e38, -0.0, 1.401298464324817e-45, 1.1754942106924411e-38, 0.0, 1.5]
FLOAT64 = [*FLOAT32, 0.1, 1.7976931348623157e308, 5e-324, -2.2250738585072014e-308, float("inf"), float("nan")]


@pytest.mark.parametrize(("kind", "value"), [(4, v) for v in FLOAT32] + [(5, v) for v in FLOAT64])
def test_floats_to_the_bit(kind: int, value: float) -> None:
    same(insert(Cell("f", kind, 0, double(value))))


def test_a_float_is_not_overwritten_by_what_follows() -> None:
    """The producer writes 0 and 2.25 for the first two, and 2.01544189453125 for 2.0 before INT 2000."""
    cells = (
        Cell("f", 4, 0, double(1.5)),
        Cell("g", 4, 0, double(2.25)),
        Cell("h", 4, 0, double(2.0)),
        Cell("i", 3, 0, 2000),
    )
    message = same(insert(*cells), insert(*cells))
    assert message.count(double(1.5) + double(2.25) + double(2.0)) == 2


SIZES = [0, 1, 63, 64, 127, 128, 8191, 8192, 1 << 20]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("kind", "flags"), [(15, 0), (254, 1), (252, 0), (252, 1), (253, 1), (249, 0), (250, 1), (251, 0)]
)
def test_sizes_of_strings(kind: int, flags: int, size: int) -> None:
    content = (b"\0\xff" * size)[:size] if flags else "x" * size
    same(insert(Cell("s", kind, flags, content)))


def test_empty_is_not_null() -> None:
    message = same(
        insert(Cell("a", 15, 64, ""), Cell("b", 15, 64, None), Cell("c", 252, 65, b""), Cell("d", 252, 65, None))
    )
    assert b"\x00\x01\x00\x01" in message


def test_a_column_that_is_always_null() -> None:
    same(*(insert(*(Cell(f"c{kind}", kind, 0, None) for kind in range(256))) for _ in range(3)))


@pytest.mark.parametrize(
    "content", [b"\xff", b"a\xc3\x28", b"\xed\xa0\x80", b"\xc0\x80", b"x" * 9 + b"\xf5", b"\xe4\xb8"]
)
def test_text_that_is_not_utf8(content: bytes) -> None:
    """An error by default; replaced or as bytes when that is asked for. As bytes it is encoded again to what it was."""
    same(insert(Cell("s", 15, 1, content)))
    message = wire.write([insert(Cell("s", 15, 0, content), Cell("t", 15, 0, "é"))])
    with pytest.raises(DecodeError, match="not valid UTF-8") as caught:
        craft.decode(message)
    assert (caught.value.code, caught.value.needed) == ("utf8", len(content))
    (event,) = craft.decode(message, options=craft.Options(invalid_text="replace"))
    assert isinstance(event, RowChange)
    assert event.new == {"s": content.decode(errors="replace"), "t": "é"}
    events = craft.decode(message, options=craft.Options(invalid_text="bytes"))
    assert events[0].new == {"s": content, "t": "é"}
    assert [m.value for m in craft.encode(events)] == [message]
    assert encoded([insert(Cell("s", 15, 0, content), Cell("t", 15, 0, "é"))]) == [message]


TEXTS = [
    *[(11, t) for t in ("-838:59:59", "838:59:59.000000", "00:00:00.000000")],
    *[(kind, "0000-00-00") for kind in (10, 14)],
    *[(kind, "0000-00-00 00:00:00") for kind in (7, 12)],
    *[(246, t) for t in ("1.500000", "-0.01", "9" * 65, "-" + "9" * 35 + "." + "9" * 30)],
    *[(245, t) for t in ('{"a": 1}', '["é中文", "\U0001f600"]', "null")],
    *[(225, t) for t in ("[]", "[1,2.5]")],
]


@pytest.mark.parametrize(("kind", "text"), TEXTS)
@pytest.mark.parametrize("flags", [0, 1, 0x80])
def test_values_that_are_text(kind: int, flags: int, text: str) -> None:
    """Whatever the flags say: they are text, not bytes. VECTOR too, which Go's reader loses."""
    same(insert(Cell("c", kind, flags, text)))


@pytest.mark.parametrize(("kind", "value"), [(255, b"x"), (0, "x")])
def test_types_whose_values_others_have(kind: int, value: object) -> None:
    """Spatial values and those of a type that was not told: TiCDC writes null for them, here they are refused."""
    same(insert(Cell("c", kind, 0, None)))
    with pytest.raises(EncodeError, match="column 'c': "):
        craft.encode([RowChange("insert", 1, "s", "t", new={"c": value}, columns=[Column("c", kind, 0)])])


@pytest.mark.parametrize("kind", [6, 200])
def test_types_without_values(kind: int) -> None:
    """NULL and types that TiDB does not have are null. Go drops a value; here it is refused."""
    same(insert(Cell("c", kind, 0, None)))
    with pytest.raises(EncodeError, match="event 0, column 'c': its type has no values, only null; b'x' was given"):
        craft.encode([RowChange("insert", 1, "s", "t", new={"c": b"x"}, columns=[Column("c", kind, 0)])])


# ---- sizes


def events_with_tables(size: int) -> list[Plain]:
    """Events of one table whose size tables take up exactly that many bytes."""
    count = size // 3
    update = Change("update", 1, "s", "t", None, (INT,), (INT,))
    while True:
        for updates in range(8):
            events: list[Plain] = [*[insert(INT, schema="s")] * count, *[update] * updates]
            if len(wire.parts(events).sections()["sizes"]) == size:
                return events
        count -= 1


@pytest.mark.parametrize(
    ("size", "trailer"), [(127, "7f"), (128, "0180"), (16383, "7fff"), (16384, "018080"), (16385, "018081")]
)
def test_length_of_the_size_tables_at_the_end(size: int, trailer: str) -> None:
    assert same(*events_with_tables(size)).endswith(bytes.fromhex(trailer))


def test_sizes_that_decrease() -> None:
    """The dictionary is smaller than the headers, or not there; later bodies and groups are the smaller ones."""
    same(*(insert(INT, ts=2**62 + k) for k in range(20)))
    same(Mark(1))
    big, small = Cell("s", 15, 0, "x" * 300), Cell("s", 15, 0, "")
    same(insert(big), insert(small), Change("update", 1, "test", "t", None, (big,), (small,)), insert(small))


# ---- partitions


def test_partitions_in_one_batch() -> None:
    same(*(insert(INT, partition=p) for p in (None, 0, 108, 2**63 - 1, None, 1)))


def test_negative_partitions() -> None:
    """Go takes every negative number for no partition. Only -1 was ever written for it; others are kept as they are."""
    parts = wire.parts([insert(INT), insert(INT)])
    parts.partitions = [-1, -2]
    assert craft.decode(parts.build()).columns.events["partition_id"].to_pylist() == [None, -2]


# ---- flags, types and DDL


@pytest.mark.parametrize("flags", [1 << 63, 2**64 - 1, 0xFF])
def test_flags_are_kept_whole(flags: int) -> None:
    same(insert(Cell("c", 16, flags, 2**64 - 1)))


@pytest.mark.parametrize("code", [0, 1, 77, 78, 127, 128, 255])
def test_ddl_types_are_kept_though_unknown(code: int) -> None:
    same(Statement(1, "s", "t", code, "x"))


@pytest.mark.parametrize(
    "query", ["", "x" * 5_000_000, "CREATE TABLE `中文` (é int) /* \U0001f600\0 */"], ids=["empty", "5 MB", "unicode"]
)
def test_statements_of_all_lengths_and_scripts(query: str) -> None:
    same(Statement(1, "s", "t", 3, query))


# ---- options


def test_the_row_that_crosses_the_limit_is_in_the_message() -> None:
    """A row of test.t with a VARCHAR "aa" is estimated at 56 bytes: 256 hold 5 of them."""
    rows = [insert(Cell("a", 15, 0, "aa"))] * 10_000

    def batches(most: int, limit: int) -> list[int]:
        return [
            message.events
            for message in craft.encode(made(rows), craft.Options(max_batch_size=most, max_message_bytes=limit))
        ]

    assert batches(64, 256) == [5] * 2000
    assert batches(64, 279) == [5] * 2000
    assert batches(64, 280) == [6] * 1666 + [4]
    assert batches(64, 10 << 20) == [64] * 156 + [16]
    assert batches(16, 10 << 20) == [16] * 625


def test_one_row_a_message() -> None:
    rows: list[Plain] = [insert(INT, ts=k) for k in range(4)]
    assert encoded(rows, max_batch_size=1) == [wire.write([row]) for row in rows]


def test_a_row_above_the_limit_goes_alone() -> None:
    rows: list[Plain] = [insert(Cell("s", 15, 0, "x" * 100_000)), insert(Cell("s", 15, 0, "y" * 100_000))]
    assert encoded(rows, max_message_bytes=1) == [wire.write([row]) for row in rows]


def test_other_events_close_a_message() -> None:
    a, ddl, mark = insert(INT), Statement(2, "s", None, 1, "create database s"), Mark(3)
    assert encoded([a, a, ddl, ddl, a, mark, a]) == [wire.write(e) for e in ([a, a], [ddl], [ddl], [a], [mark], [a])]
    messages = craft.encode(made([a, a, ddl, ddl, a, mark, a]))
    assert [(m.first_event, m.events) for m in messages] == [(0, 2), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1)]


def test_a_delete_keeps_its_handle_key() -> None:
    """Inserts and updates keep everything; what remains of the delete is what counts for the limit."""
    kept, full = row("aa")[:1], row("aa")
    delete, rest = (
        Change("delete", 5, "test", "t1", None, None, full),
        Change("delete", 5, "test", "t1", None, None, kept),
    )
    update = Change("update", 5, "test", "t1", None, full, full)
    assert encoded([delete, update], delete_only_output_handle_key_columns=True) == [wire.write([rest, update])]
    limit = 2 * (32 + len("test" + "t1") + len("id") + 1 + 16)
    options = {"delete_only_output_handle_key_columns": True, "max_message_bytes": limit}
    assert encoded([delete] * 6, **options) == [wire.write([rest] * 3)] * 2


def test_no_handle_key() -> None:
    reason = "event 1: no column is flagged handle_key, and delete-only-output-handle-key-columns keeps only those"
    delete = Change("delete", 5, "test", "t", None, None, (INT,))
    with pytest.raises(EncodeError, match=reason) as caught:
        encoded([insert(INT), delete], delete_only_output_handle_key_columns=True)
    assert caught.value.event == 1
    assert encoded([insert(INT), document_update(1, "b")], delete_only_output_handle_key_columns=True)
