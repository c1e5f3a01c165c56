"""The rows of Open Protocol's messages through Spark: ours, and what one writes without us over the JVM's own reader.

Without a function of one's own that is possible only for messages of one event: then a value's object begins at its 9th
byte and a key's at its 17th. Where a message holds several, their lengths lie between them as binary numbers, and no
function of Spark SQL cuts such bytes into an array.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from benchmarks.cases import Update
from benchmarks.peers import Message

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TYPED = "Open Protocol typed rows"
FROM_JSON = "Open Protocol from_json"
CONTAINS = {
    f"Spark: {TYPED}": "tidewire.spark: both images of every update as rows in the table's types, change columns",
    f"Spark: {FROM_JSON}": "messages of one event: from_json of key and value, behind their lengths, with a schema of "
    "the columns that are wanted, written by hand, explode into both images, casts to the table's types",
}
TARGET = 2.5
"""How many times as fast as from_json with casts the typed rows are to be."""


def messages(rows: Sequence[Update]) -> list[Message]:
    """The rows, one message each."""
    from benchmarks import ours
    from benchmarks.subjects import OPEN

    return ours.prepare(rows, 1, OPEN).sent.messages()


def surfaces(
    messages: DataFrame, parsed_by_spark: DataFrame, types: Mapping[str, str], texts: Sequence[str]
) -> dict[str, DataFrame]:
    """Each way to the rows of the recorded table.

    Args:
        messages: key and value of each that we read.
        parsed_by_spark: of each that Spark's own reader reads.
        types: the table's columns and their types in Spark.
        texts: the columns whose values are texts in JSON.
    """
    from tidewire.spark import rows_from_ticdc

    schema = ", ".join(f"`{name}` {kind}" for name, kind in types.items())
    return {
        TYPED: rows_from_ticdc(messages, "open_protocol", "test.bench", schema, {"mode": "FAILFAST"}),
        FROM_JSON: _from_json(parsed_by_spark, types, texts),
    }


def _from_json(messages: DataFrame, types: Mapping[str, str], texts: Sequence[str]) -> DataFrame:
    cells = ",".join(f"`{name}`:struct<v:{'string' if name in texts else kind}>" for name, kind in types.items())
    parsed = messages.selectExpr(
        "from_json(cast(substring(key, 17) as string), 'struct<ts:decimal(20,0)>') as k",
        f"from_json(cast(substring(value, 9) as string), 'struct<u:struct<{cells}>,p:struct<{cells}>>') as e",
    )
    images = "array(named_struct('k', 'update_preimage', 'r', e.p), named_struct('k', 'update_postimage', 'r', e.u))"
    rows = parsed.selectExpr("k.ts as _commit_version", f"explode({images}) as i")
    casts = [f"cast(i.r.`{name}`.v as {kind}) as `{name}`" for name, kind in types.items()]
    return rows.selectExpr("i.k as _change_type", "_commit_version", *casts)
