"""Events as JSON for people and for jq: what happened to which row, without the types of its columns.

    {"op":"insert","table":"shop.orders","message":2,"commit_ts":470607537376067584,"time":"2026-11-21T01:41:26.011Z",
     "key":["id"],"new":{"id":1,"customer":"ann"}}

`table` is schema and table with a dot between; where a name has a dot itself, or there is no table, `schema` and
`table` stand apart. What is absent is left out. Integers are JSON numbers with all their digits, floats are numbers
(NaN and the infinities text), DECIMAL, dates, times and JSON are text as MySQL writes them, bytes are {"base64": "…"}.

Such a line is read again as far as it goes: an integer becomes a BIGINT, a number with a point a DOUBLE, text a
VARCHAR, bytes a BLOB.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from tidewire.cli.eventjson import (
    ROW_KINDS,
    EventJsonError,
    Image,
    kind_of,
    lacks_to_json,
    marked,
    number_of,
    text_of,
    truth_of,
)
from tidewire.events import Bootstrap, Ddl, Event, RowChange, Watermark
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.reading.files.jsontext import shown
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import MissingTableError
from tidewire.runtime.tso import EPOCH
from tidewire.tables import TableStore

KEY = ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY
_NUMBERS = ("table_version",)
_TEXTS = ("claim_check", "time_zone")
_TRUTHS = ("handle_key_only", "checksum_corrupted")
_MOST_INT = (1 << 63) - 1
_MOST_UINT = (1 << 64) - 1


def to_short(event: Event) -> dict[str, Any]:
    """An event as the object of its line."""
    found: dict[str, Any] = {"op": kind_of(event)}
    if isinstance(event, RowChange | Ddl | Bootstrap):
        found |= _table_to_json(event.schema, event.table)
    if event.commit_ts is not None:
        found["commit_ts"] = event.commit_ts
    time = time_of(event)
    if time is not None:
        found["time"] = time
    if isinstance(event, Ddl):
        said = {"ddl_type": event.ddl_type, "ddl_class": event.ddl_class, "query": event.query}
        return found | {name: value for name, value in said.items() if value is not None}
    if isinstance(event, Bootstrap):
        return found | {"columns": [column.name for column in event.columns]}
    if isinstance(event, RowChange):
        said = {name: getattr(event, name) for name in (*_TRUTHS, *_TEXTS, *_NUMBERS)}
        found |= {name: value for name, value in said.items() if value is not None}
        found |= lacks_to_json(event)
        key = [column.name for column in event.columns if column.flags & ColumnFlag.HANDLE_KEY]
        if key:
            found["key"] = key
        for name, image in (("new", event.new), ("old", event.old)):
            if image is not None:
                found[name] = {column: value_to_short(value) for column, value in image.items()}
    return found


def time_of(event: Event) -> str | None:
    """The commit time of an event in UTC, with milliseconds; None if it is unknown or beyond the calendar."""
    try:
        time = event.commit_time
    except OverflowError:
        return None
    return None if time is None else time.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def _table_to_json(schema: str | None, table: str | None) -> dict[str, str]:
    if schema is not None and table is not None and "." not in schema + table:
        return {"table": f"{schema}.{table}"}
    return {name: text for name, text in (("schema", schema), ("table", table)) if text is not None}


def value_to_short(value: Any) -> Any:
    """A value in JSON."""
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


class ShortReader:
    """Converts such lines to events. It remembers inferred column types, for later nulls.

    Attributes:
        rows: number of row changes with inferred column types.
    """

    def __init__(self, tables: TableStore | None = None) -> None:
        """Args:
            tables: table descriptions with column types; types of other tables are inferred from values.
        """
        self.rows = 0
        self._tables = tables
        self._described: dict[int, dict[str, Column]] = {}
        self._types: dict[tuple[str | None, str | None, str], Column] = {}

    def event(self, found: Mapping[str, Any]) -> Event:
        """The event in a line's object.

        Raises:
            EventJsonError: it is not an event; the text names the wrong member and the reason.
        """
        kind = found.get("op")
        schema, table = _table_from_json(found)
        commit_ts, commit_ms = _committed(found)
        if kind == "watermark":
            return Watermark(commit_ts, commit_ms=commit_ms)
        if kind == "ddl":
            return Ddl(
                commit_ts,
                schema,
                table,
                number_of(found, "ddl_type"),
                text_of(found, "query") or "",
                ddl_class=text_of(found, "ddl_class"),
                commit_ms=commit_ms,
            )
        if kind not in ROW_KINDS:
            there = "which this form does not carry whole: use --exact" if kind == "bootstrap" else "which is no event"
            legal = ", ".join((*ROW_KINDS, "ddl", "watermark"))
            raise EventJsonError(f"op is {shown(kind)}, {there}; it is one of {legal}")
        told = self._told(schema, table, commit_ts)
        new, old = self._images(found, (schema, table), told)
        self.rows += not (new or old or {}).keys() <= told.keys()
        others: dict[str, Any] = {name: truth_of(found, name) for name in _TRUTHS}
        others |= {name: text_of(found, name) for name in _TEXTS}
        others |= {name: number_of(found, name) for name in _NUMBERS}
        change = RowChange(
            kind,
            commit_ts,
            schema,
            table,
            new,
            old,
            columns=(new if new is not None else old or Image((), ())).columns,
            commit_ms=commit_ms,
            **others,
        )
        return marked(found, change)

    def _told(self, schema: str | None, table: str | None, time: int | None) -> Mapping[str, Column]:
        """The described columns of a table by name; empty if it is not described."""
        if self._tables is None or table is None:
            return {}
        try:
            found = self._tables.at(schema, table, time)
        except MissingTableError:
            return {}
        if id(found) not in self._described:
            self._described[id(found)] = {column.name: column for column in found.row_columns()}
        return self._described[id(found)]

    def _images(
        self, found: Mapping[str, Any], table: tuple[str | None, str | None], told: Mapping[str, Column]
    ) -> tuple[Image | None, Image | None]:
        key = found.get("key", [])
        if not isinstance(key, list):
            raise EventJsonError(f"key is {shown(key)}; it is a list of the names of the key's columns")
        images = {side: _image(found, side) for side in ("new", "old")}
        columns: dict[str, Column] = {}
        for image in images.values():
            for name, value in (image or {}).items():
                before = columns.get(name) or self._types.get((*table, name))
                flags = KEY if name in key else ColumnFlag.NULLABLE
                columns[name] = told.get(name) or _column(name, value, before, flags)
        for name, column in columns.items():
            self._types[(*table, name)] = column
        made = [
            None
            if image is None
            else Image([columns[name] for name in image], [_fitting(columns[n], v) for n, v in image.items()])
            for image in images.values()
        ]
        return made[0], made[1]


def _column(name: str, value: Any, before: Column | None, flags: int) -> Column:
    """The inferred column for a value, given the column inferred before."""
    if isinstance(value, int):
        kind = ColumnType.DOUBLE if before is not None and before.type == ColumnType.DOUBLE else ColumnType.BIGINT
        unsigned = before is not None and before.type == kind and before.flags & ColumnFlag.UNSIGNED and value >= 0
        if kind == ColumnType.BIGINT and (value > _MOST_INT or unsigned):
            flags |= ColumnFlag.UNSIGNED
    elif isinstance(value, float):
        kind = ColumnType.DOUBLE
    elif isinstance(value, bytes):
        kind, flags = ColumnType.BLOB, flags | ColumnFlag.BINARY
    elif value is None and before is not None:
        return before
    else:
        kind = ColumnType.VARCHAR
    return Column(name, int(kind), int(flags))


def _fitting(column: Column, value: Any) -> Any:
    """A value in the form of its column, whose type may have been inferred from another image."""
    if column.type in (ColumnType.DOUBLE, ColumnType.FLOAT) and isinstance(value, int):
        return float(value)
    if column.type == ColumnType.BLOB and isinstance(value, str):
        return value.encode()
    if column.type == ColumnType.VARCHAR and isinstance(value, int | float):
        return str(value)
    return value


def _image(found: Mapping[str, Any], side: str) -> dict[str, Any] | None:
    image = found.get(side)
    if image is None:
        return None
    if not isinstance(image, dict):
        raise EventJsonError(f"{side} is {shown(image)}; it is an object of column names and values")
    return {name: _value(value, f"{side}/{name}") for name, value in image.items()}


def _value(value: Any, path: str) -> Any:
    if isinstance(value, dict) and list(value) == ["base64"] and isinstance(value["base64"], str):
        try:
            return base64.b64decode(value["base64"], validate=True)
        except (binascii.Error, ValueError) as error:
            raise EventJsonError(f"{path} is not base64: {error}") from None
    if value is None or isinstance(value, str | float) or (isinstance(value, int) and not isinstance(value, bool)):
        if isinstance(value, int) and not -_MOST_INT - 1 <= value <= _MOST_UINT:
            raise EventJsonError(f"{path} is {shown(value)}: more than 64 bits; write it as text")
        return value
    raise EventJsonError(f'{path} is {shown(value)}; a value is a number, text, null or {{"base64": "…"}}')


def _table_from_json(found: Mapping[str, Any]) -> tuple[str | None, str | None]:
    schema, table = text_of(found, "schema"), text_of(found, "table")
    if schema is None and table is not None and "." in table:
        schema, _, table = table.partition(".")
    return schema, table


def _committed(found: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """The commit ts, or else the commit time in milliseconds."""
    commit_ts, time = number_of(found, "commit_ts"), text_of(found, "time")
    if commit_ts is not None:
        return commit_ts, None
    if time is None:
        raise EventJsonError("commit_ts and time are missing; one of them says when the event was committed")
    try:
        when = datetime.fromisoformat(time)
    except ValueError:
        raise EventJsonError(f"time is {shown(time)}; it is such as 2026-11-21T01:41:26.011Z") from None
    return None, (when.replace(tzinfo=when.tzinfo or UTC) - EPOCH) // timedelta(milliseconds=1)
