"""Writes a dump as Dumpling does: pingcap/tidb dumpling/export, sql_type.go and writer_util.go."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

Cell = bytes | None
IN_CSV = {b"\0": b"\\0", b"\r": b"\\r", b"\n": b"\\n", b"\\": b"\\\\", b'"': b'\\"'}
IN_SQL = {**IN_CSV, b"'": b"\\'", b"\x1a": b"\\Z"}
NUMBERS = ("int", "bigint", "tinyint", "smallint", "mediumint", "float", "double", "decimal", "bool")
BINARY = ("blob", "binary", "varbinary", "bit", "longblob")


class Dumped(NamedTuple):
    """A table: its statement, the names and types of its columns, and its rows as the database prints them."""

    sql: str
    columns: Mapping[str, str]
    rows: Sequence[Sequence[Cell]]


def kind_of(type: str) -> str:
    name = type.split("(")[0].split()[0].lower()
    return "number" if name in NUMBERS else "binary" if name in BINARY else "text"


def escaped(text: bytes, by: Mapping[bytes, bytes]) -> bytes:
    return b"".join(by.get(text[at : at + 1], text[at : at + 1]) for at in range(len(text)))


def csv_field(cell: Cell, kind: str, binary: str = "raw", escapes: bool = True) -> bytes:
    if cell is None:
        return b"\\N"
    if kind == "number":
        return cell
    if kind == "binary" and binary != "raw":
        cell = cell.hex().encode() if binary == "hex" else base64.b64encode(cell)
    return b'"' + (escaped(cell, IN_CSV) if escapes else cell.replace(b'"', b'""')) + b'"'


def sql_value(cell: Cell, kind: str, escapes: bool = True) -> bytes:
    if cell is None:
        return b"NULL"
    if kind == "number":
        return cell
    if kind == "binary":
        return b"x'" + cell.hex().encode() + b"'"
    return b"'" + (escaped(cell, IN_SQL) if escapes else cell.replace(b"'", b"''")) + b"'"


def csv_text(table: Dumped, header: bool = True, binary: str = "raw", escapes: bool = True) -> bytes:
    kinds = [kind_of(one) for one in table.columns.values()]
    lines = [[b'"' + one.encode() + b'"' for one in table.columns]] if header else []
    for row in table.rows:
        lines.append([csv_field(cell, kind, binary, escapes) for cell, kind in zip(row, kinds, strict=True)])
    return b"".join(b",".join(line) + b"\r\n" for line in lines)


def sql_text(name: str, table: Dumped, escapes: bool = True, at_once: int = 2) -> bytes:
    kinds = [kind_of(one) for one in table.columns.values()]
    found = b"/*!40101 SET NAMES binary*/;\n"
    for at in range(0, len(table.rows), at_once):
        values = [
            b"(" + b",".join(sql_value(cell, kind, escapes) for cell, kind in zip(row, kinds, strict=True)) + b")"
            for row in table.rows[at : at + at_once]
        ]
        found += b"INSERT INTO `" + name.encode() + b"` VALUES\n" + b",\n".join(values) + b";\n"
    return found


def packed(data: bytes, how: str) -> bytes:
    if how == "zst":
        return bytes(pa.Codec("zstd").compress(data, asbytes=True))
    return gzip.compress(data) if how == "gz" else data


def write_dump(
    folder: Path, tso: int, tables: Mapping[str, Dumped], kind: str = "csv", how: str = "", binary: str = "raw"
) -> Path:
    """A dump of tables by name, `schema.table`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "metadata").write_text(
        f"Started dump at: 2026-11-27 10:00:00\nSHOW MASTER STATUS:\n\tLog: tidb-binlog\n\tPos: {tso}\n\tGTID:\n\n"
        "Finished dump at: 2026-11-27 10:00:01\n"
    )
    more = f".{how}" if how else ""
    for name, table in tables.items():
        schema, _, short = name.partition(".")
        (folder / f"{schema}-schema-create.sql{more}").write_bytes(packed(f"CREATE DATABASE `{schema}`;".encode(), how))
        statement = f"/*!40101 SET NAMES binary*/;\n{table.sql};\n".encode()
        (folder / f"{name}-schema.sql{more}").write_bytes(packed(statement, how))
        if not table.rows:
            continue
        half = len(table.rows) // 2 + 1
        for number, rows in enumerate((table.rows[:half], table.rows[half:])):
            if rows:
                part = table._replace(rows=rows)
                data = csv_text(part, binary=binary) if kind == "csv" else sql_text(short, part)
                (folder / f"{name}.{number:09d}.{kind}{more}").write_bytes(packed(data, how))
    return folder
