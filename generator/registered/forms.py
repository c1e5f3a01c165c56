"""What is printed of the chapter `schemas`, of records and of objects: calls of the runtime's classes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from ..json.column_lines import codes_by_codec, flags_of_line, modules_of_lines
from ..json.model import JsonObject, Scalar
from ..model import Spec
from ..syntax.nodes import NONE, Call, Expression, Items, Literal, Name
from .column_forms import SchemaColumn, Schemas
from .model import InnerRecord, RecordMember, RegisteredProtocol, RegisteredRecord, RowFields
from .names import FieldNames


@dataclass(frozen=True)
class RuntimePart:
    """A constant that says what a record or an object is made of."""

    name: str
    construction: Expression
    about: str


def planned_columns(spec: Spec, said: Schemas) -> tuple[Expression, ...]:
    """The lines of the chapter."""
    return tuple(one for line in said.columns for one in _forms(spec, line))


def modules_of_columns(spec: Spec, said: Schemas) -> tuple[str, ...]:
    """The modules of the runtime's codecs, below the folder of the wire."""
    return modules_of_lines(spec, said.columns)


def _forms(spec: Spec, line: SchemaColumn) -> Iterator[Expression]:
    """A call for each way in which the values are stored."""
    for codec, codes in codes_by_codec(spec, line).items():
        module, _, name = codec.partition(".")
        given = (
            Items(tuple(map(Literal, codes))),
            *flags_of_line(spec, line),
            Literal(str(line.type)),
            _or_none(line.logical),
            _or_none(line.word),
            Name(module).attribute(name),
            _or_none(line.default),
            Literal(str(line.stands_for)),
        )
        yield Call(Name("FieldForm"), given, tuple(_more(line)))


def _more(line: SchemaColumn) -> Iterator[tuple[str, Expression]]:
    """What few lines say."""
    for word, name in (("length", line.length), ("labels", line.labels)):
        if name is not None:
            yield word, Literal(name)
    if line.when is not None:
        yield "when", _texts(line.when)
    if line.producers:
        yield "producers", _texts(line.producers)
    if line.reads:
        yield "reads", Literal(True)


def _or_none(text: str | None) -> Expression:
    return NONE if text is None else Literal(str(text))


def _texts(words: tuple[str, ...]) -> Items:
    return Items(tuple(Literal(str(one)) for one in words))


def planned_records(protocol: RegisteredProtocol, names: FieldNames) -> tuple[RuntimePart, ...]:
    """The records of key and value, and what is in them before what holds it."""
    key, row = protocol.row_key, protocol.row
    assert key is not None, "messages have keys"
    records = [key, *(protocol.records[one.part] for one in row.inner), row]
    return tuple(
        RuntimePart(names.parts[one.part], _record(one, names), one.about or f"The fields of {one.part}.")
        for one in records
    )


def _record(record: RegisteredRecord, names: FieldNames) -> Expression:
    fields = Items(tuple(_field(record, one, names) for one in record.fields.values()))
    return Name("RecordPart")(Literal(str(record.named)), fields)


def _field(record: RegisteredRecord, field: RecordMember, names: FieldNames) -> Expression:
    if isinstance(field, RowFields):
        return Name("RowColumns")(Name(names.columns[record.part]))
    name = Literal(str(field.name))
    if isinstance(field, InnerRecord):
        return Name("RecordInside")(name, Name(names.parts[field.part]), _texts(field.when))
    default, number = Literal(json.dumps(field.default)), Name(names.scalars[field])
    return Name("ScalarField")(name, Literal(str(field.type)), default, number, _texts(field.when))


def planned_objects(protocol: RegisteredProtocol, names: FieldNames) -> tuple[RuntimePart, ...]:
    """The members of objects."""
    return tuple(
        RuntimePart(names.parts[one.name], _members(one), one.about or f"The members of {one.name}.")
        for one in protocol.objects.values()
    )


def _members(held: JsonObject) -> Expression:
    members = (one for one in held.members.values() if isinstance(one, Scalar))
    return Items(
        tuple(
            Name("StatementMember")(Literal(str(one.name)), Literal(str(one.type)), _or_none(one.absent))
            for one in members
        )
    )
