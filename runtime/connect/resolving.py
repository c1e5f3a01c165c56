"""Says what a column is of which a schema speaks in Kafka Connect's types, whatever the wire of the schema.

What tells it, the first that does: TiDB's name of the type; the type in the source database, where a connector repeats
it; the description of the table, if it can be true of the schema type; what the schema type stands for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Generic, NamedTuple, TypeGuard

from tidewire.runtime.batch import Column
from tidewire.runtime.column_types import MOST_PRECISION, ColumnTypes, Declared, decimal_digits, quoted_text
from tidewire.runtime.connect.types import CodecT, SchemaType, SchemaTypes
from tidewire.runtime.json.codec import ColumnFacts
from tidewire.runtime.label_lists import doubted, split_labels
from tidewire.runtime.shortened import shown
from tidewire.runtime.tables.facts import FLOAT_DIGITS, FLOATS

CONNECT, DESCRIBED, PROPAGATED = "connect", "described", "propagated"
"""By what the types of columns are known that the message does not say in TiDB's words: by Kafka Connect's type alone,
by the table's description, by the source database's type as the message repeats it."""
ANY = "any"
"""What a spec calls the type of columns that are of none of its types."""
MOST_SCALE = 65
"""Digits behind the point of decimals that are read."""
MOST_PARSED = 1 << 8
"""Declared types that are remembered."""
MOST_FRACTION = 6
"""Digits of parts of a second."""


class ConnectField(NamedTuple):
    """A column as a schema says it, in Kafka Connect's words."""

    name: str
    type: str
    """Kafka Connect's type."""
    names: tuple[str, ...]
    """What says what values stand for: Kafka Connect's name, and Avro's logical type."""
    parameters: Mapping[str, object]
    optional: bool
    exact: str | None
    """TiDB's name of the column's type; None: it is not said."""
    digits: tuple[int, int] | None = None
    """Of a decimal all its digits and those behind the point, where they are not parameters."""
    plain: bool = False
    """Whether nothing else is said of a decimal than these."""


class ResolvedColumn(NamedTuple, Generic[CodecT]):
    """What a column is."""

    column: Column
    """Without the flag of those that the key has."""
    codec: CodecT
    """How its values are written, as far as its type tells it."""
    facts: ColumnFacts
    """What else that depends on."""
    source: str | None
    """By what the type is known: the constants above; None: the schema says it in TiDB's words."""
    unknown: str | None = None
    """What is not known of it, and how it is read; None: all is known."""


class ToldType(NamedTuple):
    """What something tells of a column."""

    text: str
    """The declared type."""
    declared: Declared
    facts: ColumnFacts


class ColumnResolver(Generic[CodecT]):
    """Says what columns are.

    Attributes:
        schema_types: those of the protocol.
    """

    def __init__(self, schema_types: SchemaTypes[CodecT], mysql: ColumnTypes, nullable: int, untold: str) -> None:
        """
        Args:
            schema_types: those of the protocol.
            mysql: the column types of the database.
            nullable: the flag of a column that can be NULL.
            untold: by what a type is known that nothing but the schema type tells.
        """
        self.schema_types = schema_types
        self._mysql = mysql
        self._nullable = nullable
        self._untold = untold
        self._parsed: dict[str, Declared] = {}

    def type_of(self, field: ConnectField) -> SchemaType | None:
        """The schema type of a field; None when it is none of the protocol's."""
        return self.schema_types.type_of(
            field.type, field.names, field.parameters, field.digits if field.plain else None
        )

    def column(
        self, field: ConnectField, described: Column | None, unknown: str | None = None
    ) -> ResolvedColumn[CodecT]:
        """What a column is; where something of it is not known, or cannot be, by the rest.

        Args:
            field: what a schema says of it.
            described: the same as somebody has described it; None: nobody has.
            unknown: what the schema says of it besides, which cannot be; None: nothing.

        Raises:
            ValueError: its values are of a type that nothing reads.
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
        """`column` of a field of which all is known.

        Raises:
            ValueError: it cannot be of the type that is said of it, or is of a type that is not known.
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
        """The type that a text says; None where it is none that there is."""
        try:
            return self._mysql.declared(text)
        except ValueError:
            return None

    def of_schema(self, field: ConnectField, schema: SchemaType) -> ToldType:
        """What a schema tells of a column in TiDB's words, or else what its type stands for.

        Raises:
            ValueError: TiDB has no such type; a parameter is none.
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
        """Whether commas in labels have backslashes before them; those of which a value has several have none."""
        return schema.escapes and self._mysql.facts(self._mysql.declared(schema.stands_for).type).labels != "several"

    @staticmethod
    def _digits(field: ConnectField, schema: SchemaType) -> tuple[int | None, int | None]:
        """The length of a column, and its digits behind the point, as its schema type says them."""
        if field.digits is not None:
            return field.digits
        length = None if schema.length is None else _number(field, schema.length, 3 if schema.scale is None else 10)
        scale = None if schema.scale is None else _number(field, schema.scale)
        if (scale or 0) > MOST_SCALE:
            raise ValueError(f"the decimal {shown(field.name)} has more than {MOST_SCALE} digits behind the point")
        return length, scale

    def _of_source(self, field: ConnectField, schema: SchemaType, own: ToldType) -> ToldType | None:
        """What a field repeats of the column in the source database; None where that is nothing, no type that there is,
        or one that no value of the schema type can have.

        Args:
            field: what a schema says of the column.
            schema: its schema type.
            own: what that tells of it.
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
                return None  # values are texts, and nothing says which
        if facts.fractions:
            length, scale = None, length if scale is None else scale
            scale = scale if scale is None or scale <= MOST_FRACTION else None
        elif own.facts.scale is not None:
            scale = own.facts.scale  # values are written so
        if facts.spark == "decimal":
            length, scale = decimal_digits(length, scale)
        elif facts.parameters.startswith("both") and length is not None and (scale or 0) > length:
            length = scale = None
        name = text.split("(")[0].split()[0].lower() if facts.storage == "bytes" else ""  # a POINT is a GEOMETRY
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
        """What a description adds to a type that the schema says: how many digits there are, whether a DECIMAL is
        unsigned, and labels that the schema does not tell apart; and flags.
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
    """What a declared type says, but for what the schema says of how values are written.

    Args:
        declared: the type.
        said: what the schema says.
    """
    length = declared.length if said.length is None else said.length
    scale = declared.decimals if said.scale is None else said.scale
    return ColumnFacts(declared.members, length, scale, declared.decimals or 0, said.nullable)


def _number(field: ConnectField, parameter: str, most: int = 3) -> int | None:
    """A parameter that is a number of so many digits at most; None where it is not said."""
    said = field.parameters.get(parameter)
    if parameter not in field.parameters:
        return None
    if not isinstance(said, str) or not said.isascii() or not said.isdigit() or len(said) > most:
        raise ValueError(
            f"the parameter {parameter} of column {shown(field.name)} is {shown(said)}, and no small number"
        )
    return int(said)


def _told_number(said: object, declared: int | None, own: int | None) -> int | None:
    """A number of the source database's type: a parameter, that in the type's text, or that of the schema type."""
    if isinstance(said, str) and said.isascii() and said.isdigit() and len(said) <= 5:
        return int(said)
    return own if declared is None else declared


def _named(found: ResolvedColumn[CodecT], reason: str) -> ResolvedColumn[CodecT]:
    """A column of which something is not known; where a description says what it is, nothing is missing."""
    if found.source == DESCRIBED:
        return found
    return found._replace(unknown=f"{reason}: it is read as {found.column.mysql_type}")


def _less_said(field: ConnectField) -> Iterator[ConnectField]:
    """The field without TiDB's name of its type; with its type alone; with a type that stands for any other."""
    yield field._replace(exact=None)
    plain = ConnectField(field.name, field.type, (), {}, field.optional, None)
    yield plain
    yield plain._replace(type=ANY)


def _labels(field: ConnectField, parameter: str, escapes: bool = True) -> tuple[str, ...]:
    """The labels that a parameter lists; none where it is not said."""
    return split_labels(field.parameters[parameter] or "", escapes) if parameter in field.parameters else ()


def is_text(value: object) -> TypeGuard[str]:
    """Whether it is a text; half a surrogate pair is in none."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
