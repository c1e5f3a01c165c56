"""Debezium's messages through Spark: ours, and what one writes without us over the JVM's own JSON reader.

Messages have schema blocks with TiDB's types: ours learns the columns from them, `from_json` passes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from benchmarks.cases import Update
from benchmarks.peers import Message

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TYPED = "Debezium typed rows"
FROM_JSON = "Debezium from_json"
CONTAINS = {
    f"Spark: {TYPED}": "tidewire.spark: both images of every update as rows in the table's types, change columns; keys "
    "and schema blocks are read",
    f"Spark: {FROM_JSON}": "from_json of the values with a schema of the columns that are wanted, written by hand, "
    "explode into both images, casts to the table's types; schema blocks are passed",
}
TARGET = 2.5
"""How many times as fast as from_json with casts the typed rows are to be."""
_READ = {"decimal(10,2)": "double", "timestamp_ntz": "bigint"}
"""What stands in a message for a type of Spark, where that is not the type itself."""
_CASTS = {"timestamp_ntz": "cast(timestamp_millis({}) as timestamp_ntz)"}


def messages(rows: Sequence[Update]) -> list[Message]:
    """The rows, one message each."""
    from benchmarks import ours
    from benchmarks.subjects import DEBEZIUM_JSON

    return ours.prepare(DEBEZIUM_JSON.rows(rows), 1, DEBEZIUM_JSON).sent.messages()


def surfaces(values: DataFrame, parsed_by_spark: DataFrame, types: Mapping[str, str]) -> dict[str, DataFrame]:
    """Each way to the rows of the recorded table.

    Args:
        values: the messages that we read, with their keys.
        parsed_by_spark: those that Spark's own reader reads.
        types: the table's columns and their types in Spark.
    """
    from tidewire.spark import rows_from_ticdc

    schema = ", ".join(f"`{name}` {kind}" for name, kind in types.items())
    return {
        TYPED: rows_from_ticdc(values, "debezium", "test.bench", schema, {"mode": "FAILFAST"}),
        FROM_JSON: _from_json(parsed_by_spark, types),
    }


def _from_json(values: DataFrame, types: Mapping[str, str]) -> DataFrame:
    image = "struct<" + ",".join(f"`{name}`:{_READ.get(kind, kind)}" for name, kind in types.items()) + ">"
    event = f"struct<payload:struct<source:struct<commit_ts:bigint>,before:{image},after:{image}>>"
    parsed = values.selectExpr(f"from_json(cast(value as string), '{event}').payload as e")
    sides = (("update_preimage", "before"), ("update_postimage", "after"))
    images = ", ".join(f"named_struct('k', '{kind}', 'r', e.{side})" for kind, side in sides)
    rows = parsed.selectExpr("e.source.commit_ts as _commit_version", f"explode(array({images})) as i")
    casts = [
        f"{_CASTS.get(kind, f'cast({{}} as {kind})').format(f'i.r.`{name}`')} as `{name}`"
        for name, kind in types.items()
    ]
    return rows.selectExpr("i.k as _change_type", "_commit_version", *casts)
