"""Base classes of the decoders of all protocols: the event columns that they fill, the layout cache, and errors with
names.

A generated decoder loops over the messages of a batch itself, with the cursor of its container, whose methods
compiled code calls without dynamic dispatch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from tidewire.runtime import cython
from tidewire.runtime.arrow.columns import Columns
from tidewire.runtime.arrow.decimal_texts import has_other
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.batch.decimals import with_spelled_decimals
from tidewire.runtime.batch.event_batches import EventBatches
from tidewire.runtime.batch.event_columns import IMAGES
from tidewire.runtime.batch.layout import Layout
from tidewire.runtime.decoding.layout_cache import LayoutBuilder, LayoutCache
from tidewire.runtime.errors import MISSING, REASONS, VALUE, DecodeError, WireError, decode_error
from tidewire.runtime.wire.messages import Piece, Values

if cython.compiled:
    from cython.cimports.libc.string import memchr

IMAGE_COLUMNS = frozenset(name for pair in IMAGES for name in pair)
"""The event columns that are never null."""
NEVER_NULL = "its decoder has to put a number, -1 where an event has no such row image"


class BatchDecoder:
    """Base class of all decoders.

    Attributes:
        events: columns of events being filled.
        cache: cache of tables and layouts.
    """

    def __init__(
        self,
        protocol: str,
        fields: tuple[str, ...],
        schema: pa.Schema,
        positions: Sequence[int],
        storages: Sequence[int],
        replace_invalid: cython.bint,
    ) -> None:
        """
        Args:
            protocol: name of the protocol, for errors.
            fields: names of the message's fields; {...} is replaced by the error's position inside the field.
            schema: schema of all columns of events.
            positions: positions in it of the columns that the decoder fills.
            storages: storages of these columns; further ones are ignored.
            replace_invalid: whether invalid UTF-8 is replaced by U+FFFD.
        """
        self.protocol = protocol
        self.fields = fields
        self.replace_invalid = replace_invalid
        self.cache = LayoutCache()
        self.events = Columns(storages[: len(positions)])
        self.batches = EventBatches(schema, positions)
        self.event_names = [schema.names[position] for position in positions]
        self.never_null = Numbers()
        for c, name in enumerate(self.event_names):
            if name in IMAGE_COLUMNS:
                self.never_null.append(c)

    def finish(self, errors: list[DecodeError], tombstones: list[int]) -> EventColumns:
        """The decoded events."""
        self.end_batch()
        self.check_images()
        images: LayoutBuilder
        layouts: list[Layout] = []
        others: cython.bint = False
        for images in self.cache.layouts:
            others = others or has_other(images)
            layouts.append(Layout.of(images.position, None, images, self.replace_invalid))
        described = self.cache.descriptions
        found = EventColumns.of(self.events, self.batches, self.cache.tables, layouts, errors, tombstones, described)
        return self.with_spelled_decimals(found) if others else found

    def check_images(self) -> cython.int:
        """Raises an error if the layout or row of an image is null: a decoder puts -1 for an image that an event lacks.
        Readers of columns would take null for a layout.
        """
        k: cython.Py_ssize_t
        start: cython.Py_ssize_t
        rows: cython.Py_ssize_t = self.events.rows
        if rows == 0:
            return 0
        for k in range(self.never_null.size):
            start = self.events.room * self.never_null.i64[k]
            if cython.compiled:
                if memchr(self.events.valid + start, 0, rows) == cython.NULL:
                    continue
            row = bytes(self.events.valid[start : start + rows]).find(0)
            if row >= 0:
                name = self.event_names[self.never_null.i64[k]]
                detail = f"event {row} of the batch has null there: {NEVER_NULL}"
                raise DecodeError(self.protocol, name, 0, REASONS[MISSING][0], detail)
        return 0

    def end_batch(self) -> cython.int:
        """Called after all messages of a batch have been read; decoders issue their warnings here."""
        return 0

    def with_spelled_decimals(self, columns: EventColumns) -> EventColumns:
        """The events with DECIMAL values in canonical spelling; a message with an invalid value yields only its error.
        """
        found, wrong = with_spelled_decimals(columns)
        messages = columns.events.column("message").to_pylist()
        failed: dict[int, DecodeError] = {}
        code = REASONS[VALUE][0]
        # rows are in the value, as the last field is
        part = self.part(WireError(VALUE, len(self.fields) - 1, 0, 0, 0)) if wrong else ""
        for one in wrong:
            number = messages[one.event]
            error = DecodeError(self.protocol, one.column, 0, code, one.detail, one.size, 0, number, part=part)
            failed.setdefault(number, error)
        rows = [row for row, number in enumerate(messages) if number in failed]
        if rows:
            events = found.take(rows)
            events = EventColumns(events.events, events.tables, events.layouts, [], [], events.descriptions)
            for number, error in failed.items():
                error.rest = events, number
        found.errors[:] = sorted([*found.errors, *failed.values()], key=lambda error: error.message or 0)
        return found.without(rows)

    def readable(self, error: WireError, message: int) -> DecodeError:
        """The error with names.

        Args:
            error: error of the cursor.
            message: number of the message in its batch.
        """
        found = decode_error(self.protocol, self.fields, error, self.indexes(error), self.part(error))
        found.message = message
        return found

    def indexes(self, error: WireError) -> dict[str, object]:
        """Position of the error inside its field, by the names in braces."""
        return {}

    def part(self, error: WireError) -> str:
        """Whether the field belongs to the key or to the value, in protocols that use both; else empty."""
        return ""


class MessageDecoder(BatchDecoder):
    """Base class of decoders that use values only."""

    def decode(self, values: Values) -> EventColumns:
        """Decodes a batch of messages. A message that cannot be read yields only its error; one without a value only
        its number.
        """
        return self.decode_pieces((values,))

    def decode_pieces(self, pieces: Iterable[Any]) -> EventColumns:
        """Like `decode`, for a batch in several pieces, of which one at a time is held; messages are numbered
        consecutively.

        Args:
            pieces: values; pairs of values and keys for a decoder that takes keys too.
        """
        raise NotImplementedError


class KeyedDecoder(BatchDecoder):
    """Base class of decoders that use keys and values."""

    def decode(self, values: Values, keys: Values | None = None) -> EventColumns:
        """Decodes a batch of messages. A message that cannot be read yields only its error; one without a value only
        its number.
        """
        return self.decode_pieces(((values, keys),))

    def decode_pieces(self, pieces: Iterable[Piece]) -> EventColumns:
        """Like `decode`, for a batch in several pieces, of which one at a time is held; messages are numbered
        consecutively.
        """
        raise NotImplementedError
