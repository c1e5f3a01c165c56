"""Codecs of dates and times in JSON messages that Kafka Connect schemas describe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tidewire.runtime import cython
from tidewire.runtime.arrow.storage import TEXT
from tidewire.runtime.json.codec import JsonCodec
from tidewire.runtime.wire import times
from tidewire.runtime.wire.times import MOST_KNOWN, NO_TIME

if TYPE_CHECKING:
    from tidewire.runtime.arrow.column_reader import ColumnReader
    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.json.cursor import JsonCursor
    from tidewire.runtime.json.sink import JsonSink
    from tidewire.runtime.wire.times import TimeConversion
    from tidewire.runtime.wire.value_codec import ColumnFacts

_known: dict[TimeConversion, JsonCodec] = {}


class ConnectTime(JsonCodec):
    """A date or time: a JSON number, or a string in ISO 8601.

    Attributes:
        times: converts between texts of columns and what messages have, for one column. Texts of columns are local to
            the sink's `zone`; empty: UTC.
    """

    def __init__(self, times: TimeConversion) -> None:
        JsonCodec.__init__(self, TEXT, numeric=times.numeric, writes=times.writes)
        self.times = times

    def for_column(self, facts: ColumnFacts) -> JsonCodec:
        times = self.times.for_column(facts)
        found = _known.get(times)
        if found is None:
            if len(_known) >= MOST_KNOWN:
                _known.clear()
            found = _known[times] = ConnectTime(times)
        return found

    def read(
        self,
        r: JsonCursor,
        start: cython.Py_ssize_t,
        size: cython.Py_ssize_t,
        columns: Columns,
        c: cython.int,
        row: cython.Py_ssize_t,
        field: cython.int,
    ) -> cython.int:
        if self.numeric:
            return self.times.place(columns, c, row, r.signed_digits(start, start + size, field))
        return self.times.place_text(columns, c, row, r.copy(start, start + size))

    def fill(self, s: JsonSink, default: bytes) -> cython.int:
        if self.numeric or not self.writes:
            return s.raw(default)
        return s.raw(b'"' + self.times.spelled(default, s.zone) + b'"')

    def write(self, s: JsonSink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        if not self.numeric:
            return self.fill(s, source.binary(c, row))
        value: cython.longlong = self.times.moment(source, c, row)
        if value == NO_TIME:
            return s.raw(b"null" if self.times.nullable else b"0")
        return s.integer(value)

    def read_usual(
        self,
        p: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
        i: cython.Py_ssize_t,
        columns: Columns,
        c: cython.int,
        row: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        return self.times.read_usual(p, i, columns, c, row)

    def write_usual(
        self,
        s: JsonSink,
        at: cython.Py_ssize_t,
        text: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
        size: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        return self.times.write_usual(s.u8, at, text, size)


DAYS: Final = ConnectTime(times.DAYS)
EPOCH_MS: Final = ConnectTime(times.EPOCH_MS)
EPOCH_US: Final = ConnectTime(times.EPOCH_US)
EPOCH_NS: Final = ConnectTime(times.EPOCH_NS)
MILLI_TIME: Final = ConnectTime(times.MILLI_TIME)
MICRO_TIME: Final = ConnectTime(times.MICRO_TIME)
NANO_TIME: Final = ConnectTime(times.NANO_TIME)
ZONED_TIME: Final = ConnectTime(times.ZONED_TIME)
ISO_TEXT: Final = ConnectTime(times.ISO_TEXT)
