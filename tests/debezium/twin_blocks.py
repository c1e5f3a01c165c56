"""Schema blocks of TiCDC's Debezium as the second reader takes them: what the columns of rows are.

What a declared type is (`enum('a')`), it asks `tidewire.mysql`.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from json_twin import ForeignError, MalformedError, Number, Pairs, need, text

from debezium.values import BYTES, CONNECT, NEAREST, TEXTS, Declared, Unit, is_written
from tidewire.mysql import ColumnFlag, declared

MOST_FIELDS = 1 << 16
CODES = {
    1: "tinyint", 2: "smallint", 9: "mediumint", 3: "int", 8: "bigint", 13: "year", 16: "bit", 4: "float", 5: "double",
    246: "decimal", 247: "enum", 248: "set", 245: "json", 225: "vector", 10: "date", 12: "datetime", 11: "time",
    7: "timestamp",
}  # fmt: skip
STRINGS = (15, 253, 254, 249, 250, 251, 252)


class Field(NamedTuple):
    """A column in a schema block. `default` is as it stands in the message."""

    name: str
    connect: str
    semantic: str | None
    optional: bool
    tidb_type: str | None
    parameters: dict[str, Any]
    default: Any


def fields_of(block: Any) -> dict[str, Field]:
    """The columns in a block: of a value those of its last image, of a key all. Of a name that is there twice the
    first counts: virtual columns are.
    """
    fields = _listed(block)
    sides = [one for one in fields if one.get("field") in ("before", "after") and one.get("type") == "struct"]
    if sides:
        fields = _listed(sides[-1])
    elif any(_nested(one) for one in fields):
        return {}
    found: dict[str, Field] = {}
    for one in fields:
        name, connect, semantic = text(one.get("field")), one.get("type"), one.get("name")
        need(name is not None, "field")
        assert name is not None
        if name in found:
            continue
        if not isinstance(connect, str) or not isinstance(semantic, str | None) or (connect, semantic) not in CONNECT:
            raise ForeignError(f"{connect} {semantic}")
        parameters = one.get("parameters")
        if parameters is None or parameters is False or parameters in ("", []) or _is_zero(parameters):
            parameters = Pairs()
        tidb_type = one.get("tidb_type")
        if not isinstance(parameters, Pairs) or not isinstance(tidb_type, str | None):
            raise ForeignError("parameters")
        optional = one.get("optional") is not False
        found[name] = Field(name, connect, semantic, optional, tidb_type, dict(parameters), one.get("default"))
        try:
            known = is_written(told(found[name]))
        except MalformedError:
            known = False
        if not known:
            raise ForeignError("what a field says of its column cannot be")
    return found


def _listed(struct: Any) -> list[dict[str, Any]]:
    fields = dict(struct).get("fields") if isinstance(struct, Pairs | dict) else None
    need(type(fields) is list and len(fields) <= MOST_FIELDS, "fields")
    assert isinstance(fields, list)
    need(all(isinstance(one, Pairs) for one in fields), "fields")
    return [dict(one) for one in fields]


def _nested(field: dict[str, Any]) -> bool:
    """Whether a field is one of a message that is of no row."""
    semantic = field.get("name")
    if field.get("type") not in ("struct", "array", "map"):
        return False
    if field.get("type") == "struct" and type(semantic) is str and semantic.startswith("io.debezium.data.geometry."):
        raise ForeignError(semantic)
    return True


def _is_zero(value: Any) -> bool:
    return type(value) is Number and float(value) == 0


def told(field: Field) -> Declared:
    """What a column is by its field alone.

    Raises:
        MalformedError: it is not what it can be.
    """
    unit = CONNECT[field.connect, field.semantic]
    kind = field.tidb_type or NEAREST[unit]
    labels: tuple[str, ...] = ()
    if unit in (Unit.ENUM, Unit.SET):
        allowed = field.parameters.get("allowed")
        if allowed is None or allowed is False or allowed in ("", [], Pairs()) or _is_zero(allowed):
            allowed = ""
        need(text(allowed) is not None, "labels")
        labels = split(allowed)
        quoted = (one.replace("\\", "\\\\").replace("'", "''") for one in labels)
        kind += "(" + ",".join(f"'{one}'" for one in quoted) + ")"
    if unit == Unit.BITS and "length" in field.parameters:
        length = field.parameters["length"]
        need(type(length) is str and re.fullmatch(r"[0-9]{1,3}", length) is not None, "length")
        kind += f"({int(length)})" if "(" not in kind else ""
    found = declared_as(kind, unit)
    return found._replace(labels=labels, scale=None, digits=None, exact=field.tidb_type is not None)


def declared_as(kind: str, unit: Unit | None, flags: int | None = None) -> Declared:
    """What a declared type is; flags are those that are known, None: those that it tells.

    Raises:
        MalformedError: it is none.
    """
    try:
        found = declared(kind)
    except ValueError:
        raise MalformedError("type") from None
    flags = found.flags if flags is None else flags
    name = CODES.get(found.type, "nothing")
    if found.type in STRINGS:
        name = BYTES[0] if flags & ColumnFlag.BINARY else TEXTS[0]
    unsigned = bool(flags & ColumnFlag.UNSIGNED)
    return Declared(
        name, unsigned, found.decimals or 0, found.members, unit, True, found.decimals, found.length
    )  # fmt: skip


def kind_of(field: Field, known: Declared | None) -> Declared:
    """What a column is, by its field and by its table.

    Raises:
        MalformedError: it cannot be both.
    """
    unit = CONNECT[field.connect, field.semantic]
    found = told(field)
    if unit == Unit.STRING and any(one is not None and _is_foreign_text(one) for one in (found, known)):
        raise ForeignError("string")
    if known is not None:
        written = known._replace(unit=unit)
        if field.tidb_type is None and is_written(written):
            return written
        same = (known.mysql_type, known.unsigned) == (found.mysql_type, found.unsigned)
        same |= known.mysql_type == found.mysql_type == "decimal"  # of which no block says that it is unsigned
        if unit == Unit.ENUM:
            same &= _escaped(known.labels) == field.parameters.get("allowed")
        elif unit == Unit.SET:
            same &= ",".join(known.labels) == field.parameters.get("allowed")
        if field.tidb_type is not None and same and is_written(written):
            found = written
    need(is_written(found), "two types")
    return found


def _is_foreign_text(one: Declared) -> bool:
    """Whether a column is one that Debezium's own connector, or what is behind it, can write as a plain text."""
    return one.mysql_type in ("enum", "set") or (one.mysql_type == "bigint" and one.unsigned)


def _escaped(labels: tuple[str, ...]) -> str:
    """The labels of an ENUM as TiCDC lists them."""
    return ",".join(one.replace(",", "\\,").replace("\\'", "'").replace("''", "'") for one in labels)


def split(allowed: str) -> tuple[str, ...]:
    """The labels of `parameters.allowed`: parted by commas; those inside of labels have a backslash before them."""
    parts = [""]
    for one in re.findall(r"\\\\|\\,|.", allowed, re.DOTALL):
        if one == ",":
            parts.append("")
        else:
            parts[-1] += "," if one == "\\," else one
    return tuple(parts)
