"""What the decoders of all protocols have: the columns that they fill, what they know of tables, and errors with names.

A printed decoder goes through the messages of a batch by itself, with the cursor of its container, whose methods
compiled code calls without a look at what class it is of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from tidewire.runtime import cython
from tidewire.runtime.arrow.columns import Columns
from tidewire.runtime.arrow.decimal_texts import has_other
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.batch.decimals import with_spelled_decimals
from tidewire.runtime.batch.event_batches import EventBatches
from tidewire.runtime.batch.layout import Layout
from tidewire.runtime.decoding.layout_cache import LayoutBuilder, LayoutCache
from tidewire.runtime.errors import REASONS, VALUE, DecodeError, WireError, decode_error
from tidewire.runtime.wire.messages import Piece, Values


class BatchDecoder:
    """What all decoders have.

    Attributes:
        events: the columns of events that are filled.
        cache: what is known of tables and of the columns of their rows.
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
            protocol: its name, for errors.
            fields: of its messages; {...} is filled with what tells where the trouble is.
            schema: of all columns of events.
            positions: where those are among them that the decoder fills.
            storages: what these hold; more than those are not looked at.
            replace_invalid: whether text that is not UTF-8 is read with U+FFFD in place of what is wrong.
        """
        self.protocol = protocol
        self.fields = fields
        self.replace_invalid = replace_invalid
        self.cache = LayoutCache()
        self.events = Columns(storages[: len(positions)])
        self.batches = EventBatches(schema, positions)

    def finish(self, errors: list[DecodeError], tombstones: list[int]) -> EventColumns:
        """The events that have been read."""
        self.end_batch()
        images: LayoutBuilder
        layouts: list[Layout] = []
        others: cython.bint = False
        for images in self.cache.layouts:
            others = others or has_other(images)
            layouts.append(Layout.of(images.position, None, images, self.replace_invalid))
        described = self.cache.descriptions
        found = EventColumns.of(self.events, self.batches, self.cache.tables, layouts, errors, tombstones, described)
        return self.with_spelled_decimals(found) if others else found

    def end_batch(self) -> cython.int:
        """What is left to do when all messages have been read: decoders warn of what these were the first to show."""
        return 0

    def with_spelled_decimals(self, columns: EventColumns) -> EventColumns:
        """The events with the one spelling of their DECIMAL values; a message with a value that none can be leaves
        nothing but its error.
        """
        found, wrong = with_spelled_decimals(columns)
        messages = columns.events.column("message").to_pylist()
        failed: dict[int, DecodeError] = {}
        for one in wrong:
            number = messages[one.event]
            error = DecodeError(self.protocol, one.column, 0, REASONS[VALUE][0], one.detail, message=number)
            failed.setdefault(number, error)
        found.errors[:] = sorted([*found.errors, *failed.values()], key=lambda error: error.message or 0)
        return found.without([row for row, number in enumerate(messages) if number in failed])

    def readable(self, error: WireError, message: int) -> DecodeError:
        """The error with names.

        Args:
            error: as the cursor raised it.
            message: the number of the message in its batch.
        """
        found = decode_error(self.protocol, self.fields, error, self.indexes(error), self.part(error))
        found.message = message
        return found

    def indexes(self, error: WireError) -> dict[str, object]:
        """Where in its field the trouble is, by the names in braces."""
        return {}

    def part(self, error: WireError) -> str:
        """Whether the field is of the key or of the value, where both say something."""
        return ""


class MessageDecoder(BatchDecoder):
    """What decoders have whose messages are values."""

    def decode(self, values: Values) -> EventColumns:
        """A batch of messages; those that cannot be read leave nothing but their error, those without a value nothing
        but their number.
        """
        return self.decode_pieces((values,))

    def decode_pieces(self, pieces: Iterable[Any]) -> EventColumns:
        """The same of a batch that comes in pieces, of which one at a time is held: messages are numbered through.

        Args:
            pieces: values; pairs of values and keys for a decoder that takes keys too.
        """
        raise NotImplementedError


class KeyedDecoder(BatchDecoder):
    """What decoders have whose messages are keys and values."""

    def decode(self, values: Values, keys: Values | None = None) -> EventColumns:
        """A batch of messages; those that cannot be read leave nothing but their error, those without a value nothing
        but their number.
        """
        return self.decode_pieces(((values, keys),))

    def decode_pieces(self, pieces: Iterable[Piece]) -> EventColumns:
        """The same of a batch that comes in pieces, of which one at a time is held: messages are numbered through."""
        raise NotImplementedError
