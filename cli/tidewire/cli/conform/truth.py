"""The recorded events of a recording, reduced to what a stream with certain options sends."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tidewire.cli.conform.described import description, version
from tidewire.cli.conform.registered import ToldByRecords
from tidewire.cli.eventjson import EventJsonError, Image, columns_of, from_json
from tidewire.cli.shell import CommandError
from tidewire.events import Bootstrap, Ddl, Event, RowChange
from tidewire.messages.options import OptionSpec
from tidewire.messages.protocol_facts import Large
from tidewire.mysql import ColumnFlag, ColumnType, declared, type_text
from tidewire.runtime.batch import Column
from tidewire.runtime.tables.sql_declared import exchanged_tables
from tidewire.tables import TableDescription

OF_TABLE = (
    *("start_ts", "table_version", "time_zone", "checksum", "checksum_before"),
    *("checksum_version", "checksum_corrupted"),
)
"""Attributes of a row event that are kept if only some of its columns are sent."""
_FLAG_MEMBERS = (
    ("binary", ColumnFlag.BINARY),
    ("is_handle_key", ColumnFlag.HANDLE_KEY),
    ("is_generated", ColumnFlag.GENERATED),
    ("is_pk", ColumnFlag.PRIMARY_KEY),
    ("is_unique", ColumnFlag.UNIQUE_KEY),
    ("is_multiple_key", ColumnFlag.MULTIPLE_KEY),
    ("nullable", ColumnFlag.NULLABLE),
    ("unsigned", ColumnFlag.UNSIGNED),
)


def load(path: Path) -> dict[int, Event]:
    """The events of an `events.jsonl` by number. TIMESTAMP values are in the time zone of the scenario, as in messages.

    Raises:
        CommandError: the file has another format.
    """
    events: dict[int, Event] = {}
    tables: dict[tuple[str | None, str], TableDescription] = {}
    with path.open(encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            if not text.strip():
                continue
            try:
                found = json.loads(text)
                own = int(found["n"])
                event = from_json(visible(found))
                describe(event, found, tables)
            except (EventJsonError, ValueError, KeyError, TypeError) as error:
                raise CommandError(f"{path}:{number}: not a recorded event: {error}") from None
            if own in events:
                raise CommandError(f"{path}:{number}: event {own} is there twice; every event has its own n")
            events[own] = event
    return events


def visible(found: Mapping[str, Any]) -> dict[str, Any]:
    """A recorded event without virtual columns, with the flags of messages and with full declared types.

    Recordings of the new architecture have MySQL's flags; the flags in messages are derived from the other members.
    Some recordings have ZEROFILL only in a member beside the declared type.
    """
    columns = found.get("columns")
    if not columns:
        return dict(found)
    seen = [index for index, column in enumerate(columns) if not column.get("is_virtual")]
    indexed = _indexed(found.get("indexes") or [])
    kept = (_with_flags(_with_zerofill(columns[index]), indexed.get(columns[index]["name"], 0)) for index in seen)
    result = dict(found, columns=list(kept))
    for side in ("new", "old"):
        if found.get(side) is not None:
            result[side] = [found[side][index] for index in seen]
    return result


def _with_zerofill(column: Mapping[str, Any]) -> Mapping[str, Any]:
    text = column.get("mysql_type")
    if text is None or not column.get("zerofill") or declared(text).zerofill:
        return column
    # empty for types that are printed without the word
    word = type_text(column["type"], 0, zerofill=True).removeprefix(type_text(column["type"], 0))
    return dict(column, mysql_type=text + word)


def describe(
    event: Event, found: Mapping[str, Any], tables: dict[tuple[str | None, str], TableDescription] | None = None
) -> None:
    """Adds the recorded table description to an event.

    Args:
        found: the recorded event.
        tables: descriptions from earlier events, by schema and name; the event's own is added.
    """
    tables = {} if tables is None else tables
    if isinstance(event, RowChange):
        event.table_version = version(found)
        event.start_ts = found.get("start_ts")
    elif isinstance(event, Ddl | Bootstrap):
        exchanged = exchanged_tables(event.query or "", event.schema or "") if isinstance(event, Ddl) else None
        # the result is the partitioned table, whichever of the two the statement is named after
        names = (event.schema, event.table) if exchanged is None else exchanged[0]
        event.table_after = description(found, *names)
        if isinstance(event, Ddl) and exchanged is not None:
            event.table_before = tables.get(exchanged[1])
        if event.table_after is not None:
            tables[event.table_after.schema, event.table_after.table] = event.table_after
    if isinstance(event, Bootstrap) and not event.commit_ts:
        event.commit_ts = None  # the event belongs to no transaction
    if isinstance(event, Ddl) and found.get("pre_table_info"):
        before = found["pre_table_info"]
        event.table_before = description(before, before["schema"], before["table"])


def stamp(truth: Mapping[int, Event], sent_ms: int | None, time_zone: str | None) -> None:
    """Sets in all events the time when messages were written (None: unknown), and in events with a TIMESTAMP the
    producer's time zone.
    """
    for event in truth.values():
        event.sent_ms = sent_ms  # type: ignore[attr-defined]  # every class of events has it
        if isinstance(event, RowChange) and any(_has_timestamp(event, image) for image in (event.new, event.old)):
            event.time_zone = time_zone


def _has_timestamp(event: RowChange, image: Mapping[str, Any] | None) -> bool:
    if image is None:
        return False
    columns = columns_of(event, image)
    return any(one.type == ColumnType.TIMESTAMP for one in columns)


def _indexed(indexes: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The column flags that follow from indexes; in MySQL's flags only the first column of an index has them."""
    found: dict[str, int] = {}
    for index in indexes:
        flags = ColumnFlag.PRIMARY_KEY if index.get("primary") else ColumnFlag.UNIQUE_KEY if index.get("unique") else 0
        if len(index["columns"]) > 1:
            flags |= ColumnFlag.MULTIPLE_KEY
        for column in index["columns"]:
            found[column["name"]] = found.get(column["name"], 0) | int(flags)
    return found


def _with_flags(column: Mapping[str, Any], indexed: int) -> dict[str, Any]:
    """A column with the flags of messages.

    Args:
        column: the recorded column.
        indexed: flags from indexes; generated columns get none of them.
    """
    if "is_handle_key" not in column:
        return dict(column)
    flags = 0 if column.get("is_generated") else indexed
    for member, flag in _FLAG_MEMBERS:
        if column.get(member):
            flags |= flag
    return dict(column, flags=int(flags))


def sent(
    event: Event,
    options: Mapping[str, str],
    read: Event | None = None,
    known: Iterable[OptionSpec] = (),
    large: Large | None = None,
    told: ToldByRecords | None = None,
) -> Event:
    """An event as a stream with these options sends it: some options leave columns out.

    Args:
        event: the recorded event.
        options: options of the stream.
        read: the decoded event. If options allow it, it may have only the handle key, and an update without its old row
            may look like an insert.
        known: all options of the protocol.
        large: handling of messages that are too long.
        told: reduces events to what records carry; None: messages are not records.
    """
    if not isinstance(event, RowChange):
        return event
    if told is not None:
        return told.told(event)
    kind, new, old = event.kind, event.new, event.old
    seen = read.kind if isinstance(read, RowChange) else None
    for one in known:
        chosen = options.get(one.name, json.dumps(one.default)) == "true" and not one.ignored
        if one.shows == "old" and not chosen and kind == "update":
            kind, old = "update" if seen == "update" else "insert", None
        elif one.keeps is not None and chosen and one.keeps.event == event.kind and old is not None:
            if one.keeps.flag:
                old = _flagged(event, old, one.keeps.flag)
            elif new is not None:
                kept = [column for column in columns_of(event, old) if new.get(column.name) != old[column.name]]
                old = _image(kept, old)
                if not kept and seen == "insert":
                    kind, old = "insert", None
    way = None if large is None else large.ways.get(options.get(large.option, ""))
    cut = bool(getattr(read, "handle_key_only", None)) and way is not None and not way.stored
    if cut and way is not None:
        new, old = _flagged(event, new, way.keep), _flagged(event, old, way.keep)
    if new is event.new and old is event.old:
        return event
    return RowChange(
        kind=kind,
        commit_ts=event.commit_ts,
        schema=event.schema,
        table=event.table,
        new=new,
        old=old,
        table_id=event.table_id,
        partition_id=event.partition_id,
        sent_ms=event.sent_ms,
        row_id=event.row_id,
        row_key=event.row_key,
        handle_key_only=cut or event.handle_key_only,
        **{name: getattr(event, name) for name in OF_TABLE},
    )


def _flagged(event: RowChange, image: Mapping[str, Any] | None, flag: int) -> Mapping[str, Any] | None:
    """The columns of an image with a flag."""
    if image is None:
        return None
    return _image([one for one in columns_of(event, image) if one.flags & flag], image)


def _image(columns: Sequence[Column], whole: Mapping[str, Any]) -> Image:
    return Image(columns, [whole[column.name] for column in columns])
