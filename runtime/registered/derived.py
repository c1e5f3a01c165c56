"""Derives the schemas under which rows are written, as TiCDC registers them: the same text for the same table.

What the text looks like, member by member, is recorded: pingcap/tiflow and pingcap/ticdc, pkg/sink/codec/avro,
which print it with Go's encoding/json.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tidewire.runtime.batch import Column
from tidewire.runtime.column_types import Declared
from tidewire.runtime.connect.blocks import adjusted
from tidewire.runtime.connect.known import KnownColumns
from tidewire.runtime.connect.types import listed
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.json.codec import ColumnFacts
from tidewire.runtime.json.sink import Spelling
from tidewire.runtime.json.spelled import text_json
from tidewire.runtime.record.fields import DECIMAL_FIELD
from tidewire.runtime.registered.defaults import WRITERS
from tidewire.runtime.registered.forms import FieldForm, FieldForms
from tidewire.runtime.registered.parts import RecordInside, RecordPart, RowColumns, is_written
from tidewire.runtime.tables.description import DescribedTable

MOST_TOPIC = 249
"""Characters of the name of a topic: Kafka's limit."""
_WORDS = ("{schema}", "{table}")
_FORBIDDEN = re.compile(r"[^a-zA-Z0-9._-]")


def is_by_table(topic: str) -> bool:
    """Whether the name of a topic depends on the table."""
    return any(word in topic for word in _WORDS)


def topic_of(topic: str, names: tuple[str, str]) -> str:
    """The topic of a table: pingcap/tiflow cdc/sink/dmlsink/mq/dispatcher/topic/expression.go.

    Args:
        topic: its name, with ``{schema}`` and ``{table}`` for the names of the table.
        names: of its schema and table.
    """
    found = topic
    for word, name in zip(_WORDS, names, strict=True):
        found = found.replace(word, _FORBIDDEN.sub("_", name))
    return {".": "_", "..": "__"}.get(found, found[:MOST_TOPIC])


class WrittenField(NamedTuple):
    """A column as a field of a record."""

    column: Column
    source: int
    """Its position among the columns of the rows; -1: they do not have it, and it is always null."""
    form: FieldForm
    facts: ColumnFacts
    null: int
    """The number of the branch that is null, 0 or 1; -1: it is never null."""
    schema: str
    """The field as its record's schema has it."""


class SchemaWords(NamedTuple):
    """What schemas say besides columns, and how subjects are called: printed from a spec."""

    namespace: str
    """With ``{schema}`` for the name of the database, behind a point."""
    key_subject: str
    """With ``{topic}`` for the topic."""
    value_subject: str
    by_id: str | None
    """The option with which the columns of values are in the order of their ids."""
    unsent: tuple[str, ...]
    """The producers whose values have the columns of a table that its rows lack, as null."""


class SchemaWriter:
    """Derives the schemas of one producer with its options."""

    def __init__(
        self,
        forms: FieldForms,
        words: SchemaWords,
        protocol: str,
        producer: str,
        options: Mapping[str, Any],
        topic: str,
        spelling: Spelling,
        declared: Callable[[str], Declared],
        nullable: int,
    ) -> None:
        """
        Args:
            forms: what schemas say of columns.
            words: what they say besides.
            protocol: for errors.
            producer: who writes.
            options: of the protocol, by name.
            topic: where messages are written to; ``{schema}`` and ``{table}`` stand for the names of a table.
            spelling: how texts are spelled.
            declared: takes a declared type apart.
            nullable: the flag of a column that can be NULL.
        """
        self._forms = forms
        self._words = words
        self._protocol = protocol
        self._producer = producer
        self._options = options
        self._topic = topic
        self._spelling = spelling
        self._declared = declared
        self._nullable = nullable
        self._by_id = words.by_id is not None and bool(options[words.by_id])

    # ---- subjects

    def subject(self, names: tuple[str, str], key: bool) -> str:
        """The subject under which schemas of a table are registered: topicName2SchemaSubjects, of the encoders.

        Args:
            names: of its schema and table.
            key: whether it is that of keys.
        """
        pattern = self._words.key_subject if key else self._words.value_subject
        return pattern.replace("{topic}", topic_of(self._topic, names).replace(".", "_"))

    # ---- columns

    def fields(
        self, columns: Sequence[Column], chosen: Sequence[int], described: DescribedTable | None, whole: bool
    ) -> list[WrittenField]:
        """The columns as fields, in their order.

        Args:
            columns: of the rows.
            chosen: which of them are written, by position.
            described: what is known of their table.
            whole: whether they are a value's, which has all columns of the table.

        Raises:
            EncodeError: a column has no form, or what the schema says of it is not known.
        """
        known = KnownColumns(described)
        placed = [(columns[k], k) for k in chosen]
        if whole and described is not None:
            placed = self._whole(placed, known)
        found = [self._field(column, source, known) for column, source in placed]
        seen: dict[str, str] = {}
        for one in found:
            name = adjusted(one.column.name)
            if name in seen:
                reason = f"its name is {name} in a schema, as that of column {seen[name]!r}: rename one of them"
                raise EncodeError(self._protocol, None, one.column.name, reason)
            seen[name] = one.column.name
        return found

    def _whole(self, placed: list[tuple[Column, int]], known: KnownColumns) -> list[tuple[Column, int]]:
        """The columns of a value, in their order."""
        described = known.described
        assert described is not None
        own = {column.name: (column, source) for column, source in placed}
        names = [one.name for one in described.columns]
        if not own.keys() <= set(names):
            return placed  # the description is of another table
        if self._producer in self._words.unsent:
            types = described.TYPES
            for one in described.columns:
                code, flags = types.code(one)
                missing = Column(one.name, code, flags | types.column_flags(one), types.type_text(one))
                own.setdefault(one.name, (missing, -1))
            placed = [own[name] for name in names]
        if self._by_id:
            ids = {one.name: one.id for one in described.columns}
            if all(ids[column.name] is not None for column, _ in placed):
                placed = sorted(placed, key=lambda one: ids[one[0].name] or 0)
        return placed

    def _field(self, column: Column, source: int, known: KnownColumns) -> WrittenField:
        form = self._forms.written(column, self._producer, self._options)
        if form is None:
            reason = f"the protocol has no values of type {column.type}"
            raise EncodeError(self._protocol, None, column.name, reason)
        facts = known.facts(column, self._declared, self._nullable)
        type = self._type(column, form, facts)
        default = self._default(column, form, known)
        name = f'"name":{self._text(adjusted(column.name))}'
        if not facts.nullable:
            said = "" if default is None else f'"default":{default},'
            return WrittenField(column, source, form, facts, -1, f'{{{said}{name},"type":{type}}}')
        if default is None:
            return WrittenField(column, source, form, facts, 0, f'{{"default":null,{name},"type":["null",{type}]}}')
        return WrittenField(column, source, form, facts, 1, f'{{"default":{default},{name},"type":[{type},"null"]}}')

    def _type(self, column: Column, form: FieldForm, facts: ColumnFacts) -> str:
        """The type of a column as a schema has it."""
        parameters = {self._forms.word: str(form.word)}
        if form.length is not None:
            if facts.length is None:
                self._unknown(column, "how long it is")
            parameters[form.length] = str(facts.length)
        if form.labels is not None:
            if not facts.labels:
                self._unknown(column, "its labels")
            parameters[form.labels] = listed(facts.labels)
        said = ",".join(f"{self._text(key)}:{self._text(parameters[key])}" for key in sorted(parameters))
        logical = ""
        if form.codec.number == DECIMAL_FIELD:
            if facts.length is None:
                self._unknown(column, "how many digits it has")
            logical = f',"logicalType":"{form.logical}","precision":{facts.length},"scale":{facts.scale or 0}'
        return f'{{"type":"{form.type}",{self._text(self._forms.parameters)}:{{{said}}}{logical}}}'

    def _unknown(self, column: Column, what: str) -> None:
        reason = f"nothing says {what}: describe its table (tables=)"
        raise EncodeError(self._protocol, None, column.name, reason)

    def _default(self, column: Column, form: FieldForm, known: KnownColumns) -> str | None:
        """The default of a column as JSON; None where a schema has none."""
        default = known.defaults.get(column.name)
        if default is None or form.default is None:
            return None
        try:
            return WRITERS[form.default](default, self._spelling)
        except (ValueError, OverflowError) as error:
            reason = f"its default {default!r} is none that a schema can have: {error}"
            raise EncodeError(self._protocol, None, column.name, reason) from None

    def _text(self, text: str) -> str:
        return text_json(self._protocol, text, self._spelling).decode()

    # ---- records

    def record(self, part: RecordPart, names: tuple[str, str], fields: Sequence[WrittenField]) -> str:
        """The schema of a record.

        Args:
            part: which one.
            names: of the schema and table of its row.
            fields: the columns.

        Raises:
            EncodeError: a column is called as a field that says something of the event.
        """
        columns = {adjusted(field.column.name): field.column.name for field in fields}
        head = adjusted(self._words.namespace.partition(".")[0])
        namespace = f"{head}.{adjusted(names[0])}" if names[0] else head
        said = []
        for one in part.fields:
            if isinstance(one, RowColumns):
                said += [field.schema for field in fields]
            elif is_written(one.when, self._options):
                if one.name in columns:
                    reason = f"its name is that of the field {one.name}, which says something of the event: rename it"
                    raise EncodeError(self._protocol, None, columns[one.name], reason)
                name = self._text(one.name)
                if isinstance(one, RecordInside):
                    inner = self.record(one.part, names, fields)
                    said.append(f'{{"default":null,"name":{name},"type":["null",{inner}]}}')
                else:
                    said.append(f'{{"default":{one.default},"name":{name},"type":"{one.type}"}}')
        prefix, suffix = part.named.split("{table}")
        own = self._text(f"{prefix}{adjusted(names[1])}{suffix}")
        return f'{{"type":"record","name":{own},"namespace":{self._text(namespace)},"fields":[{",".join(said)}]}}'
