"""Base class of encoders of Avro records: prepares texts per table, and splits events into messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.encoding.message_encoder import FAILURES, Carried, MessageEncoder
from tidewire.runtime.encoding.written_messages import WrittenMessages
from tidewire.runtime.record.sink import RecordSink, string_bytes
from tidewire.runtime.record.written_rows import RecordTexts, WrittenRecordRows

if TYPE_CHECKING:
    from tidewire.runtime.batch import EventColumns, Layout


class RecordEncoder(MessageEncoder):
    """An encoder of records."""

    def __init__(self, carried: Carried) -> None:
        super().__init__(carried)
        self.last_location: str | None = None
        self.last_spelled = b""

    def spell_tables(self, named: list[tuple[str, str]]) -> None:
        for schema, table in named:
            self.schemas.append(string_bytes(schema or ""))
            self.tables.append(string_bytes(table or ""))

    def made_ready(self, described: RecordTexts, layout: Layout) -> WrittenRecordRows:
        return WrittenRecordRows(described, layout)

    def located(self, event: cython.Py_ssize_t, column: cython.int) -> bytes:
        """The encoded location of an event, which all its values share.

        Args:
            event: row of the event.
            column: column of events with the location; null is written as an empty string.
        """
        said: str = "" if self.events.null_at(column, event) else self.events.text(column, event)
        if said != self.last_location:
            self.last_spelled = string_bytes(said)
            self.last_location = said
        return self.last_spelled

    def put_unsigned(self, s: RecordSink, column: cython.int, name: str, event: cython.Py_ssize_t) -> cython.int:
        """Writes an unsigned number of an event as an Avro long.

        Args:
            column: column of events with the number.
            name: name of the column.
            event: row of the event.
        """
        value: cython.ulonglong = self.events.uint_at(column, event)
        if value >> 63:
            self.refuse(f"{name} is 0 to 9223372036854775807 in a record, not {value}")
        return s.varint(value)

    def has_message(self, event: cython.Py_ssize_t) -> cython.bint:
        """Whether a message is written for the event, given the options."""
        return True

    def write_message(self, s: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """Writes the record of an event."""
        raise NotImplementedError

    def write(self, columns: EventColumns) -> WrittenMessages:
        s: RecordSink = RecordSink()
        ends: Numbers = Numbers()
        firsts: Numbers = Numbers()
        counts: Numbers = Numbers()
        event: cython.Py_ssize_t = 0
        rows: cython.Py_ssize_t
        self.bind(columns)
        rows = self.events.rows
        ends.append(0)
        try:
            for event in range(rows):
                self.check_event(event)
            for event in range(rows):
                if self.has_message(event):
                    self.write_message(s, event)
                    ends.append(s.pos)
                    firsts.append(event)
                    counts.append(1)
        except FAILURES as error:
            self.failed(event, error)
        return WrittenMessages(self.protocol, s.data, ends, firsts, counts)
