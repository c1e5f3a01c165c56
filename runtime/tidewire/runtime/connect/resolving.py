"""Resolves the column of a Kafka Connect schema field, for all wires.

The type is taken from the first of these that is present: TiDB's name of the type; the type in the source database, if
a connector repeats it; the description of the table, if it is compatible with the schema type; the default of the
schema type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Generic, NamedTuple, TypeGuard

from tidewire.runtime.batch import Column
from tidewire.runtime.column_types import MOST_PRECISION, ColumnTypes, Declared, decimal_digits, quoted_text
from tidewire.runtime.connect.types import CodecT, SchemaType, SchemaTypes
from tidewire.runtime.label_lists import doubted, split_labels
from tidewire.runtime.shortened import shown
from tidewire.runtime.tables.facts import FLOAT_DIGITS, FLOATS
from tidewire.runtime.wire.value_codec import ColumnFacts

CONNECT, DESCRIBED, PROPAGATED = "connect", "described", "propagated"
"""Sources of column types that a message does not state in TiDB's terms: Kafka Connect's type alone; the table's
description; the source database's type, repeated in the message.
"""
ANY = "any"
"""Name in specs of the type for columns that match no other type."""
MOST_SCALE = 65
"""Maximum digits after the decimal point of a decimal that is read."""
MOST_PARSED = 1 << 8
"""Maximum number of cached declared types."""
MOST_FRACTION = 6
"""Maximum fractional digits of a second."""


class ConnectField(NamedTuple):
    """A column as a field of a schema, in Kafka Connect's terms."""

    name: str
    type: str
    """Kafka Connect's type."""
    names: tuple[str, ...]
    """Names of the logical type: Kafka Connect's name, and Avro's logical type."""
    parameters: Mapping[str, object]
    optional: bool
    exact: str | None
    """TiDB's name of the column's type; None: not stated."""
    digits: tuple[int, int] | None = None
    """Precision and scale of a decimal, if they are not parameters."""
    plain: bool = False
    """Whether a decimal has no attributes besides precision and scale."""


class ResolvedColumn(NamedTuple, Generic[CodecT]):
    """A resolved column."""

    column: Column
    """The column, without the handle key flag."""
    codec: CodecT
    """The codec of its type; `codec.for_column(facts)` adapts it to the column."""
    facts: ColumnFacts
    """Labels, length and digits of the column, for `codec.for_column`."""
    source: str | None
    """Source of the type: a constant above; None: the schema states TiDB's type."""
    unknown: str | None = None
    """What is unknown about the column, and how it is read; None: nothing is unknown."""


class ToldType(NamedTuple):
    """A column's type as one source states it: the schema, or the description of the table."""

    text: str
    """The declared type."""
    declared: Declared
    facts: ColumnFacts


class ColumnResolver(Generic[CodecT]):
    """Resolves columns.

    Attributes:
        schema_types: schema types of the protocol.
    """

    def __init__(self, schema_types: SchemaTypes[CodecT], mysql: ColumnTypes, nullable: int, untold: str) -> None:
        """
        Args:
            mysql: column types of the database.
            nullable: flag of nullable columns.
            untold: source that is reported if only the schema type gives the type.
        """
        self.schema_types = schema_types
        self._mysql = mysql
        self._nullable = nullable
        self._untold = untold
        self._parsed: dict[str, Declared] = {}

    def type_of(self, field: ConnectField) -> SchemaType | None:
        """The schema type of a field; None: the protocol has no such type."""
        return self.schema_types.type_of(
            field.type, field.names, field.parameters, field.digits if field.plain else None
        )

    def column(
        self, field: ConnectField, described: Column | None, unknown: str | None = None
    ) -> ResolvedColumn[CodecT]:
        """Resolves a column; parts that are unknown or contradictory are ignored and reported.

        Args:
            described: described column; None: no description.
            unknown: what is wrong in the schema besides; None: nothing.

        Raises:
            ValueError: no codec can read its values.
        """
        try:
            found = self._known(field, described)
            return found if unknown is None else _named(found, unknown)
        except ValueError as error:
            reason = unknown or str(error)
        for less in _less_said(field):
            with suppress(ValueError):
                return _named(self._known(less, described), reason)
        raise ValueError(reason)

    def _known(self, field: ConnectField, described: Column | None) -> ResolvedColumn[CodecT]:
        """Resolves a column, with an error if the type in the schema is unknown; `column` then retries with less of the
        schema.

        Raises:
            ValueError: its type is contradictory or unknown.
        """
        schema = self.type_of(field)
        if schema is None:
            said = " ".join([field.type, *(f"named {shown(name)}" for name in field.names)])
            raise ValueError(f"column {shown(field.name)} is {said}, which is none of the types that are known")
        own = self.of_schema(field, schema)
        other = None if described is None else self._declared(described.mysql_type or "")
        told: ToldType | None = own
        source: str | None = None
        if field.exact is None and not schema.parameters:
            told, source = self._of_source(field, schema, own), PROPAGATED
        mapping = None
        flags = 0
        if told is None and described is not None and other is not None:
            mapping = self.schema_types.read_by(schema, other.type, described.flags)
            if mapping is not None:
                told = ToldType(described.mysql_type or own.text, other, _facts_of(other, own.facts))
                source, flags = DESCRIBED, described.flags
        if told is None:
            told, source = own, self._untold
        if mapping is None:
            flags = told.declared.flags
            mapping = self.schema_types.read_by(schema, told.declared.type, flags)
            if mapping is None:
                said = f"{told.text}, and its values are {schema.called}"
                raise ValueError(f"column {shown(field.name)} is {said}: they cannot be both")
            if source in (None, PROPAGATED) and described is not None and other is not None:
                told, more = self._refined(field, schema, told, ToldType(described.mysql_type or "", other, told.facts))
                flags |= more
        if field.optional:
            flags |= self._nullable
        if schema.labels is not None and not told.facts.labels:
            raise ValueError(f"the labels of column {shown(field.name)} are not told")
        column = Column(field.name, told.declared.type, flags, told.text)
        found = ResolvedColumn(column, mapping.codec, told.facts, source)
        doubt = None
        if told is own and schema.labels is not None:
            doubt = doubted(field.parameters.get(schema.labels), self._escapes(schema))
        return found if doubt is None else _named(found, f"column {shown(field.name)}: {doubt}")

    def _declared(self, text: str) -> Declared | None:
        """A parsed declared type; None: there is no such type."""
        try:
            return self._mysql.declared(text)
        except ValueError:
            return None

    def of_schema(self, field: ConnectField, schema: SchemaType) -> ToldType:
        """The column type that a schema states in TiDB's terms, or else the default of its schema type.

        Raises:
            ValueError: TiDB has no such type, or a parameter is malformed.
        """
        text = field.exact or schema.stands_for
        labels = () if schema.labels is None else _labels(field, schema.labels, self._escapes(schema))
        length, scale = self._digits(field, schema)
        if labels:
            text = f"{text}({','.join(map(quoted_text, labels))})"
        elif scale is not None:
            if schema.precision is None and None not in decimal_digits(length or MOST_PRECISION, scale):
                text = f"{text}({length or MOST_PRECISION},{scale})"
        elif length is not None and "(" not in text:
            text = f"{text}({length})"
        elif schema.stands_for.startswith(f"{text}("):
            text = schema.stands_for
        declared = self._parsed.get(text)
        if declared is None:
            declared = self._mysql.declared(text)
            if len(self._parsed) >= MOST_PARSED:
                self._parsed.clear()
            self._parsed[text] = declared
        return ToldType(text, declared, ColumnFacts(labels, length, scale, None, field.optional))

    def _escapes(self, schema: SchemaType) -> bool:
        """Whether commas in labels are escaped with backslashes; not in types whose values have several labels."""
        return schema.escapes and self._mysql.facts(self._mysql.declared(schema.stands_for).type).labels != "several"

    @staticmethod
    def _digits(field: ConnectField, schema: SchemaType) -> tuple[int | None, int | None]:
        """Length and scale of a column, as its schema type states them."""
        if field.digits is not None:
            return field.digits
        length = None if schema.length is None else _number(field, schema.length, 3 if schema.scale is None else 10)
        scale = None if schema.scale is None else _number(field, schema.scale)
        if (scale or 0) > MOST_SCALE:
            raise ValueError(f"the decimal {shown(field.name)} has more than {MOST_SCALE} digits behind the point")
        return length, scale

    def _of_source(self, field: ConnectField, schema: SchemaType, own: ToldType) -> ToldType | None:
        """The source database's column type that a field repeats; None: it repeats none, an unknown one, or one that is
        not compatible with the schema type.

        Args:
            own: the type from the schema.
        """
        words = self.schema_types.source
        text = None if words is None else field.parameters.get(words.type)
        declared = self._declared(text) if isinstance(text, str) else None
        if words is None or declared is None or not isinstance(text, str):
            return None
        bare = text.lower().replace(" unsigned", "").replace(" zerofill", "")
        digits = _told_number(field.parameters.get(words.length), None, None)
        if bare in FLOATS and words.scale not in field.parameters and (digits or 0) > FLOAT_DIGITS:
            declared = self._mysql.declared(text.lower().replace(bare, "double"))  # the digits are binary
        if self.schema_types.read_by(schema, declared.type, declared.flags) is None:
            return None
        facts = self._mysql.facts(declared.type)
        length = _told_number(field.parameters.get(words.length), declared.length, own.facts.length)
        scale = _told_number(field.parameters.get(words.scale), declared.decimals, None)
        labels = declared.members
        if facts.labels and not labels:
            listed = is_text(field.parameters.get(words.labels))
            labels = own.facts.labels or (_labels(field, words.labels) if listed else ())
            if not labels and schema.labels is None:
                return None  # values are labels, and the labels are unknown
        if facts.fractions:
            length, scale = None, length if scale is None else scale
            scale = scale if scale is None or scale <= MOST_FRACTION else None
        elif own.facts.scale is not None:
            scale = own.facts.scale  # as the values are written
        if facts.spark == "decimal":
            length, scale = decimal_digits(length, scale)
        elif facts.parameters.startswith("both") and length is not None and (scale or 0) > length:
            length = scale = None
        name = text.split("(")[0].split()[0].lower() if facts.storage == "bytes" else ""  # POINT: a GEOMETRY
        if length is None and facts.parameters == "length_or_0":
            said = self._mysql.type_text(declared.type, declared.flags, declared.zerofill)
        else:
            said = self._mysql.declaration(
                declared.type, declared.flags, length, scale, labels, declared.zerofill, name
            )
        told = self._mysql.declared(said)
        fraction = (told.decimals or 0) if facts.fractions else None
        scale = scale if own.facts.scale is None else own.facts.scale
        return ToldType(said, told, ColumnFacts(labels, length, scale, fraction, field.optional))

    def _refined(
        self, field: ConnectField, schema: SchemaType, told: ToldType, described: ToldType
    ) -> tuple[ToldType, int]:
        """The schema's type refined by a description: precision, whether a DECIMAL is unsigned, and labels that are
        ambiguous in the schema; and flags.
        """
        other, own = described.declared, told.declared
        if schema.labels is not None and schema.listed(other.members) != field.parameters.get(schema.labels):
            return told, 0
        alike = self.schema_types.read_by(schema, other.type, other.flags) is self.schema_types.read_by(
            schema, own.type, own.flags
        )
        if other.type != own.type or not alike:
            return told, 0
        return ToldType(described.text or told.text, other, _facts_of(other, told.facts)), other.flags


def _facts_of(declared: Declared, said: ColumnFacts) -> ColumnFacts:
    """Facts of a declared type; those that the schema states about the values' form take precedence.

    Args:
        declared: the type.
        said: facts from the schema.
    """
    length = declared.length if said.length is None else said.length
    scale = declared.decimals if said.scale is None else said.scale
    return ColumnFacts(declared.members, length, scale, declared.decimals or 0, said.nullable)


def _number(field: ConnectField, parameter: str, most: int = 3) -> int | None:
    """A numeric parameter of at most `most` digits; None: absent."""
    said = field.parameters.get(parameter)
    if parameter not in field.parameters:
        return None
    if not isinstance(said, str) or not said.isascii() or not said.isdigit() or len(said) > most:
        raise ValueError(
            f"the parameter {parameter} of column {shown(field.name)} is {shown(said)}, and no small number"
        )
    return int(said)


def _told_number(said: object, declared: int | None, own: int | None) -> int | None:
    """A number of the source database's type: from a parameter, else from the type's text, else from the schema type.
    """
    if isinstance(said, str) and said.isascii() and said.isdigit() and len(said) <= 5:
        return int(said)
    return own if declared is None else declared


def _named(found: ResolvedColumn[CodecT], reason: str) -> ResolvedColumn[CodecT]:
    """The column with a note on what is unknown; without one if a description gives the type."""
    if found.source == DESCRIBED:
        return found
    return found._replace(unknown=f"{reason}: it is read as {found.column.mysql_type}")


def _less_said(field: ConnectField) -> Iterator[ConnectField]:
    """The field without TiDB's type name; then with its type only; then with the type that matches any."""
    yield field._replace(exact=None)
    plain = ConnectField(field.name, field.type, (), {}, field.optional, None)
    yield plain
    yield plain._replace(type=ANY)


def _labels(field: ConnectField, parameter: str, escapes: bool = True) -> tuple[str, ...]:
    """The labels that a parameter lists; empty if absent."""
    return split_labels(field.parameters[parameter] or "", escapes) if parameter in field.parameters else ()


def is_text(value: object) -> TypeGuard[str]:
    """Whether it is a string without lone surrogates."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
