"""Transcoding between Avro and the other protocols: losses and refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import events
from commands import tidewire as command

import tidewire
from tidewire import avro
from tidewire.events import Bootstrap, Ddl, Events, RowChange, Watermark
from tidewire.messages.registry import MemorySchemas
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import OptionError
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

TS = 470607536966860800
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
