"""The plan of the Spark types: events in a DataFrame, and the encoded messages of each protocol."""

from __future__ import annotations

from dataclasses import dataclass

from ..facts import DESCRIPTION, EventField, Events
from ..model import Spec
from ..plugins import plugin_of
from .spark_types import PlannedField, plain, whole

NOT_NUMBERS = {"bool": "boolean", "text": "string", "bytes": "binary"}
"""Spark types of event fields that are not numbers."""


def _part(name: str, fields: tuple[PlannedField, ...]) -> PlannedField:
    """An array of structs."""
    return PlannedField(name, None, fields, 1, True, True, "")


def _plain(kind: str, *names: str) -> list[PlannedField]:
    return [plain(name, kind, "") for name in names]


_COLUMN = (
    *_plain("string", "name", "mysql_type"),
    *_plain("boolean", "unsigned", "zerofill"),
    *_plain("bigint", "length", "scale"),
    plain("labels", "string", "", arrays=1, nulls=True),
    *_plain("string", "charset", "collation"),
    *_plain("boolean", "nullable"),
    *_plain("string", "default"),
    plain("default_bits", "decimal(20,0)", "The default of a BIT column."),
    *_plain("bigint", "default_length"),
    *_plain("boolean", "auto_increment", "on_update"),
    *_plain("string", "generated"),
    *_plain("boolean", "stored"),
    *_plain("string", "comment"),
    *_plain("bigint", "position", "id"),
)
_INDEX = (
    *_plain("string", "name"),
    plain("columns", "string", "", arrays=1, nulls=True),
    *_plain("boolean", "unique", "primary", "nullable"),
)
DESCRIBED = (
    *_plain("string", "schema", "table"),
    _part("columns", _COLUMN),
    _part("indexes", _INDEX),
    *_plain("bigint", "id"),
    *_plain("decimal(20,0)", "version"),
    *_plain("string", "charset", "comment"),
)
"""A table description as a struct: the attributes of the runtime's class."""
OWN_TYPES = (
    "BinaryType",
    "DataType",
    "IntegerType",
    "LongType",
    "StringType",
    "StructField",
    "StructType",
    "TimestampType",
    "VariantType",
)
"""The types of the module's own parts, which do not come from the spec."""


@dataclass(frozen=True)
class SchemasPlan:
    """The module of the Spark types."""

    events: tuple[PlannedField, ...]
    images: tuple[str, ...]
    messages: tuple[tuple[str, str, tuple[PlannedField, ...]], ...]
    """TiCDC's name of the protocol, title, and fields of its message."""

    @property
    def types(self) -> tuple[str, ...]:
        """The names imported from `pyspark.sql.types`."""
        found = {*OWN_TYPES}
        held = [*self.events, *(field for _, _, fields in self.messages for field in fields)]
        while held:
            field = held.pop()
            held += field.fields
            found |= {"ArrayType"} if field.arrays else set()
            found |= field.type.classes if field.type else set()
        return tuple(sorted(found))


def schemas_plan(spec: Spec) -> SchemasPlan:
    """The plan."""
    images = tuple(dict.fromkeys(str(image) for one in spec.events.classes.values() for image in one.images))
    messages = tuple((str(one.name), one.title, plugin_of(one).message(spec, one)) for one in spec.protocols.values())
    return SchemasPlan(
        events=tuple(_event_fields(spec.events)),
        images=images,
        messages=messages,
    )


def _event_fields(events: Events) -> list[PlannedField]:
    found = []
    for field in events.fields.values():
        if field.means == "tso":
            found.append(plain("_commit_version", "bigint", field.about))
            found.append(plain("_commit_timestamp", "timestamp", "The time in it, or the one that is said instead."))
        elif field.type == DESCRIPTION:
            found.append(PlannedField(str(field.name), None, DESCRIBED, 0, True, True, field.about))
        elif field.means != "physical":
            found.append(plain(field.name, _spark_type(field), field.about))
    return found


def _spark_type(field: EventField) -> str:
    if field.spark is not None:
        return field.spark
    if field.type in NOT_NUMBERS:
        return NOT_NUMBERS[field.type]
    limits = field.limits
    assert limits is not None
    return whole(limits)
