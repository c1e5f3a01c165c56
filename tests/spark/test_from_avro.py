"""Spark's own from_avro with TiCDC's schemas and derived ones gives the same rows."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from pyspark.errors import ArithmeticException
from pyspark.sql import Row, SparkSession
from pyspark.sql.types import BinaryType, DecimalType, LongType, StructField, StructType
from registered import HEAD, Sent, codec_options, one_topic, registered_stream
from schema_server import schema_server
from spark_avro import add_spark_avro, fields, record
from spark_streams import frame

from tidewire import avro
from tidewire.events import RowChange
from tidewire.messages.registry import MemorySchemas
from tidewire.spark import rows_from_ticdc

SCENARIOS = ("integers", "decimals", "strings", "times", "enum-set-json-vector", "keys")
BEFORE = "_ticdc_before"
MOST_DIGITS = 38
"""Of a decimal in Spark."""
OF_EVENTS = ("_tidb_", BEFORE)
"""What the names of fields begin with that are no columns."""


@pytest.fixture(scope="module")
def with_avro(spark: SparkSession) -> SparkSession:
    add_spark_avro(spark)
    return spark


def topic(option_set: str, derived: bool) -> tuple[list[Sent], MemorySchemas]:
    """Recorded messages, or the same events as we write them, with the schemas that were registered for them."""
    chosen = [registered_stream(f"{option_set.format(scenario)}") for scenario in SCENARIOS]
    messages, schemas = one_topic(chosen)
    if not derived:
        return messages, schemas
    events = avro.decode_batch([one.value for one in messages], [one.key for one in messages], schemas=schemas)
    own = MemorySchemas()
    options = avro.Options.from_strings(codec_options(chosen[0]))
    # rows that only keys tell of are not compared, and have no commit ts
    rows = [one for one in events if isinstance(one, RowChange) and (one.commit_ts or option_set.endswith("string"))]
    return [Sent(one.key, one.value) for one in avro.encode(rows, options, schemas=own)], own


def columns(names: list[str]) -> list[str]:
    return [name for name in names if not name.startswith(OF_EVENTS)]


def ours(messages: Any, table: tuple[str, str], schema: str, read: StructType, url: str) -> dict[tuple[int, str], Row]:
    """Our rows, by the message and what they are, in the types in which Spark reads them but for unsigned numbers."""
    types = fields(schema)
    declared = [
        StructField(one.name, DecimalType(20, 0))
        if one.dataType == LongType() and _word(types[one.name]) == "BIGINT UNSIGNED"
        else StructField(one.name, one.dataType)
        for one in read
        if one.name in columns(read.names)
    ]
    options = {"schema-registry": url, "mode": "FAILFAST", "enum": "label", "keep": "offset"}
    found = rows_from_ticdc(messages, "avro", table, StructType(declared), options).collect()
    return {(row.offset, row._change_type): row for row in found}


def _word(type: dict[str, Any]) -> str:
    return str(type.get("connect.parameters", {}).get("tidb_type"))


def as_spark_reads(value: Any) -> Any:
    """A value of ours as from_avro gives it: numbers of 64 bits have a sign there."""
    if isinstance(value, Decimal) and value == value.to_integral_value() and 1 << 63 <= value < 1 << 64:
        return int(value) - (1 << 64)
    return value


def same(theirs: Any, own: Any, bits: bool) -> bool:
    if bits and theirs is not None:  # TiCDC of the new architecture writes zero bytes before the first one that tells
        return bool(theirs.lstrip(b"\0") == own.lstrip(b"\0"))
    return bool(theirs == as_spark_reads(own))


@pytest.mark.parametrize("derived", [False, True], ids=["registered by TiCDC", "derived here"])
@pytest.mark.parametrize(
    "option_set",
    ["tiflow/{}/avro.tidb-extension", "tiflow/{}/avro.string", "ticdc/{}/avro.before-tidb-extension"],
)
def test_rows_are_those_that_spark_reads_itself(with_avro: SparkSession, option_set: str, derived: bool) -> None:
    messages, schemas = topic(option_set, derived)
    by_id: dict[int, list[int]] = {}
    for at, one in enumerate(messages):
        if one.value is not None and one.value[:1] == b"\0":
            by_id.setdefault(int.from_bytes(one.value[1:HEAD], "big"), []).append(at)
    assert len(by_id) > 10
    compared = 0
    with schema_server(schemas) as server:
        for id, places in by_id.items():
            schema = schemas.schema(id)
            sent = frame(with_avro, [messages[at] for at in places])
            if any(type.get("precision", 0) > MOST_DIGITS for type in fields(schema).values()):
                # of such a table Spark reads no column, whatever the query wants
                with pytest.raises(ArithmeticException, match="exceeds max precision 38"):
                    sent.select(record("value", schema).alias("r"))
                continue
            parsed = sent.select("offset", record("value", schema).alias("r")).select("offset", "r.*")
            read = StructType([one for one in parsed.schema if one.name != "offset"])
            (event,) = avro.decode(messages[places[0]].value, messages[places[0]].key, schemas=schemas)
            assert isinstance(event, RowChange)
            found = ours(sent, (event.schema or "", event.table or ""), schema, read, server.url)
            bits = {name for name, type in fields(schema).items() if _word(type) == "BIT"}
            assert all(read[name].dataType == BinaryType() for name in bits)
            for row in parsed.collect():
                (after,) = [
                    found[key] for key in ((row.offset, kind) for kind in ("insert", "update_postimage", "delete"))
                    if key in found
                ]  # fmt: skip
                pairs = [(row, after)]
                before = found.get((row.offset, "update_preimage"))
                if before is not None:
                    pairs.append((row[BEFORE], before))
                for theirs, own in pairs:
                    for name in columns(read.names):
                        assert same(theirs[name], own[name], name in bits), (event.table, name, theirs[name], own[name])
                        compared += 1
                if "_tidb_commit_ts" in read.names:
                    assert row._tidb_commit_ts == after._commit_version
    assert compared > 500
