"""The Spark type of a message with decoded records, since Spark does not know schema ids."""

from __future__ import annotations

from collections.abc import Iterator

from ..json.model import Scalar
from ..json.schema import SCALARS
from ..model import Spec
from ..plan.spark_types import PlannedField, plain
from .model import BOOLEAN, INT, LONG, STRING, InnerRecord, RecordMember, RegisteredProtocol, RowFields

COLUMNS = "map<string,string>"
"""The columns of a row, whose names and types are in the schema of each record."""
TYPES = {BOOLEAN: "boolean", INT: "int", LONG: "bigint", STRING: "string"}
"""The Spark types of other fields."""


def registered_message(spec: Spec, protocol: RegisteredProtocol) -> tuple[PlannedField, ...]:
    """Key and value: the fields of their records, and of values that are not records."""
    value = (*(_field(protocol, one) for one in protocol.row.fields.values()), *_marks(protocol))
    found = [PlannedField("value", None, value, 0, True, False, protocol.value.about)]
    if protocol.row_key is not None and protocol.key_root is not None:
        key = tuple(_field(protocol, one) for one in protocol.row_key.fields.values())
        found.insert(0, PlannedField("key", None, key, 0, True, False, protocol.key_root.about))
    return tuple(found)


def _field(protocol: RegisteredProtocol, field: RecordMember) -> PlannedField:
    if isinstance(field, RowFields):
        return plain(str(field.id), COLUMNS, field.about)
    if isinstance(field, InnerRecord):
        held = protocol.records[field.part]
        if held.rows:
            return plain(str(field.name), COLUMNS, field.about)
        inside = tuple(_field(protocol, one) for one in held.fields.values())
        return PlannedField(str(field.name), None, inside, 0, True, False, field.about)
    return plain(str(field.name), TYPES[field.type], field.about)


def _marks(protocol: RegisteredProtocol) -> Iterator[PlannedField]:
    for mark in protocol.value.marks:
        if mark.part is None:
            yield plain(str(mark.id), "decimal(20,0)", mark.about)
            continue
        held = protocol.objects[mark.part]
        members = tuple(
            plain(str(one.name), SCALARS[one.type], one.about)
            for one in held.members.values()
            if isinstance(one, Scalar)
        )
        yield PlannedField(str(mark.id), None, members, 0, True, False, mark.about or held.about)
