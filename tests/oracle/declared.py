"""Random column declarations, and their texts in TiDB."""

from __future__ import annotations

import base64
import random
from typing import Any, NamedTuple

NAMES = {
    0: "unspecified",
    1: "tinyint",
    2: "smallint",
    3: "int",
    4: "float",
    5: "double",
    6: "null",
    7: "timestamp",
    8: "bigint",
    9: "mediumint",
    10: "date",
    11: "time",
    12: "datetime",
    13: "year",
    15: "varchar",
    16: "bit",
    225: "vector",
    245: "json",
    246: "decimal",
    247: "enum",
    248: "set",
    249: "tinytext",
    250: "mediumtext",
    251: "longtext",
    252: "text",
    253: "var_string",
    254: "char",
    255: "geometry",
}
"""TiDB's names (TypeToStr). A DATE of older servers (14) has none."""
_BINARY_NAMES = {15: "varbinary", 249: "tinyblob", 250: "mediumblob", 251: "longblob", 252: "blob", 254: "binary"}
_SUFFIXLESS = (13, 16)
"""YEAR and BIT are never called unsigned, though they are."""

_LABELS = [
    *("a", "b", "x", "", " ", "'", "''", '"', ",", "a,b", "','", "(", ")", "blob", "binary", "unsigned", "zerofill"),
    *("\n", "\r", "\0", "\t", "é", "中文", "\U0001f600", "<&>", "\u2028", "`", "int(10)", "enum('a')", "%", "/"),
]


class Declared(NamedTuple):
    """A declared type."""

    full: str
    """With its parameters, as TiDB prints it."""
    short: str
    """Without."""
    flen: int | None = None
    decimal: int | None = None
    elems: tuple[str, ...] = ()
    zerofill: bool = False
    default: str | bytes | None = None
    """As TiDB keeps it: a text, or the bytes of a BIT."""

    def parameters(self) -> dict[str, Any]:
        """The parameters as the oracle takes them."""
        found: dict[str, Any] = {"flen": self.flen, "decimal": self.decimal}
        found |= {"elems": list(self.elems) or None, "zerofill": self.zerofill}
        if isinstance(self.default, bytes):
            found["default"] = {"bytes": base64.b64encode(self.default).decode()}
        elif self.default is not None:
            found["default"] = {"text": self.default}
        return {name: value for name, value in found.items() if value is not None and value is not False}


def declare(r: random.Random, kind: int, unsigned: bool, binary: bool, fitting: bool = False) -> Declared:
    """A declaration of a column of this type.

    Args:
        r: where chance comes from.
        kind: the type.
        unsigned: whether it is UNSIGNED.
        binary: whether its charset is binary.
        fitting: as a database takes it: a SET has no commas in its labels.
    """
    flen: int | None = None
    decimal: int | None = None
    elems: tuple[str, ...] = ()
    parameters = ""
    match kind:
        case 1 | 2 | 3 | 8 | 9:
            flen = r.choice((1, 4, 10, 11, 20, 255))
            parameters = f"({flen})"
        case 13:
            flen, parameters = 4, "(4)"
        case 16:
            flen = r.choice((1, 8, 63, 64))
            parameters = f"({flen})"
        case 4 | 5 if r.random() < 0.4:
            # A scale of 0 is not told.
            flen, decimal = r.choice(((10, 3), (255, 30), (7, 4), (53, 0)))
            parameters = f"({flen},{decimal})" if decimal else ""
        case 246:
            flen, decimal = r.choice(((10, 0), (65, 30), (65, 0), (1, 1), (20, 4)))
            parameters = f"({flen},{decimal})"
        case 7 | 11 | 12:
            decimal = r.choice((0, 0, 1, 3, 6))
            parameters = f"({decimal})" if decimal else ""
        case 15 | 253 | 254:
            flen = r.choice((0, 1, 20, 255)) if kind == 254 else r.choice((0, 1, 255, 16383, 65535))
            parameters = f"({flen})"
        case 225 if r.random() < 0.6:
            flen = r.choice((1, 3, 16383))
            parameters = f"({flen})"
        case 247 | 248:
            elems = _labels(r)
            if fitting and kind == 248:
                elems = tuple(label for label in elems if "," not in label) or ("a",)
            parameters = "('" + "','".join(map(_escaped, elems)) + "')"
        case 6:
            parameters = "(0)"
    suffix = " unsigned" if unsigned and kind not in _SUFFIXLESS else ""
    zerofill = bool(suffix) and r.random() < 0.3
    if zerofill:
        suffix += " zerofill"
    name = _BINARY_NAMES.get(kind, NAMES[kind]) if binary else NAMES[kind]
    return Declared(f"{name}{parameters}{suffix}", f"{name}{suffix}", flen, decimal, elems, zerofill)


def _labels(r: random.Random) -> tuple[str, ...]:
    count = r.choice((1, 2, 3, 5, 64))
    found = dict.fromkeys(r.choice(_LABELS) for _ in range(count))
    return tuple(found) if count < 50 else tuple(f"label {k}" for k in range(count))


def _escaped(label: str) -> str:
    """As TiDB's format.OutputFormat: a backslash stays as it is, so that the text of such a label has two readings."""
    return label.replace("'", "''").replace("\0", "\\0").replace("\n", "\\n").replace("\r", "\\r")
