"""Columns as schemas of records state them: Avro types with the attributes that the Avro converter of Kafka Connect
writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tidewire.runtime.batch import Column
from tidewire.runtime.column_types import ColumnTypes
from tidewire.runtime.connect.avro import AVRO_TYPES, CONNECT_FIELD, CONNECT_NAME, CONNECT_TYPE, CONNECT_TYPES
from tidewire.runtime.connect.resolving import CONNECT, MOST_SCALE, ColumnResolver, ConnectField, is_text
from tidewire.runtime.connect.types import SchemaTypes
from tidewire.runtime.labels import LabelNumbers
from tidewire.runtime.record.converted import ConvertedField
from tidewire.runtime.record.fields import LABEL_FIELD, LABEL_OR_NOTHING_FIELD, LABELS_FIELD, TimeField
from tidewire.runtime.registered.schema import Record, SchemaField, SchemaKind
from tidewire.runtime.registered.shapes import has_shape
from tidewire.runtime.shortened import shown
from tidewire.runtime.wire.value_codec import ValueCodec

LABELLED = (LABEL_FIELD, LABEL_OR_NOTHING_FIELD, LABELS_FIELD)
"""Codecs with labels."""
RECORD = "record"
"""Source of a type for which the schema has Avro's own attributes only."""
LOGICAL_TYPE = "logicalType"
DECIMAL = "decimal"
"""The logical type with precision and scale."""
PLAIN_DECIMAL = frozenset(("type", LOGICAL_TYPE, "precision", "scale"))
"""The attributes of a decimal without any others."""


def called(field: SchemaField) -> str:
    """The Kafka Connect name of a field; its own name if none is stated."""
    said = field.words.get(CONNECT_FIELD)
    return said if is_text(said) and said else field.name


class ReadForm(NamedTuple):
    """A column of a writer's schema."""

    column: Column
    """The column, without the handle key flag."""
    codec: ValueCodec
    scale: int
    """Digits after the decimal point of a decimal."""
    labels: LabelNumbers | None
    """Label numbers of a column with labels."""
    source: str | None
    """Source of the type; None: the schema states TiDB's type."""
    unknown: str | None = None
    """What is unknown about the column, and how it is read; None: nothing is unknown."""

    @property
    def helper(self) -> object:
        """The object that reads its values outside the loop over fields, or its label numbers; None: neither is needed.
        """
        if isinstance(self.codec, TimeField):
            return self.codec.times
        return self.codec if isinstance(self.codec, ConvertedField) else self.labels


class FieldForms:
    """Maps fields of writers' schemas to columns.

    Attributes:
        types: schema types of the protocol.
        connect: whether schemas are Kafka Connect's.
        parameters: attribute of a type with parameters of the column: an object of strings.
    """

    def __init__(
        self, types: SchemaTypes[ValueCodec], mysql: ColumnTypes, nullable: int, parameters: str, connect: bool
    ) -> None:
        """
        Args:
            types, parameters, connect: see the attributes.
            mysql: column types of the database.
            nullable: flag of nullable columns; 0: schemas do not state it.
        """
        self.types = types
        self.connect = connect
        self.parameters = parameters
        self._mysql = mysql
        self._nullable = nullable
        self._resolver = ColumnResolver(types, mysql, nullable, CONNECT if connect else RECORD)

    def reading(self, modes: Mapping[str, str]) -> FieldForms:
        """The forms for a reader with these option values, as in `SchemaTypes.reading`."""
        return FieldForms(self.types.reading(modes), self._mysql, self._nullable, self.parameters, self.connect)

    def is_column(self, field: SchemaField) -> bool:
        """Whether the schema marks a field as a column."""
        return self.parameters in field.kind.words

    def refuse_envelope(self, record: Record) -> None:
        """Refuses an envelope around rows, in a protocol where rows are the records themselves. An envelope has a field
        that is a named Kafka Connect record, and no type of a column. Either its name is in the record's own
        namespace, as connectors name rows and their source (types of columns have a namespace of their own); or the
        field has a Kafka Connect field name, as in TiCDC's schemas of envelopes, and not in those of rows.

        Raises:
            ValueError: it is one.
        """
        if self.connect:
            return
        for one in record.fields:
            named = one.kind.words.get(CONNECT_NAME) if one.kind.name == RECORD else None
            if not isinstance(named, str):
                continue
            related = record.namespace and named.rpartition(".")[0] == record.namespace
            if (related or CONNECT_FIELD in one.words) and self._resolver.type_of(self._said(one)) is None:
                raise ValueError(
                    f"the field {shown(one.name)} is a record that Kafka Connect calls {shown(named)}, as envelopes "
                    "around rows have them, and no type of a column: they are of another protocol"
                )

    def read(self, field: SchemaField, described: Mapping[str, Sequence[Column]] | None = None) -> ReadForm:
        """The column of a field.

        Args:
            described: described columns of its table by name; None: no description. For Kafka Connect schemas, which
                state less, these are of one version and define the types; for others, only labels are taken from them.

        Raises:
            ValueError: no column has such a field; a sentence gives the reason.
        """
        try:
            said, reason = self._said(field), None
        except ValueError as error:
            said, reason = self._plain(field), str(error)
        known = (described or {}).get(said.name, ())
        found = self._resolver.column(said, self._chosen(said, known), reason)
        if not has_shape(found.codec.number, field.kind):
            reason = f"column {shown(said.name)} is {found.column.mysql_type}, and its values are not"
            found = self._resolver.column(self._plain(field), None, reason)
        facts = found.facts
        codec: ValueCodec = found.codec
        if isinstance(codec, (TimeField, ConvertedField)):
            codec = codec.for_column(facts)
        labels = LabelNumbers(codec.number == LABELS_FIELD, facts.labels) if codec.number in LABELLED else None
        return ReadForm(found.column, codec, facts.scale or 0, labels, found.source, found.unknown)

    def _plain(self, field: SchemaField) -> ConnectField:
        """A field with its type only."""
        name = called(field) if self.connect else field.name
        type = connect_type(field.kind) if self.connect else CONNECT_TYPES.get(field.kind.name, field.kind.name)
        return ConnectField(name, type, (), {}, field.kind.null >= 0, None)

    def _chosen(self, said: ConnectField, known: Sequence[Column]) -> Column | None:
        """The description of a column that is used. For schemas with TiDB's types, one with the labels that the schema
        lists, if all such descriptions have the same labels.
        """
        if self.connect or not known:
            return next(iter(known), None)
        schema = self._resolver.type_of(said)
        if schema is None or schema.labels is None:
            return None
        listed = said.parameters.get(schema.labels)
        alike = {}
        for one in known:
            labels = self._mysql.declared(one.mysql_type or "").members
            if labels and schema.listed(labels) == listed:
                alike[labels] = one
        return next(iter(alike.values())) if len(alike) == 1 else None

    def _said(self, field: SchemaField) -> ConnectField:
        """A field in Kafka Connect's terms, by the rules of AvroData."""
        kind = field.kind
        parameters = kind.words.get(self.parameters, {})
        if not isinstance(parameters, Mapping):
            raise ValueError(f"{self.parameters} of field {shown(field.name)} is no object")
        logical = kind.words.get(LOGICAL_TYPE)
        words = (kind.words.get(CONNECT_NAME) if self.connect or kind.name == RECORD else None, logical)
        digits = _decimal(field) if logical == DECIMAL else None
        exact = self.types.exact
        told = None if exact is None else field.words.get(exact.word)
        return ConnectField(
            called(field) if self.connect else field.name,
            connect_type(kind) if self.connect else CONNECT_TYPES.get(kind.name, kind.name),
            tuple([one if isinstance(one, str) else repr(one) for one in words if one is not None]),
            parameters,
            kind.null >= 0,
            told if isinstance(told, str) else None,
            digits,
            kind.words.keys() <= PLAIN_DECIMAL,
        )


def connect_type(kind: SchemaKind) -> str:
    """The Kafka Connect type of an Avro type; Avro types without one are unchanged."""
    said = kind.words.get(CONNECT_TYPE)
    if isinstance(said, str) and AVRO_TYPES.get(said) == kind.name:
        return said
    return CONNECT_TYPES.get(kind.name, kind.name)


def _decimal(field: SchemaField) -> tuple[int, int]:
    """Precision and scale of a decimal."""
    precision, scale = field.kind.words.get("precision"), field.kind.words.get("scale", 0)
    if type(precision) is not int or type(scale) is not int or precision < 0 or not 0 <= scale <= MOST_SCALE:
        raise ValueError(
            f"precision and scale of the decimal {shown(field.name)} are numbers, the scale one from 0 to {MOST_SCALE}"
        )
    if not precision or scale > precision:
        reason = f"has {precision} digits, {scale} of them behind the point"
        raise ValueError(f"the decimal {shown(field.name)} {reason}")
    return precision, scale
