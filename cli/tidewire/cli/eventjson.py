"""Events as JSON, one object a line, in the form of recorded events; what is written is read back exactly.

A row change: `kind`, `commit_ts`, `schema`, `table`, `columns` ([{name, type, flags}], with `mysql_type` where the
protocol says it), `new`, `old`. An image is null, or a list beside `columns`: null, or one member that names the kind
of value: {"int": "-5"}, {"uint": "184467440737"}, {"f64": "0.1"}, {"f32": "3.14"}, {"text": "…"}, {"vector": "[1,2]"},
{"bytes": "<base64>"}. Integers are text so that nothing rounds them. `old_columns` is there when the old image has
other columns than the new one: what is absent differs from null. A DDL has `ddl_type` and `query`, a watermark its
`commit_ts` only, a bootstrap `columns`. What else an event has is there when it has it: `commit_ms` (in place of
`commit_ts`), `sent_ms`, `table_id`, `partition_id`, `row_id`, `row_key` (base64), `handle_key_only`, `claim_check`,
`ddl_class`, `table_version`, `time_zone`, `checksum`, `checksum_before`, `checksum_version`, `checksum_corrupted`.

A DDL's `table_after` and `table_before` and a bootstrap's `table_after` are descriptions of tables: objects with the
attributes of `tidewire.tables.TableDescription`, those left out that say nothing. A bootstrap's `columns` are there
where they are not those of its description.
"""

from __future__ import annotations

import base64
import binascii
import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from tidewire.events import Bootstrap, Ddl, Event, RowChange, Watermark
from tidewire.mysql import storage
from tidewire.reading.files.jsontext import shown
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import DescriptionError
from tidewire.runtime.tables import DescribedTable
from tidewire.tables import TableDescription

ROW_KINDS = ("insert", "update", "delete")
TIMES = ("commit_ms", "sent_ms")
ROW_NUMBERS = ("table_id", "row_id", "table_version", "checksum", "checksum_before", "checksum_version")
ROW_TEXTS = ("claim_check", "time_zone")
ROW_TRUTHS = ("handle_key_only", "checksum_corrupted")
ROW_MEMBERS = ("partition_id", "row_key", *ROW_NUMBERS, *ROW_TEXTS, *ROW_TRUTHS)
DESCRIPTIONS = ("table_after", "table_before")
_QUIET_NAN = 0x7FF8000000000000
_storage = lru_cache(maxsize=None)(storage)


class EventJsonError(ValueError):
    """The object is not an event; the text names the wrong member and the reason."""


class Image(dict[str, Any]):
    """A row image with its columns, in order: a dict of column names to values, and `columns`."""

    lacks: tuple[str, ...] = ()
    """Columns that the table has and the image lacks."""

    def __init__(self, columns: Iterable[Column], values: Iterable[Any]) -> None:
        self.columns = tuple(columns)
        super().__init__(zip((column.name for column in self.columns), values, strict=True))


def columns_of(event: RowChange, image: Mapping[str, Any]) -> tuple[Column, ...]:
    """Name, type and flags of an image's columns, in order; from the image if it has them, else from the event."""
    own: tuple[Column, ...] | None = getattr(image, "columns", None)
    return own if own is not None else tuple(column for column in event.columns if column.name in image)


def kind_of(event: Event) -> str:
    """insert, update, delete, ddl, watermark or bootstrap."""
    return str(getattr(event, "kind", type(event).__name__))


def to_json(event: Event) -> dict[str, Any]:
    """An event as the object of its line."""
    found: dict[str, Any] = {"kind": kind_of(event), "commit_ts": event.commit_ts, **_said(event, TIMES)}
    if isinstance(event, Watermark):
        return found
    if not isinstance(event, RowChange | Ddl | Bootstrap):
        raise TypeError(f"{event!r} is no event")
    found |= {"schema": event.schema, "table": event.table}
    if isinstance(event, Ddl):
        statement = {"ddl_type": event.ddl_type} | _said(event, ("ddl_class",)) | {"query": event.query}
        return found | statement | _said(event, DESCRIPTIONS)
    if isinstance(event, Bootstrap):
        table = event.table_after
        own = table is None or tuple(table.row_columns()) != event.columns
        columns = {"columns": _columns_to_json(event.columns)} if own else {}
        return found | {"table_id": event.table_id} | columns | _said(event, DESCRIPTIONS[:1])
    return found | _said(event, ROW_MEMBERS) | lacks_to_json(event) | _images_to_json(event)


def lacks_to_json(event: RowChange) -> dict[str, list[str]]:
    """The columns that an incomplete row lacks, by image; empty for a complete row."""
    return {"lacks": list(event.lacks)} if event.lacks else {}


def marked(found: Mapping[str, Any], event: RowChange) -> RowChange:
    """The event, marked as incomplete if the line says so."""
    image = event.old if event.new is None else event.new
    lacks = found.get("lacks")
    if lacks is not None and isinstance(image, Image):
        if not isinstance(lacks, list) or not all(isinstance(name, str) for name in lacks):
            raise EventJsonError(f"lacks is {shown(lacks)}; it is a list of names of columns")
        image.lacks = tuple(lacks)
    return event


def _said(event: Event, names: Iterable[str]) -> dict[str, Any]:
    """The named attributes that the event has; bytes as base64, descriptions as objects."""
    found = {name: getattr(event, name, None) for name in names}
    return {name: _plain(value) for name, value in found.items() if value is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value.to_json() if isinstance(value, DescribedTable) else value


def _images_to_json(event: RowChange) -> dict[str, Any]:
    new, old = event.new, event.old
    new_columns = None if new is None else columns_of(event, new)
    old_columns = None if old is None else columns_of(event, old)
    shown = new_columns if new_columns is not None else old_columns
    found: dict[str, Any] = {"columns": _columns_to_json(shown or ())}
    if old_columns is not None and shown != old_columns:
        found["old_columns"] = _columns_to_json(old_columns)
    found["new"] = None if new is None or new_columns is None else _image_to_json(new_columns, new)
    found["old"] = None if old is None or old_columns is None else _image_to_json(old_columns, old)
    return found


def _columns_to_json(columns: Sequence[Column]) -> list[dict[str, Any]]:
    return [
        {"name": c.name, "type": c.type, "flags": c.flags}
        | ({} if c.mysql_type is None else {"mysql_type": c.mysql_type})
        for c in columns
    ]


def _image_to_json(columns: Sequence[Column], image: Mapping[str, Any]) -> list[dict[str, str] | None]:
    return [value_to_json(column, value) for column, value in zip(columns, image.values(), strict=True)]


def value_to_json(column: Column, value: Any) -> dict[str, str] | None:
    """A value as null or `{kind: text}`."""
    if value is None:
        return None
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, float):
        bits = struct.unpack("<Q", struct.pack("<d", value))[0]
        # Text is the only form that preserves the payload of a NaN.
        return {"f64_bits": f"{bits:016x}"} if math.isnan(value) and bits != _QUIET_NAN else {"f64": repr(value)}
    return {"uint" if _storage(column.type, column.flags) == "uint" else "int": str(value)}


def from_json(found: Mapping[str, Any]) -> Event:
    """The event in a line's object; recorded events (events.jsonl) are accepted as well.

    Raises:
        EventJsonError: the object is not an event.
    """
    kind = found.get("kind")
    if kind in ROW_KINDS:
        return _row_from_json(found)
    if kind == "ddl":
        return Ddl(
            commit_ts=_commit_ts(found),
            schema=text_of(found, "schema"),
            table=text_of(found, "table"),
            ddl_type=number_of(found, "ddl_type"),
            query=text_of(found, "query") or "",
            ddl_class=text_of(found, "ddl_class"),
            commit_ms=number_of(found, "commit_ms"),
            sent_ms=number_of(found, "sent_ms"),
            **{name: description_of(found, name) for name in DESCRIPTIONS},
        )
    if kind == "watermark":
        return Watermark(
            commit_ts=_commit_ts(found),
            commit_ms=number_of(found, "commit_ms"),
            sent_ms=number_of(found, "sent_ms"),
        )
    if kind == "bootstrap":
        return Bootstrap(
            commit_ts=_commit_ts(found),
            schema=text_of(found, "schema"),
            table=text_of(found, "table"),
            table_id=number_of(found, "table_id"),
            columns=() if "columns" not in found and found.get("table_after") else columns_from_json(found, "columns"),
            sent_ms=number_of(found, "sent_ms"),
            table_after=description_of(found, "table_after"),
        )
    legal = ", ".join((*ROW_KINDS, "ddl", "watermark", "bootstrap"))
    raise EventJsonError(f"kind is {shown(kind)}; it is one of {legal}")


def _row_from_json(found: Mapping[str, Any]) -> RowChange:
    columns = columns_from_json(found, "columns")
    old_columns = columns_from_json(found, "old_columns") if found.get("old_columns") is not None else columns
    partition = number_of(found, "partition_id")
    if partition is None and found.get("is_partition"):
        partition = number_of(found, "physical_table_id")
    if isinstance(found.get("checksum"), Mapping):
        found = {**found, **_recorded_checksums(found["checksum"])}
    others: dict[str, Any] = {name: number_of(found, name) for name in ROW_NUMBERS}
    others |= {name: text_of(found, name) for name in ROW_TEXTS}
    others |= {name: truth_of(found, name) for name in ROW_TRUTHS}
    change = RowChange(
        kind=found["kind"],
        commit_ts=_commit_ts(found),
        schema=text_of(found, "schema"),
        table=text_of(found, "table"),
        new=_image_from_json(found, "new", columns),
        old=_image_from_json(found, "old", old_columns),
        partition_id=partition,
        columns=columns,
        commit_ms=number_of(found, "commit_ms"),
        sent_ms=number_of(found, "sent_ms"),
        row_key=_bytes(found, "row_key"),
        **others,
    )
    return marked(found, change)


def _recorded_checksums(said: Mapping[str, Any]) -> dict[str, Any]:
    """The checksum attributes of an event, which recorded events have in one object."""
    names = {"current": "checksum", "previous": "checksum_before"}
    return {names.get(name, f"checksum_{name}"): said.get(name) for name in (*names, "version", "corrupted")}


def columns_from_json(found: Mapping[str, Any], member: str) -> tuple[Column, ...]:
    """Parses the list of columns in `member`.

    Raises:
        EventJsonError: it is not a list of {name, type, flags}.
    """
    columns = found.get(member)
    if not isinstance(columns, list):
        raise EventJsonError(f"{member} is missing; it is a list of {{name, type, flags}}")
    made = []
    for index, column in enumerate(columns):
        try:
            made.append(_column(column))
        except (TypeError, KeyError, ValueError, AttributeError):
            text = shown(column, 60)
            raise EventJsonError(f"{member}/{index} is {text}; a column is {{name, type, flags}}") from None
    return tuple(made)


def _column(found: Mapping[str, Any]) -> Column:
    declared = found.get("mysql_type")
    if declared is not None and not isinstance(declared, str):
        raise TypeError("mysql_type is text")
    return Column(str(found["name"]), int(found["type"]), int(found.get("flags", 0)), declared)


def _image_from_json(found: Mapping[str, Any], member: str, columns: tuple[Column, ...]) -> Image | None:
    values = found.get(member)
    if values is None:
        return None
    if not isinstance(values, list) or len(values) != len(columns):
        have = len(values) if isinstance(values, list) else shown(values)
        raise EventJsonError(f"{member} has {have} values for {len(columns)} columns; they stand side by side")
    made = []
    for index, (column, value) in enumerate(zip(columns, values, strict=True)):
        try:
            made.append(value_from_json(column, value))
        except (ValueError, OverflowError) as error:
            raise EventJsonError(f"{member}/{index}, column {column.name}: {error}") from None
    if len({column.name for column in columns}) < len(columns):
        raise EventJsonError(f"{member}: two columns have the same name")
    return Image(columns, made)


def value_from_json(column: Column, value: Any) -> Any:
    """Parses a column value from null or `{kind: text}`.

    Bytes in a text column become text if they are UTF-8, since recorded events contain all strings as bytes.

    Raises:
        ValueError: it is neither.
    """
    if value is None:
        return None
    if not isinstance(value, dict) or len(value) != 1:
        raise ValueError(f'{shown(value, 60)} is no value; it is null or such as {{"int": "5"}}')
    ((kind, text),) = value.items()
    if not isinstance(text, str):
        raise ValueError(f"the value of {kind!r} is text in quotes, not {shown(text)}")
    if kind in ("int", "uint"):
        return int(text)
    if kind == "f64":
        return float(text)
    if kind == "f32":
        return float(struct.unpack("<f", struct.pack("<f", float(text)))[0])
    if kind == "f64_bits":
        return float(struct.unpack("<d", int(text, 16).to_bytes(8, "little"))[0])
    if kind in ("text", "vector"):
        return text
    if kind == "bytes":
        return _bytes_or_text(column, text)
    raise ValueError(f"{kind!r} is no kind of value; there are int, uint, f32, f64, f64_bits, text, vector, bytes")


def _bytes_or_text(column: Column, text: str) -> bytes | str:
    try:
        raw = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"not base64: {error}") from None
    if _storage(column.type, column.flags) != "text":
        return raw
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def _commit_ts(found: Mapping[str, Any]) -> int | None:
    number = number_of(found, "commit_ts")
    # null: the commit ts is unknown, as for rows of some protocols
    if number is None and "commit_ts" not in found and found.get("commit_ms") is None:
        raise EventJsonError("commit_ts is missing; it is a number")
    return number


def number_of(found: Mapping[str, Any], member: str) -> int | None:
    """The value of a member that is an integer, optionally in quotes; None if it is null or absent.

    Raises:
        EventJsonError: it is something else.
    """
    number = found.get(member)
    if number is None or (isinstance(number, int) and not isinstance(number, bool)):
        return number
    if isinstance(number, str) and number.lstrip("-").isdigit():
        return int(number)
    raise EventJsonError(f"{member} is {shown(number)}; it is a whole number")


def text_of(found: Mapping[str, Any], member: str) -> str | None:
    """The value of a member that is text; None if it is null, empty or absent.

    Raises:
        EventJsonError: it is something else.
    """
    text = found.get(member)
    if text is None or isinstance(text, str):
        return text or None  # in recordings, statements about a whole schema have the table ""
    raise EventJsonError(f"{member} is {shown(text)}; it is text or null")


def _bytes(found: Mapping[str, Any], member: str) -> bytes | None:
    text = found.get(member)
    try:
        return None if text is None else base64.b64decode(text, validate=True)
    except (binascii.Error, TypeError, ValueError):
        raise EventJsonError(f"{member} is {shown(text)}; it is base64 or null") from None


def truth_of(found: Mapping[str, Any], member: str) -> bool | None:
    """The value of a member that is true or false; None if it is null or absent.

    Raises:
        EventJsonError: it is something else.
    """
    value = found.get(member)
    if value is None or isinstance(value, bool):
        return value
    raise EventJsonError(f"{member} is {shown(value, 40)}; it is true, false or null")


def description_of(found: Mapping[str, Any], member: str) -> TableDescription | None:
    """The value of a member that is a table description; None if it is null or absent.

    Raises:
        EventJsonError: it is something else.
    """
    value = found.get(member)
    try:
        return None if value is None else TableDescription.from_json(value)
    except DescriptionError as error:
        raise EventJsonError(f"{member} describes no table: {error}") from None
