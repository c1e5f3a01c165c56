"""Fields of Spark types, as templates print them."""

from __future__ import annotations

from dataclasses import dataclass

SPARK_TYPES = {
    "tinyint": "ByteType()",
    "smallint": "ShortType()",
    "int": "IntegerType()",
    "bigint": "LongType()",
    "decimal(20,0)": "DecimalType(20, 0)",
    "boolean": "BooleanType()",
    "double": "DoubleType()",
    "string": "StringType()",
    "binary": "BinaryType()",
    "timestamp": "TimestampType()",
    "variant": "VariantType()",
    "map<string,string>": "MapType(StringType(), StringType())",
    "map<string,int>": "MapType(StringType(), IntegerType())",
}
"""Spark's types by their names in SQL."""
MAPS = frozenset(printed for name, printed in SPARK_TYPES.items() if name.startswith("map<"))
WHOLE = (("int", 31), ("bigint", 63))
"""Spark's integers and their bits."""


@dataclass(frozen=True)
class PlannedField:
    """A field of a StructType: a plain type, or a struct of fields; `arrays` says how many arrays it is in."""

    name: str
    type: str
    fields: tuple[PlannedField, ...]
    arrays: int
    nullable: bool
    elements_nullable: bool
    about: str


def plain(
    name: str, kind: str, about: str, nullable: bool = True, arrays: int = 0, nulls: bool = False
) -> PlannedField:
    """A field of a plain type, or of arrays of it."""
    return PlannedField(name, SPARK_TYPES[kind], (), arrays, nullable, nulls, about)


def whole(limits: tuple[int, int]) -> str:
    """The smallest of Spark's integers, from int on, that has the range."""
    for name, bits in WHOLE:
        if -(2**bits) <= limits[0] and limits[1] < 2**bits:
            return name
    return "decimal(20,0)"
