"""What happened in the database, told by the database: by SELECTs around each statement, and by its own binlog reader.

Nothing here knows Debezium. Values come from SELECTs with CAST and HEX; which rows a statement changed comes from the
difference of two such SELECTs; in which order and by which operation, from `mariadb-binlog`; both must agree.
"""

from __future__ import annotations

import base64
import re
from collections import Counter
from ctypes import c_float
from datetime import datetime
from typing import Any, NamedTuple

from .server import Session, SqlError

Json = dict[str, Any]
Values = tuple[str | None, ...]
"""A row as text of each column's HEX, None for NULL."""

SYSTEM = ("information_schema", "mysql", "performance_schema", "sys")
TYPE_BYTES = {
    "tinyint": 1, "smallint": 2, "int": 3, "float": 4, "double": 5, "timestamp": 7, "bigint": 8, "mediumint": 9,
    "date": 10, "time": 11, "datetime": 12, "year": 13, "varchar": 15, "varbinary": 15, "bit": 16, "decimal": 246,
    "enum": 247, "set": 248, "tinyblob": 249, "tinytext": 249, "mediumblob": 250, "mediumtext": 250, "longblob": 251,
    "longtext": 251, "blob": 252, "text": 252, "char": 254, "binary": 254,
}  # fmt: skip
"""MySQL's protocol numbers of types, as the events of the other recordings have them; 255 for spatial types."""

_ESCAPES = {"\\0": "\0", "\\n": "\n", "\\r": "\r"}
"""How information_schema writes characters in labels, beside doubled quotes and backslashes."""

INTEGERS = ("tinyint", "smallint", "mediumint", "int", "bigint")
TEXTS = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext")
BINARIES = ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob")


class Table(NamedTuple):
    """A table: its description, and its rows by key, or in the order in which they lie when it has none."""

    columns: list[Json]
    indexes: list[Json]
    rows: list[Values]


State = dict[tuple[str, str], Table]


def read_state(session: Session) -> State:
    """All tables of all databases that are not the server's own.

    Time zone UTC while it reads; the session has its own again afterwards.
    """
    session.run("set @tw_zone = @@time_zone, @tw_mode = @@sql_mode, time_zone = '+00:00', sql_mode = ''")
    state: State = {}
    where = ", ".join(f"'{name}'" for name in SYSTEM)
    for schema, table in session.rows(
        "select hex(table_schema), hex(table_name) from information_schema.tables where"
        f" table_type = 'BASE TABLE' and table_schema not in ({where}) order by table_schema, table_name"
    ):
        name = (_text(schema), _text(table))
        state[name] = _table(session, *name)
    session.run("set time_zone = @tw_zone, sql_mode = @tw_mode")
    return state


def _text(found: str) -> str:
    return bytes.fromhex(found).decode("utf-8")


def _literal(text: str) -> str:
    return f"convert(x'{text.encode().hex()}' using utf8mb4)"


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _table(session: Session, schema: str, table: str) -> Table:
    wanted = [
        "column_name", "column_type", "data_type", "is_nullable", "column_default", "extra", "column_comment",
        "character_set_name", "collation_name", "character_maximum_length", "numeric_precision", "numeric_scale",
        "datetime_precision", "generation_expression",
    ]  # fmt: skip
    fields = ", ".join(f"ifnull(hex(cast({field} as char)), '~')" for field in wanted)
    where = f"table_schema = {_literal(schema)} and table_name = {_literal(table)}"
    indexes: dict[str, Json] = {}
    for name, other, column, length in session.rows(
        "select hex(index_name), non_unique, hex(column_name), ifnull(sub_part, 0) from information_schema.statistics"
        f" where {where} order by index_name, seq_in_index"
    ):
        fresh: Json = {"name": _text(name), "unique": other == "0", "primary": _text(name) == "PRIMARY", "columns": []}
        index = indexes.setdefault(_text(name), fresh)
        index["columns"].append(_text(column))
        if length != "0":
            index.setdefault("lengths", {})[_text(column)] = int(length)
    found = session.rows(f"select {fields} from information_schema.columns where {where} order by ordinal_position")
    rows = [dict(zip(wanted, (None if v == "~" else _text(v) for v in row), strict=True)) for row in found]
    columns = [_column(number, row, list(indexes.values())) for number, row in enumerate(rows, 1)]
    shown = ", ".join(f"ifnull(hex({_shown(column)}), '~')" for column in columns)
    key = ", ".join(_quoted(column["name"]) for column in columns if column["is_pk"])
    selected = session.rows(
        f"select {shown} from {_quoted(schema)}.{_quoted(table)}" + (f" order by {key}" if key else "")
    )
    values = [tuple(None if value == "~" else value for value in row) for row in selected]
    return Table(columns, list(indexes.values()), values)


def _column(number: int, row: dict[str, str | None], indexes: list[Json]) -> Json:
    kind, declared, name = row["data_type"] or "", row["column_type"] or "", row["column_name"] or ""
    own = [index for index in indexes if name in index["columns"]]
    column: Json = {
        "name": name,
        "id": number,
        "type": TYPE_BYTES.get(kind, 255),
        "mysql_type": declared,
        "is_pk": any(index["primary"] for index in own),
        "is_unique": any(index["unique"] and not index["primary"] for index in own),
        "nullable": row["is_nullable"] == "YES",
        "unsigned": "unsigned" in declared.split("(")[-1].split() or "unsigned" in declared.split(),
        "binary": kind in BINARIES,
        "charset": row["character_set_name"],
        "collation": row["collation_name"],
        "flen": _number(row["character_maximum_length"] or row["numeric_precision"]),
        "decimal": _number(row["datetime_precision"] or row["numeric_scale"]),
        "default": _default(row["column_default"]),
    }
    if kind in ("enum", "set"):
        column["unsigned"] = False
        labels: list[str] = re.findall(r"'((?:[^'\\]|''|\\.)*)'", declared)
        column["elems"] = [re.sub(r"''|\\.", lambda found: _ESCAPES.get(found[0], found[0][1]), one) for one in labels]
    if row["extra"]:
        column["extra"] = row["extra"]
    if row["column_comment"]:
        column["comment"] = row["column_comment"]
    if row["generation_expression"]:
        column["generation_expression"] = row["generation_expression"]
    return column


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def _default(text: str | None) -> str | None:
    """A default as MySQL 5.7 would show it: literals without quotes; an expression as MariaDB writes it."""
    if text is None or text == "NULL":
        return None
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'").replace("\\\\", "\\")
    return text


def _kind(column: Json) -> str:
    found: str = re.split(r"[ (]", column["mysql_type"], maxsplit=1)[0]
    return found


def _shown(column: Json) -> str:
    """An expression for the bytes of a column's value: of its text, or of binary strings themselves."""
    name, kind = _quoted(column["name"]), _kind(column)
    if kind in INTEGERS:
        name = f"cast({name} as {'unsigned' if column['unsigned'] else 'signed'})"
    elif kind in ("year", "bit", "enum", "set"):
        name = f"cast({name} + 0 as unsigned)" if kind != "set" else f"cast({name} as unsigned)"
    elif kind == "decimal":
        name = f"cast({name} as decimal({column['flen']}, {column['decimal']}))"
    elif kind in ("float", "double"):
        name = f"cast({name} as double)"
    elif kind in TEXTS:
        return f"convert({name} using utf8mb4)"
    elif kind in BINARIES:
        return name
    elif column["type"] == 255:
        return f"st_aswkb({name})"
    return f"cast({name} as char)"


def value(column: Json, shown: str | None) -> Json | None:
    """A value in the form of `events.jsonl`."""
    if shown is None:
        return None
    data, kind = bytes.fromhex(shown), _kind(column)
    if kind in (*TEXTS, *BINARIES) or column["type"] == 255:
        return {"bytes": base64.b64encode(data).decode()}
    text = data.decode()
    if kind in INTEGERS:
        return {"uint" if column["unsigned"] else "int": str(int(text))}
    if kind == "year":
        return {"int": text}
    if kind in ("bit", "enum", "set"):
        return {"uint": text}
    if kind == "float":
        return {"f32": _shortest(float(text))}
    if kind == "double":
        return {"f64": repr(float(text))}
    return {"text": text}


def _shortest(number: float) -> str:
    """The shortest text that gives the same 32-bit float."""
    return next(t for digits in range(1, 18) if c_float(float(t := f"{number:.{digits}g}")).value == number)


# ---- what one statement did


class Change(NamedTuple):
    """A row that a statement changed: `old` for what was there, `new` for what is."""

    kind: str
    name: tuple[str, str]
    table: Table
    new: Values | None
    old: Values | None


def changes(before: State, after: State) -> list[Change]:
    """Rows that differ, table by table, in key order; a changed key is a delete and an insert."""
    found: list[Change] = []
    for name, table in after.items():
        was = before.get(name)
        if was is None or [c["name"] for c in was.columns] != [c["name"] for c in table.columns]:
            continue
        keys = [n for n, column in enumerate(table.columns) if column["is_pk"]]
        if not keys:
            gone, come = Counter(was.rows), Counter(table.rows)
            found += [Change("delete", name, table, None, row) for row in _left(was.rows, gone - come)]
            found += [Change("insert", name, table, row, None) for row in _left(table.rows, come - gone)]
            continue
        old = {tuple(row[n] for n in keys): row for row in was.rows}
        new = {tuple(row[n] for n in keys): row for row in table.rows}
        found += [Change("delete", name, table, None, row) for key, row in old.items() if key not in new]
        found += [Change("insert", name, table, row, None) for key, row in new.items() if key not in old]
        found += [
            Change("update", name, table, row, old[key]) for key, row in new.items() if key in old and old[key] != row
        ]
    return found


def _left(rows: list[Values], counted: Counter[Values]) -> list[Values]:
    rest = Counter(counted)
    found = []
    for row in rows:
        if rest[row] > 0:
            rest[row] -= 1
            found.append(row)
    return found


Operation = tuple[str, tuple[str, str]]


def operations(binlog: str) -> dict[int, list[Operation]]:
    """Row operations in the order of the binlog, by the second that the server's clock had."""
    found: dict[int, list[Operation]] = {}
    second = 0
    for line in binlog.splitlines():
        if timed := re.match(r"#(\d{6} +\d+:\d\d:\d\d) server id ", line):
            second = int(datetime.strptime(timed[1] + " +0000", "%y%m%d %H:%M:%S %z").timestamp())
        elif row := re.match(r"### (INSERT INTO|UPDATE|DELETE FROM) `((?:[^`]|``)+)`\.`((?:[^`]|``)+)`$", line):
            kind = row[1].split()[0].lower()
            name = (row[2].replace("``", "`"), row[3].replace("``", "`"))
            found.setdefault(second, []).append((kind, name))
    return found


def in_order(done: list[Operation], statements: list[list[Change]]) -> list[list[Change]]:
    """The changes of a step's statements in the order of the binlog; what belongs to one operation together.

    An UPDATE that changed a key gives its delete and its insert; an UPDATE of a table without a key, one update.

    Raises:
        SqlError: the binlog has other operations than the tables show.
    """
    found: list[list[Change]] = []
    pools = [list(statement) for statement in statements]
    for kind, name in done:
        while pools and not pools[0]:
            pools.pop(0)
        if not pools:
            raise SqlError(f"the binlog has {kind} of {name}, and no table changed any more")
        pool = pools[0]
        found.append(_taken(pool, kind, name))
    if left := [change for pool in pools for change in pool]:
        raise SqlError(f"tables changed, and the binlog has nothing of it: {left}")
    return found


def _taken(pool: list[Change], kind: str, name: tuple[str, str]) -> list[Change]:
    def take(wanted: str) -> Change | None:
        for number, change in enumerate(pool):
            if change.kind == wanted and change.name == name:
                return pool.pop(number)
        return None

    if one := take(kind):
        return [one]
    if kind == "update" and (old := take("delete")) and (new := take("insert")):
        if any(column["is_pk"] for column in new.table.columns):
            return [old, new]
        return [Change("update", name, new.table, new.new, old.old)]
    if kind == "delete" and (both := take("update")):
        pool.append(Change("insert", name, both.table, both.new, None))
        return [Change("delete", name, both.table, None, both.old)]
    raise SqlError(f"the binlog has {kind} of {name}; the tables show {pool}")
