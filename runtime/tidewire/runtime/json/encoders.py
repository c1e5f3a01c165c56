"""Base classes of JSON encoders: split events into messages, each an object, several objects, or a run of frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.encoding.message_encoder import FAILURES, Carried, MessageEncoder
from tidewire.runtime.encoding.written_messages import NULL_KEY, WrittenMessages
from tidewire.runtime.json.json_literals import text_json
from tidewire.runtime.json.row_writer import RowTexts, WrittenRows
from tidewire.runtime.json.sink import JsonSink, Spelling

if TYPE_CHECKING:
    from tidewire.runtime.batch import EventColumns, Layout

HEAD = 8
"""Bytes of the number before the first frame of a key."""


class JsonEncoder(MessageEncoder):
    """Base class of encoders of JSON objects."""

    def __init__(self, carried: Carried, spelling: Spelling, absent: tuple[bytes, bytes]) -> None:
        """
        Args:
            carried: what the protocol can carry.
            spelling: how text and numbers are written.
            absent: JSON of an absent schema name and of an absent table name.
        """
        super().__init__(carried)
        self.spelling = spelling
        self.absent = absent
        self.last_location = ""
        self.last_opening = b""

    def spell_tables(self, named: list[tuple[str, str]]) -> None:
        no_schema, no_table = self.absent
        for schema, table in named:
            self.schemas.append(text_json(self.protocol, schema, self.spelling) if schema else no_schema)
            self.tables.append(text_json(self.protocol, table, self.spelling) if table else no_table)

    def made_ready(self, described: RowTexts, layout: Layout) -> WrittenRows:
        return WrittenRows(described, layout)

    def located(self, event: cython.Py_ssize_t, column: cython.int) -> bytes:
        """The text that precedes a value with a location; all values of an event have the same one.

        Args:
            event: row of the event.
            column: column of events with the location; null is written as an empty string.
        """
        said: str = "" if self.events.null_at(column, event) else self.events.text(column, event)
        if not self.last_opening or said != self.last_location:
            self.last_opening = b'{"location":%b,"value":"' % text_json(self.protocol, said, self.spelling)
            self.last_location = said
        return self.last_opening


class ObjectEncoder(JsonEncoder):
    """Base class of encoders whose messages are objects: one, or several with a terminator after each."""

    def __init__(
        self,
        carried: Carried,
        spelling: Spelling,
        absent: tuple[bytes, bytes],
        terminated: bytes = b"",
        keyed: cython.bint = False,
    ) -> None:
        """
        Args:
            carried, spelling, absent: as in `JsonEncoder`.
            terminated: terminator after every object of a message; empty: a message is one object.
            keyed: whether messages have keys. Events of one message have the same.
        """
        super().__init__(carried, spelling, absent)
        self.terminated = terminated
        self.keyed = keyed

    def has_message(self, event: cython.Py_ssize_t) -> cython.bint:
        """Whether a message is written for the event, given the options."""
        return True

    def gathered(self, event: cython.Py_ssize_t) -> cython.bint:
        """Whether an event may share a message with others; if messages have terminators, other events are not written.
        """
        return False

    def together(self, event: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.bint:
        """Whether two events share a message."""
        return False

    def write_message(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """Writes the JSON object of an event."""
        raise NotImplementedError

    def write_key(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """Writes the key of an event; nothing, if messages of its class have none."""
        raise NotImplementedError

    def takes_key(self, s: JsonSink, start: cython.Py_ssize_t, event: cython.Py_ssize_t) -> cython.bint:
        """Whether an event has the key of the message. That of the first event becomes the key of the message.

        Args:
            s: sink of the keys.
            start: where the key of the message begins.
            event: row of the event.
        """
        end: cython.Py_ssize_t = s.pos
        self.write_key(s, event)
        if end == start:
            return True
        keys: bytes = s.written(start)
        s.take_out(end, s.pos - end)
        return keys[: end - start] == keys[end - start :]

    def write(self, columns: EventColumns) -> WrittenMessages:
        s: JsonSink = JsonSink(*self.spelling)
        key: JsonSink = JsonSink(*self.spelling) if self.keyed else s
        ends: Numbers = Numbers()
        key_ends: Numbers = Numbers()
        firsts: Numbers = Numbers()
        counts: Numbers = Numbers()
        nulls: bytearray = bytearray()
        key_start: cython.Py_ssize_t = 0
        event: cython.Py_ssize_t = 0
        first: cython.Py_ssize_t
        rows: cython.Py_ssize_t
        self.bind(columns)
        rows = self.events.rows
        ends.append(0)
        key_ends.append(0)
        try:
            for event in range(rows):
                self.check_event(event)
            event = 0
            while event < rows:
                first = event
                if self.terminated:
                    while event < rows and self.gathered(event) and self.together(first, event):
                        if self.keyed and not self.takes_key(key, key_start, event):
                            break
                        self.write_message(s, event)
                        s.raw(self.terminated)
                        event += 1
                    event = max(event, first + 1)
                else:
                    if self.has_message(event):
                        if self.keyed:
                            self.write_key(key, event)
                        self.write_message(s, event)
                    event += 1
                if s.invalid or key.invalid:
                    event = first
                    self.refuse("it has text that is not UTF-8")
                if s.pos > ends.i64[ends.size - 1]:
                    ends.append(s.pos)
                    firsts.append(first)
                    counts.append(event - first)
                    if self.keyed:
                        nulls.append(0 if key.pos > key_start else NULL_KEY)
                        key_ends.append(key.pos)
                        key_start = key.pos
        except FAILURES as error:
            self.failed(event, error)
        if not self.keyed:
            return WrittenMessages(self.protocol, s.data, ends, firsts, counts)
        return WrittenMessages(self.protocol, s.data, ends, firsts, counts, key.data, key_ends, nulls=nulls)


class FramesEncoder(JsonEncoder):
    """Base class of encoders whose keys and values are runs of frames: an object after its length.

    Attributes:
        head: the number before the first frame of a key; None: there is none.
        compress: compresses the object of a value; None: it is not compressed.
        events_limit: maximum number of events in a message.
        bytes_limit: maximum bytes of a message with several events, including `overhead`.
        overhead: bytes added to those of the key and the value.
    """

    def __init__(
        self,
        carried: Carried,
        spelling: Spelling,
        absent: tuple[bytes, bytes],
        head: int | None = None,
        compress: Callable[[bytes], bytes] | None = None,
    ) -> None:
        """
        Args:
            carried, spelling, absent: as those of `JsonEncoder`.
            head, compress: see the attributes.
        """
        super().__init__(carried, spelling, absent)
        self.head = head
        self.compress = compress
        self.events_limit = 1
        self.bytes_limit = self.overhead = 0

    def gathered(self, event: cython.Py_ssize_t) -> cython.bint:
        """Whether an event may share a message with others."""
        return False

    def write_objects(self, key: JsonSink, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """Writes the objects of an event into key and value, without their lengths."""
        raise NotImplementedError

    def write_event(self, key: JsonSink, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """Writes the frames of an event."""
        key_start: cython.Py_ssize_t = key.open_frame()
        start: cython.Py_ssize_t = s.open_frame()
        self.write_objects(key, s, event)
        if self.compress is not None and s.pos > start + 8:
            s.replace(start + 8, self.compress(s.written(start + 8)))
        key.close_frame(key_start)
        s.close_frame(start)
        return 0

    def write(self, columns: EventColumns, alone: cython.bint = False) -> WrittenMessages:
        """The messages of `encode`; with `alone`, one for each event."""
        key: JsonSink = JsonSink(*self.spelling)
        s: JsonSink = JsonSink(*self.spelling)
        ends: Numbers = Numbers()
        key_ends: Numbers = Numbers()
        firsts: Numbers = Numbers()
        counts: Numbers = Numbers()
        event: cython.Py_ssize_t = 0
        longest: cython.Py_ssize_t = 0
        size: cython.Py_ssize_t
        around: cython.Py_ssize_t
        key_start: cython.Py_ssize_t
        start: cython.Py_ssize_t
        key_at: cython.Py_ssize_t = 0  # where the last message begins
        value_at: cython.Py_ssize_t = 0
        gathered: cython.bint
        open: cython.bint = False  # whether the last message can take more events
        headed: cython.bint = self.head is not None
        head: cython.ulonglong = self.head if self.head is not None else 0
        # bytes of a new event include a head, which it loses when it joins a message
        around = self.overhead - HEAD if headed else self.overhead
        self.bind(columns)
        ends.append(0)
        key_ends.append(0)
        try:
            for event in range(self.events.rows):
                self.check_event(event)
            for event in range(self.events.rows):
                key_start = key.pos
                start = s.pos
                if headed:
                    key.u64be(head)
                self.write_event(key, s, event)
                if key.invalid or s.invalid:
                    self.refuse("it has text that is not UTF-8")
                gathered = self.gathered(event)
                if gathered:
                    longest = max(longest, key.pos - key_start + s.pos - start)
                size = key.pos - key_at + s.pos - value_at + around
                if open and gathered and counts.i64[counts.size - 1] < self.events_limit and size <= self.bytes_limit:
                    if headed:
                        key.take_out(key_start, HEAD)  # the message already has it
                    key_ends.i64[key_ends.size - 1] = key.pos
                    ends.i64[ends.size - 1] = s.pos
                    counts.i64[counts.size - 1] += 1
                    continue
                open = gathered and not alone
                key_at = key_start
                value_at = start
                key_ends.append(key.pos)
                ends.append(s.pos)
                firsts.append(event)
                counts.append(1)
        except FAILURES as error:
            self.failed(event, error)
        return WrittenMessages(self.protocol, s.data, ends, firsts, counts, key.data, key_ends, longest)
