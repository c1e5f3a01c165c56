"""Dissects keys and values that are Avro records with schemas in a registry, as far as the bytes can be parsed."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from tidewire.runtime.arrow.storage import UINT
from tidewire.runtime.dissecting.json_tracer import trace
from tidewire.runtime.dissecting.record_tracer import RecordTracer
from tidewire.runtime.dissecting.shapes import Shape, record
from tidewire.runtime.dissecting.spans import Meaning, Span
from tidewire.runtime.dissecting.tracer import StopTrace, of_both_parts, with_trouble
from tidewire.runtime.record.fields import BITS_LITTLE_FIELD, BITS_TRIMMED_FIELD, BITS_WHOLE_FIELD, DECIMAL_FIELD
from tidewire.runtime.registered.errors import LONGER, REMEDY, MissingSchemaError, missing_schema
from tidewire.runtime.registered.parts import UNREAD, RecordPart, ScalarField
from tidewire.runtime.registered.plans import scalar_of
from tidewire.runtime.registered.schema import PRIMITIVES, SchemaField, SchemaKind, read_schema
from tidewire.runtime.registered.schema_types import FieldForms, ReadForm
from tidewire.runtime.registry.errors import SchemaRegistryError

if TYPE_CHECKING:
    from tidewire.runtime.batch import EventColumns
    from tidewire.runtime.errors import DecodeError
    from tidewire.runtime.registry import SchemaRegistry

HEADER = "header"
"""Path of the bytes before a record."""
NUMBERED, UUID = 0, 3
"""First byte before a record: the constants of decoder.py, which are C numbers where it is compiled."""
_BITS = (BITS_TRIMMED_FIELD, BITS_WHOLE_FIELD, BITS_LITTLE_FIELD)


class Mark(NamedTuple):
    """A value that is not a record; its first byte identifies it."""

    byte: int
    id: str
    about: str
    members: Mapping[str, Shape] | None = None
    """Members of the object after the byte; None: a number of eight bytes follows."""
    meaning: Meaning | None = None
    """Explains that number."""
    size: int | None = None
    """Size of the value in bytes; None: any."""

    def begins(self, value: bytes) -> bool:
        """Whether a value begins with this mark."""
        return value[:1] == bytes([self.byte]) and self.size in (None, len(value))


class RegisteredShapes(NamedTuple):
    """Structure of a protocol's messages, for the dissector; generated from a spec."""

    protocol: str
    row: RecordPart
    key: RecordPart
    forms: FieldForms
    """How schemas state columns."""
    fields: Mapping[str, Shape]
    """Fields of records that are not columns, by name."""
    marks: tuple[Mark, ...]

    def of(self, fields: tuple[SchemaField, ...], part: RecordPart, path: str = "") -> Mapping[str, Shape]:
        """The fields of a record.

        Args:
            fields: fields of its writer's schema.
            part: static fields of the record.
            path: path of the record with a trailing slash; empty: it is not nested.

        Raises:
            ValueError: no record can be read by such a schema.
        """
        scalars = {one.name: one for one in part.fields if isinstance(one, ScalarField)}
        inside = {one.name: one.part for one in part.inside}
        return {one.name: self._one(one, part, scalars, inside, path) for one in fields}

    def _one(
        self,
        field: SchemaField,
        part: RecordPart,
        scalars: Mapping[str, ScalarField],
        inside: Mapping[str, RecordPart],
        path: str,
    ) -> Shape:
        kind, own = field.kind, f"{path}{field.name}"
        if field.name in inside and kind.name == "record":
            fields = self.of(kind.fields, inside[field.name], f"{own}/")
            shape = record(field.name, self.fields[own].about, fields)
        elif field.name in scalars and not self.forms.is_column(field):
            if scalars[field.name].field != UNREAD:
                scalar_of(field, scalars[field.name])
            shape = self.fields[own]._replace(type=kind.name)
            if kind.name not in PRIMITIVES:
                shape = shape_of(kind)._replace(about=shape.about)
        elif not part.has_columns or kind.hollow:
            shape = shape_of(kind)
        else:
            form = self.forms.read(field)
            about = form.column.mysql_type or ""
            shape = shape_of(kind._replace(null=-1))._replace(
                about=about, meaning=_understood(form), column=form.column.name
            )
        if kind.null < 0:
            return shape
        return _nullable(shape, kind.null)


def shape_of(kind: SchemaKind) -> Shape:
    """The shape of a value by its Avro type alone; whether it is nullable is ignored."""
    inside = tuple(_or_null(one) for one in kind.inside)
    if kind.name == "record":
        fields = {one.name: _or_null(one.kind) for one in kind.solid}
        return record(str(kind.words.get("name", "")), "", fields)._replace(hollow=kind.hollow)
    if kind.name == "enum":
        return Shape("enum", symbols=tuple(kind.words["symbols"]))
    if kind.name == "fixed":
        return Shape("fixed", symbols=(str(kind.words["size"]),), hollow=kind.hollow)
    return Shape(kind.name, inside=inside, hollow=kind.hollow)


def _or_null(kind: SchemaKind) -> Shape:
    return shape_of(kind) if kind.null < 0 else _nullable(shape_of(kind), kind.null)


def _nullable(shape: Shape, null: int) -> Shape:
    """A union of null and another type; its type name lists the branches in order.

    Args:
        shape: the other type.
        null: number of the null branch.
    """
    branches = [shape, Shape("null", column=shape.column)]
    if null == 0:
        branches.reverse()
    shown = " or ".join(one.type for one in branches)
    return Shape("optional", shape.about, inside=tuple(one._replace(shown=shown) for one in branches))


def _understood(form: ReadForm) -> Callable[[Any], str]:
    """Explains values whose stored form is not readable."""
    codec = form.codec

    def told(value: Any) -> str:
        if codec.number == DECIMAL_FIELD:
            number = int.from_bytes(value, "big", signed=True)
            digits = tuple(map(int, str(abs(number)))) if len(value) <= 32 else ()
            return f"{Decimal((int(number < 0), digits, -form.scale)):f}" if digits else ""
        if codec.number in _BITS:
            return str(int.from_bytes(value, "little" if codec.number == BITS_LITTLE_FIELD else "big"))
        if codec.storage == UINT and type(value) is int and value < 0:
            return str(value & 0xFFFFFFFFFFFFFFFF)
        return ""

    return told


def _closed(spans: list[Span], text: bytes) -> list[Span]:
    """The members of an object, each with the separator before it, and the last one with the closing brace.

    Args:
        spans: spans of the members and of what is inside them.
        text: source text of the object.
    """
    found: list[Span] = []
    at = 0
    last = -1
    for span in spans:
        if span.depth == 0:
            last = len(found)
            found.append(span._replace(start=at))
            at = span.end
        else:
            found.append(span)
    if found and not text[at:].strip(b"} \t\r\n"):
        found[last] = found[last]._replace(end=len(text))
    return found


class _Part:
    """Parses the key or the value of a message.

    Attributes:
        trace: parses the record.
        header: offset of the end of the bytes before the record.
    """

    def __init__(self, data: bytes, part: str, shapes: RegisteredShapes, schemas: SchemaRegistry | None) -> None:
        self.data = data
        self.part = part
        self.shapes = shapes
        self.schemas = schemas
        self.trace = RecordTracer(data)
        self.header = 0

    def spans(self) -> list[Span]:
        """All spans that can be parsed."""
        marks = self.shapes.marks if self.part == "value" else ()
        mark = next((one for one in marks if one.begins(self.data)), None)
        if mark is not None:
            return self.mark(mark)
        with suppress(StopTrace):
            self.record()
        return self.trace.spans

    def mark(self, mark: Mark) -> list[Span]:
        """The spans of a value that is not a record."""
        found = [Span(0, 1, "mark", "byte", mark.byte, f"{mark.id}. {mark.about}", 0)]
        behind = self.data[1:]
        if mark.members is None:
            if len(behind) >= 8:
                number = int.from_bytes(behind[:8], "big")
                meaning = "" if mark.meaning is None else mark.meaning(number)
                found.append(Span(1, 9, mark.id, "u64be", number, meaning, 0))
            return found
        inside = _closed(trace(behind, Shape("object", members=mark.members), None), behind)
        if inside:
            found.append(Span(1, 1 + inside[-1].end, mark.id, "object", None, "", 0))
        return found + [one.inside(mark.id, 1) for one in inside]

    # ---- records

    def record(self) -> None:
        """Parses the bytes before a record, and the record."""
        found = self.trace
        id = self.framing()
        self.header = found.pos
        found.path.clear()
        found.spans.insert(0, Span(0, found.pos, HEADER, "framing header", None, "Which schema the record has.", 0))
        for name, inside in self.shape(id).items():
            found.one(name, inside, found.pos)

    def framing(self) -> int | uuid.UUID:
        """Parses the id of the record's schema."""
        found = self.trace
        found.path.append(HEADER)
        first = found.taken(1)[0]
        if first == UUID:
            found.add("magic", 0, "byte", first, "A UUID tells the schema.")
            second = found.taken(1)[0]
            found.add("compression", 1, "byte", second, "not compressed" if second == 0 else "not defined")
            own = uuid.UUID(bytes=found.taken(16))
            found.add("schema_id", 2, "UUID", str(own), "")
            return own
        if first != NUMBERED:
            raise StopTrace
        found.add("magic", 0, "byte", first, "A number tells the schema.")
        number = int.from_bytes(found.taken(4), "big")
        found.add("schema_id", 1, "u32be", number, "")
        return number

    def shape(self, id: int | uuid.UUID) -> Mapping[str, Shape]:
        """The fields of the record; empty if its schema is not available, in which case its bytes are shown instead."""
        found = self.trace
        cause = None
        if self.schemas is not None:
            try:
                text = self.schemas.schema(id)
            except SchemaRegistryError as error:
                cause = error
            else:
                part = self.shapes.row if self.part == "value" else self.shapes.key
                try:
                    schema = read_schema(text)
                    self.shapes.forms.refuse_envelope(schema)
                    if part.is_of_row({one.name for one in schema.fields}):
                        shape = self.shapes.of(schema.fields, part)
                    else:
                        shape = {one.name: _or_null(one.kind) for one in schema.solid}
                except ValueError:
                    raise StopTrace from None
                named = ".".join(word for word in (schema.namespace, schema.name) if word)
                found.spans[-1] = found.spans[-1]._replace(meaning=named)
                return shape
        missing = missing_schema(0, id, self.data[found.pos : found.pos + LONGER], cause)
        reason = missing.of_its_own(self.shapes.protocol, "", self.part).detail
        rest = found.taken(len(self.data) - found.pos)
        more = "" if cause is None or missing.reason is not None else f" Where another registry has it, {REMEDY}."
        found.add(self.part, self.header, "bytes", rest, f"{reason[:1].upper()}{reason[1:]}.{more}")
        return {}

    def broken(self, spans: list[Span], error: DecodeError) -> list[Span]:
        """The spans before an error, and then the error.

        Args:
            spans: all spans that were parsed.
            error: error in this part.
        """
        if error.offset == 0 and self.header:
            # the error is about the schema, whose id was read
            error = copy.copy(error)
            error.offset = self.header
        return with_trouble(spans, self.data, error)


def trace_registered(
    value: bytes | None,
    key: bytes | None,
    shapes: RegisteredShapes,
    schemas: SchemaRegistry | None,
    decode: Callable[[bytes | None, bytes | None], EventColumns],
) -> list[Span]:
    """Every field of a message as spans: the key's first, each part in byte order; for a malformed message, the fields
    before the error, and the error.

    A missing schema is not an error here: the record's bytes are shown, with the reason.

    Args:
        value: value of the message; None: it has none.
        key: its key; None: there is none.
        shapes: structure of the protocol's messages.
        schemas: provides schemas by id; None: none is available.
        decode: decodes a value and a key.
    """
    error = _error(decode(value, key))
    if isinstance(error, MissingSchemaError) and error.part == "key" and value is not None:
        error = _error(decode(value, None))  # the decoder has read nothing of the value

    def traced(part: str, data: bytes, own: DecodeError | None) -> list[Span]:
        read = _Part(data, part, shapes, schemas)
        spans = read.spans()
        return spans if own is None else read.broken(spans, own)

    return of_both_parts(key, value, None if isinstance(error, MissingSchemaError) else error, traced)


def _error(decoded: EventColumns) -> DecodeError | None:
    return decoded.errors[0] if decoded.errors else None
