"""Transcoding between Avro and the other protocols: losses and refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import events
from commands import tidewire as command
from debezium.test_debezium_transcoding import lost, recorded
from recorded import messages, stream_name

import tidewire
from avro import avro_streams
from tidewire import avro
from tidewire.events import Bootstrap, Ddl, Events, RowChange, Watermark
from tidewire.messages.registry import MemorySchemas
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import OptionError
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

TS = 470607536966860800
OTHERS = ("craft", "open-protocol", "canal-json", "simple", "debezium")
EXTENDED = {"enable-tidb-extension": "true", "avro-enable-watermark": "true"}
MOST = {**EXTENDED, "avro-include-before-value": "true", "producer": "ticdc"}
KEY = int(ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY)
ID = Column("id", ColumnType.BIGINT, KEY, "bigint")
NAME = Column("name", ColumnType.VARCHAR, int(ColumnFlag.NULLABLE), "varchar(20)")
NEW, OLD = {"id": 1, "name": "b"}, {"id": 1, "name": None}
HAPPENED = [
    RowChange("insert", TS, "s", "t", NEW, columns=[ID, NAME]),
    RowChange("update", TS, "s", "t", NEW, OLD, columns=[ID, NAME]),
    RowChange("delete", TS, "s", "t", None, OLD, columns=[ID, NAME]),
    Ddl(TS, "s", "t", 3, "create table t (id bigint primary key, name varchar(20))"),
    Watermark(TS),
]

LOST_TO_RECORDS = {
    *(("field", name) for name in ("partition_id", "row_id", "sent_ms", "start_ts", "table_id", "table_version")),
    *(("field", name) for name in ("table_after", "table_before", "time_zone", "types_from")),
    *(("field", name) for name in ("checksum", "checksum_before", "checksum_version", "checksum_corrupted")),
    *(("column", name) for name in ("type", "mysql_type")),
    *(("flag", name) for name in ("binary", "generated", "multiple_key", "primary_key", "unique_key", "unsigned")),
    ("flag", "handle_key"),  # the new architecture's keys have the columns of the primary key only
    ("table", "of a statement"),  # names in schemas have letters, digits and underlines
    *(("columns", image) for image in ("new", "old")),
}
"""What records do not carry of what the other protocols say, with the options that say the most."""
REFUSED = (
    "describe its table (tables=)",  # labels, digits and lengths that rows do not say
    "has other columns than the other one",  # an update with the columns that changed
    "needs a row image `old`",
    "cannot carry a bootstrap event",
    "the invalid value of an ENUM",
    "rename one of them",
    "float-overwritten",
    "which DDL type it has is not to be told",
    "needs commit_ts",
)
"""Why rows and statements of the others are refused."""


@pytest.mark.once
@pytest.mark.parametrize("protocol", OTHERS)
def test_recorded_messages_of_others_as_records_and_back(protocol: str) -> None:
    written = 0
    for path in recorded(protocol)[::4]:
        given = list(messages(path))
        values, keys = [one.value for one in given], [one.key for one in given]
        schemas = MemorySchemas()
        there, report = tidewire.transcode(values, protocol, "avro", keys=keys, target_options=MOST, schemas=schemas)
        assert lost(report) <= LOST_TO_RECORDS, stream_name(path)
        assert [one.reason for one in report.refused if not any(why in one.reason for why in REFUSED)] == []
        assert there.num_rows + len(report.refused) == report.events
        back = {"enable-tidb-extension": "true"} if protocol == "canal-json" else {}
        keys_there = there.column("key")
        _, again = tidewire.transcode(
            there.column("value"), "avro", protocol, keys=keys_there, target_options=back, schemas=schemas
        )
        assert again.errors == [], stream_name(path)
        written += there.num_rows
    assert written > 100


@pytest.mark.once
@pytest.mark.parametrize("protocol", OTHERS)
def test_recorded_records_as_messages_of_others(protocol: str) -> None:
    options = {"enable-tidb-extension": "true"} if protocol == "canal-json" else {}
    for stream in avro_streams.streams()[::3]:
        values, keys = avro_streams.values_and_keys(stream)
        source = {"schema-registry": avro_streams.registry(stream), "invalid-text": "bytes"}
        batch, report = tidewire.transcode(values, "avro", protocol, source, options, keys=keys)
        assert report.errors == [], stream
        assert batch.num_rows or report.refused or not report.events


def test_a_protocol_to_itself_loses_nothing_with_the_options_that_say_the_most() -> None:
    schemas = MemorySchemas()
    first, report = tidewire.transcode(Events.of(HAPPENED).columns, "avro", "avro", None, MOST, schemas=schemas)
    assert set(report.losses) == {("flag", "primary_key", "is not carried"), ("column", "type", "is not carried")} | {
        ("column", "mysql_type", "is not carried")
    }
    again, report = tidewire.transcode(
        first.column("value"), "avro", "avro", None, MOST, first.column("key"), schemas=schemas
    )
    assert report.whole
    assert again == first


def test_what_options_leave_out_is_counted() -> None:
    def counted(**options: str) -> dict[tuple[str, str, str], int]:
        _, report = tidewire.transcode(
            Events.of(HAPPENED).columns, "craft", "avro", None, options, schemas=MemorySchemas()
        )
        assert report.refused == []
        told = {(one.what, one.name, one.detail): count for one, count in report.losses.items()}
        return {one: count for one, count in told.items() if one[0] not in ("flag", "column")}

    assert counted(**MOST) == {}
    assert counted(**EXTENDED) == {
        ("image", "old", "is not carried"): 1,
        ("columns", "old", "some are left out"): 1,  # of a deleted row the key is all there is
        ("field", "commit_ts", "is not carried"): 1,
    }
    assert counted() == {
        ("kind", "update", "is read as insert"): 1,
        ("kind", "ddl", "has no message here"): 1,
        ("kind", "watermark", "has no message here"): 1,
        ("image", "old", "is not carried"): 1,
        ("columns", "old", "some are left out"): 1,
        ("field", "commit_ts", "is not carried"): 3,
    }


def test_what_schemas_need_and_rows_do_not_say_comes_from_descriptions() -> None:
    price = Column("price", ColumnType.DECIMAL, int(ColumnFlag.NULLABLE))
    row = RowChange("insert", TS, "s", "t", {"id": 1, "price": "1.50"}, columns=[ID, price])
    columns = Events.of([row]).columns
    _, report = tidewire.transcode(columns, "craft", "avro", schemas=MemorySchemas())
    assert [one.reason for one in report.refused] == [
        "column 'price': nothing says how many digits it has: describe its table (tables=)"
    ]
    tables = TableStore()
    tables.add_sql("create table t (id bigint primary key, price decimal(10,2))", "s", version=1)
    schemas = MemorySchemas()
    batch, report = tidewire.transcode(columns, "craft", "avro", tables=tables, schemas=schemas)
    assert report.refused == []
    (event,) = avro.decode_batch(batch.column("value"), batch.column("key"), schemas=schemas)
    assert isinstance(event, RowChange)
    assert event.new == {"id": 1, "price": "1.50"}


def test_columns_of_which_nobody_says_whether_they_can_be_null_are_taken_for_such() -> None:
    """Canal-JSON does not say it."""
    canal: Any = tidewire.protocols()["canal-json"].load()
    events_of = [RowChange("insert", TS, "s", "t", row, columns=[ID, NAME]) for row in (NEW, OLD)]
    schemas = MemorySchemas()
    values = [one.value for one in canal.encode(events_of)]
    batch, report = tidewire.transcode(values, "canal-json", "avro", schemas=schemas)
    assert report.refused == []
    assert not [one for one in report.losses if one.name == "nullable"]
    found: list[Any] = list(avro.decode_batch(batch.column("value"), batch.column("key"), schemas=schemas))
    assert [one.new for one in found] == [NEW, OLD]


def test_bootstraps_are_refused() -> None:
    given = Events.of([Bootstrap(TS, "s", "t", 5, [ID])]).columns
    _, report = tidewire.transcode(given, "simple", "avro", schemas=MemorySchemas())
    assert [one.kind for one in report.refused] == ["bootstrap"]


def test_without_a_registry_nothing_is_begun() -> None:
    with pytest.raises(OptionError, match=r"avro: messages carry the ids of schemas .* set schema-registry to the URL"):
        tidewire.transcoder("craft", "avro")


# --- the commands -----------------------------------------------------------------------------------------------------


def test_the_commands_say_at_once_that_no_registry_is_named() -> None:
    for arguments in (("encode", "avro", "-"), ("transcode", "craft", "avro", "--hex", "00")):
        result = command(*arguments)
        assert result.exit_code == 2
        assert "schema-registry" in result.stderr
        assert result.stdout == ""


def test_the_commands_write_with_schemas_that_were_saved(tmp_path: Path) -> None:
    schemas = MemorySchemas()
    made = avro.encode(HAPPENED[:1], schemas=schemas)
    saved = tmp_path / "registry.json"
    subjects = ("s_t-key", "s_t-value")
    saved.write_text(
        json.dumps(
            [
                {"id": number, "subject": subject, "version": 1, "schema": schemas.schema(number)}
                for number, subject in enumerate(subjects, 1)
            ]
        )
    )
    given = ("-o", f"schema-registry={saved}")
    text = f"{(made[0].key or b'').hex()}:{(made[0].value or b'').hex()}"
    decoded = command("decode", "avro", "--exact", "--hex", text, *given)
    assert events(decoded)[0]["new"]
    again = command("encode", "avro", "--to", "hex", "-", *given, stdin=decoded.stdout)
    assert again.exit_code == 0, again.stderr
    assert again.stdout.strip() == text
    shown = command("schema", "table", _file(tmp_path, text), "--protocol", "avro", *given)
    assert shown.exit_code == 0
    assert shown.stdout.split() == ["--", "s.t", "id", "bigint,", "name", "string"]
    other = json.dumps({**events(decoded)[0], "table": "u"})
    assert command("encode", "avro", "-", *given, stdin=other).exit_code == 0
    assert [one["subject"] for one in json.loads(saved.read_text())] == [*subjects, "s_u-key", "s_u-value"]


def _file(folder: Path, text: str) -> Path:
    found = folder / "messages.hex"
    found.write_text(text + "\n")
    return found
