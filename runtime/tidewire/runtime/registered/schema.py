"""Parses Avro schemas: names and types of a record's fields.

Terms are those of Avro's specification 1.11, chapter "Schema Declaration".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from tidewire.runtime.connect.resolving import is_text
from tidewire.runtime.shortened import shown

MOST_FIELDS = 1 << 16
"""Maximum fields of a record, including nested records, each time they are referenced."""
MOST_DEPTH = 64
"""Maximum nesting depth of types, including references to named types."""
MOST_SIZE = (1 << 31) - 1
"""Maximum bytes of a `fixed`."""
WITHIN = "a record in itself"
"""Type name of a recursive reference to a record."""
PRIMITIVES = frozenset(("null", "boolean", "int", "long", "float", "double", "bytes", "string"))


class SchemaKind(NamedTuple):
    """The type of a field's values."""

    name: str
    """A primitive type, `record`, `enum`, `fixed`, `array`, `map`, `union`, or `WITHIN`."""
    null: int
    """For a union of null and this type, the number of the null branch, 0 or 1; else -1."""
    words: Mapping[str, Any]
    """Further attributes of the type, such as `logicalType`."""
    fields: tuple[SchemaField, ...] = ()
    """Fields of a record."""
    inside: tuple[SchemaKind, ...] = ()
    """Type of an array's items or of a map's values; branches of a union."""
    solid: tuple[SchemaField, ...] = ()
    """Fields of a record whose values have bytes; the others are not visited for each record."""
    hollow: bool = False
    """Whether its values have no bytes."""
    height: int = 0
    """Nesting depth of the types in it."""
    spread: int = 0
    """Number of fields in it."""
    whole: list[SchemaKind] | None = None
    """For a recursive reference: the record, once it has been parsed."""


class SchemaField(NamedTuple):
    """A field of a record."""

    name: str
    kind: SchemaKind
    words: Mapping[str, Any]
    """Attributes of the field besides name and type."""


class Record(NamedTuple):
    """The schema of a record."""

    namespace: str
    name: str
    fields: tuple[SchemaField, ...]
    words: Mapping[str, Any]
    solid: tuple[SchemaField, ...]
    """The fields whose values have bytes."""


class SchemaReader:
    """Parses one schema."""

    def __init__(self) -> None:
        self._named: dict[str, SchemaKind] = {}
        self._fields = 0

    def record(self, text: str) -> Record:
        """The record that a schema defines.

        Raises:
            ValueError: it is not the schema of a record; a sentence gives the reason.
        """
        try:
            top = json.loads(text)
        except RecursionError:
            raise ValueError(f"its types are nested deeper than {MOST_DEPTH}") from None
        if not isinstance(top, dict) or top.get("type") != "record":
            raise ValueError("it is no record: the schema of a row is one")
        namespace, name = self._full_name(top, "")
        kind = self._kind(top, "", 0)
        return Record(namespace, name, kind.fields, top, kind.solid)

    @staticmethod
    def _full_name(node: Mapping[str, Any], around: str) -> tuple[str, str]:
        """Namespace and name of a named type.

        Args:
            node: the type.
            around: namespace of the enclosing type.
        """
        name, namespace = node.get("name"), node.get("namespace", around)
        if not is_text(name) or not name or not is_text(namespace):
            raise ValueError("a type has a name, a text that is not empty; here it has not")
        assert isinstance(name, str)
        if "." in name:
            namespace, _, name = name.rpartition(".")
        if not name:
            raise ValueError(f"the name {shown(node.get('name'))} of a type ends in a point")
        return namespace, name

    def _kind(self, node: Any, around: str, depth: int) -> SchemaKind:
        """Parses a type.

        Args:
            node: the type.
            around: namespace of the enclosing type.
            depth: its nesting depth.
        """
        if depth > MOST_DEPTH:
            raise ValueError(f"its types are nested deeper than {MOST_DEPTH}")
        if isinstance(node, str):
            return self._known(node, around, depth)
        if isinstance(node, list):
            return self._union(node, around, depth)
        if not isinstance(node, dict):
            raise ValueError(f"{shown(node)} stands where a type is expected")
        type = node.get("type")
        if isinstance(type, dict | list):
            inner = self._kind(type, around, depth + 1)
            return inner._replace(words={**inner.words, **node})
        if type == "record" or type == "error":
            return self._record(node, around, depth)
        if type in ("enum", "fixed"):
            namespace, name = self._full_name(node, around)
            self._check_words(node, type)
            hollow = type == "fixed" and node["size"] == 0
            return self._remember(f"{namespace}.{name}", SchemaKind(type, -1, node, hollow=hollow))
        if type in ("array", "map"):
            inside = self._kind(node.get("items" if type == "array" else "values"), around, depth + 1)
            return SchemaKind(type, -1, node, (), (inside,), height=inside.height + 1)
        if not isinstance(type, str):
            raise ValueError(f"{shown(node)} stands where a type is expected")
        found = self._known(type, around, depth)
        return found._replace(words={**found.words, **node})

    @staticmethod
    def _check_words(node: Mapping[str, Any], type: str) -> None:
        """Checks that an enum has symbols and a fixed has a size."""
        symbols, size = node.get("symbols"), node.get("size")
        if type == "enum" and not (isinstance(symbols, list) and all(map(is_text, symbols))):
            named = shown(node.get("name"))
            raise ValueError(f"the symbols of the enum {named} are a list of texts; here they are not")
        if type == "fixed" and (not isinstance(size, int) or isinstance(size, bool) or not 0 <= size <= MOST_SIZE):
            named = shown(node.get("name"))
            raise ValueError(f"the size of {named} is a number from 0 to {MOST_SIZE}; here it is not")

    def _known(self, name: str, around: str, depth: int) -> SchemaKind:
        """A primitive type, or a named type defined before, referenced at this depth."""
        if name in PRIMITIVES:
            return SchemaKind(name, -1, {}, hollow=name == "null")
        found = self._named.get(name if "." in name else f"{around}.{name}") or self._named.get(f".{name}")
        if found is None:
            raise ValueError(f"the type {shown(name)} is none of Avro's, and none that stands before")
        if depth + found.height > MOST_DEPTH:
            raise ValueError(f"its types are nested deeper than {MOST_DEPTH}")
        self._count(found.spread)
        return found

    def _count(self, fields: int) -> None:
        self._fields += fields
        if self._fields > MOST_FIELDS:
            raise ValueError(f"it has more than {MOST_FIELDS} fields")

    def _remember(self, name: str, kind: SchemaKind) -> SchemaKind:
        if name in self._named:
            raise ValueError(f"there are two types named {shown(name)}")
        self._named[name] = kind
        return kind

    def _union(self, branches: list[Any], around: str, depth: int) -> SchemaKind:
        """A union. A union of null and one other type becomes that type, as nullable."""
        kinds = [self._kind(one, around, depth + 1) for one in branches]
        if any(one.name == "union" or one.null >= 0 for one in kinds):
            raise ValueError("a union stands in a union, which Avro does not have")
        nulls = [k for k, one in enumerate(kinds) if one.name == "null"]
        if len(kinds) == 2 and len(nulls) == 1:
            return kinds[1 - nulls[0]]._replace(null=nulls[0], hollow=False)
        return SchemaKind("union", -1, {}, (), tuple(kinds), height=1 + max((one.height for one in kinds), default=0))

    def _record(self, node: Mapping[str, Any], around: str, depth: int) -> SchemaKind:
        namespace, name = self._full_name(node, around)
        full = f"{namespace}.{name}"
        # while a record is parsed, references to it are recursive and its fields are not yet known
        whole: list[SchemaKind] = []
        self._remember(full, SchemaKind(WITHIN, -1, node, whole=whole))
        said = node.get("fields")
        if not isinstance(said, list):
            raise ValueError(f"the record {shown(name)} has no list of fields")
        before = self._fields
        self._count(len(said))
        fields: dict[str, SchemaField] = {}
        for one in said:
            own = one.get("name") if isinstance(one, dict) else None
            if not is_text(own) or not own or "type" not in one:
                raise ValueError(f"a field of the record {shown(name)} has no name or no type")
            if own in fields:
                raise ValueError(f"the record {shown(name)} has two fields {shown(own)}")
            fields[own] = SchemaField(own, self._kind(one["type"], namespace, depth + 1), one)
        solid = tuple([one for one in fields.values() if not one.kind.hollow])
        self._named[full] = SchemaKind(
            *("record", -1, node, tuple(fields.values()), ()),
            *(solid, not solid),
            *(1 + max((one.kind.height for one in fields.values()), default=0), self._fields - before),
        )
        whole.append(self._named[full])
        return self._named[full]


def read_schema(text: str) -> Record:
    """The record that a schema defines.

    Raises:
        ValueError: it is not the schema of a record that can be read; a sentence gives the reason.
    """
    try:
        return SchemaReader().record(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is no JSON: {error}") from None
