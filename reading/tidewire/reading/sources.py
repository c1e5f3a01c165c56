"""Reads messages from files, lists, Arrow tables and Kafka consumers, in lists that fit in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any, TypeAlias

import pyarrow as pa

from tidewire.reading.files.arrivals import arrivals, gathered, named
from tidewire.reading.files.columnar import of_batch
from tidewire.reading.files.formats import RECORD, Format, Input
from tidewire.reading.files.streams import InputError, opened
from tidewire.reading.message_batch import COLUMNS, MessageBatch
from tidewire.reading.types import TIMESTAMP
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.shortened import shown

Path: TypeAlias = str | os.PathLike[str]
END_OF_PARTITION = -191
"""librdkafka's pseudo error code for the end of a partition, which is not an error."""
_FACTS = {name: COLUMNS.get(name, TIMESTAMP) for name in RECORD}


def is_read_again(source: object) -> bool:
    """Whether the source can be read twice."""
    return isinstance(source, str | os.PathLike | Sequence | pa.Table | pa.RecordBatch)


def messages_of(source: Any, form: str, head: Callable[[], bytes]) -> Iterator[list[Input]]:
    """The messages of a source, in lists that were read together.

    Args:
        source: the path of a file, or a list of them; or messages: bytes, pairs of key and value, mappings or objects
            with `key`, `value`, `topic`, `partition`, `offset` and `timestamp`, as clients of Kafka give them, or lists
            of these; or an Arrow table with such columns.
        form: file format of the messages.
        head: returns the bytes that keys begin with, for files that contain them once, before the first key.

    Raises:
        InputError: the source does not contain messages.
    """
    if isinstance(source, str | os.PathLike):
        source = [source]
    if isinstance(source, pa.Table | pa.RecordBatch):
        batches = source.to_batches(max_chunksize=1024) if isinstance(source, pa.Table) else [source]
        yield from gathered((of_batch("the table", batch, 0), False) for batch in batches)
        return
    if isinstance(source, bytes | bytearray | memoryview) or not isinstance(source, Iterable):
        raise InputError(f"messages are the path of a file or a list of messages, not {shown(source)}")
    if isinstance(source, Sequence) and source and all(isinstance(one, str | os.PathLike) for one in source):
        yield from gathered(_of_files(source, form, head))
        return
    yield from gathered(_given(source))


def _of_files(paths: Sequence[Path], form: str, head: Callable[[], bytes]) -> Iterator[tuple[list[Input], bool]]:
    try:
        chosen = Format(form)
    except ValueError:
        raise InputError(f"form is one of {', '.join(Format)}, not {shown(form)}") from None
    for path in [os.fspath(one) for one in paths]:
        with ExitStack() as stack:
            try:
                stream = stack.enter_context(opened(path))
            except OSError as error:
                raise InputError(f"{path}: {error.strerror or error}") from None
            yield from ((found, stream.live) for found in arrivals(named(path), stream, chosen, head))


def _given(messages: Iterable[Any]) -> Iterator[tuple[list[Input], bool]]:
    """Messages of a list or a Kafka consumer. The flag of a list is true if it is to be passed on at once: it came as a
    list from the consumer, or the consumer reported that there is no message for now (None).
    """
    number = 0
    for one in messages:
        if one is None:
            yield [], True
        elif isinstance(one, list):
            found = [made for at, each in enumerate(one) if (made := _message(each, number + at)) is not None]
            number += len(one)
            yield found, True
        else:
            made = _message(one, number)
            number += 1
            yield ([] if made is None else [made]), False


def _message(one: Any, number: int) -> Input | None:
    """A message in the form of a Kafka client; None if the client reports that there is no message for now.

    Raises:
        InputError: it is not a message.
    """
    location = f"message {number}"
    if isinstance(one, Input):
        return one
    if isinstance(one, bytes | bytearray | memoryview):
        return Input(location, None, bytes(one))
    if isinstance(one, tuple) and len(one) == 2:
        key, value = one
        return Input(location, _bytes(key, location), _bytes(value, location))
    if isinstance(one, Mapping):
        found = dict(one)
        if not ({"key", "value"} & found.keys()):
            raise InputError(f"{location} has neither `key` nor `value`: {shown(one)}")
    elif hasattr(one, "value"):
        found = {name: getattr(one, name, None) for name in ("error", "key", "value", *RECORD)}
        found = {name: value() if callable(value) else value for name, value in found.items()}
        trouble = found.pop("error", None)
        if trouble is not None:
            code = getattr(trouble, "code", None)
            if callable(code) and code() == END_OF_PARTITION:
                return None
            raise InputError(f"the consumer gave an error in place of {location}: {trouble}")
        if isinstance(found["timestamp"], tuple):  # type of the timestamp, and milliseconds
            found["timestamp"] = found["timestamp"][1]
    else:
        raise InputError(f"{location} is no message but {shown(one)}")
    record = {name: found[name] for name in RECORD if found.get(name) is not None}
    where = ", ".join(f"{name} {record[name]}" for name in RECORD[:3] if name in record)
    key, value = (_bytes(found.get(name), location) for name in ("key", "value"))
    return Input(where or location, key, value, None, record or None)


def _bytes(given: Any, location: str) -> bytes | None:
    if given is None or isinstance(given, bytes):
        return given
    if isinstance(given, str):
        return given.encode()
    if isinstance(given, bytearray | memoryview):
        return bytes(given)
    raise InputError(f"{location}: key and value are bytes, not {shown(given)}; leave deserializers out")


class Received(MessageBatch):
    """Messages that were read together, as columns.

    Attributes:
        problems: errors by number of the message, for entries that are not messages.
    """

    def __init__(self, messages: Sequence[Input]) -> None:
        self._locations = [one.location for one in messages]
        self.problems = {at: one.problem for at, one in enumerate(messages) if one.problem is not None}
        columns = {
            "key": column_of([one.key for one in messages], pa.binary()),
            "value": column_of([one.value for one in messages], pa.binary()),
        }
        for name, kind in _FACTS.items():
            found = [None if one.record is None else one.record.get(name) for one in messages]
            columns[name] = _column(found, kind)
        super().__init__(pa.record_batch(columns))

    def origin(self, message: int) -> str:
        return self._locations[message]


def _column(found: list[Any], kind: pa.DataType) -> pa.Array:
    """A column of topics, partitions, offsets or timestamps; null for values of another type."""
    if kind == TIMESTAMP:
        return column_of([_micros(one) for one in found], pa.int64()).cast(kind)
    if kind == pa.utf8():
        return column_of([one if isinstance(one, str) else None for one in found], kind)
    most = 1 << kind.bit_width - 1
    right = [one if isinstance(one, int) and -most <= one < most else None for one in found]
    return column_of(right, pa.int64()).cast(kind)


def _micros(one: Any) -> int | None:
    """A timestamp in microseconds since 1970, from milliseconds or ISO 8601 text; None if it is neither."""
    if isinstance(one, int) and abs(one) < 1 << 52:
        return one * 1000
    if isinstance(one, str):
        try:
            one = datetime.fromisoformat(one)
        except ValueError:
            return None
    if not isinstance(one, datetime):
        return None
    aware = one if one.tzinfo is not None else one.replace(tzinfo=UTC)
    since = aware - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
