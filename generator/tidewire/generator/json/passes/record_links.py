"""Names in records refer to something.

- The option that selects them and its choice, the value table, enums, records, parts, classes of events and column
  types exist.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...passes.common import named
from ...problems import Problem
from ..model import JsonProtocol
from ..records.model import PLAIN_BRANCHES, PRIMITIVES, Records
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    records = context.protocol.records
    return [] if records is None else list(_links(context, context.protocol, records))


def _links(context: JsonContext, protocol: JsonProtocol, records: Records) -> Iterator[Problem]:
    yield from named(records.option, "option", protocol.options)
    option = protocol.options.get(records.option)
    if option is not None:
        yield from named(records.choice, "choice", option.choices)
    yield from named(records.values, "value table", protocol.values)
    yield from named(records.root, "record", records.types)
    parts = [*protocol.objects, *protocol.parts_described]
    types = context.spec.mysql_types.types
    legal = [*PRIMITIVES, *records.enums, *records.types]
    for record in records.types.values():
        yield from named(record.part, "part", parts)
        yield from named(record.of, "event class", context.spec.events.classes, "event classes")
        for field in record.fields.values():
            yield from named(field.type, "type", legal)
            yield from named(field.array, "type", legal)
            for name in field.map:
                yield from named(name, "branch", [*PLAIN_BRANCHES, *records.types], "branches")
            for name in field.union:
                yield from named(name, "record", records.types)
            for name in (*field.raw, *(one for names in field.only.values() for one in names)):
                yield from named(name, "column type", types, "column types")
