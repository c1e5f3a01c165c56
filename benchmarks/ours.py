"""Tidewire's own operations on the measured rows, through the public functions of a protocol's package only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, cast

import pyarrow as pa

import tidewire.runtime
from benchmarks.cases import Change, handle_of
from benchmarks.peers import Message
from benchmarks.peers.simple_json import TABLE_ID, VERSION
from benchmarks.registry import schemas
from benchmarks.subjects import CRAFT, Subject
from tidewire.events import Events, RowChange
from tidewire.messages.delivery.seen_rows import table_of_rows
from tidewire.runtime.batch import Column, EventColumns
from tidewire.tables import TableDescription, TableStore

COLUMNS = "to Arrow columns"
EVENTS = "to events, both rows as dicts"
VIEW = "events from decoded columns, both rows as dicts"
SINGLE = "to Arrow columns, one message a call"
FROM_COLUMNS = "from Arrow columns"
FROM_EVENTS = "from event objects"

CONTAINS = {
    COLUMNS: "Decoder.decode of all messages in one call, decoder reused: headers, names, all values in typed columns, "
    "an Arrow batch of each table's rows",
    EVENTS: "decode_batch of all messages in one call, then both rows of each event with to_dict()",
    VIEW: "columns already decoded: a new view, then both rows of each event with to_dict()",
    SINGLE: "Decoder.decode called with one message at a time (a reused decoder): what a caller without batches pays",
    FROM_COLUMNS: "Encoder.encode of decoded Arrow columns, batching included, to an Arrow batch of messages",
    FROM_EVENTS: "encode of RowChange objects with dict rows, batching included, to Message objects",
}
"""What each figure contains."""


def label() -> str:
    """'tidewire' or 'tidewire pure': what is being measured in this process."""
    return "tidewire" if tidewire.runtime.compiled else "tidewire pure"


def row_change(row: Change, subject: Subject = CRAFT) -> RowChange:
    """The row as a neutral event, with what the protocol tells besides."""
    more: dict[str, Any] = {} if subject.sent_ms is None else {"sent_ms": subject.sent_ms}
    if subject.row_ids:
        more["row_id"] = handle_of(row)
    if subject.versioned:
        more |= {"table_version": VERSION, "table_id": TABLE_ID}
    return RowChange(
        kind=row.kind,
        commit_ts=row.commit_ts,
        schema=row.schema,
        table=row.table,
        new=dict(row.new),
        old=dict(row.old) if row.kind == "update" else None,
        partition_id=row.partition,
        columns=[Column(*one, row.declared(one) if subject.registered else None) for one in row.columns],
        **more,
    )


def giving(subject: Subject) -> dict[str, Any]:
    """Arguments for encoders besides options: where schemas of records are registered."""
    return {"schemas": schemas()} if subject.registered else {}


def given(rows: Sequence[Change], subject: Subject) -> dict[str, Any]:
    """Arguments for decoders besides options: where rows are read by descriptions of their tables those of these rows,
    and where records are read by schemas the registry.
    """
    return {"tables": TableStore(descriptions(rows, subject))} if subject.described else giving(subject)


def descriptions(rows: Sequence[Change], subject: Subject) -> list[TableDescription]:
    """What the tables of rows are, each once."""
    declared = subject.declared
    tables = {(row.schema, row.table): row.columns for row in rows}
    return [
        table_of_rows(
            TableDescription, schema, table, [Column(*one, declared.get(one.type)) for one in columns], VERSION, -1
        )
        for (schema, table), columns in tables.items()
    ]


def event_objects(rows: Sequence[Change], subject: Subject) -> list[RowChange]:
    """The rows as neutral events; those of one table share the tuple of its columns, as a program would have it."""
    known: dict[Any, Any] = {}
    events = [row_change(row, subject) for row in rows]
    for event in events:
        event.given_columns = known.setdefault(event.given_columns, event.given_columns)
    return events


class Sent(NamedTuple):
    """Messages, as a decoder takes them: ``decode(*sent)``."""

    values: pa.Array[Any]
    keys: pa.Array[Any] | None
    """None where the protocol has none."""

    @classmethod
    def of(cls, messages: Sequence[Message]) -> Sent:
        """Messages one by one."""
        keys = [message.key for message in messages]
        keyed = any(key is not None for key in keys)
        return cls(pa.array([m.value for m in messages], pa.binary()), pa.array(keys, pa.binary()) if keyed else None)

    @property
    def wire_bytes(self) -> int:
        """Bytes of all keys and values."""
        return sum(len(message.key or b"") + len(message.value) for message in self.messages())

    def part(self, start: int, count: int) -> Sent:
        """Some of them."""
        return Sent(self.values.slice(start, count), None if self.keys is None else self.keys.slice(start, count))

    def messages(self) -> list[Message]:
        """Each with its key."""
        values: list[bytes] = self.values.to_pylist()
        keys: list[bytes | None] = [None] * len(values) if self.keys is None else self.keys.to_pylist()
        return [Message(key, value) for key, value in zip(keys, values, strict=True)]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rows ready to be measured, in messages of ``batch`` events."""

    subject: Subject
    events: list[RowChange]
    columns: EventColumns
    sent: Sent
    options: Any
    given: dict[str, Any]
    """Arguments for decoders besides."""
    giving: dict[str, Any]
    """Arguments for encoders besides."""

    @property
    def wire_bytes(self) -> int:
        """Bytes of all messages."""
        return self.sent.wire_bytes


def written(rows: Sequence[Change], batch: int, subject: Subject, shared: bool = False) -> tuple[list[RowChange], Sent]:
    """The rows as event objects and as messages; raises ``AssertionError`` unless the messages give the rows back.

    ``shared``: event objects of one table have one tuple of its columns. Else each has its own.
    """
    codec, options = subject.codec, subject.ours(batch)
    events = event_objects(rows, subject) if shared else [row_change(row, subject) for row in rows]
    messages = codec.encode(events, options, **giving(subject))
    if len(messages) != -(-len(rows) // batch):
        raise AssertionError(f"{len(rows)} events in batches of {batch} became {len(messages)} messages")
    sent = Sent.of([Message(message.key, message.value or b"") for message in messages])
    found = [
        (e.commit_ts, e.schema, e.table, dict(e.new), {} if e.old is None else dict(e.old))
        for e in cast(Iterable[Any], codec.decode_batch(*sent, options, **given(rows, subject)))
    ]
    expected = [row.truth(subject.tells_old) for row in rows]
    if found != expected:
        index = next(i for i, row in enumerate(expected) if i >= len(found) or found[i] != row)
        raise AssertionError(f"{subject.name}: event {index} decodes to something else than the row that was written")
    return events, sent


def prepare(rows: Sequence[Change], batch: int, subject: Subject = CRAFT) -> Prepared:
    """Encode the rows and check that every operation gives them back; raises ``AssertionError`` where one does not."""
    codec, options = subject.codec, subject.ours(batch)
    events, sent = written(rows, batch, subject)
    more = given(rows, subject)
    columns = codec.Decoder(options, **more).decode(*sent)
    assert all(layout.arrays for layout in columns.layouts)  # what encodes finds arrays, as others would make them
    again = codec.Encoder(options, **giving(subject)).encode(columns)
    if again.column("value").to_pylist() != sent.values.to_pylist():
        raise AssertionError(f"{subject.name}: encoding the decoded columns does not give the same messages")
    return Prepared(subject, events, columns, sent, options, more, giving(subject))


@contextmanager
def kept_codecs(ready: Prepared) -> Iterator[tuple[Any, dict[str, Any], dict[str, Any]]]:
    """Options, and arguments for decoders and for encoders besides, with which calls for a single message find the
    codec that their thread keeps: by options alone. Where a registry has schemas of records, the options name a file.
    """
    if not ready.subject.registered:
        yield ready.options, ready.given, ready.giving
        return
    with TemporaryDirectory(prefix="tidewire-bench-") as folder:
        path = str(Path(folder) / "schemas.json")
        schemas().save(path)
        yield replace(ready.options, schema_registry=path), {}, {}


def as_dicts(events: Events) -> int:
    count = 0
    for event in cast(Iterable[Any], events):
        event.new.to_dict()
        if event.old is not None:
            event.old.to_dict()
        count += 1
    return count


def with_batches(columns: EventColumns) -> EventColumns:
    """The columns, of which an Arrow batch of the events and one of each layout have been made: that is not done before
    they are asked for.
    """
    assert columns.events.num_columns
    for layout in columns.layouts:
        assert layout.to_batch().num_columns
    return columns


def decoding(ready: Prepared, single: bool = True) -> dict[str, Callable[[], object]]:
    """The decode operations as candidates for :func:`benchmarks.timing.side_by_side`."""
    codec = ready.subject.codec
    sent, options, more = ready.sent, ready.options, ready.given
    decoder = codec.Decoder(options, **more)
    decoded = codec.Decoder(options, **more).decode(*sent)
    each = [sent.part(i, 1) for i in range(len(sent.values))]

    def one_by_one() -> None:
        for message in each:
            with_batches(decoder.decode(*message))

    candidates: dict[str, Callable[[], object]] = {
        COLUMNS: lambda: with_batches(decoder.decode(*sent)),
        EVENTS: lambda: as_dicts(codec.decode_batch(*sent, options, **more)),
        VIEW: lambda: as_dicts(Events(decoded)),
    }
    return candidates | ({SINGLE: one_by_one} if single else {})


def encoding(ready: Prepared) -> dict[str, Callable[[], object]]:
    """The encode operations as candidates."""
    codec = ready.subject.codec
    encoder = codec.Encoder(ready.options, **ready.giving)
    return {
        FROM_COLUMNS: lambda: encoder.encode(ready.columns),
        FROM_EVENTS: lambda: codec.encode(ready.events, ready.options, **ready.giving),
    }
