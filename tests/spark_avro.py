"""Spark's own Avro reader, a jar that is not part of pyspark: fetched once, and added to a session."""

from __future__ import annotations

import json
from typing import Any

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.avro.functions import from_avro
from registered import HEAD

from tidewire.spark.sync.jars import jars


def add_spark_avro(spark: SparkSession) -> None:
    """Lets a session read Avro.

    Raises:
        JarError: the jar cannot be fetched.
    """
    (jar,) = jars(["avro"])
    spark.sql(f"ADD JAR '{jar}'")


def record(value: str, schema: str) -> Column:
    """The record in a column of messages, behind the id of its schema, as Spark itself reads it."""
    return from_avro(F.expr(f"substring({value}, {HEAD + 1})"), schema)


def fields(schema: str) -> dict[str, dict[str, Any]]:
    """The types of a record's fields by their names; of those that can be null the other type."""
    found = {}
    for one in json.loads(schema)["fields"]:
        type = one["type"]
        if isinstance(type, list):
            (type,) = [branch for branch in type if branch != "null"]
        found[one["name"]] = type if isinstance(type, dict) else {"type": type}
    return found
