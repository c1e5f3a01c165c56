"""The twin reads every recorded message of both producers, and what it finds is what happened in the database.

The codec is held against the twin: so the twin is held against the truth first.
"""

from __future__ import annotations

import base64
import struct
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import recorded
from json_twin import MalformedError, bits

from simple.recordings import STREAMS, events
from simple.twin import Column, Flat, Located, Table, UndescribedError, read


def stored(value: dict[str, str] | None) -> Any:
    """A value of the truth in the twin's form; strings as bytes."""
    if value is None:
        return None
    ((kind, said),) = value.items()
    match kind:
        case "int" | "uint":
            return int(said)
        case "f32":
            return bits(struct.unpack("<f", struct.pack("<f", float(said)))[0])
        case "f64":
            return bits(float(said))
        case "bytes":
            return base64.b64decode(said)
    return said.encode()


def chosen(found: dict[str, Any], event: dict[str, Any], options: dict[str, Any]) -> bool:
    """Whether an image may lack columns: those that were not selected, or that are no handle key."""
    keys = {column["name"] for column in event["columns"] if column["is_handle_key"]}
    return keys <= set(found) if "column-selectors" in options else keys == set(found)


def check_row(found: Flat, event: dict[str, Any], header: dict[str, Any]) -> None:
    """Holds a row change against what happened."""
    classic, options = header["producer"] == "tiflow", header["options"]
    assert (found.schema, found.table) == (event["schema"], event["table"])
    physical = event["physical_table_id"]
    assert found.table_id == (event["table_id"] if physical is None else physical)
    assert found.table_version == event["table_update_ts" if classic else "table_info_version"]
    columns = {c["name"]: place for place, c in enumerate(event["columns"]) if not c.get("is_virtual")}
    for side in ("new", "old"):
        image = getattr(found, side)
        assert (image is None) == (event[side] is None)
        if image is None:
            continue
        assert set(image) <= set(columns)
        if set(image) != set(columns):
            assert found.handle_key_only or "column-selectors" in options
            assert chosen(image, event, options)
        for name, value in image.items():
            wanted = stored(event[side][columns[name]])
            assert (value.encode() if isinstance(value, str) else bits(value)) == wanted, name
            if isinstance(value, Located):
                assert ZoneInfo(value.zone) == ZoneInfo(options["time-zone"])
    sums = event.get("checksum") if "checksum" in recorded_set(header) else None
    wanted_sums = (
        None if sums is None else tuple(sums[name] for name in ("version", "corrupted", "current", "previous"))
    )
    assert found.checksum == wanted_sums


def recorded_set(header: dict[str, Any]) -> str:
    """Whether the stream's options ask for checksums: the two producers have other names for that."""
    options = header["options"]
    asked = options.get("enable-row-checksum") or options.get("integrity-check-level") == "correctness"
    return "checksum" if asked else ""


def check_column(found: Column, column: dict[str, Any]) -> None:
    """Holds a described column against the table's."""
    declared = column["mysql_type"]
    bare = declared.replace("(", " ").split()[0]
    assert found.mysql_type == bare
    assert (found.charset, found.collation) == (column["charset"], column["collation"])
    assert found.length == (column["flen"] or None)
    with_scale = bare not in ("float", "double")
    assert found.scale == (column["decimal"] or None if with_scale else None)
    assert found.labels == tuple(column["elems"] or ())
    assert (found.unsigned, found.zerofill) == (
        column["unsigned"] or bare in ("year", "bit"),
        column["zerofill"] or bare == "year",
    )
    assert found.nullable == column["nullable"]


def check_table(found: Table, event: dict[str, Any], classic: bool) -> None:
    """Holds a described table against the one of the truth."""
    assert (found.schema, found.table, found.table_id) == (event["schema"], event["table"], event["table_id"])
    assert found.version == event["table_update_ts" if classic else "table_info_version"]
    columns = sorted(event["columns"], key=lambda column: column["id"]) if classic else event["columns"]
    assert [column.name for column in found.columns] == [column["name"] for column in columns]
    for column, wanted in zip(found.columns, columns, strict=True):
        check_column(column, wanted)


@pytest.mark.parametrize("stream", STREAMS, ids=recorded.stream_name)
def test_the_twin_reads_what_happened(stream: Path) -> None:
    header = recorded.header(stream)
    classic = header["producer"] == "tiflow"
    for found, event in events(stream):
        assert found.kind == event["kind"]
        assert found.sent_ms == header["options"]["now_ms"]
        assert found.commit_ts == (0 if found.kind == "bootstrap" else event["commit_ts"])
        if found.kind in ("insert", "update", "delete"):
            check_row(found, event, header)
        if found.kind == "ddl":
            assert found.query == event["query"]
        if found.kind in ("ddl", "bootstrap"):
            assert (found.after is not None) == event["has_table_info"]
        if found.after is not None:
            check_table(found.after, event, classic)
        # the new architecture never says what was before
        assert (found.before is not None) == (event.get("pre_table_info") is not None)
        if found.before is not None:
            check_table(found.before, event["pre_table_info"], True)


def test_every_stream_is_read() -> None:
    assert len(STREAMS) == 168
    assert sum(1 for stream in STREAMS for _ in recorded.messages(stream)) == 3852


ROW = b'{"version":1,"database":"d","table":"t","tableID":1,"type":"INSERT",'
ROW += b'"commitTs":5,"buildTs":6,"schemaVersion":7,"data":{"a":%s}}'


def described(kind: str, **more: Any) -> dict[Any, Table]:
    """A table of one column."""
    plain: dict[str, Any] = {"length": None, "scale": None, "labels": (), "unsigned": False, "zerofill": False}
    column = Column("a", kind, "binary", "binary", **plain | more, nullable=True, default=None)
    return {("d", "t", 7): Table("d", "t", 1, 7, (column,), ())}


@pytest.mark.parametrize(
    ("tables", "cell"),
    [
        (described("int"), b"true"),
        (described("int"), b'"9223372036854775808"'),
        (described("int", unsigned=True), b'"-1"'),
        (described("int"), b'"1.0"'),
        (described("float"), b'".5"'),
        (described("blob"), b'"AA"'),
        (described("timestamp"), b'"2020-01-01"'),
        (described("enum", labels=("x",)), b'"-1"'),
        (described("geometry"), b'"1"'),
        (described("int"), b'"1","a":"1"'),
        (described("int"), b'"1","b":"1"'),
    ],
)
def test_what_is_wrong_is_refused(tables: dict[Any, Table], cell: bytes) -> None:
    with pytest.raises(MalformedError):
        read(ROW % cell, tables)


def test_a_row_that_nobody_described_is_an_error_of_its_own() -> None:
    with pytest.raises(UndescribedError, match=r"d\.t 7"):
        read(ROW % b'"1"', {})


def test_what_is_not_finite_is_read() -> None:
    found = read(ROW % b'"NaN"', described("double"))
    assert found.new is not None
    assert found.new["a"] != found.new["a"]
    for said, wanted in ((b'"+Inf"', float("inf")), (b'"-Inf"', float("-inf"))):
        found = read(ROW % said, described("float"))
        assert found.new == {"a": wanted}
