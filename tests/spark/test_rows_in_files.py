"""In Spark: rows in claim-check files, and compressed messages."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from spark_frames import Frame

from tidewire import canal_json
from tidewire.events import RowChange
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import OptionError
from tidewire.spark import from_ticdc, rows_from_ticdc

ID = Column("id", ColumnType.INT, int(ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY))
BODY = Column("body", ColumnType.BLOB, 0)


def messages(folder: Path) -> list[bytes | None]:
    """Two rows, the second of them in a file."""
    options = canal_json.Options(
        enable_tidb_extension=True,
        large_message_handle_option="claim-check",
        large_message_handle_compression="lz4",
        claim_check_storage_uri=str(folder),
        max_message_bytes=600,
    )
    # what does not repeat, so that it stays long
    bodies = ["short", "".join(chr(0x4E00 + n) for n in range(900))]
    events = [
        RowChange("insert", 7 << 18, "s", "t", {"id": n, "body": body}, columns=[ID, BODY])
        for n, body in enumerate(bodies)
    ]
    return [message.value for message in canal_json.encode(events, options)]


def test_rows_are_fetched_where_they_lie(spark: SparkSession, frame: Frame, tmp_path: Path) -> None:
    values = messages(tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    options = {"large-message-handle-compression": "lz4", "claim-check": str(tmp_path)}
    rows = rows_from_ticdc(frame(values), "canal-json", "s.t", "id INT, body STRING", options)
    assert [(row.id, len(row.body)) for row in rows.orderBy("id").collect()] == [(0, 5), (1, 900)]


def test_a_file_that_is_not_there_is_a_corrupt_record(frame: Frame, tmp_path: Path) -> None:
    values = messages(tmp_path)
    options = {"large-message-handle-compression": "lz4", "claim-check": str(tmp_path / "elsewhere")}
    good, bad = from_ticdc(frame(values), "canal-json", options).orderBy("offset").collect()
    if good.kind is None:
        good, bad = bad, good
    assert good.kind == "insert"
    assert bad.kind is None
    assert "s.t(id=1)" in bad._corrupt_record.reason
    assert bad._corrupt_record.value == values[1]


def test_without_the_option_an_event_says_where_the_row_lies(frame: Frame, tmp_path: Path) -> None:
    events = from_ticdc(frame(messages(tmp_path)), "canal-json", {"large-message-handle-compression": "lz4"})
    (row,) = events.where("claim_check IS NOT NULL").collect()
    assert row.claim_check.startswith(str(tmp_path))


def test_options_that_do_not_go_together_are_refused_before_the_query(frame: Frame) -> None:
    with pytest.raises(OptionError, match="needs enable-tidb-extension"):
        from_ticdc(frame([b""]), "canal-json", {"large-message-handle-option": "handle-key-only"})
