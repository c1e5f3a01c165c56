"""Fields of Spark types, as templates print them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SparkType:
    """A type as a Python expression: a class of `pyspark.sql.types` and its arguments."""

    name: str
    given: tuple[SparkType | int, ...] = ()

    @property
    def text(self) -> str:
        """The call."""
        return f"{self.name}({', '.join(one.text if isinstance(one, SparkType) else str(one) for one in self.given)})"

    @property
    def classes(self) -> set[str]:
        """The names of the classes that the call needs."""
        return {self.name}.union(*(one.classes for one in self.given if isinstance(one, SparkType)))


INTEGER, STRING = SparkType("IntegerType"), SparkType("StringType")
SPARK_TYPES = {
    "tinyint": SparkType("ByteType"),
    "smallint": SparkType("ShortType"),
    "int": INTEGER,
    "bigint": SparkType("LongType"),
    "decimal(20,0)": SparkType("DecimalType", (20, 0)),
    "boolean": SparkType("BooleanType"),
    "double": SparkType("DoubleType"),
    "string": STRING,
    "binary": SparkType("BinaryType"),
    "timestamp": SparkType("TimestampType"),
    "variant": SparkType("VariantType"),
    "map<string,string>": SparkType("MapType", (STRING, STRING)),
    "map<string,int>": SparkType("MapType", (STRING, INTEGER)),
}
"""Spark's types by SQL name."""
WHOLE = (("int", 31), ("bigint", 63))
"""Spark's integer types with their number of bits."""


@dataclass(frozen=True)
class PlannedField:
    """A field of a StructType: a plain type or a struct, in `arrays` levels of arrays."""

    name: str
    type: SparkType | None
    fields: tuple[PlannedField, ...]
    arrays: int
    nullable: bool
    elements_nullable: bool
    about: str


def plain(
    name: str, kind: str, about: str, nullable: bool = True, arrays: int = 0, nulls: bool = False
) -> PlannedField:
    """A field of a plain type, or of nested arrays of it."""
    return PlannedField(name, SPARK_TYPES[kind], (), arrays, nullable, nulls, about)


def whole(limits: tuple[int, int]) -> str:
    """The smallest of Spark's integer types, from int on, that has the range."""
    for name, bits in WHOLE:
        if -(2**bits) <= limits[0] and limits[1] < 2**bits:
            return name
    return "decimal(20,0)"
