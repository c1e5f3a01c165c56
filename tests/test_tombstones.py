"""Kafka records without a value: no events and no errors, whatever the protocol; an empty value is another thing."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from commands import tidewire as command
from described import VERSION, schemas_of, tables_of

import tidewire
from tidewire.events import RowChange, Watermark
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import DecodeError

PROTOCOLS = list(tidewire.protocols())
COLUMNS = [Column("id", ColumnType.INT, ColumnFlag.PRIMARY_KEY | ColumnFlag.HANDLE_KEY)]

WATERMARKS = ("enable-tidb-extension", "avro-enable-watermark")
"""Options without which some protocols have none."""

pytestmark = pytest.mark.codec


def module(protocol: str) -> Any:
    return tidewire.protocols()[protocol].load()


def sent(protocol: str, row: int) -> tuple[bytes | None, bytes]:
    """Key and value of a message."""
    (made,) = module(protocol).encode(
        [RowChange("insert", 470607536966860800 + row, "s", "t", {"id": row}, columns=COLUMNS, table_version=VERSION)],
        **schemas_of(module(protocol)),
    )
    return made.key, bytes(made.value)


def key_of_nothing(protocol: str, key: bytes) -> bytes | None:
    """A key beside which a message without a value has no event: none, where it tells which row is gone."""
    return None if module(protocol).FACTS.deletes_by_key else key


def message(protocol: str, row: int) -> bytes:
    return sent(protocol, row)[1]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("form", ["list", "binary", "large_binary", "chunked", "sliced"])
def test_they_have_no_events_and_no_errors(protocol: str, form: str) -> None:
    values = [None, message(protocol, 1), None, b"", message(protocol, 2), None]
    given: Any = values
    if form in ("binary", "large_binary"):
        given = pa.array(values, getattr(pa, form)())
    elif form == "chunked":
        given = pa.chunked_array([pa.array(values[:2], pa.binary()), pa.array(values[2:], pa.binary())])
    elif form == "sliced":
        given = pa.array([None, b"?", *values, None], pa.binary()).slice(2, len(values))
    (first, _), (second, _) = sent(protocol, 1), sent(protocol, 2)
    events = module(protocol).decode_batch(
        given,
        [None, first, key_of_nothing(protocol, b"k"), first, second, None],
        **tables_of(module(protocol), COLUMNS),
    )
    assert [event.new["id"] for event in events] == [1, 2]
    assert events.columns.events.column("message").to_pylist() == [1, 4]
    assert events.tombstones == events.columns.tombstones == [0, 2, 5]
    assert [error.message for error in events.errors] == [3], "an empty value is no message"
    assert repr(events).endswith("1 error, 3 tombstones>")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_one_alone(protocol: str) -> None:
    events = module(protocol).decode(None, key_of_nothing(protocol, b"key"))
    assert (list(events), events.errors, events.tombstones) == ([], [], [0])
    key, value = sent(protocol, 1)
    assert module(protocol).decode(value, key, **tables_of(module(protocol), COLUMNS)).tombstones == []
    with pytest.raises(DecodeError):
        module(protocol).decode(b"", key)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_decoder_forgets_them_with_the_batch(protocol: str) -> None:
    decoder = module(protocol).Decoder(**tables_of(module(protocol), COLUMNS))
    assert decoder.decode([None, None]).tombstones == [0, 1]
    key, value = sent(protocol, 1)
    assert decoder.decode([value], [key]).tombstones == []


def test_what_cannot_be_decompressed_is_none() -> None:
    canal = module("canal-json")
    options = canal.Options(large_message_handle_compression="snappy")
    events = canal.decode_batch([None, b"\xff\xff\xff\xff\xff\xff", None], options=options)
    assert events.tombstones == [0, 2]
    assert [error.message for error in events.errors] == [1]


def test_they_stay_listed_when_claims_are_fetched(tmp_path: Path) -> None:
    canal = module("canal-json")
    writes = canal.Options(
        enable_tidb_extension=True,
        max_message_bytes=450,
        large_message_handle_option="claim-check",
        claim_check_storage_uri=str(tmp_path),
    )
    columns = [*COLUMNS, Column("v", ColumnType.VARCHAR, 0)]
    big = RowChange("insert", 470607536966860800, "s", "t", {"id": 1, "v": "x" * 500}, columns=columns)
    (made,) = canal.encode([big], writes)
    events = canal.decode_batch([None, made.value, None], options=canal.Options(claim_check=str(tmp_path)))
    assert [len(event.new["v"]) for event in events] == [500]
    assert (events.tombstones, events.errors) == ([0, 2], [])


def test_transcoding_counts_them() -> None:
    _, report = tidewire.transcode([None, message("craft", 1)], "craft", "canal-json")
    assert (report.messages, report.tombstones, report.events, report.errors) == (2, 1, 1, [])
    report.add(report)
    assert report.tombstones == 2


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_command_line_counts_them(protocol: str, tmp_path: Path) -> None:
    given = schemas_of(module(protocol))
    (mark,) = module(protocol).encode([Watermark(470607536966860800)], watermarks(protocol), **given)
    where = saved(given, tmp_path)
    file = tmp_path / "messages.jsonl"
    key = None if mark.key is None else base64.b64encode(mark.key).decode()
    empty = {} if key_of_nothing(protocol, b"") is None else {"key": ""}
    lines = [{**empty, "value": None}, {"key": key, "value": base64.b64encode(mark.value).decode()}, {"value": None}]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = command("decode", protocol, str(file), *where)
    assert found.exit_code == 0
    assert found.stdout.count("\n") == 1
    assert "2 messages without a value" in found.stderr
    found = command("dissect", protocol, str(file), "-m", "0", *where)
    assert found.exit_code == 0
    assert "tombstone" in found.stderr
    file.write_text('{"key": ""}\n')
    found = command("decode", protocol, str(file), *where)
    assert found.exit_code == 1
    assert "the value of a tombstone is null" in found.stderr


def saved(given: dict[str, Any], folder: Path) -> tuple[str, ...]:
    """What a command is told of the schemas that an encoder was given, which are saved in a file."""
    if "schemas" not in given:
        return ()
    path = folder / "registry.json"
    known = given["schemas"].schemas
    said = [{"id": one.id, "subject": one.subject, "version": one.version, "schema": one.text} for one in known]
    path.write_text(json.dumps(said))
    return "-o", f"schema-registry={path}"


def watermarks(protocol: str) -> Any:
    options = module(protocol).Options
    known = {one.name for one in module(protocol).OPTIONS}
    return options.from_strings({name: "true" for name in WATERMARKS if name in known})
