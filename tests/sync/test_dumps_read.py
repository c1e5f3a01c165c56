"""Dumps in Dumpling's layout: every way to write them gives the rows back, and a damaged one is told with its line."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sync.dumpling import Cell, Dumped, csv_text, packed, sql_text, write_dump
from tidewire.reading.database.dump import Dump
from tidewire.reading.database.dumped_csv import csv_rows
from tidewire.reading.database.dumped_inserts import inserted_rows
from tidewire.reading.database.dumped_text import AT_ONCE, BATCH_BYTES, DumpError, DumpFormat, Text

TSO = 470607537148264454
SQL = "CREATE TABLE `t` (`id` int NOT NULL, `v` varchar(99), `b` blob, PRIMARY KEY (`id`))"
COLUMNS = {"id": "int", "v": "varchar(99)", "b": "blob"}
HOSTILE: list[list[Cell]] = [
    [b"1", b"a'b\"c\\\n\r\0,;\x1a", bytes(range(256))],
    [b"2", b"\\N", b"\\N"],
    [b"3", None, None],
    [b"4", b"", b""],
    [b"5", b"NULL", b"NULL"],
    [b"6", b"'',''),(", b"\"\",\"\"\r\n"],
    [b"7", b"\\", b"\\\\"],
    [b"8", "é\u2028\U0001f600".encode(), b"\xff\xfe"],
    [b"9", b"/* -- # */;", b"x'00'"],
    [b"10", b"\r\n\"\r\n", b"\n"],
]


def shop(rows: Sequence[Sequence[Cell]] = HOSTILE) -> dict[str, Dumped]:
    return {"shop.t": Dumped(SQL, COLUMNS, rows)}


def read(dump: Dump, name: tuple[str, str] = ("shop", "t")) -> list[tuple[Cell, ...]]:
    rows = []
    for some in dump.rows(name, dump.describe(name)):
        rows += list(zip(*some.columns, strict=True))
    return rows


def pieces(data: bytes, size: int = 1 << 16) -> Iterator[bytes]:
    for at in range(0, len(data), size):
        yield data[at : at + size]


@pytest.mark.parametrize("kind", ["csv", "sql"])
@pytest.mark.parametrize("how", ["", "gz", "zst"])
@pytest.mark.parametrize("binary", ["raw", "hex", "base64"])
def test_all_rows_come_back(tmp_path: Path, kind: str, how: str, binary: str) -> None:
    place = write_dump(tmp_path, TSO, shop(), kind, how, binary)
    dump = Dump(str(place), DumpFormat(binary=binary))  # type: ignore[arg-type]
    assert (dump.tso, dump.names()) == (TSO, [("shop", "t")])
    assert read(dump) == [tuple(row) for row in HOSTILE]


odd = st.sampled_from([b"\\N", b"NULL", b"''", b'""', b"\\", b"\r\n", b"),("])
cells = st.one_of(st.none(), st.binary(max_size=9), odd)


@given(st.lists(st.tuples(cells, cells), max_size=6), st.booleans(), st.booleans(), st.integers(1, 40))
def test_any_bytes_come_back(rows: list[tuple[Cell, Cell]], escapes: bool, header: bool, size: int) -> None:
    table = Dumped("", {"v": "text", "b": "blob"}, rows)
    text = csv_text(table, header, escapes=escapes)
    found = list(csv_rows(Text("f", pieces(text, size)), ["v", "b"], DumpFormat(escapes=escapes)))
    assert [row for some in found for row in zip(*some.columns, strict=True)] == rows
    text = sql_text("t", table, escapes)
    found = list(inserted_rows(Text("f", pieces(text, size)), "t", ["v", "b"], escapes))
    assert [row for some in found for row in zip(*some.columns, strict=True)] == rows


def test_columns_are_taken_by_their_names(tmp_path: Path) -> None:
    place = write_dump(tmp_path, TSO, shop([]))
    csv, sql = place / "shop.t.000000000.csv", place / "shop.t.000000000.sql"
    found = []
    csv.write_bytes(b'"B","id"\r\n"x",1\r\n')
    found += list(Dump(str(place)).rows(("shop", "t"), Dump(str(place)).describe(("shop", "t"))))
    sql.write_bytes(b"INSERT INTO `shop`.`t` (`v`, `id`) VALUES (_binary 'y',0),\n (0x41,-1.5e3);")
    with pytest.raises(DumpError, match=r"rows of shop\.t as CSV and as SQL, so that two dumps are in it"):
        Dump(str(place))
    csv.unlink()
    found += list(Dump(str(place)).rows(("shop", "t"), Dump(str(place)).describe(("shop", "t"))))
    assert [(some.names, some.columns) for some in found] == [
        (("B", "id"), [(b"x",), (b"1",)]),
        (("v", "id"), [(b"y", b"A"), (b"0", b"-1.5e3")]),
    ]


def test_other_forms_of_csv(tmp_path: Path) -> None:
    place = write_dump(tmp_path, TSO, shop([]))
    (place / "shop.t.000000000.csv").write_bytes(b"1|+|a\\,\\\\N\\nb|+|\n2|+|NULL|+|x\n")
    dump = Dump(str(place), DumpFormat(separator="|+|", quote="", null="NULL"))
    assert read(dump) == [(b"1", b"a,\\N\nb", b""), (b"2", None, b"x")]


def test_what_a_dump_calls_its_tables(tmp_path: Path) -> None:
    place = write_dump(tmp_path, TSO, {"a.b": Dumped("CREATE TABLE `b` (id int)", {"id": "int"}, [])})
    others = "s.v-schema.sql", "s.v-schema-view.sql", "s-schema-create.sql", "README"
    for name in ("sh%2Eop.t%2D%25-schema.sql", *others):
        (place / name).write_bytes(b"CREATE TABLE `x` (id int);")
    (place / "sh%2Eop.t%2D%25.000000000.csv").write_bytes(b'"id"\r\n')
    # a view is none of them, though it is described as a table, too
    assert Dump(str(place)).names() == [("a", "b"), ("sh.op", "t-%")]


def test_computed_columns_are_not_in_a_dump(tmp_path: Path) -> None:
    sql = "CREATE TABLE `t` (`id` int, `g` int GENERATED ALWAYS AS (id + 1) STORED, `w` int AS (id) VIRTUAL, `v` int)"
    place = write_dump(tmp_path, TSO, {"shop.t": Dumped(sql, {"id": "int", "v": "int"}, [[b"1", b"2"]])})
    (place / "shop.t.000000000.csv").write_bytes(b"1,2\r\n")
    dump = Dump(str(place))
    assert [one.name for one in dump.columns(dump.describe(("shop", "t")))] == ["id", "v"]
    assert read(dump) == [(b"1", b"2")]


BEGIN = b"/* a comment\n; */\nINSERT INTO `t` VALUES\n(1,'a',NULL),\n"
DAMAGED: list[tuple[str, bytes, str]] = [
    ("csv", b'"id","v","b"\r\n1,"a","b"\r\n2,"a"\r\n', r"csv, line 3: the row has 2 fields, and 3 are expected"),
    ("csv", b'"id","v","b"\r\n1,"a","b"\r\n2,"a', r"csv, line 3: the file is cut off in this row"),
    ("csv", b'"id","v","b"\r\n1,"a\n","b"\r\n2,a"b,"x"\r\n"', r"csv, line 5: the file is cut off in this row"),
    ("csv", b'"id","v","b"\r\n2,"a" ,"x"\r\n', r"csv, line 2: this is no row of CSV: its quotes do not match"),
    ("csv", b'"id","v"\r\n2,"a"\r\n2\r\n', r"csv, line 3: the row has 1 fields, and 2 are expected"),
    ("csv", b'"id","v","w"\r\n1,"a","b"\r\n', r"csv, line 2: the table has no column 'w'"),
    ("csv", b'"id","v"\r\n"id","x","y","z"\r\n', r"csv, line 2: the row has 4 fields"),
    ("sql", BEGIN + b"(2,'a'", r"sql, line 5: the file is cut off or damaged in this row"),
    ("sql", BEGIN + b"(2,'a);\n(3,'b',x'0');\n", r"sql, line 5: the file is cut off or damaged in this row"),
    ("sql", BEGIN + b"(2,'a');\n", r"sql, line 5: the row before this place has 2 values, and 3 are expected"),
    ("sql", b"UPDATE t SET v = 1;\n", r"sql, line 1: an INSERT statement is expected"),
    ("sql", b"INSERT INTO `u` VALUES (1,2,3);\n", r"inserts into 'u', and the file is of table 't'"),
    ("sql", b"INSERT INTO `t` (`nothing`) VALUES (1);\n", r"the table has no column 'nothing'"),
]


@pytest.mark.parametrize(("kind", "text", "message"), DAMAGED)
def test_a_damaged_file_is_told_with_its_line(tmp_path: Path, kind: str, text: bytes, message: str) -> None:
    place = write_dump(tmp_path, TSO, shop([]))
    (place / f"shop.t.000000000.{kind}").write_bytes(text)
    with pytest.raises(DumpError, match=message):
        read(Dump(str(place)))


@pytest.mark.parametrize("how", ["gz", "zst"])
def test_compressed_bytes_that_are_cut_off_are_told(tmp_path: Path, how: str) -> None:
    place = write_dump(tmp_path, TSO, shop([]))
    data = packed(csv_text(Dumped(SQL, COLUMNS, HOSTILE * 500)), how)
    (place / f"shop.t.000000000.csv.{how}").write_bytes(data[: len(data) // 2])
    with pytest.raises(DumpError, match=rf"shop\.t\.000000000\.csv\.{how}, line [\d,]+: the file is cut off"):
        read(Dump(str(place)))


def test_binary_values_that_are_not_written_as_said_are_told(tmp_path: Path) -> None:
    place = write_dump(tmp_path, TSO, shop())
    with pytest.raises(DumpError, match=r"bytes of column 'b' are not in the chosen form .*: set verify.csv.binary"):
        read(Dump(str(place), DumpFormat(binary="hex")))


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (None, "is no dump of Dumpling: it has no file metadata"),
        ("SHOW MASTER STATUS:\n\tLog: tidb-binlog\n\tPos: 5\n", "does not say that the dump has ended"),
        ("Finished dump at: 2026\n", "has no TSO"),
        ("SHOW MASTER STATUS:\n\tLog: mysql-bin.1\n\tPos: 7\nFinished dump at: 2026\n", "in a binlog of MySQL"),
        (
            "SHOW MASTER STATUS:\n\tLog: tidb-binlog\n\tPos: 2026-11-27 10:00:00\nFinished dump at: 2026\n",
            "has a time in place of the TSO .*: dump with the TSO of that time as --snapshot",
        ),
    ],
)
def test_what_is_no_whole_dump_of_tidb_is_refused(tmp_path: Path, metadata: str | None, message: str) -> None:
    place = write_dump(tmp_path, TSO, shop())
    (place / "metadata").unlink()
    if metadata is not None:
        (place / "metadata").write_text(metadata)
    with pytest.raises(DumpError, match=message):
        Dump(str(place))


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    with pytest.raises(DumpError, match="there is no folder"):
        Dump(str(tmp_path / "nowhere"))
    place = write_dump(tmp_path / "dump", TSO, shop())
    (place / "shop.u.000000000.csv").write_bytes(b"1\r\n")
    with pytest.raises(DumpError, match=r"no file shop\.u-schema\.sql: dump without --no-schemas"):
        Dump(str(place)).describe(("shop", "u"))
    (place / "shop.u-schema.sql").write_bytes(b"CREATE TABEL `u` (id int);")
    with pytest.raises(DumpError, match=r"shop\.u-schema\.sql: "):
        Dump(str(place)).describe(("shop", "u"))
    (place / "shop.t.000000009.parquet").write_bytes(b"PAR1")
    with pytest.raises(DumpError, match="dump as --filetype csv or sql"):
        Dump(str(place))
    for wrong in (DumpFormat(quote="''"), DumpFormat(separator=""), DumpFormat(separator='"')):
        with pytest.raises(DumpError, match=r"quote=|separator="):
            Dump(str(place), wrong)


def test_a_row_longer_than_what_is_read_at_once_is_one_row() -> None:
    long = b"x" * (3 * AT_ONCE)
    of_csv, of_sql = b'"' + long + b'\\n"\r\n"y"\r\n', b"INSERT INTO `t` VALUES ('" + long + b"\\n'),\n('y');"
    for found in (
        csv_rows(Text("f", pieces(of_csv)), ["v"], DumpFormat()),
        inserted_rows(Text("f", pieces(of_sql)), "t", ["v"], True),
    ):
        assert [row for some in found for row in some.columns[0]] == [long + b"\n", b"y"]


def test_a_file_may_end_where_reading_paused() -> None:
    """Only the next read tells that there is no more."""
    for kind, begin, end in (("csv", b'"', b'"\r\n'), ("sql", b"INSERT INTO `t` VALUES ('", b"');\n")):
        whole = begin + b"x" * (AT_ONCE - len(begin) - len(end)) + end
        text = Text("f", iter([whole]))
        found = csv_rows(text, ["v"], DumpFormat()) if kind == "csv" else inserted_rows(text, "t", ["v"], True)
        assert [len(some.columns[0]) for some in found] == [1], kind


def test_rows_that_come_at_once_are_bounded_by_their_bytes() -> None:
    wide = b"x" * (BATCH_BYTES // 64)
    of_csv = [b'"' + wide + b'"\r\n'] * 200
    of_sql = [b"INSERT INTO `t` VALUES ", *[b"('" + wide + b"'),"] * 199, b"('" + wide + b"');"]
    for found in (
        csv_rows(Text("f", iter(of_csv)), ["v"], DumpFormat()),
        inserted_rows(Text("f", iter(of_sql)), "t", ["v"], True),
    ):
        rows = [len(some.columns[0]) for some in found]
        assert sum(rows) == 200
        assert max(rows) <= 65


def test_memory_does_not_grow_with_a_file() -> None:
    line = b'1,"' + b"a" * 90 + b'","b"\r\n'

    def endless() -> Iterator[bytes]:
        for _ in range(150):
            yield line * 600  # 9 MB in all

    tracemalloc.start()
    rows = sum(len(some.columns[0]) for some in csv_rows(Text("f", endless()), list("abc"), DumpFormat()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows == 90_000
    assert peak < 6 << 20
