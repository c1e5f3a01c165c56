"""The rows of Simple's messages through Spark: ours, and what one writes without us over the JVM's own JSON reader.

The table is described already, in a file of option schemaLocation, as it is in all but the first batch of a stream.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.cases import Update
from benchmarks.peers import Message

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidewire.tables import TableStore

TYPED = "Simple typed rows"
FROM_JSON = "Simple from_json"
CONTAINS = {
    f"Spark: {TYPED}": "tidewire.spark: both images of every update as rows in the table's types, change columns; the "
    "table's description lies in a file",
    f"Spark: {FROM_JSON}": "from_json with a schema of the columns that are wanted, written by hand, explode into both "
    "images, casts to the table's types",
}
TARGET = 2.5
"""How many times as fast as from_json with casts the typed rows are to be."""
_VERSION = 5
_SENT_MS = 1_767_323_045_678
_DECLARED = {
    "id": "int",
    "big": "bigint",
    "name": "varchar(64)",
    "amount": "decimal(10,2)",
    "at": "datetime",
    "f": "float",
    "d": "double",
    "t": "tinyint",
}
"""The recorded table as SQL declares it."""


def messages(rows: Sequence[Update]) -> list[Message]:
    """The rows, one message each."""
    from benchmarks.ours import row_change
    from tidewire import simple

    events = [row_change(row) for row in rows]
    for event in events:
        event.table_version, event.sent_ms = _VERSION, _SENT_MS
    return [Message(None, one.value or b"") for one in simple.encode(events)]


def described() -> TableStore:
    """What the recorded table is."""
    from tidewire.tables import TableStore

    declared = ", ".join(f"`{name}` {kind}" for name, kind in _DECLARED.items())
    tables = TableStore()
    tables.add_sql(f"CREATE TABLE test.bench ({declared}, PRIMARY KEY (id))", version=_VERSION)
    return tables


def surfaces(
    values: DataFrame, parsed_by_spark: DataFrame, types: Mapping[str, str], folder: Path
) -> dict[str, DataFrame]:
    """Each way to the rows of the recorded table.

    Args:
        values: the messages that we read.
        parsed_by_spark: those that Spark's own reader reads.
        types: the table's columns and their types in Spark.
        folder: where the description of the table is kept.
    """
    from tidewire.spark import rows_from_ticdc
    from tidewire.spark.schema_files import SchemaFiles

    (table,) = described()
    SchemaFiles(str(folder)).write(table)
    schema = ", ".join(f"`{name}` {kind}" for name, kind in types.items())
    options = {"mode": "FAILFAST", "schemaLocation": str(folder)}
    return {
        TYPED: rows_from_ticdc(values, "simple", "test.bench", schema, options),
        FROM_JSON: _from_json(parsed_by_spark, types),
    }


def _from_json(values: DataFrame, types: Mapping[str, str]) -> DataFrame:
    image = "struct<" + ",".join(f"`{name}`:string" for name in types) + ">"
    event = f"struct<commitTs:bigint,data:{image},old:{image}>"
    parsed = values.selectExpr(f"from_json(cast(value as string), '{event}') as e")
    images = (
        "array(named_struct('k', 'update_preimage', 'r', e.old), named_struct('k', 'update_postimage', 'r', e.data))"
    )
    rows = parsed.selectExpr("e.commitTs as _commit_version", f"explode({images}) as i")
    casts = [f"cast(i.r.`{name}` as {kind}) as `{name}`" for name, kind in types.items()]
    return rows.selectExpr("i.k as _change_type", "_commit_version", *casts)
