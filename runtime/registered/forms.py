"""What the schemas of records say of columns, and how the values of a column are written then: printed from a spec."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tidewire.runtime.batch import Column
from tidewire.runtime.column_types import Declared, quoted_text
from tidewire.runtime.connect.reading import split_labels
from tidewire.runtime.labels import LabelNumbers
from tidewire.runtime.record.fields import LABEL_FIELD, LABELS_FIELD
from tidewire.runtime.registered.schema import SchemaField, SchemaKind
from tidewire.runtime.shortened import shown
from tidewire.runtime.wire.value_codec import ValueCodec

MOST_SCALE = 65
"""Digits of a DECIMAL."""


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


class ReadForm(NamedTuple):
    """A column of a writer's schema."""

    column: Column
    """Without the flag of those that the key has."""
    codec: ValueCodec
    scale: int
    """Of a decimal: the digits behind the point."""
    labels: LabelNumbers | None
    """Of a column with labels."""
    exact: bool
    """Whether the schema says the type in TiDB's words."""


class FieldForms:
    """The forms of a protocol."""

    def __init__(self, forms: Sequence[FieldForm], parameters: str, word: str) -> None:
        """
        Args:
            forms: all of them; of what fits the first counts.
            parameters: the word of a type that says more of the column: an object of texts.
            word: which of those is the name of the column's type.
        """
        self.forms = tuple(forms)
        self.parameters = parameters
        self.word = word

    # ---- a reader's

    def is_column(self, field: SchemaField) -> bool:
        """Whether a schema says of a field that it is a column."""
        return self.parameters in field.kind.words

    def read(self, field: SchemaField, declared: Callable[[str], Declared], nullable: int) -> ReadForm:
        """What a schema says of a column.

        Args:
            field: of the schema.
            declared: takes a declared type apart.
            nullable: the flag of a column that can be NULL.

        Raises:
            ValueError: no column is such a field; a sentence says why.
        """
        parameters = field.kind.words.get(self.parameters, {})
        if not isinstance(parameters, Mapping):
            raise ValueError(f"{self.parameters} of field {shown(field.name)} is no object")
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
        if form.logical is not None:
            precision, scale = self._decimal(field)
            text = f"{text}({precision},{scale})"
        if form.labels is not None and form.labels in parameters:
            labels = split_labels(parameters[form.labels] or "")
            text = f"{text}({','.join(map(quoted_text, labels))})"
        if form.length is not None and form.length in parameters:
            text = f"{text}({self._length(field, parameters[form.length])})"
        told = declared(text)
        flags = told.flags | (nullable if field.kind.null >= 0 else 0)
        numbers = form.codec.number
        known = LabelNumbers(numbers == LABELS_FIELD, labels) if numbers in (LABEL_FIELD, LABELS_FIELD) else None
        return ReadForm(Column(field.name, told.type, flags, text), form.codec, scale, known, form.word is not None)

    def _form(self, kind: SchemaKind, logical: object, word: object) -> FieldForm | None:
        for one in self.forms:
            if one.type == kind.name and one.logical == logical and one.word == word:
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

    def written(self, column: Column, producer: str, options: Mapping[str, Any]) -> FieldForm | None:
        """The form in which a column is written; None when it has none.

        Args:
            column: which one.
            producer: who writes.
            options: of the protocol, by name.
        """
        for one in self.forms:
            if (
                not one.reads
                and column.type in one.types
                and column.flags & one.flagged == one.flagged
                and not column.flags & one.unflagged
                and (not one.producers or producer in one.producers)
                and (one.when is None or options[one.when[0]] == one.when[1])
            ):
                return one
        return None
