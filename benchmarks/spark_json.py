"""The rows of Canal-JSON messages through Spark: ours, and what one writes without us over the JVM's own readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from benchmarks.cases import Update
from benchmarks.peers import Message

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TYPED = "Canal-JSON typed rows"
FROM_JSON = "Canal-JSON from_json"
VARIANT = "Canal-JSON parse_json"
CONTAINS = {
    f"Spark: {TYPED}": "tidewire.spark: both images of every update as rows in the table's types, change columns",
    f"Spark: {FROM_JSON}": "from_json with a schema of the columns that are wanted, written by hand, explode into both "
    "images, casts to the table's types",
    f"Spark: {VARIANT}": "parse_json, explode into both images, a typed variant_get for each column",
}
TARGET = 2.5
"""How many times as fast as from_json with casts the typed rows are to be."""


def messages(rows: Sequence[Update]) -> list[Message]:
    """The rows as Canal-JSON, one message each, with TiDB's extension."""
    from benchmarks import ours
    from benchmarks.subjects import CANAL

    return ours.prepare(rows, 1, CANAL).sent.messages()


def surfaces(values: DataFrame, parsed_by_spark: DataFrame, types: Mapping[str, str]) -> dict[str, DataFrame]:
    """Each way to the rows of the recorded table.

    Args:
        values: the messages that we read.
        parsed_by_spark: those that Spark's own readers read.
        types: the table's columns and their types in Spark.
    """
    from tidewire.spark import rows_from_ticdc

    schema = ", ".join(f"`{name}` {kind}" for name, kind in types.items())
    return {
        TYPED: rows_from_ticdc(values, "canal_json", "test.bench", schema, {"mode": "FAILFAST"}),
        FROM_JSON: _from_json(parsed_by_spark, types),
        VARIANT: _variant(parsed_by_spark, types),
    }


def _from_json(values: DataFrame, types: Mapping[str, str]) -> DataFrame:
    image = "struct<" + ",".join(f"`{name}`:string" for name in types) + ">"
    event = f"struct<data:array<{image}>,old:array<{image}>,_tidb:struct<commitTs:bigint>>"
    parsed = values.selectExpr(f"from_json(cast(value as string), '{event}') as e")
    images = (
        "array(named_struct('k', 'update_preimage', 'r', e.old[0]), "
        "named_struct('k', 'update_postimage', 'r', e.data[0]))"
    )
    rows = parsed.selectExpr("e._tidb.commitTs as _commit_version", f"explode({images}) as i")
    casts = [f"cast(i.r.`{name}` as {kind}) as `{name}`" for name, kind in types.items()]
    return rows.selectExpr("i.k as _change_type", "_commit_version", *casts)


def _variant(values: DataFrame, types: Mapping[str, str]) -> DataFrame:
    parsed = values.selectExpr("parse_json(cast(value as string)) as v")
    images = (
        "array(named_struct('k', 'update_preimage', 'r', variant_get(v, '$.old[0]', 'variant')), "
        "named_struct('k', 'update_postimage', 'r', variant_get(v, '$.data[0]', 'variant')))"
    )
    rows = parsed.selectExpr(
        "variant_get(v, '$._tidb.commitTs', 'bigint') as _commit_version", f"explode({images}) as i"
    )
    gets = [f"variant_get(i.r, '$.{name}', '{kind}') as `{name}`" for name, kind in types.items()]
    return rows.selectExpr("i.k as _change_type", "_commit_version", *gets)
