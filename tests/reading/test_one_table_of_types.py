"""Rows without Spark equal Spark's: types, additional columns, corrupt records."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.sql.types import (
    DayTimeIntervalType,
    DecimalType,
    IntegerType,
    MapType,
    StringType,
    StructType,
    VariantType,
)

from tidewire.reading.images import METADATA
from tidewire.reading.message_batch import CORRUPT
from tidewire.reading.types import CANDIDATES, VARIANT, SchemaError, TargetType, sql_name
from tidewire.schemas import CORRUPT_RECORD, ROW_METADATA
from tidewire.spark.arrow_types import arrow_schema, arrow_type, spark_type, target_of, wanted
from tidewire.spark.infer import common_type


def test_the_columns_behind_those_of_the_table() -> None:
    assert arrow_schema(ROW_METADATA).equals(METADATA)
    assert arrow_type(CORRUPT_RECORD) == CORRUPT


@pytest.mark.parametrize("one", CANDIDATES, ids=lambda one: one.name)
def test_each_type_is_one_of_spark(one: TargetType) -> None:
    kind = spark_type(one.arrow)
    assert kind.simpleString().upper() == one.name == sql_name(one.arrow)
    assert arrow_type(kind) == one.arrow
    assert target_of(kind) == one


def test_types_with_parameters() -> None:
    assert spark_type(pa.decimal128(10, 2)) == DecimalType(10, 2)
    assert sql_name(pa.decimal128(10, 2)) == "DECIMAL(10,2)"
    assert spark_type(VARIANT) == VariantType()
    hours = DayTimeIntervalType(DayTimeIntervalType.DAY, DayTimeIntervalType.HOUR)
    assert target_of(hours) == TargetType(pa.duration("us"), "INTERVAL DAY TO HOUR", 3_600_000_000)
    with pytest.raises(SchemaError, match="map<string,int> is not a type that changes are decoded to"):
        wanted(StructType().add("m", MapType(StringType(), IntegerType())))
    (column,) = wanted(StructType().add("d", DayTimeIntervalType(DayTimeIntervalType.DAY, DayTimeIntervalType.DAY)))
    assert (column.name, column.target.unit) == ("d", 86_400_000_000)


def test_a_variant_and_another_type_have_no_type_in_common() -> None:
    assert common_type("v", VariantType(), VariantType()) == VariantType()
    with pytest.raises(SchemaError, match="column 'v' was INT and became VARIANT: no type holds both"):
        common_type("v", VariantType(), IntegerType())
    with pytest.raises(SchemaError, match="column 'v' was VARIANT and became INT: no type holds both"):
        common_type("v", IntegerType(), VariantType())
