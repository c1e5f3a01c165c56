"""What the schemas of records say of columns, and how the values of a column are written then: printed from a spec."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tidewire.runtime.batch import Column
from tidewire.runtime.column_types import Declared, quoted_text
from tidewire.runtime.connect.reading import CONNECT, DESCRIBED, split_labels
from tidewire.runtime.connect.types import listed
from tidewire.runtime.json.codec import ColumnFacts
from tidewire.runtime.labels import LabelNumbers
from tidewire.runtime.record.fields import DECIMAL_FIELD, LABEL_FIELD, LABEL_OR_NOTHING_FIELD, LABELS_FIELD, TimeField
from tidewire.runtime.registered.schema import SchemaField, SchemaKind, is_text
from tidewire.runtime.shortened import shown
from tidewire.runtime.wire.value_codec import ValueCodec

MOST_SCALE = 65
"""Digits of a DECIMAL."""
LABELLED = (LABEL_FIELD, LABEL_OR_NOTHING_FIELD, LABELS_FIELD)
"""The codecs that know labels."""
RECORD = "record"
"""By what a type is known that a schema says in Avro's words only."""


class FieldForm(NamedTuple):
    """How columns are said in the schema of a record, and how their values are written."""

    types: tuple[int, ...]
    """Codes of the types of the columns."""
    flagged: int
    """The flag that the columns have; 0: any."""
    unflagged: int
    """The flag that they do not have; 0: any."""
    type: str
    """The type of Avro."""
    logical: str | None
    """Its logical type."""
    word: str | None
    """The name of the column's type among the parameters of the schema; None: it does not say it."""
    codec: ValueCodec
    default: str | None
    """As what the default of a column is written: a key of `defaults.WRITERS`; None: it is left out."""
    stands_for: str
    """The declared type of such a column, as far as the schema tells it."""
    length: str | None = None
    """The parameter that says the length of the column."""
    labels: str | None = None
    """The one that lists its labels."""
    when: tuple[str, str] | None = None
    """The option, and its choice, with which columns are written so."""
    producers: tuple[str, ...] = ()
    """The producers who write them so; none: all."""
    reads: bool = False
    """Whether such columns are read and never written."""
    semantic: str | None = None
    """Kafka Connect's name of the type; so do those that follow say something to Kafka Connect's schemas only."""
    small: str | None = None
    """The type of Kafka Connect, where Avro has no such type."""
    versioned: bool = True
    """Whether a schema says that the name is of version 1."""
    escapes: bool = False
    """Whether a comma in a label has a backslash before it, and quotes lose what stands before them."""
    length_within: tuple[int, int] | None = None
    """The lengths of the columns; None: any. So it is with the digits of parts of a second."""
    fraction_within: tuple[int, int] | None = None
    unscaled: bool = False
    """Whether it is for columns without digits behind the point that are declared."""
    precision: int = 0
    """The digits of the decimal that the schema says, which says nothing else; 0: any, and whatever it says."""

    def takes(self, type: int, flags: int) -> bool:
        """Whether columns with this type and these flags are said so."""
        return type in self.types and flags & self.flagged == self.flagged and not flags & self.unflagged

    def fits(self, facts: ColumnFacts) -> bool:
        """Whether a column of which this is known is said so; what is not known counts as least."""
        for within, known, least in (
            (self.length_within, facts.length, 1),
            (self.fraction_within, facts.fraction, 0),
        ):
            if within is not None and not within[0] <= (known or least) <= within[1]:
                return False
        return not (self.unscaled and facts.scale is not None)

    @property
    def is_decimal(self) -> bool:
        """Whether values are decimals, whose digits the schema says."""
        return self.codec.number == DECIMAL_FIELD

    def reads_as(self, kind: SchemaKind) -> bool:
        """Whether a reader takes it for what else a type says."""
        if not self.precision:
            return True
        plain = kind.words.keys() <= {"type", "logicalType", "precision", "scale"}
        return plain and kind.words.get("precision") == self.precision and kind.words.get("scale", 0) == 0

    def listed(self, labels: Sequence[str]) -> str:
        """Labels as a schema lists them."""
        return listed(labels) if self.semantic is None or self.escapes else ",".join(labels)


class ConnectWords(NamedTuple):
    """What schemas are like that stand for those of Kafka Connect, as the Avro converter for it makes them."""

    exact_when: str | None
    """The option with which a field says TiDB's name of its column's type; None: it always does."""
    exact_plain: tuple[int, ...]
    """Codes of the types that it names without what their flags say."""
    fills_nulls: bool
    """Whether NULL in a column with a default is written as what comes of parsing the default."""


CONNECT_FIELD = "connect.field"
CONNECT_NAME = "connect.name"
CONNECT_TYPE = "connect.type"
CONNECT_VERSION = "connect.version"
"""The words that such schemas have besides Avro's: AvroData of the Avro converter for Kafka Connect."""
_TELLING = ("logicalType", CONNECT_NAME, CONNECT_TYPE)
"""The words of a type by which a column of Kafka Connect is known."""


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


class FieldForms:
    """The forms of a protocol."""

    def __init__(
        self, forms: Sequence[FieldForm], parameters: str, word: str, connect: ConnectWords | None = None
    ) -> None:
        """
        Args:
            forms: all of them; of what fits the first counts.
            parameters: the word of a type that says more of the column: an object of texts.
            word: which of those is the name of the column's type; of Kafka Connect's schemas a word of the field.
            connect: what schemas of Kafka Connect are like; None: they are none.
        """
        self.forms = tuple(forms)
        self.parameters = parameters
        self.word = word
        self.connect = connect

    # ---- a reader's

    def is_column(self, field: SchemaField) -> bool:
        """Whether a schema says of a field that it is a column."""
        return self.parameters in field.kind.words

    def read(
        self,
        field: SchemaField,
        declared: Callable[[str], Declared],
        nullable: int,
        described: Mapping[str, Column] | None = None,
    ) -> ReadForm:
        """What a schema says of a column.

        Args:
            field: of the schema.
            declared: takes a declared type apart.
            nullable: the flag of a column that can be NULL.
            described: the columns of its table, by name, as somebody has described them; None: nobody has. Schemas of
                Kafka Connect say less than that.

        Raises:
            ValueError: no column is such a field; a sentence says why.
        """
        parameters = field.kind.words.get(self.parameters, {})
        if not isinstance(parameters, Mapping):
            raise ValueError(f"{self.parameters} of field {shown(field.name)} is no object")
        if self.connect is not None:
            return self._read_connect(field, parameters, declared, nullable, described or {})
        word, logical = parameters.get(self.word), field.kind.words.get("logicalType")
        form = self._form(field.kind, logical, word) or self._form(field.kind, logical, None)
        if form is None:
            said = field.kind.name if logical is None else f"{field.kind.name} with logicalType {shown(logical)}"
            raise ValueError(
                f"the field {shown(field.name)} is {said}, and no column is: leave it out where messages are made"
            )
        scale = 0
        labels: tuple[str, ...] = ()
        text = form.stands_for
        if form.is_decimal:
            precision, scale = self._decimal(field)
            text = f"{text}({precision},{scale})"
        if form.labels is not None and form.labels in parameters:
            labels = split_labels(parameters[form.labels] or "")
            text = f"{text}({','.join(map(quoted_text, labels))})"
        if form.length is not None and form.length in parameters:
            text = f"{text}({self._length(field, parameters[form.length])})"
        told = declared(text)
        flags = told.flags | (nullable if field.kind.null >= 0 else 0)
        known = _labels(form.codec, labels)
        source = None if form.word else RECORD
        return ReadForm(Column(field.name, told.type, flags, text), form.codec, scale, known, source)

    def _read_connect(
        self,
        field: SchemaField,
        parameters: Mapping[str, object],
        declared: Callable[[str], Declared],
        nullable: int,
        described: Mapping[str, Column],
    ) -> ReadForm:
        """`read` of a schema of Kafka Connect.

        Args:
            field, declared, nullable, described: as there.
            parameters: of the field's type.
        """
        name = called(field)
        exact = field.words.get(self.word)
        known = described.get(name)
        other = None if known is None else _type_of(known, declared)
        form = self._connect_form(field.kind, None if not isinstance(exact, str) else declared(exact))
        if form is None:
            words = (f"{key} {shown(field.kind.words[key])}" for key in _TELLING if key in field.kind.words)
            said = " with ".join((field.kind.name, *words))
            raise ValueError(
                f"the field {shown(field.name)} is {said}, and no column is: leave it out where messages are made"
            )
        scale = self._decimal(field)[1] if form.is_decimal else 0
        text, labels = self._told(field, parameters, form, exact)
        told = declared(text)
        source, flags = None if isinstance(exact, str) else CONNECT, told.flags
        facts = ColumnFacts(labels)
        if known is not None and other is not None:
            own = self._connect_form(field.kind, other, known.flags)
            if isinstance(exact, str):
                same = other.type == told.type and own is form
                listed_alike = form.labels is None or form.listed(other.members) == parameters.get(form.labels)
                own = form if same and listed_alike else None
            if own is not None:
                form, text, told = own, known.mysql_type or text, other
                flags = flags | other.flags if isinstance(exact, str) else known.flags
                source = None if isinstance(exact, str) else DESCRIBED
                facts = ColumnFacts(other.members, other.length, other.decimals, other.decimals or 0)
        if field.kind.null >= 0:
            flags |= nullable
        codec = form.codec.for_column(facts) if isinstance(form.codec, TimeField) else form.codec
        return ReadForm(Column(name, told.type, flags, text), codec, scale, _labels(codec, facts.labels), source)

    def _told(
        self, field: SchemaField, parameters: Mapping[str, object], form: FieldForm, exact: object
    ) -> tuple[str, tuple[str, ...]]:
        """The declared type of a column as far as the schema says it, and its labels.

        Args:
            field: of the schema.
            parameters: of its type.
            form: the field's.
            exact: TiDB's name of the type; no text: it is not said.
        """
        text = exact if isinstance(exact, str) else form.stands_for
        if form.is_decimal:
            precision, scale = self._decimal(field)
            return f"{text}({precision},{scale})", ()
        if form.labels is not None and form.labels in parameters:
            labels = split_labels(parameters[form.labels] or "")  # type: ignore[arg-type]
            return f"{text}({','.join(map(quoted_text, labels))})", labels
        if form.length is not None and form.length in parameters:
            return f"{text}({self._length(field, parameters[form.length])})", ()
        return form.stands_for if form.stands_for.startswith(f"{text}(") else text, ()

    def _connect_form(self, kind: SchemaKind, type: Declared | None, flags: int | None = None) -> FieldForm | None:
        """The form of a field of Kafka Connect.

        Args:
            kind: the field's.
            type: of the column; None: it is not known.
            flags: of the column; None: those of the type.
        """
        said = tuple(kind.words.get(key) for key in _TELLING)
        found = (one for one in self.forms if one.type == kind.name and (one.logical, one.semantic, one.small) == said)
        if type is None:
            return next(found, None)
        own = type.flags if flags is None else flags
        return next((one for one in found if one.takes(type.type, own)), None)

    def _form(self, kind: SchemaKind, logical: object, word: object) -> FieldForm | None:
        for one in self.forms:
            if one.type == kind.name and one.logical == logical and one.word == word and one.reads_as(kind):
                return one
        return None

    @staticmethod
    def _decimal(field: SchemaField) -> tuple[int, int]:
        """The digits of a decimal, and how many of them are behind the point."""
        precision, scale = field.kind.words.get("precision"), field.kind.words.get("scale", 0)
        for number in (precision, scale):
            if type(number) is not int or not 0 <= number <= MOST_SCALE:
                raise ValueError(
                    f"precision and scale of the decimal {shown(field.name)} are numbers from 0 to {MOST_SCALE}"
                )
        if not precision or scale > precision:
            reason = f"has {precision} digits, {scale} of them behind the point"
            raise ValueError(f"the decimal {shown(field.name)} {reason}")
        return precision, scale

    @staticmethod
    def _length(field: SchemaField, said: object) -> int:
        if not isinstance(said, str) or not said.isdigit() or len(said) > 3:
            raise ValueError(f"the length of column {shown(field.name)} is {shown(said)}, and no small number")
        return int(said)

    # ---- a writer's

    def takes(self, column: Column) -> bool:
        """Whether a column is written in some form, whatever is known of it."""
        return any(one.takes(column.type, column.flags) for one in self.forms if not one.reads)

    def written(
        self, column: Column, facts: ColumnFacts, producer: str, options: Mapping[str, Any]
    ) -> FieldForm | None:
        """The form in which a column is written; None when it has none.

        Args:
            column: which one.
            facts: what is known of it besides its type.
            producer: who writes.
            options: of the protocol, by name.
        """
        for one in self.forms:
            if (
                not one.reads
                and one.takes(column.type, column.flags)
                and one.fits(facts)
                and (not one.producers or producer in one.producers)
                and (one.when is None or options[one.when[0]] == one.when[1])
            ):
                return one
        return None


def _labels(codec: ValueCodec, labels: tuple[str, ...]) -> LabelNumbers | None:
    """The numbers of the labels of a column; None of a codec that knows none."""
    return LabelNumbers(codec.number == LABELS_FIELD, labels) if codec.number in LABELLED else None


def _type_of(known: Column, declared: Callable[[str], Declared]) -> Declared | None:
    """The type that a description says; None where it is none that there is: the schema says more then."""
    try:
        return declared(known.mysql_type or "")
    except ValueError:
        return None
