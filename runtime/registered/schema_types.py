"""Columns as the schemas of records say them: in Kafka Connect's words, as the Avro converter for it writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tidewire.runtime.batch import Column
from tidewire.runtime.column_types import ColumnTypes
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
"""The codecs that know labels."""
RECORD = "record"
"""By what a type is known that a schema says in Avro's words only."""
CONNECT_FIELD = "connect.field"
CONNECT_NAME = "connect.name"
CONNECT_TYPE = "connect.type"
CONNECT_VERSION = "connect.version"
LOGICAL_TYPE = "logicalType"
"""The words of schemas that stand for those of Kafka Connect, besides Avro's: AvroData of the Avro converter for it."""
DECIMAL = "decimal"
"""The logical type that says how many digits there are."""
PLAIN_DECIMAL = frozenset(("type", LOGICAL_TYPE, "precision", "scale"))
"""The words of a decimal of which nothing else is said."""
AVRO_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("int8", "int16", "int32"), "int"),
    "int64": "long",
    "struct": "record",
    **{name: name for name in ("boolean", "string", "bytes", "float", "double", "array", "map")},
}
"""By type of Kafka Connect the one of Avro."""
SMALL = ("int8", "int16")
"""The types that Avro does not have, and a schema says beside its own."""
_CONNECT_TYPES = {avro: connect for connect, avro in AVRO_TYPES.items()}
"""By type of Avro the one of Kafka Connect, where a schema says no other."""


def called(field: SchemaField) -> str:
    """The name that a field has in Kafka Connect; its own where none is said."""
    said = field.words.get(CONNECT_FIELD)
    return said if is_text(said) and said else field.name


class ReadForm(NamedTuple):
    """A column of a writer's schema."""

    column: Column
    """Without the flag of those that the key has."""
    codec: ValueCodec
    scale: int
    """Of a decimal: the digits behind the point."""
    labels: LabelNumbers | None
    """Of a column with labels."""
    source: str | None
    """By what the type is known; None: the schema says it in TiDB's words."""
    unknown: str | None = None
    """What is not known of it, and how it is read; None: all is known."""

    @property
    def helper(self) -> object:
        """What reads its values beside the loop over fields, or knows its labels; None: nothing has to."""
        if isinstance(self.codec, TimeField):
            return self.codec.times
        return self.codec if isinstance(self.codec, ConvertedField) else self.labels


class FieldForms:
    """Says what the columns of a writer's schema are.

    Attributes:
        types: the schema types of the protocol.
        connect: whether schemas stand for those of Kafka Connect.
        parameters: the word of a type that says more of the column: an object of texts.
    """

    def __init__(
        self, types: SchemaTypes[ValueCodec], mysql: ColumnTypes, nullable: int, parameters: str, connect: bool
    ) -> None:
        """
        Args:
            types, parameters, connect: as above.
            mysql: the column types of the database.
            nullable: the flag of a column that can be NULL; 0: nothing says which can.
        """
        self.types = types
        self.connect = connect
        self.parameters = parameters
        self._mysql = mysql
        self._nullable = nullable
        self._resolver = ColumnResolver(types, mysql, nullable, CONNECT if connect else RECORD)

    def reading(self, modes: Mapping[str, str]) -> FieldForms:
        """The same for a reader with these choices of options: `SchemaTypes.reading`."""
        return FieldForms(self.types.reading(modes), self._mysql, self._nullable, self.parameters, self.connect)

    def is_column(self, field: SchemaField) -> bool:
        """Whether a schema says of a field that it is a column."""
        return self.parameters in field.kind.words

    def refuse_envelope(self, record: Record) -> None:
        """Refuses a record around rows, where rows are records themselves: one with a field that is a record of Kafka
        Connect, and no type of a column. Either its name is in the namespace of the record itself, as connectors name
        rows and their source (types of columns have a namespace of their own); or the schema says what Kafka Connect
        calls the field, as TiCDC's schemas of such records do, and those of rows do not.

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
        """What a schema says of a column.

        Args:
            field: of the schema.
            described: by name the columns of its table, as somebody has described them; None: nobody has. Schemas of
                Kafka Connect say less than that, and theirs are described in one version; of others descriptions tell
                labels.

        Raises:
            ValueError: no column is such a field; a sentence says why.
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
        """A field of which only the type is said."""
        name = called(field) if self.connect else field.name
        type = connect_type(field.kind) if self.connect else _CONNECT_TYPES.get(field.kind.name, field.kind.name)
        return ConnectField(name, type, (), {}, field.kind.null >= 0, None)

    def _chosen(self, said: ConnectField, known: Sequence[Column]) -> Column | None:
        """The description of a column that counts; of schemas that say TiDB's types, one whose labels they list, if all
        such have the same.
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
        """A field in Kafka Connect's words, by the rules of AvroData."""
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
            connect_type(kind) if self.connect else _CONNECT_TYPES.get(kind.name, kind.name),
            tuple([one if isinstance(one, str) else repr(one) for one in words if one is not None]),
            parameters,
            kind.null >= 0,
            told if isinstance(told, str) else None,
            digits,
            kind.words.keys() <= PLAIN_DECIMAL,
        )


def connect_type(kind: SchemaKind) -> str:
    """The type of Kafka Connect that a type of Avro stands for; one of Avro that stands for none is itself."""
    said = kind.words.get(CONNECT_TYPE)
    if isinstance(said, str) and AVRO_TYPES.get(said) == kind.name:
        return said
    return _CONNECT_TYPES.get(kind.name, kind.name)


def _decimal(field: SchemaField) -> tuple[int, int]:
    """The digits of a decimal, and how many of them are behind the point."""
    precision, scale = field.kind.words.get("precision"), field.kind.words.get("scale", 0)
    if type(precision) is not int or type(scale) is not int or precision < 0 or not 0 <= scale <= MOST_SCALE:
        raise ValueError(
            f"precision and scale of the decimal {shown(field.name)} are numbers, the scale one from 0 to {MOST_SCALE}"
        )
    if not precision or scale > precision:
        reason = f"has {precision} digits, {scale} of them behind the point"
        raise ValueError(f"the decimal {shown(field.name)} {reason}")
    return precision, scale
