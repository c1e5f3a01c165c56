"""Common forms of dumps: JSON arrays, Parquet, Arrow, escaped bytes, console consumers with keys."""

from __future__ import annotations

import base64
import gzip
import io
import json
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from tidewire import avro, craft
from tidewire.cli.inputs import read
from tidewire.cli.main import app
from tidewire.events import Column, RowChange
from tidewire.messages.registry import MemorySchemas
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.reading.files.arrays import elements
from tidewire.reading.files.formats import Format, Input, parse, tell

pytestmark = pytest.mark.codec

RUN = CliRunner()
COLUMNS = [Column("id", ColumnType.BIGINT, ColumnFlag.HANDLE_KEY)]
TS = 470607536966860800


def values(count: int) -> list[bytes]:
    changes = [RowChange("insert", TS + at, "shop", "orders", new={"id": at}, columns=COLUMNS) for at in range(count)]
    return [message.value or b"" for message in craft.encode(changes, craft.Options(max_batch_size=1))]


def found(path: Path, form: Format = Format.auto) -> list[Input]:
    return list(read(str(path), form))


def decoded(path: Path, *more: str) -> tuple[int, list[int], str]:
    done = RUN.invoke(app, ["decode", str(path), *more])
    return done.exit_code, [json.loads(line)["new"]["id"] for line in done.stdout.splitlines()], done.stderr


def in_columns(count: int) -> pa.Table:
    rows = values(count)
    return pa.table(
        {
            "topic": ["orders"] * count,
            "partition": pa.array([3] * count, pa.int32()),
            "offset": range(count),
            "timestamp": pa.array([1767225600000] * count, pa.timestamp("ms")),
            "Key": pa.array([None] * count, pa.binary()),
            "value": pa.array(rows, pa.binary()),
        }
    )


def written(table: pa.Table, form: str) -> bytes:
    out = io.BytesIO()
    if form == "parquet":
        pq.write_table(table, out)
    else:
        make = pa.ipc.new_file if form == "arrow" else pa.ipc.new_stream
        with make(out, table.schema) as writer:
            writer.write_table(table)
    return out.getvalue()


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrow stream"])
@pytest.mark.parametrize("packed", [False, True])
def test_messages_in_columns(form: str, packed: bool, tmp_path: Path) -> None:
    path = tmp_path / "dump"
    content = written(in_columns(3000), form)
    path.write_bytes(gzip.compress(content) if packed else content)
    code, ids, _ = decoded(path)
    assert (code, ids) == (0, list(range(3000)))
    first = found(path)[2999]
    assert first.record == {"topic": "orders", "partition": 3, "offset": 2999, "timestamp": "2026-01-01T00:00:00"}
    assert first.location == f"{path}:3000"
    piped = RUN.invoke(app, ["decode", "craft", "--limit", "2"], input=content)
    assert len(piped.stdout.splitlines()) == 2


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrow stream"])
def test_columns_that_are_damaged_or_none_of_messages(form: str, tmp_path: Path) -> None:
    path = tmp_path / "dump"
    content = written(in_columns(3000), form)
    path.write_bytes(content[: len(content) // 2])
    code, ids, said = decoded(path, "-p", "craft")
    assert code == 1
    assert ids == list(range(len(ids))), "what could be read is given"
    assert "that cannot be read" in said
    path.write_bytes(written(pa.table({"id": [1], "name": ["ann"]}), form))
    _, _, said = decoded(path, "-p", "craft")
    assert "messages lie in a column `value` of binary or string" in said
    assert "these columns are id int64, name string" in said
    path.write_bytes(written(pa.table({"value": [1]}), form))
    assert "these columns are value int64" in decoded(path, "-p", "craft")[2]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("around", [True, False])
def test_one_array_of_all_messages(indent: int | None, around: bool, tmp_path: Path) -> None:
    path = tmp_path / "dump.json"
    plain: list[Any] = [{"id": at, "n\tame": "\u00e9]}{["} for at in range(2000)]
    members = [{"key": None, "value": base64.b64encode(one).decode(), "offset": at} for at, one in enumerate(values(9))]
    text = json.dumps(members if around else [*plain, None], indent=indent, ensure_ascii=False)
    path.write_text(f"\ufeff \n{text}\n")
    given = found(path)
    assert {one.problem for one in given} == {None}
    if around:
        assert [one.value for one in given] == values(9)
        assert [one.record for one in given] == [{"offset": at} for at in range(9)]
        assert decoded(path)[:2] == (0, list(range(9)))
    else:
        assert [None if one.value is None else json.loads(one.value) for one in given] == [*plain, None]


@pytest.mark.parametrize(
    ("text", "count", "sentence"),
    [
        ("[]", 0, ""),
        ("[", 0, "the array is cut off behind element 0: it does not end with ]"),
        (
            '[{"a":1}',
            1,
            "the array is cut off behind element 1: it does not end with ]; the message before it was read",
        ),
        (
            '[{"a":1},{"a":',
            1,
            "cut off in element 2: Expecting value: line 1 column 6 (char 5); the message before it was read",
        ),
        ('[{"a":1},{"a":tru,"b":12345678901234567890},{"a":3}]', 1, "damaged in element 2"),
        ('[{"a":1},{"a":"x' + "y" * 100, 1, "cut off in element 2"),
        ('[{"a":1},5]', 2, "an element of the array is a JSON object"),
        ('[{"a":1},' + "[" * 100_000, 1, "nested too deeply"),
    ],
)
def test_arrays_that_break_off(text: str, count: int, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "dump.json"
    path.write_text(text)
    given = found(path)
    good = [one for one in given if one.problem is None]
    assert len(good) == min(count, 1)
    assert len(given) - len(good) == bool(sentence)
    if sentence:
        assert sentence in str(given[-1].problem)


def test_an_array_is_read_in_time_that_grows_as_it_does() -> None:
    class Counting(bytes):
        pass

    def scanned(length: int) -> int:
        text = b'[{"a":"' + b"x" * length + b'"}]'
        pieces = [text[at : at + 1024] for at in range(0, len(text), 1024)]
        tried = 0

        def counted() -> Any:
            nonlocal tried
            for piece in pieces:
                tried += 1
                yield piece

        (whole,) = [one for some in elements(counted()) for one in some]
        assert len(whole) == length + 8
        return tried

    assert scanned(1 << 20) <= (1 << 10) + 2


def test_a_long_array_takes_no_more_memory_than_a_short_one() -> None:
    def peak(count: int) -> int:
        one = json.dumps({"a": "x" * 1000}).encode()

        def pieces() -> Any:
            yield b"["
            for at in range(count):
                yield (b"," if at else b"") + one
            yield b"]"

        tracemalloc.start()
        assert sum(len(some) for some in elements(pieces())) == count
        used: int = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    assert peak(4000) < 2 * peak(500)


def test_bytes_that_are_printed_as_escapes(tmp_path: Path) -> None:
    def printed(given: bytes | None) -> str:
        if given is None:
            return "null"
        return "".join(chr(b) if 32 <= b <= 126 and b != 92 else f"\\x{b:02X}" for b in given)

    schemas = MemorySchemas()
    change = RowChange("insert", TS, "shop", "orders", new={"id": 5}, columns=COLUMNS)
    (row,) = avro.encode([change], schemas=schemas)
    assert row.key is not None
    lines = [f"CreateTime:5\tPartition:0\tOffset:{at}\t{printed(row.key)}\t{printed(row.value)}" for at in range(2)]
    path = tmp_path / "avro.txt"
    path.write_text("\n".join([*lines, f"{printed(row.key)}\tnull", printed(values(1)[0])]) + "\n")
    given = found(path)
    assert [one.problem for one in given] == [None] * 4
    assert [(one.key, one.value) for one in given[:3]] == [(row.key, row.value), (row.key, row.value), (row.key, None)]
    assert given[1].record == {"partition": 0, "offset": 1, "timestamp": 5}
    assert (given[3].key, given[3].value) == (None, values(1)[0])
    binary = tmp_path / "craft.txt"
    binary.write_text("".join(f"null\t{printed(one)}\n" for one in values(4)))
    assert decoded(binary)[:2] == (0, [0, 1, 2, 3])
    assert tell([b'{"a":"\\u00e9"}']) is Format.lines
    assert tell([rb"C:\xampp"]) is Format.raw
    for wrong in (b"\\x0", b"\\x0g", b"a\\b", b"\xff", b"a\tb\tc"):
        broken = parse(Format.escaped, "f:1", wrong)
        assert broken is not None
        assert broken.problem is not None


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ('{"id":1}\t{"op":"c"}', b'{"id":1}', b'{"op":"c"}'),
        ('{"id":1}\tnull', b'{"id":1}', None),
        ('null\t{"op":"c"}', None, b'{"op":"c"}'),
        ('{"schema":{"a":1},"payload":{"id":1}}\t{"op":"c"}', b'{"schema":{"a":1},"payload":{"id":1}}', b'{"op":"c"}'),
        ("null", None, None),
    ],
)
def test_lines_of_the_console_consumer(line: str, key: bytes | None, value: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "topic.txt"
    for mark in ("", "\ufeff"):
        path.write_text(f"{mark}{line}\n")
        (one,) = found(path)
        assert (one.key, one.value, one.problem) == (key, value, None)


def test_a_line_says_that_a_protocol_is_not_detected(tmp_path: Path) -> None:
    texts: Sequence[str] = ("name,age\nann,5\n", '[{"a":1},{"b":2}]', '{"kind":"x"}\n' * 9)
    for text in texts:
        path = tmp_path / "dump"
        path.write_text(text)
        done = RUN.invoke(app, ["decode", str(path)])
        (line,) = done.stderr.splitlines()
        assert line.startswith("tidewire: the messages look like ")
