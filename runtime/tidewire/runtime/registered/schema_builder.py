"""Derives the Avro schemas of rows as TiCDC registers them: the same text for the same table.

The text, member by member, is as recorded from pingcap/tiflow and pingcap/ticdc, pkg/sink/codec/avro, which print it
with Go's encoding/json.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tidewire.runtime.batch import Column
from tidewire.runtime.column_types import Declared
from tidewire.runtime.connect.avro import (
    AVRO_TYPES,
    CONNECT_FIELD,
    CONNECT_NAME,
    CONNECT_VERSION,
    avro_field,
    avro_value,
)
from tidewire.runtime.connect.blocks import adjusted
from tidewire.runtime.connect.column_writer import ColumnWriter
from tidewire.runtime.connect.defaults import ZONED
from tidewire.runtime.connect.known import KnownColumns
from tidewire.runtime.connect.types import ColumnMapping
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.json.sink import Spelling
from tidewire.runtime.record.decimals import decimal_bytes
from tidewire.runtime.record.fields import DECIMAL_FIELD, LABELS_FIELD
from tidewire.runtime.registered.parts import RecordInside, RecordPart, RowColumns, ScalarField, is_written
from tidewire.runtime.registered.schema_types import DECIMAL, LOGICAL_TYPE, FieldForms
from tidewire.runtime.shortened import shortened, shown
from tidewire.runtime.tables.description import DescribedTable
from tidewire.runtime.wire.value_codec import ColumnFacts, ValueCodec

MOST_TOPIC = 249
"""Maximum characters of a topic's name: Kafka's limit."""
_WORDS = ("{schema}", "{table}")
_FORBIDDEN = re.compile(r"[^a-zA-Z0-9._-]")


def is_by_table(topic: str) -> bool:
    """Whether the name of a topic depends on the table."""
    return any(word in topic for word in _WORDS)


def topic_of(topic: str, names: tuple[str, str]) -> str:
    """The topic of a table: pingcap/tiflow cdc/sink/dmlsink/mq/dispatcher/topic/expression.go.

    Args:
        topic: name of the topic; ``{schema}`` and ``{table}`` are replaced by the table's names.
        names: names of schema and table.
    """
    found = topic
    for word, name in zip(_WORDS, names, strict=True):
        found = found.replace(word, _FORBIDDEN.sub("_", name))
    return {".": "_", "..": "__"}.get(found, found[:MOST_TOPIC])


class WrittenField(NamedTuple):
    """A column as a field of a record."""

    column: Column
    source: int
    """Position among the columns of the rows; -1: the rows lack it, and it is always null."""
    form: ColumnMapping[ValueCodec]
    facts: ColumnFacts
    null: int
    """Number of the union branch that is null, 0 or 1; -1: it is never null."""
    schema: str
    """The field's JSON in the schema."""
    filling: bytes | None = None
    """Bytes written for NULL, including the union branch; None: null is written."""


class SchemaWords(NamedTuple):
    """Schema and subject names; generated from a spec."""

    namespace: str
    """Namespace template; ``{schema}``, after a point, is replaced by the database."""
    key_subject: str
    """Subject template; ``{topic}`` is replaced by the topic."""
    value_subject: str
    pointed: bool
    """Whether points in the topic are kept in its subjects; otherwise they become underscores."""
    by_id: str | None
    """The option with which columns of values are ordered by id."""
    unsent: tuple[str, ...]
    """Producers whose values have the columns that a row lacks, as null."""
    fills_nulls: bool = False
    """Whether NULL in a column with a default is written as the parsed default."""


class SchemaWriter(ColumnWriter[ValueCodec]):
    """Derives the schemas of one producer with its options.

    Attributes:
        keys_have_columns: whether a row without key columns has no key; otherwise its key is a record without fields.
    """

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
        type_text: Callable[[int, int, bool], str],
        nullable: int,
    ) -> None:
        """
        Args:
            forms: how schemas state columns.
            words: schema and subject names.
            protocol, producer, options, spelling, declared, type_text, nullable: as in `ColumnWriter`.
            topic: topic of the messages; ``{schema}`` and ``{table}`` are replaced by the table's names.
        """
        super().__init__(forms.types, protocol, producer, options, spelling, declared, type_text, nullable)
        self._forms = forms
        self._words = words
        self._topic = topic
        self.keys_have_columns = not forms.connect
        self._by_id = words.by_id is not None and bool(options[words.by_id])

    # ---- subjects

    def subject(self, names: tuple[str, str], key: bool) -> str:
        """The subject of a table's schemas in the registry: topicName2SchemaSubjects, of the encoders.

        Args:
            names: names of schema and table.
            key: whether it is the subject of keys.
        """
        pattern = self._words.key_subject if key else self._words.value_subject
        topic = topic_of(self._topic, names)
        return pattern.replace("{topic}", topic if self._words.pointed else topic.replace(".", "_"))

    # ---- columns

    def fields(
        self, columns: Sequence[Column], chosen: Sequence[int], described: DescribedTable | None, whole: bool
    ) -> list[WrittenField]:
        """The columns as fields, in order.

        Args:
            chosen: positions of the columns that are written.
            described: description of the table; None: unknown.
            whole: whether they are fields of a value, which has all columns of the table.

        Raises:
            EncodeError: a column's type has no mapping, or a parameter of its schema is unknown.
        """
        known = KnownColumns(described)
        placed = [(columns[k], k) for k in chosen]
        if whole and described is not None:
            placed = self._whole(placed, known)
        found = [self._field(column, source, known) for column, source in placed]
        seen: dict[str, str] = {}
        for one in found:
            name = adjusted(one.column.name)
            if not name:
                reason = "its name is empty, and a field of a record has one: rename it"
                raise EncodeError(self._protocol, None, "", reason)
            if name in seen:
                reason = (
                    f"its name is {shortened(name)} in a schema, as that of column {shown(seen[name])}: "
                    "rename one of them"
                )
                raise EncodeError(self._protocol, None, one.column.name, reason)
            seen[name] = one.column.name
        return found

    def _whole(self, placed: list[tuple[Column, int]], known: KnownColumns) -> list[tuple[Column, int]]:
        """The columns of a value, in order."""
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
        facts, form = ColumnFacts(), None
        if self._types.has_values(column.type, column.flags):
            facts = self._facts(column, known)
            form = self._written(column, facts)
        if form is None:
            reason = f"the protocol has no values of type {self._name_of(column)}"
            raise EncodeError(self._protocol, None, column.name, reason)
        if self._forms.connect:
            return self._connect_field(column, source, form, facts, known)
        type = self._type(column, form, facts)
        default = self._default_of(column, form, facts, known)
        name = f'"name":{self._json(adjusted(column.name))}'
        if not facts.nullable:
            said = "" if default is None else f'"default":{default},'
            return WrittenField(column, source, form, facts, -1, f'{{{said}{name},"type":{type}}}')
        if default is None:
            return WrittenField(column, source, form, facts, 0, f'{{"default":null,{name},"type":["null",{type}]}}')
        return WrittenField(column, source, form, facts, 1, f'{{"default":{default},{name},"type":[{type},"null"]}}')

    def _type(self, column: Column, form: ColumnMapping[ValueCodec], facts: ColumnFacts) -> str:
        """The Avro type of a column."""
        schema = self._types.types[form.schema]
        if schema.length is not None and facts.length is None:
            self._unknown(column, "how long it is")
        if schema.labels is not None and not facts.labels:
            self._unknown(column, "its labels")
        parameters = self._parameters(column, form, facts)
        logical = ""
        if form.codec.number == DECIMAL_FIELD:
            if facts.length is None:
                self._unknown(column, "how many digits it has")
            logical = f',"{LOGICAL_TYPE}":"{schema.logical}","precision":{facts.length},"scale":{facts.scale or 0}'
        said = self._json({self._forms.parameters: parameters}, ordered=True)[1:-1]
        return f'{{"type":"{AVRO_TYPES[schema.type]}",{said}{logical}}}'

    def _name_of(self, column: Column) -> str:
        try:
            return f"{column.type} ({self._type_text(column.type, column.flags, False)})"
        except ValueError:
            return str(column.type)

    def _connect_field(
        self, column: Column, source: int, form: ColumnMapping[ValueCodec], facts: ColumnFacts, known: KnownColumns
    ) -> WrittenField:
        """A column as a nullable field of a Kafka Connect schema."""
        stated = self._stated(column, form, facts) | {"optional": True}
        field = avro_field(stated, self._forms.parameters)
        if self._exact is not None:
            field[self._exact.word] = stated[self._exact.word]
        logical = self._types.types[form.schema].logical
        if logical is not None:
            null, type = field["type"]
            words = type if isinstance(type, dict) else {"type": type}
            words |= {"precision": facts.length, "scale": facts.scale or 0} if logical == DECIMAL else {}
            field["type"] = [null, {**words, LOGICAL_TYPE: logical}]
        schema = self._json(field, ordered=True)
        return WrittenField(column, source, form, facts, 0, schema, self._filling(column, form, facts, known))

    def _has_one_label(self, codec: ValueCodec) -> bool:
        return codec.number != LABELS_FIELD

    def _parameters(self, column: Column, mapping: ColumnMapping[ValueCodec], facts: ColumnFacts) -> dict[str, str]:
        found = super()._parameters(column, mapping, facts)
        if self._forms.connect and self._types.types[mapping.schema].logical == DECIMAL:
            if facts.length is None:
                self._unknown(column, "how many digits it has")
            found |= {"precision": str(facts.length), "scale": str(facts.scale or 0)}
        return found

    def _filling(
        self, column: Column, form: ColumnMapping[ValueCodec], facts: ColumnFacts, known: KnownColumns
    ) -> bytes | None:
        """Bytes written for NULL in a column with a default; None: null is written, also if the default does not fit
        the type.
        """
        default = known.defaults.get(column.name)
        if default is None or not self._words.fills_nulls:
            return None
        found: bytes | None = b""
        if form.codec.number != DECIMAL_FIELD:
            found = self._null_default(form, default, facts, True)
            if found is None or self._types.default(form) == ZONED:
                return found
        try:
            if found:
                return avro_value({"type": self._types.types[form.schema].type}, json.loads(found))
            return decimal_bytes(str(default).encode(), facts.scale or 0)
        except (ValueError, OverflowError):
            return None

    def _unknown(self, column: Column, what: str) -> None:
        reason = f"nothing says {what}: describe its table (tables=)"
        raise EncodeError(self._protocol, None, column.name, reason)

    def _default_of(
        self, column: Column, form: ColumnMapping[ValueCodec], facts: ColumnFacts, known: KnownColumns
    ) -> str | None:
        """The default of a column as JSON; None: the schema has none."""
        default = known.defaults.get(column.name)
        if default is None:
            return None
        try:
            return self._default(form, default, facts)
        except (ValueError, OverflowError) as error:
            reason = f"its default {default!r} is none that a schema can have: {error}"
            raise EncodeError(self._protocol, None, column.name, reason) from None

    # ---- records

    def namespace(self, names: tuple[str, str]) -> str:
        """The namespace of a table's records.

        Args:
            names: names of schema and table.
        """
        head, _, rest = self._words.namespace.partition(".")
        option = head.strip("{}") if head.startswith("{") else None
        head = adjusted(head if option is None else str(self._options[option]))
        return f"{head}.{adjusted(names[0])}" if rest and names[0] else head

    def record(self, part: RecordPart, names: tuple[str, str], fields: Sequence[WrittenField]) -> str:
        """The schema of a record.

        Args:
            names: names of schema and table of its row.
            fields: the columns.

        Raises:
            EncodeError: a column has the name of another field, or the table that of another record.
        """
        return self._record(part, names, fields, {})

    def _record(
        self, part: RecordPart, names: tuple[str, str], fields: Sequence[WrittenField], known: dict[str, RecordPart]
    ) -> str:
        """`record` inside a schema: records that are already defined, in `known`, are referenced by name."""
        namespace = self.namespace(names)
        own = part.named.replace("{table}", adjusted(names[1]))
        full = f"{namespace}.{own}"
        if full in known:
            if known[full] is not part:
                named = shortened(full)
                reason = f"the record of its rows would be called {named}, as another record is: rename the table"
                raise EncodeError(self._protocol, None, None, reason)
            return self._json(full)
        known[full] = part
        columns = {adjusted(field.column.name): field.column.name for field in fields} if part.has_columns else {}
        said = []
        for one in part.fields:
            if isinstance(one, RowColumns):
                said += [field.schema for field in fields]
            elif isinstance(one, ScalarField) and one.refused:
                continue
            elif is_written(one.when, self._options):
                if one.name in columns:
                    reason = f"its name is that of the field {one.name}, which says something of the event: rename it"
                    raise EncodeError(self._protocol, None, columns[one.name], reason)
                if isinstance(one, RecordInside):
                    inner = self._record(one.part, names, fields, known)
                    said.append(self._member(one.name, inner, one.always, None))
                else:
                    said.append(self._member(one.name, f'"{one.type}"', not one.nullable, one.default))
        inside = f"[{','.join(said)}]"
        name, space = self._json(own), self._json(namespace)
        if not self._forms.connect:
            return f'{{"type":"record","name":{name},"namespace":{space},"fields":{inside}}}'
        connect = f'{{"{CONNECT_NAME}":{self._json(full)}'
        if part.version is not None:
            connect += f',"{CONNECT_VERSION}":{part.version}'
        return f'{connect},"fields":{inside},"name":{name},"namespace":{space},"type":"record"}}'

    def _member(self, name: str, type: str, always: bool, default: str | None) -> str:
        """A field of a record that is not a column.

        Args:
            type: its type as JSON.
            always: whether it is never null.
            default: its default as JSON; None: no default, or null if it can be null.
        """
        union = type if always else f'["null",{type}]'
        said = f'"name":{self._json(name)},"type":{union}'
        if default is None and not always:
            default = "null"
        if default is not None:
            said = f'"default":{default},{said}'
        if self._forms.connect:
            said = f'"{CONNECT_FIELD}":{self._json(name)},{said}'
        return f"{{{said}}}"
