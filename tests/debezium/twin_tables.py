"""What statements' messages of TiCDC's Debezium say of tables, as the second reader takes it."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from json_twin import Pairs, integer, need, text

from debezium.values import Declared

I64 = 2**63 - 1
Name = tuple[str, str]
"""A database and a table in it."""
Table = dict[str, Declared]


class Tables(dict[tuple[str | None, str], dict[int | None, Table]]):
    """What tables are, by name and by the time from which on they are so."""

    def at(self, schema: str | None, table: str, when: int | None) -> Table | None:
        """What a table is at a time: as it was described last before it, else first; None: nobody has described it."""
        known = self.get((schema, table), {})
        times = sorted(time for time in known if time is not None)
        if when is None and not times:
            return known.get(None)
        if not times:
            return known.get(None)
        before = [time for time in times if when is None or time <= when]
        return known[before[-1] if before else times[0]]

    def learn(self, schema: str, table: str, when: int | None, described: dict[str, Any]) -> int | None:
        """Adds a table; from which time on it is that."""
        known = self.setdefault((schema, table), {})
        known[when] = dict(map(column_of, described["columns"] or []))
        return when


class Described(NamedTuple):
    """What a statement says of a table: names, and of each column name, nullable, position and comment."""

    schema: str
    table: str
    before: tuple[str, str] | None
    columns: tuple[tuple[Any, ...], ...]


def change_of(value: Any, own: Name | None) -> tuple[str, tuple[Name | None, Name | None], dict[str, Any] | None]:
    said = _described(value, {"type": "text", "id": "text"})
    need(said["type"] in ("CREATE", "ALTER", "DROP"), "change")
    names = names_in(said["id"], own)
    table = dict(value).get("table")
    if table is None:
        return said["type"], names, None
    need(names[0] is not None, "id")
    found = _described(
        table,
        {"defaultCharsetName?": "text", "primaryKeyColumnNames?": "texts", "columns?": "list", "comment?": "text"},
    )
    columns = [_described(one, COLUMN) for one in found["columns"] or []]
    return said["type"], names, {**found, "columns": columns}


COLUMN = {
    "name": "text", "jdbcType?": "integer", "nativeType?": "integer", "comment?": "text",
    "defaultValueExpression?": "text", "enumValues?": "texts", "typeName": "text", "typeExpression?": "text",
    "charsetName?": "text", "length?": "integer", "scale?": "integer", "position": "integer", "optional?": "bool",
    "autoIncremented?": "bool", "generated?": "bool",
}  # fmt: skip


def _described(value: Any, wanted: dict[str, str]) -> dict[str, Any]:
    """The members of an object that describes something; a ? stands behind the names of those that may be null."""
    need(isinstance(value, Pairs) and len(dict(value)) == len(value), "no object, or a member twice")
    found = dict(value)
    said: dict[str, Any] = {}
    for name, kind in wanted.items():
        bare = name.removesuffix("?")
        one = said[bare] = found.get(bare)
        need(one is not None or bare != name, "missing")
        if one is None or kind == "text":
            text(one)
        elif kind == "integer":
            said[bare] = integer(one, -I64 - 1, I64)
        elif kind == "bool":
            need(type(one) is bool, "no bool")
        else:
            need(type(one) is list, "no list")
            need(kind == "list" or all(each is not None and text(each) is not None for each in one), "no texts")
    return said


def names_in(id: str, own: Name | None) -> tuple[Name | None, Name | None]:
    """The table that an id is about, and what it was called before; None for what the id does not tell: quotes inside
    of names are as they are.
    """
    if own is not None:
        now = f'"{own[0]}"."{own[1]}"'
        if id == now or id.endswith("," + now):
            return own, _name(id[: -len(now) - 1])
    if _name(id) is not None:
        return _name(id), None
    before, comma, after = id.partition('","')
    names = _name(before + '"'), _name('"' + after)
    if not comma or '","' in after or None in names:
        return None, None
    return names[1], names[0]


def _name(text: str) -> Name | None:
    parts = re.fullmatch(r'"((?:(?!"\.").)*)"\."((?:(?!"\.").)+)"', text, re.DOTALL)
    return None if parts is None or '","' in text else (parts[1], parts[2])


def column_of(said: dict[str, Any]) -> tuple[str, Declared]:
    """A column as a statement describes it: name and what it is."""
    bare, _, suffix = said["typeName"].lower().partition(" ")
    labels = tuple(one[1:-1] for one in said["enumValues"] or ())
    # Only times have their fraction there; of those without one it is null or 0.
    scale = (said["length"] or 0) if bare in ("datetime", "timestamp", "time") else None
    return said["name"], Declared(
        bare, "unsigned" in suffix, scale, labels, None, True, said["scale"], said["length"]
    )  # fmt: skip
