"""Columns as producers state them in schemas, for all wires."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any, Generic

from tidewire.runtime.arrow.storage import BYTES, FLOAT, INT, UINT
from tidewire.runtime.batch import Column
from tidewire.runtime.column_types import Declared
from tidewire.runtime.connect.defaults import (
    LEFT_OUT,
    NUMBER,
    TEXT,
    TIMES,
    WRITERS,
    ZONED,
    parsed_default,
    parsed_float,
    whole_number,
    zoned_text,
)
from tidewire.runtime.connect.known import KnownColumns
from tidewire.runtime.connect.types import CodecT, ColumnMapping, SchemaTypes
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.json.json_literals import text_json
from tidewire.runtime.json.sink import Spelling
from tidewire.runtime.label_lists import read_otherwise
from tidewire.runtime.wire.value_codec import ColumnFacts

_PLAIN = re.compile(r'[A-Za-z0-9_.,():= {}\[\]"-]*').fullmatch
"""Matches JSON that has no escapes, and in which no producer escapes anything."""
_IN_ORDER, _BY_NAME = (
    json.JSONEncoder(check_circular=False, sort_keys=by_name, separators=(",", ":")).encode for by_name in (False, True)
)


class ColumnWriter(Generic[CodecT]):
    """States columns in the schemas of one producer with its options."""

    def __init__(
        self,
        types: SchemaTypes[CodecT],
        protocol: str,
        producer: str,
        options: Mapping[str, Any],
        spelling: Spelling,
        declared: Callable[[str], Declared],
        type_text: Callable[[int, int, bool], str],
        nullable: int,
    ) -> None:
        """
        Args:
            types: schema types of the protocol.
            protocol: name of the protocol, for errors.
            producer: producer whose schemas are imitated.
            options: options of the protocol by name.
            spelling: how texts are escaped.
            declared: parses a declared type.
            type_text: TiDB's name of a type, by its code and flags.
            nullable: flag of nullable columns.
        """
        self._types = types
        self._protocol = protocol
        self._producer = producer
        self._options = options
        self._spelling = spelling
        self._declared = declared
        self._type_text = type_text
        self._nullable = nullable
        exact = types.exact
        self._exact = exact if exact is not None and (exact.when is None or options[exact.when]) else None

    def _has_one_label(self, codec: CodecT) -> bool:
        """Whether values are single labels."""
        raise NotImplementedError

    def _facts(self, column: Column, table: KnownColumns) -> ColumnFacts:
        return table.facts(column, self._declared, self._nullable)

    def _written(self, column: Column, facts: ColumnFacts) -> ColumnMapping[CodecT] | None:
        return self._types.written(column.type, column.flags, facts, self._producer, self._options)

    def _stated(self, column: Column, mapping: ColumnMapping[CodecT] | None, facts: ColumnFacts) -> dict[str, Any]:
        """A column as a field of a Kafka Connect schema, without its default.

        Args:
            mapping: how it is written; None: only TiDB's name of its type is stated.

        Raises:
            EncodeError: readers would parse other labels from it.
        """
        found: dict[str, Any] = {}
        if self._exact is not None:
            flags = 0 if column.type in self._exact.plain else column.flags
            found[self._exact.word] = self._type_text(column.type, flags, False)
        if mapping is None:
            return found
        type = self._types.types[mapping.schema]
        found["type"] = type.type
        found["optional"] = facts.nullable
        if type.name is not None:
            found["name"] = type.name
            if type.versioned:
                found["version"] = 1
        if parameters := self._parameters(column, mapping, facts):
            found["parameters"] = parameters
        found["field"] = column.name
        return found

    def _parameters(self, column: Column, mapping: ColumnMapping[CodecT], facts: ColumnFacts) -> dict[str, str]:
        """The parameters of a column; raises as `_stated`."""
        found = self._types.parameters(mapping, facts)
        type = self._types.types[mapping.schema]
        if type.escapes and type.labels is not None and self._has_one_label(mapping.codec):
            reason = read_otherwise(facts.labels, found[type.labels])
            if reason is not None:
                raise EncodeError(self._protocol, None, column.name, reason)
        return found

    def _default(self, mapping: ColumnMapping[CodecT], default: str | int, facts: ColumnFacts) -> str | None:
        """The default of a column as JSON; None: the schema has none."""
        way = self._types.default(mapping) or TEXT
        return None if way == LEFT_OUT else WRITERS[way](default, facts, self._spelling)

    def _null_default(
        self, mapping: ColumnMapping[CodecT], default: str | int, facts: ColumnFacts, parsed: bool
    ) -> bytes | None:
        """What is written for NULL in a column with a default, as JSON; of a TIMESTAMP in UTC the text of the default
        in the event's time zone, not converted. None: null is written.

        Args:
            parsed: whether numbers are parsed as `parsed_default` does.
        """
        way, stored = self._types.default(mapping), mapping.codec.stored(False)
        if way is None and stored == BYTES:
            return b'"%b"' % b64encode(str(default).encode())
        whole = way == NUMBER and stored in (INT, UINT)
        if parsed and (whole or way in TIMES):
            return b"%d" % parsed_default(way, default)
        if whole:
            return whole_number(default)
        if parsed and stored == FLOAT:
            default = str(parsed_float(default))
        text = self._default(mapping, default, facts)
        return None if text is None else zoned_text(text) if way == ZONED else text.encode()

    def _json(self, value: Any, ordered: bool = False) -> str:
        """JSON in the producer's spelling.

        Args:
            ordered: whether members of objects are in alphabetical order.
        """
        text = (_BY_NAME if ordered else _IN_ORDER)(value)
        return text if _PLAIN(text) else self._escaped(value, ordered)

    def _escaped(self, value: Any, ordered: bool) -> str:
        """Like `_json`, for values with texts that need escapes."""
        if isinstance(value, str):
            return text_json(self._protocol, value, self._spelling).decode()
        if isinstance(value, dict):
            items = sorted(value.items()) if ordered else value.items()
            each = [f"{self._escaped(key, False)}:{self._escaped(one, ordered)}" for key, one in items]
            return f"{{{','.join(each)}}}"
        if isinstance(value, list):
            return f"[{','.join([self._escaped(one, ordered) for one in value])}]"
        return json.dumps(value)
