"""The effect of record schemas on names, types and labels."""

from __future__ import annotations

import re
from dataclasses import replace

from tidewire.runtime.column_types import quoted_text

from ..cases import BINARY, BIT, DECIMAL, ENUM, INTEGERS, SET, STRINGS, UNSIGNED, VECTOR, YEAR, Column, Row, Table

_INTEGERS = {1: "int", 2: "int", 3: "int", 9: "int", 8: "bigint"}
_UNSIGNED = {1: "mediumint unsigned", 2: "mediumint unsigned", 9: "mediumint unsigned", 3: "int unsigned"}
_UNSIGNED |= {8: "bigint unsigned"}
_NAMES = {4: "float", 5: "double", 7: "timestamp", 10: "date", 11: "time", 12: "datetime", 245: "json"}
_NAMES |= {YEAR: "year", VECTOR: "vector"}


def adjusted(name: str) -> str:
    """A name as Avro allows it: SanitizeName, pingcap/tiflow pkg/sink/codec/common/helper.go."""
    found = "".join(one if re.fullmatch("[A-Za-z0-9_]", one) else "_" for one in name)
    return "_" + found if found[:1].isdigit() else found


def subject_of(table: Table) -> str:
    """What tells the subjects of tables apart, whatever the topic is made of."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", f"{table.schema}_{table.name}")


def told_apart(table: Table) -> Table:
    """The table with columns that have different names in schemas."""
    seen: set[str] = set()
    columns = []
    for number, column in enumerate(table.columns):
        name = column.name
        if adjusted(name) in seen or adjusted(name).startswith("_tidb"):
            name = f"{name}{number}"
        seen.add(adjusted(name))
        columns.append(column._replace(name=name))
    return replace(table, columns=tuple(columns))


def coarse(column: Column, text_of_decimal: bool) -> str:
    """The declared type that is read of a schema."""
    kind, said = column.type, column.declared
    assert said is not None
    if kind in INTEGERS:
        return (_UNSIGNED if column.flags & UNSIGNED else _INTEGERS)[kind]
    if kind in STRINGS:
        return "longblob" if column.flags & BINARY else "longtext"
    if kind == BIT:
        return f"bit({said.flen})"
    if kind == DECIMAL:
        return "decimal" if text_of_decimal else f"decimal({said.flen},{said.decimal})"
    if kind in (ENUM, SET):
        labels = ",".join(quoted_text(escaped(one)) for one in said.elems)
        return f"{'enum' if kind == ENUM else 'set'}({labels})"
    return _NAMES[kind]


def escaped(label: str) -> str:
    """A label as a schema lists it, but for its commas: EscapeEnumAndSetOptions."""
    return label.replace("\\'", "'").replace("''", "'")


def listed_alike(column: Column) -> bool:
    """Whether two labels of a column are one in a schema."""
    labels = [escaped(one) for one in column.declared.elems] if column.declared else []
    return len(set(labels)) < len(labels)


def labels_as_read(column: Column, value: int) -> int:
    """The number of a label, or the bits of labels, of which those that are empty say nothing in a SET."""
    said = column.declared
    assert said is not None
    if column.type == SET and "" in said.elems:
        empty = 1 << said.elems.index("")
        return 0 if value == empty else value
    return value


EMPTY_LABEL = "rows with an empty label of a SET alone"
"""TiCDC writes no text, which is that of no label; ours refuses it."""


def has_empty_label(row: Row) -> bool:
    """Whether a SET of a row has the empty label and no other."""
    images = [zip(row.table.columns, image, strict=True) for image in (row.new, row.old) if image is not None]
    cells = [cell for image in images for cell in image]
    return any(
        column.type == SET and isinstance(value, int) and labels_as_read(column, value) != value
        for column, value in cells
    )
