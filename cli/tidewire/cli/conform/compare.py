"""Compares events by fields and by column values, as far as the protocol carries them."""

from __future__ import annotations

import struct
from calendar import timegm
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import zip_longest
from typing import Any

from tidewire.cli.eventjson import columns_of, kind_of
from tidewire.events import FIELDS, Bootstrap, Ddl, Event, RowChange
from tidewire.messages.checksums.zones import zone_of
from tidewire.mysql import ColumnFlag, ColumnType, ddl_class, declared, telling_flags, type_text
from tidewire.runtime.batch import Column
from tidewire.runtime.tables import DescribedTable
from tidewire.runtime.tso import EPOCH, TSO_SHIFT

SHOWN = 60
UTC = "UTC"
NOW, EPOCH_TEXT = "CURRENT_TIMESTAMP", "1970-01-01 00:00:00"
SIGNED_OR_NOT = ("tinyint", "smallint", "mediumint", "int", "bigint")
"""Integer types; every protocol carries whether they are unsigned."""
INTEGERS = (ColumnType.TINYINT, ColumnType.SMALLINT, ColumnType.MEDIUMINT, ColumnType.INT, ColumnType.BIGINT)
"""The type codes for which `TypesOfTables.is_integer` is true."""
NO_TIME = -(1 << 62)
"""The result of a time zone's conversion for a local time that does not exist in it."""
ALWAYS_TOLD = ColumnFlag.HANDLE_KEY | ColumnFlag.NULLABLE
"""Flags that schema blocks carry for every column, if at all."""
_DESCRIBED = ("table_version", "table_after", "table_before", "time_zone")
_CHECKSUMS = ("checksum", "checksum_before", "checksum_version", "checksum_corrupted")
UNKNOWN = ("row_id", "row_key", "sent_ms", "start_ts", *_DESCRIBED, *_CHECKSUMS)
"""Event fields that some recordings lack."""
SAID = ("table_id", *UNKNOWN)
"""Event fields that are compared only if messages contain them."""


@dataclass(frozen=True, slots=True)
class CarriedByProtocol:
    """What a protocol carries of events: `CARRIES` and `CARRIED_FLAGS` of its module."""

    fields: frozenset[str]
    flags: int
    ordered: bool = True
    """Whether rows keep the column order of the table."""
    described: bool = False
    """Whether the table of a statement is named only by its table description."""
    blocks: bool = False
    """Whether Kafka Connect schema blocks describe columns; types are then compared only as far as Connect's types go.
    """
    classed: tuple[tuple[int, str], ...] = ()
    """DDL types that the producer assigns to another class than other producers do, with that class."""


EVERYTHING = CarriedByProtocol(frozenset(name for name, _ in FIELDS) | {"schema"}, -1)
"""All fields and all flags."""


@dataclass(frozen=True, slots=True)
class EventDifference:
    """A difference between two events."""

    event: int
    """Index of the event in the compared lists."""
    where: str
    """The part that differs: `commit_ts`, `new columns`, `old c3`."""
    wanted: str
    got: str
    column_type: int | None = None
    """MySQL type code if the difference is the value of one column; None otherwise."""


def show(value: Any) -> str:
    """A value as text of at most `SHOWN` characters."""
    if value is None:
        return "null"
    text = f"x'{value[:SHOWN].hex()}'" if isinstance(value, bytes) else repr(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def same(wanted: Any, got: Any) -> bool:
    """Whether two values are exactly equal: numbers of the same type, floats bit by bit, text by its UTF-8 bytes."""
    if isinstance(wanted, float) and isinstance(got, float):
        return struct.pack("<d", wanted) == struct.pack("<d", got)
    if isinstance(wanted, str | bytes) and isinstance(got, str | bytes):
        return _utf8(wanted) == _utf8(got)
    return type(wanted) is type(got) and bool(wanted == got)


def _utf8(value: str | bytes) -> bytes:
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value


def events(
    wanted: Sequence[Event], got: Sequence[Event], carried: CarriedByProtocol = EVERYTHING
) -> list[EventDifference]:
    """All differences between two lists of events in the parts that the protocol carries."""
    if len(wanted) != len(got):
        return [EventDifference(min(len(wanted), len(got)), "events", f"{len(wanted)} events", f"{len(got)} events")]
    found: list[EventDifference] = []
    for index, (w, g) in enumerate(zip(wanted, got, strict=True)):
        found += _event(index, w, g, carried)
    return found


def _event(index: int, wanted: Event, got: Event, carried: CarriedByProtocol) -> list[EventDifference]:
    if kind_of(wanted) != kind_of(got):
        return [EventDifference(index, "kind", kind_of(wanted), kind_of(got))]
    found = [EventDifference(index, name, show(w), show(g)) for name, w, g in _members(wanted, got, carried) if w != g]
    if isinstance(wanted, RowChange) and isinstance(got, RowChange):
        found += _image(index, "new", wanted, got, carried)
        found += _image(index, "old", wanted, got, carried)
    if isinstance(wanted, Bootstrap) and isinstance(got, Bootstrap):
        described = wanted.table_after
        told = None if described is None else as_told(described, got.table_after)
        # unlike the description of the table, rows do not contain virtual columns
        columns = wanted.columns if told is None or got.table_after is None else tuple(told.row_columns())
        found += _columns(index, "columns", columns, got.columns, carried)
    return found


def _members(wanted: Event, got: Event, carried: CarriedByProtocol) -> Iterator[tuple[str, Any, Any]]:
    """The fields to compare: name, expected value, decoded value."""
    yield _commit(wanted, got, carried)
    unnamed = carried.described and isinstance(got, Ddl) and got.table_after is None and got.table_before is None
    described = wanted.table_after if isinstance(wanted, Ddl) and carried.described and not carried.blocks else None
    for name in ("schema", "table", "partition_id", "query"):
        if name in carried.fields and hasattr(wanted, name) and not (unnamed and name in ("schema", "table")):
            of_table = described is not None and name in ("schema", "table")
            yield name, getattr(described if of_table else wanted, name), getattr(got, name)
    for name in SAID:
        w, g = getattr(wanted, name, None), getattr(got, name, None)
        if name == "table_id" and "partition_id" not in carried.fields and g is not None:
            # a protocol with one id for both sends the partition's, if there is one
            w = getattr(wanted, "partition_id", None) or w
        if name == "time_zone" and carried.blocks:
            continue  # all times are in UTC
        if g is not None and not (w is None and name in UNKNOWN):
            told = as_changed if carried.blocks else as_told
            yield name, told(w, g) if isinstance(w, DescribedTable) else w, g
    if isinstance(wanted, Ddl) and isinstance(got, Ddl):
        always = "ddl_type" in carried.fields and "ddl_class" not in carried.fields and not carried.blocks
        if got.ddl_type is not None or always:
            yield "ddl_type", wanted.ddl_type, got.ddl_type
        if got.ddl_class is not None and wanted.ddl_type is not None:
            yield "ddl_class", dict(carried.classed).get(wanted.ddl_type, ddl_class(wanted.ddl_type)), got.ddl_class


def as_told(wanted: DescribedTable, got: object) -> DescribedTable:
    """The expected description, reduced to what the decoded one contains and with its column order."""
    if not isinstance(got, DescribedTable):
        return wanted
    mine = {column.name: column for column in wanted.columns}
    if sorted(mine) != sorted(column.name for column in got.columns) or len(wanted.indexes) != len(got.indexes):
        return wanted
    return wanted.replaced(
        **_untold(wanted, got, ("id", "version", "charset", "comment")),
        columns=tuple(
            replace(mine[told.name], **_untold(mine[told.name], told, [one.name for one in fields(told)]))
            for told in got.columns
        ),
    )


def as_changed(wanted: DescribedTable, got: object) -> DescribedTable:
    """Like `as_told`, for descriptions in `tableChanges`. These have the commit time as version, no indexes besides the
    key, no UNSIGNED and ZEROFILL for non-integers, and no values for defaults that the database computes or pads (the
    current time, zeros of a DECIMAL).
    """
    if not isinstance(got, DescribedTable):
        return wanted
    wanted = _without_hidden(wanted, got)
    if len(wanted.columns) != len(got.columns):
        return wanted
    indexes = got.indexes if wanted.handle_key == got.handle_key else wanted.indexes
    columns = []
    for mine, told in zip(wanted.columns, got.columns, strict=True):
        now = str(mine.default).upper().startswith(NOW) and told.default == EPOCH_TEXT
        said: dict[str, Any] = _untold(mine, told, [one.name for one in fields(told)])
        if mine.mysql_type not in SIGNED_OR_NOT:
            said |= {"unsigned": told.unsigned, "zerofill": told.zerofill}
        digits = str(mine.default).rstrip("0").rstrip(".") if mine.scale else None
        if now or told.default == digits:  # the default as written in the statement; the database pads it with zeros
            said["default"] = told.default
        for name in ("scale", "auto_increment", "on_update"):
            if getattr(mine, name) is None:
                said[name] = getattr(told, name)
        columns.append(replace(mine, **said))
    found = wanted.replaced(version=got.version, indexes=indexes, columns=tuple(columns))
    return found.replaced(**_untold(found, got, ("id", "charset", "comment")))


def _without_hidden(wanted: DescribedTable, got: DescribedTable) -> DescribedTable:
    """A description without expression indexes and their hidden columns, if the other one lacks such columns."""
    hidden = wanted.hidden_columns - {one.name for one in got.columns}
    if not hidden:
        return wanted
    return wanted.replaced(
        columns=tuple(one for one in wanted.columns if one.name not in hidden),
        indexes=tuple(one for one in wanted.indexes if not one.hidden_columns),
    )


def _untold(wanted: Any, got: Any, names: Iterable[str]) -> dict[str, Any]:
    """None for each attribute that only the expected description has."""
    return {name: None for name in names if getattr(got, name) is None and getattr(wanted, name) is not None}


def _commit(wanted: Event, got: Event, carried: CarriedByProtocol) -> tuple[str, int | None, int | None]:
    """The commit times to compare; in milliseconds if the message has no commit ts."""
    got_ms: int | None = getattr(got, "commit_ms", None)
    if got.commit_ts is not None or got_ms is None or "commit_ms" not in carried.fields:
        return "commit_ts", wanted.commit_ts, got.commit_ts
    wanted_ms: int | None = getattr(wanted, "commit_ms", None)
    return "commit_ms", wanted_ms if wanted.commit_ts is None else wanted.commit_ts >> TSO_SHIFT, got_ms


def _image(
    index: int, side: str, wanted: RowChange, got: RowChange, carried: CarriedByProtocol
) -> list[EventDifference]:
    w_image, g_image = getattr(wanted, side), getattr(got, side)
    if w_image is None or g_image is None:
        if w_image is g_image:
            return []
        return [EventDifference(index, side, _presence(w_image), _presence(g_image))]
    w_columns, g_columns = columns_of(wanted, w_image), columns_of(got, g_image)
    if got.handle_key_only:
        w_columns = tuple(column for column in w_columns if column.flags & ColumnFlag.HANDLE_KEY)
    if not carried.ordered:
        w_columns, g_columns = (tuple(sorted(columns)) for columns in (w_columns, g_columns))
    found = _columns(index, f"{side} columns", w_columns, g_columns, carried)
    if found:
        return found
    zone = wanted.time_zone if carried.blocks and got.time_zone == UTC else None
    return [
        EventDifference(index, f"{side} {column.name}", show(w), show(g), column.type)
        for column in w_columns
        for w, g in ((in_utc(w_image[column.name], column, zone), g_image[column.name]),)
        if not same(w, g)
    ]


def in_utc(value: Any, column: Column, zone: str | None) -> Any:
    """A TIMESTAMP in the time zone converted to UTC; other values and invalid times are returned unchanged."""
    if zone in (None, UTC) or column.type != ColumnType.TIMESTAMP or not isinstance(value, str):
        return value
    try:
        local = datetime.strptime(value[:19], "%Y-%m-%d %H:%M:%S")
    except ValueError:
        return value
    found = zone_of(str(zone))
    seconds = NO_TIME if found is None else found.to_utc(timegm(local.timetuple()))
    if seconds == NO_TIME:
        return value
    return (EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%d %H:%M:%S") + value[19:]


def _columns(
    index: int, where: str, wanted: Sequence[Column], got: Sequence[Column], carried: CarriedByProtocol
) -> list[EventDifference]:
    if wanted == got:
        return []
    return [
        EventDifference(index, where, _description(w), _description(g))
        for w, g in zip_longest(wanted, got)
        if not _same_column(w, g, carried)
    ]


@lru_cache(maxsize=4096)
def _same_column(wanted: Column | None, got: Column | None, carried: CarriedByProtocol) -> bool:
    """Whether two columns are equal, as far as the protocol carries types and flags."""
    if wanted is None or got is None or (wanted.name, wanted.type) != (got.name, got.type):
        return False
    told = telling_flags(wanted.type) | (ALWAYS_TOLD & carried.flags if carried.blocks else carried.flags)
    if carried.described and not carried.blocks and _may_be_repeated(wanted):
        told &= ~ColumnFlag.PRIMARY_KEY
    if (wanted.flags ^ got.flags) & told:
        return False
    if wanted.mysql_type is None or got.mysql_type is None:
        return True
    texts = [wanted.mysql_type]
    if carried.described:
        # messages have labels; TiDB's own text of a type, unlike SQL, does not double their backslashes
        texts.append(wanted.mysql_type.replace("\\", "\\\\"))
    if carried.blocks:
        return declared(got.mysql_type).members in [declared(text).members for text in texts]
    return got.mysql_type in (*texts, _without_parameters(wanted.mysql_type))


def _may_be_repeated(column: Column) -> bool:
    """Whether the PRIMARY_KEY flag of a column cannot be compared. TiCDC describes a table without a primary key by
    repeating a unique index as one, and for integer columns the copy cannot be recognized
    (`DescribedTable.own_indexes`).
    """
    return bool(column.flags & ColumnFlag.UNIQUE_KEY) and (
        column.mysql_type is not None and declared(column.mysql_type).type in INTEGERS
    )


def _without_parameters(text: str) -> str:
    said = declared(text)
    return type_text(said.type, said.flags, said.zerofill)


def _presence(image: Mapping[str, Any] | None) -> str:
    return "absent" if image is None else f"{len(image)} columns"


def _description(column: Column | None) -> str:
    return (
        "absent" if column is None else show(tuple(column[:3]) + tuple(text for text in column[3:] if text is not None))
    )
