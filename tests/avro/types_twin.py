"""A second, naive parser of Avro schemas, written from the specification 1.11."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, NamedTuple

from json_twin import MalformedError, encodable, need

PRIMITIVE = {"null", "boolean", "int", "long", "float", "double", "bytes", "string"}
DEEPEST, MOST_FIELDS, MOST_BYTES = 64, 65536, 2**31 - 1


class Type(NamedTuple):
    """A type: its words, of a record its fields with their own words, and what is in it besides."""

    name: str
    words: dict[str, Any]
    null: int | None = None
    fields: tuple[tuple[str, Any, dict[str, Any]], ...] | None = None
    """None of a record in itself."""
    inside: tuple[Any, ...] = ()
    height: int = 0
    """Types in one another; of a record those of its fields."""
    total: int = 0
    """Fields, those of records in it among them."""

    @property
    def empty(self) -> bool:
        """Whether its values have no bytes."""
        if self.null is not None:
            return False
        if self.name == "record":
            return self.fields is not None and all(one.empty for _, one, _ in self.fields)
        return self.name == "null" or (self.name == "fixed" and self.words["size"] == 0)


@lru_cache(1024)
def record_of(text: str) -> tuple[str, str, Type]:
    """The namespace, the name and the type of the record that a schema says.

    Raises:
        MalformedError: it is none.
    """
    try:
        top = json.loads(text)
    except (ValueError, RecursionError):
        raise MalformedError("JSON") from None
    need(isinstance(top, dict) and top.get("type") == "record", "a record")
    found = _type(top, "", 0, {}, [0])
    return (*_named(top, ""), found)


def _named(node: dict[str, Any], around: str) -> tuple[str, str]:
    name, space = node.get("name"), node.get("namespace", around)
    need(isinstance(name, str) and name != "" and encodable(name), "name")
    need(isinstance(space, str) and encodable(space), "namespace")
    assert isinstance(name, str)
    if "." in name:
        space, _, name = name.rpartition(".")
    need(name != "", "name")
    return str(space), name


def _type(node: Any, around: str, depth: int, known: dict[tuple[str, str], Type], counted: list[int]) -> Type:
    """A type, wherever it stands."""
    need(depth <= DEEPEST, "too deep")
    if isinstance(node, str):
        return _reference(node, around, depth, known, counted)
    if isinstance(node, list):
        branches = [_type(one, around, depth + 1, known, counted) for one in node]
        nulls = [place for place, one in enumerate(branches) if one.name == "null"]
        need(all(one.name != "union" and one.null is None for one in branches), "a union in a union")
        if len(branches) == 2 and len(nulls) == 1:
            return branches[1 - nulls[0]]._replace(null=nulls[0])
        return Type("union", {}, inside=tuple(branches), height=1 + max((one.height for one in branches), default=0))
    need(isinstance(node, dict), "a type")
    type = node.get("type")
    if isinstance(type, dict | list):
        inner = _type(type, around, depth + 1, known, counted)
        return inner._replace(words={**inner.words, **node})
    need(isinstance(type, str), "a type")
    if type in ("record", "error"):
        return _record(node, around, depth, known, counted)
    if type == "enum":
        symbols = node.get("symbols")
        need(isinstance(symbols, list) and all(isinstance(one, str) and encodable(one) for one in symbols), "symbols")
    if type == "fixed":
        size = node.get("size")
        need(size.__class__ is int and 0 <= size <= MOST_BYTES, "size")
    if type in ("enum", "fixed"):
        return _remembered(_named(node, around), Type(type, node), known)
    if type in ("array", "map"):
        inner = _type(node.get("items" if type == "array" else "values"), around, depth + 1, known, counted)
        return Type(type, node, inside=(inner,), height=inner.height + 1)
    found = _reference(type, around, depth, known, counted)
    return found._replace(words={**found.words, **node})


def _reference(name: str, around: str, depth: int, known: dict[tuple[str, str], Type], counted: list[int]) -> Type:
    if name in PRIMITIVE:
        return Type(name, {})
    space, _, own = name.rpartition(".") if "." in name else (around, "", name)
    found = known.get((space, own)) or known.get(("", name))
    need(found is not None, "unknown type")
    assert found is not None
    need(depth + found.height <= DEEPEST, "too deep")
    counted[0] += found.total
    need(counted[0] <= MOST_FIELDS, "too many fields")
    return found


def _remembered(name: tuple[str, str], type: Type, known: dict[tuple[str, str], Type]) -> Type:
    need(name not in known, "two types of one name")
    known[name] = type
    return type


def _record(
    node: dict[str, Any], around: str, depth: int, known: dict[tuple[str, str], Type], counted: list[int]
) -> Type:
    space, name = _named(node, around)
    _remembered((space, name), Type("record", node), known)
    said = node.get("fields")
    need(isinstance(said, list), "fields")
    assert isinstance(said, list)
    before = counted[0]
    counted[0] += len(said)
    need(counted[0] <= MOST_FIELDS, "too many fields")
    fields: dict[str, tuple[str, Type, dict[str, Any]]] = {}
    for one in said:
        need(isinstance(one, dict) and "type" in one, "a field")
        own = one.get("name")
        need(isinstance(own, str) and own != "" and encodable(own) and own not in fields, "name of a field")
        fields[own] = own, _type(one["type"], space, depth + 1, known, counted), one
    height = 1 + max((one.height for _, one, _ in fields.values()), default=0)
    known[space, name] = Type("record", node, None, tuple(fields.values()), height=height, total=counted[0] - before)
    return known[space, name]
