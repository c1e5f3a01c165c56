"""Runs in its own process with the package that has the container of tagged fields; prints what Spark reads as JSON."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
from parcels import parcel

from tidewire.events import Column, Ddl, Event, RowChange
from tidewire.spark import from_ticdc, local_session, rows_from_ticdc

COLUMNS = [Column("id", 3, 11), Column("n", 15, 0)]
at: dict[str, Any] = {"columns": COLUMNS}
EVENTS: list[Event] = [
    Ddl(1 << 18, "s", "t", 3, "create table t (id int primary key, n varchar(9))"),
    RowChange("insert", 2 << 18, "s", "t", new={"id": 1, "n": "ä"}, **at),
    RowChange("update", 3 << 18, "s", "t", {"id": 1, "n": "ä"}, {"id": 1, "n": None}, **at),
    RowChange("delete", 4 << 18, "s", "t", old={"id": 1, "n": None}, **at),
]
spark = local_session("parcels", cores=1, memory="640m", conf={"spark.ui.enabled": "false"})
frame = spark.createDataFrame(pa.table({"value": pa.array([parcel(one) for one in EVENTS], pa.binary())}).to_pandas())


def read(found: Any) -> list[Any]:
    """The rows of a frame, or the error of reading them in one line."""
    try:
        return [list(row) for row in found.collect()]
    except Exception as error:
        text = str(error)
        return [text[text.find("tidewire.runtime.errors") :].splitlines()[0]]


events = from_ticdc(frame, "parcel").select("kind", "query", "new", "old").selectExpr(
    "kind", "query", "cast(new as string)", "cast(old as string)"
)
rows = rows_from_ticdc(frame, "parcel", "s.t", "id int, n string").select("_change_type", "id", "n")
print(json.dumps({"events": read(events), "rows": read(rows)}))
spark.stop()
