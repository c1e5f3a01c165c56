"""File formats and pipes: formats are detected, and a bad line affects only itself."""

from __future__ import annotations

import base64
import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest
from commands import INSERT, RESOLVED, events, tidewire

from tidewire.cli.inputs import read, with_keys
from tidewire.cli.shell import CommandError
from tidewire.reading.files.formats import Format, Input, parse, tell, unhex, unhex_message
from tidewire.reading.files.streams import opened

ROW = (
    '{"id":0,"database":"shop","table":"orders","pkNames":["id"],"isDdl":false,"type":"INSERT","es":5,"ts":6,"sql":"",'
    '"sqlType":{"id":4},"mysqlType":{"id":"int"},"data":[{"id":"7"}],"old":null}'
)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (b'{"protocol":"craft","options":{}}\n', Format.recorded),
        (b'{"key":null,"value":"AQ=="}\n', Format.jsonl),
        (b'{"topic":"t","partition":0,"offset":1,"payload":"{}"}', Format.jsonl),
        (b'{"offset":1,"payload":{"a":1}}', Format.jsonl),
        (b"01 82 80\n", Format.hex),
        (b"0x018280\n", Format.hex),
        (b"\x01\x82\x80", Format.raw),
        (b"", Format.raw),
        (b'{"payload":{}}', Format.lines),
        (b'{"id":0}\r\n{"id":1}\r\n', Format.lines),
        (b'CreateTime:5\tnull\t{"id":0}', Format.lines),
        (b'{"payload":{"id":1}}\t{"payload":{}}', Format.lines),
        (b'{"id":1}\tnull', Format.lines),
        (b"k\tnull", Format.lines),
        (b"null", Format.lines),
        (b'Struct{id=1}\t{"id":0}', Format.lines),
        (b"{not json", Format.raw),
        (b'{\n  "id": 0\n}\n', Format.raw),
        (b'{"id":0,\n"b":1}', Format.raw),
        # one bad line does not decide
        (b'ut off"}\n{"key":null,"value":"AQ=="}\n', Format.jsonl),
        (b'{"key":null,"value":"AQ\n{"key":null,"value":"AQ=="}\n', Format.jsonl),
        (b'{"id":0,"da\n{"id":1}\n', Format.lines),
        (b"018\n0182\n", Format.hex),
        (b"[" * 100_000 + b"\n{}\n", Format.lines),
    ],
)
def test_formats_are_told_by_the_first_lines(text: bytes, form: Format) -> None:
    assert tell(text.split(b"\n")) is form


def ids(result: object) -> list[int]:
    return [one["new"]["id"] for one in events(result)]


@pytest.mark.parametrize(
    "line",
    [
        ROW,
        ROW + "\r",
        json.dumps(
            {"topic": "t", "partition": 0, "offset": 1, "tstype": "create", "ts": 9, "key": "k", "payload": ROW}
        ),
        json.dumps({"offset": 1, "payload": json.loads(ROW)}),
        json.dumps({"key": None, "value": ROW}),
        json.dumps({"key": None, "value": base64.b64encode(ROW.encode()).decode()}),
        f"CreateTime:9\tPartition:0\tOffset:1\tk\t{ROW}",
        f"null\t{ROW}",
        f"null\t{ROW}\r",
        f'{{"id":7}}\t{ROW}',
        f"Struct{{id=7}}\t{ROW}",
        ROW.replace(",", ",\t"),
        f"NO_TIMESTAMP\tNO_HEADERS\tk\t{ROW}",
        ROW.encode().hex(),
        "0x" + ROW.encode().hex(),
    ],
)
def test_a_message_a_line(line: str) -> None:
    bad = "{" if line[0] in "{CnNS" else "xyz"
    result = tidewire("decode", "canal-json", stdin=f"{line}\n{bad}\n{line}\n")
    assert ids(result) == [7, 7]
    assert result.exit_code == 1
    assert "standard input:2: " in result.stderr
    first = events(result)[0]
    if "ffset" in line:
        assert first["offset"] == 1
    if "CreateTime" in line or '"ts": 9' in line:
        assert first["timestamp"] == 9


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        (b'{"id":1}\t{"op":"c"}', b'{"id":1}', b'{"op":"c"}'),
        (b'{"id":1}\t{"op":"c"}\r', b'{"id":1}', b'{"op":"c"}'),
        (b'{"id":1}\tnull', b'{"id":1}', None),
        (b'{"id":"a:b"}\t{"a":{"b":[{}]}}', b'{"id":"a:b"}', b'{"a":{"b":[{}]}}'),
        (b'{ "id":\t1 }\t{"a":\t{"b":\tnull}}', b'{ "id":\t1 }', b'{"a":\t{"b":\tnull}}'),
        (b'{"a":\t{"b":1},\t"c":\tnull}', None, b'{"a":\t{"b":1},\t"c":\tnull}'),
        (b'{"a":\t{"b"', None, b'{"a":\t{"b"'),
        (b'{"id":1}\t{"b"', b'{"id":1}', b'{"b"'),
        (b'k\t{"b"', b"k", b'{"b"'),
        (b'"text"\t{}', b'"text"', b"{}"),
        (b"5\t{}", b"5", b"{}"),
        (b"Struct{id=1}\t{}", b"Struct{id=1}", b"{}"),
        (b"{id=1\t{}", b"{id=1", b"{}"),
        (b"shop:orders:1\t{}", b"shop:orders:1", b"{}"),
        (b"a\tb\t{}", b"a\tb", b"{}"),
        (b"\t{}", b"", b"{}"),
        (b"null\t{}", None, b"{}"),
        (b"null\tnull", None, None),
        (b"null", None, None),
        (b"null\r", None, None),
        (b"k2\tnull", b"k2", None),
        (b"k2\t", b"k2", None),
        (b"k2\t\r", b"k2", None),
        (b"null\t", None, None),
        (b'{"id":1}\t', b'{"id":1}', None),
        (b'{"id":\t{"a":1}}\t', b'{"id":\t{"a":1}}', None),
        (b'k\t{"id":0}\t', b"k", b'{"id":0}\t'),
        (b"CreateTime:9\tPartition:0\tOffset:1\tNO_HEADERS\tk\t", b"k", None),
        (b"h:v\tk\t", b"k", None),
        (b"h:v,i:\tk\tnull", b"k", None),
        (b'h:v\t{"id":1}\t{}', b'{"id":1}', b"{}"),
        (b"CreateTime:9\tPartition:0\tOffset:1\tNO_HEADERS\tk\tnull", b"k", None),
        (b"nullable", None, b"nullable"),
    ],
)
def test_keys_before_values(line: bytes, key: bytes | None, value: bytes | None) -> None:
    found = parse(Format.lines, "here", line)
    assert found is not None
    assert (found.key, found.value, found.problem) == (key, value, None)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_what_a_console_consumer_prints_with_keys(end: str, mark: bytes, tmp_path: Path) -> None:
    keyed = [f'{{"payload":{{"id":{k}}}}}\t{ROW.replace("7", str(k))}' for k in range(2)]
    path = tmp_path / "printed"
    path.write_bytes(mark + end.join([keyed[0], "null", "k2\tnull", keyed[1], ""]).encode())
    result = tidewire("decode", "canal-json", path)
    assert [(one["message"], one["new"]) for one in events(result)] == [(0, {"id": 0}), (3, {"id": 1})]
    assert "2 messages without a value (tombstones)" in result.stderr
    assert result.exit_code == 0
    found = list(read(str(path), Format.auto))
    assert [one.key for one in found] == [b'{"payload":{"id":0}}', None, b"k2", b'{"payload":{"id":1}}']


@pytest.mark.parametrize(
    "text", [f"{ROW}\n", f'{{"key":null,"value":"{base64.b64encode(ROW.encode()).decode()}"}}', ROW.replace(",", ",\n")]
)
def test_a_byte_order_mark_is_no_message(text: str, tmp_path: Path) -> None:
    path = tmp_path / "marked"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert ids(tidewire("decode", "canal-json", path)) == [7]
    packed = gzip.compress(path.read_bytes())
    assert ids(tidewire("decode", "canal-json", stdin=packed)) == [7]
    lines = tidewire("decode", "canal-json", "--exact", path).stdout.encode()
    again = tidewire("encode", "canal-json", stdin=b"\xef\xbb\xbf" + lines)
    assert len(again.stdout.splitlines()) == 1, again.stderr


def test_bytes_that_are_like_a_mark_stay(tmp_path: Path) -> None:
    for data in (b"\xef\xbb", b"\xef\xbb\xbf", b"\xef\xbb\xbf\x01\x82"):
        path = tmp_path / "raw"
        path.write_bytes(data)
        with opened(str(path)) as stream:
            assert b"".join(stream.pieces()) == data


def test_what_kcat_spoils_is_told() -> None:
    line = json.dumps({"topic": "t", "offset": 1, "payload": "\x01\x02"})
    assert "kcat -J spoils messages that are no text" in tidewire("decode", "craft", stdin=line).stderr


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_packed_input(name: str, tmp_path: Path) -> None:
    plain = f"{ROW}\n".encode() * 3
    packed = gzip.compress(plain) if name == "gzip" else pa.compress(plain, codec="zstd", asbytes=True)
    path = tmp_path / "messages"
    path.write_bytes(packed)
    assert ids(tidewire("decode", "canal-json", path)) == [7, 7, 7]
    assert ids(tidewire("decode", "canal-json", stdin=packed)) == [7, 7, 7], "standard input"
    lines = tidewire("decode", "canal-json", "--exact", path).stdout.encode()
    path.write_bytes(gzip.compress(lines) if name == "gzip" else pa.compress(lines, codec="zstd", asbytes=True))
    assert len(tidewire("encode", "canal-json", path).stdout.splitlines()) == 3


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_what_is_whole_of_damaged_packed_input_is_read(name: str, tmp_path: Path) -> None:
    plain = b"".join(f"{ROW.replace('7', str(k))}\n".encode() for k in range(10_000))
    packed = gzip.compress(plain) if name == "gzip" else pa.compress(plain, codec="zstd", asbytes=True)
    path = tmp_path / "messages"
    for damaged in (packed[: len(packed) * 3 // 4], packed[:-3]):
        path.write_bytes(damaged)
        result = tidewire("decode", "canal-json", path)
        assert result.exit_code == 1
        half = "the file ends in the middle of this line; the "
        assert (half in result.stderr) == (damaged != packed[:-3] or name == "zstd")
        assert f"the file is cut off or damaged here: {name}: " in result.stderr
        assert "1 message could not be decoded" in result.stderr
        assert ids(result)[:100] == list(range(100))
        assert f"the {len(ids(result)):,} messages before it were read" in result.stderr


def test_hex_may_be_written_with_0x() -> None:
    assert unhex("0x0182 0X80") == b"\x01\x82\x80"
    assert len(events(tidewire("decode", "craft", "--hex", f"0x{INSERT}"))) == 1


@pytest.mark.parametrize("packed", [False, True])
def test_a_live_pipe_is_not_waited_for(packed: bool) -> None:
    """The first event is printed while the writer still has the pipe open."""
    arguments = [sys.executable, "-m", "tidewire.cli", "decode", "craft"]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ)) as run:
        assert run.stdin is not None
        assert run.stdout is not None
        for text, kind in ((INSERT, "insert"), (RESOLVED, "watermark")):
            line = f"{text}\n".encode()
            run.stdin.write(gzip.compress(line) if packed else line)
            run.stdin.flush()
            assert json.loads(run.stdout.readline())["op"] == kind
            time.sleep(0.05)
        run.stdin.close()
        assert run.wait() == 0


def test_a_key_stands_before_a_colon() -> None:
    assert unhex_message("0x01 02:0x03") == (b"\x01\x02", b"\x03")
    assert unhex_message("0102") == (None, b"\x01\x02")
    assert (unhex_message(":03"), unhex_message("01:")) == ((b"", b"\x03"), (b"\x01", b""))
    for text in ("01:02:03", "1:02", "x:02", "0x:01"):
        with pytest.raises(ValueError, match="not hex digits"):
            unhex_message(text)
    assert tell([b"0102:0304"]) is Format.hex
    assert parse(Format.hex, "here", b"01:02") == Input("here", b"\x01", b"\x02")


def test_keys_of_the_command_line_go_to_messages_without_one() -> None:
    found = [Input("a", None, b"1"), Input("b", b"own", b"2"), Input("c", None, None, "broken"), Input("d", None, b"4")]
    assert [one.key for one in with_keys(found, ["01", "02"])] == [b"\x01", b"own", None, b"\x02"]
    assert [one.key for one in with_keys(found, ["01"])] == [b"\x01", b"own", None, None]
    with pytest.raises(CommandError, match="--key: 3 keys, and messages without one are 2"):
        list(with_keys(found, ["01", "02", "03"]))
    with pytest.raises(CommandError, match="--key 1: not hex digits"):
        list(with_keys(found, ["zz"]))
