"""In Spark: rows that need table descriptions and are in claim-check files or have only their key."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
import spark_frames
from pyspark.sql import DataFrame, SparkSession

from tidewire import simple
from tidewire.events import Bootstrap, Event, RowChange
from tidewire.runtime.errors import OptionError
from tidewire.spark import from_ticdc, rows_from_ticdc, table_schema
from tidewire.tables import TableDescription, TableStore

SQL = "CREATE TABLE s.t (id INT PRIMARY KEY, body TEXT, state ENUM('new', 'paid'))"
BODIES = ("short", "".join(chr(0x4E00 + n) for n in range(900)))
"""The second does not repeat, so that it stays long."""


def table() -> TableDescription:
    (found,) = TableStore().add_sql(SQL, version=7)
    return found


def events() -> list[Event]:
    """Two rows, and what describes their table, behind them."""
    described = table()
    rows: list[Event] = [
        RowChange(
            "insert",
            (7 + number) << 18,
            "s",
            "t",
            {"id": number, "body": body, "state": 2},
            columns=described.row_columns(),
            table_version=7,
        )
        for number, body in enumerate(BODIES)
    ]
    return [*rows, Bootstrap(0, "s", "t", table_after=described)]


def frame(spark: SparkSession, **options: object) -> DataFrame:
    """The messages, each in a partition of its own."""
    values = [one.value for one in simple.encode(events(), simple.Options(**options))]  # type: ignore[arg-type]
    return spark_frames.frame(spark, values, len(values))


def claimed(spark: SparkSession, folder: Path, compression: str, raw: bool) -> tuple[DataFrame, dict[str, str]]:
    """Messages of which the second row lies in a file, and the options to read them with."""
    folder.mkdir(exist_ok=True)
    messages = frame(
        spark,
        large_message_handle_option="claim-check",
        large_message_handle_compression=compression,
        claim_check_storage_uri=str(folder),
        claim_check_raw_value=raw,
        max_message_bytes=760,
    )
    assert len(list(folder.iterdir())) == 1
    reading = {"large-message-handle-compression": compression, "claim-check-raw-value": str(raw).lower()}
    return messages, reading | {"claim-check": str(folder)}


@pytest.mark.parametrize(("compression", "raw"), [("none", False), ("lz4", True), ("snappy", False)])
def test_rows_are_fetched_where_they_lie(spark: SparkSession, tmp_path: Path, compression: str, raw: bool) -> None:
    messages, options = claimed(spark, tmp_path / "claims", compression, raw)
    assert table_schema(messages, "simple", "s.t", options).simpleString() == "struct<body:string,id:int,state:int>"
    for more in ({}, {"schemaLocation": str(tmp_path / "tables")}):
        rows = rows_from_ticdc(
            messages, "simple", "s.t", "id INT, body STRING, state STRING", {**options, **more, "enum": "label"}
        )
        found = [(row.id, row.body, row.state, row._corrupt_record) for row in rows.orderBy("id").collect()]
        assert found == [(number, body, "paid", None) for number, body in enumerate(BODIES)]


def test_a_file_that_is_not_there_is_a_corrupt_record(spark: SparkSession, tmp_path: Path) -> None:
    messages, options = claimed(spark, tmp_path / "claims", "lz4", False)
    elsewhere = {**options, "claim-check": str(tmp_path / "elsewhere")}
    found = from_ticdc(messages, "simple", elsewhere).orderBy("_corrupt_record.offset").collect()
    bad = [row._corrupt_record for row in found if row._corrupt_record is not None]
    assert sorted(row.kind for row in found if row.kind is not None) == ["bootstrap", "insert"]
    assert [one.offset for one in bad] == [1]
    assert "s.t(id=1)" in bad[0].reason


def test_without_the_option_a_row_says_where_it_lies(spark: SparkSession, tmp_path: Path) -> None:
    messages, options = claimed(spark, tmp_path / "claims", "none", False)
    plain: Mapping[str, str] = {name: value for name, value in options.items() if name != "claim-check"}
    (row,) = from_ticdc(messages, "simple", plain).where("claim_check IS NOT NULL").collect()
    assert row.claim_check.startswith(str(tmp_path / "claims"))
    assert row.handle_key_only
    rows = rows_from_ticdc(messages, "simple", "s.t", "id INT, body STRING", plain).orderBy("id").collect()
    assert [(one.id, one.body) for one in rows] == [(0, "short"), (1, None)]
    assert rows[0]._corrupt_record is None
    assert "and lies in" in rows[1]._corrupt_record.reason


def test_a_row_of_which_there_is_the_key(spark: SparkSession, tmp_path: Path) -> None:
    messages = frame(spark, large_message_handle_option="handle-key-only", max_message_bytes=760)
    rows = rows_from_ticdc(messages, "simple", "s.t", "id INT, body STRING").orderBy("id").collect()
    assert [(one.id, one.body) for one in rows] == [(0, "short"), (1, None)]
    assert rows[1]._corrupt_record.reason.startswith("the message has the row's handle key columns only")
    dropped = rows_from_ticdc(messages, "simple", "s.t", "id INT, body STRING", {"mode": "DROPMALFORMED"})
    assert [one.id for one in dropped.collect()] == [0]
    located = {"schemaLocation": str(tmp_path / "tables")}
    (event,) = from_ticdc(messages, "simple", located).where("handle_key_only").collect()
    assert (event.kind, event.table_version) == ("insert", 7)
    whole = rows_from_ticdc(messages, "simple", "s.t", "variant").selectExpr("to_json(row) row", "_corrupt_record")
    assert sorted(one.row for one in whole.collect() if one.row is not None and one._corrupt_record is None) == [
        '{"body":"short","id":0,"state":2}'
    ]


def test_a_row_in_a_file_whose_table_nobody_described(spark: SparkSession, tmp_path: Path) -> None:
    messages, options = claimed(spark, tmp_path / "claims", "none", False)
    rows = from_ticdc(messages.where("offset < 2"), "simple", options).collect()
    reasons = [one._corrupt_record.reason for one in rows]
    assert len(reasons) == 2
    assert all("is not described in version 7" in reason for reason in reasons)


def test_options_that_do_not_go_together_are_refused_before_the_query(spark: SparkSession) -> None:
    with pytest.raises(OptionError, match="claim-check-storage-uri"):
        from_ticdc(frame(spark), "simple", {"large-message-handle-option": "claim-check"})
