"""Runs in a process of its own, in a package that has a protocol from outside. Prints as JSON what Spark does."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from tidewire import canal_json, maxwell
from tidewire.events import Column, Ddl, Event, Events, RowChange
from tidewire.spark import from_ticdc, local_session, rows_from_ticdc, to_ticdc

COLUMNS = [Column("id", 3, 11, "int"), Column("n", 15, 0, "varchar(9)")]
EVENTS: list[Event] = [
    RowChange("insert", 1 << 40, "s", "t", new={"id": 1, "n": "ä"}, columns=COLUMNS),
    RowChange("delete", 2 << 40, "s", "t", old={"id": 2, "n": None}, columns=COLUMNS),
    Ddl(3 << 40, "s", "t", 4, "drop table t"),
]
OPTIONS = {"column-types": "s.t (id int primary key, n varchar(9))"}
COLUMNS_OF_EVENTS = Events.columns_of(EVENTS)
sent = maxwell.encode_batch(COLUMNS_OF_EVENTS)
others = canal_json.encode_batch(COLUMNS_OF_EVENTS, canal_json.Options(enable_tidb_extension=True))
spark = local_session("maxwell", cores=1, memory="640m", conf={"spark.ui.enabled": "false"})


def frame(batch: pa.RecordBatch, *names: str) -> Any:
    """Messages in Spark, with these columns."""
    return spark.createDataFrame(pa.Table.from_batches([batch]).select(list(names)).to_pandas())


def read(messages: Any) -> list[Any]:
    """The typed rows of messages."""
    rows = rows_from_ticdc(messages, "maxwell", "s.t", "id int, n string", OPTIONS)
    return [list(row) for row in rows.select("_change_type", "id", "n").collect()]


written = to_ticdc(from_ticdc(frame(others, "value"), "canal-json"), "maxwell").select("key").collect()
print(
    json.dumps(
        {
            "with": read(frame(sent, "key", "value")),
            "without": read(frame(sent, "value")),
            "written": [bytes(row.key).decode() for row in written],
            "same": [bytes(row.key) for row in written] == sent.column("key").to_pylist(),
        }
    )
)
spark.stop()
