"""Decompresses messages, fetches those that were stored in files, and passes them to a protocol's decoder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

import pyarrow as pa

from tidewire.messages.delivery.claims import ClaimError, ClaimFiles, Unclaimed
from tidewire.messages.delivery.compression import NONE
from tidewire.messages.delivery.items import Packing, guess_packing
from tidewire.messages.delivery.splicing import splice
from tidewire.messages.delivery.unpack_budget import Allowance, Divide
from tidewire.messages.delivery.unpacking import paired, unpack
from tidewire.messages.options import MAX_UNPACKED_BYTES
from tidewire.runtime.arrow import compute as pc
from tidewire.runtime.arrow.literals import column_of, constant, filled, with_column
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.batch.roles import LOCATION, PARTIAL, TSO, Roles, described
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.wire.messages import Piece, Values, counted, image_of

Explain = Callable[[EventColumns, Values, Any], EventColumns]
"""A function of decoded columns, values and keys that returns the columns with more detailed errors."""
PLAIN = Packing()
MOST_OF_PART = 1024
"""The most messages that are decoded at once if a batch may be divided."""


class PlainDecoder(Protocol):
    """The decoder generated for a protocol, for uncompressed messages whose keys carry no data."""

    def decode(self, values: Values) -> EventColumns:
        """Decodes messages."""

    def decode_pieces(self, pieces: Iterable[Values]) -> EventColumns:
        """Decodes messages that are given as several arrays."""


class DecodesKeyed(Protocol):
    """The decoder generated for a protocol, for uncompressed messages whose keys carry data."""

    def decode(self, values: Values, keys: Values | None) -> EventColumns:
        """Decodes messages."""

    def decode_pieces(self, pieces: Iterable[Piece]) -> EventColumns:
        """Decodes messages that are given as several arrays."""


class MessageReader:
    """A protocol's decoder with decompression and claim check.

    Args:
        protocol: name for errors.
        wire: the decoder generated for the protocol.
        roles: event field names by role.
        packing: how values are compressed.
        option: name of the compression option, for errors.
        files: the files with messages that were too long to send; None: events that point to a file are returned as
            sent, marked as partial.
        most: the maximum unpacked size of a batch in bytes, fetched and decompressed.
        keyed: whether the protocol's keys carry data.
    """

    def __init__(
        self,
        protocol: str,
        wire: PlainDecoder | DecodesKeyed,
        roles: Roles,
        packing: Packing = PLAIN,
        option: str = "",
        files: ClaimFiles | None = None,
        most: int = int(MAX_UNPACKED_BYTES.default),
        keyed: bool = False,
    ) -> None:
        self._protocol = protocol
        self._wire: Any = wire
        self._roles = roles
        self._packing = packing
        self._option = option
        self._files = files
        self._most = most
        self._keyed = keyed

    def decode(self, values: Values, keys: Any = None) -> EventColumns:
        """Decodes a batch of messages. Messages that cannot be read, or that would exceed the batch's unpacked size
        limit, are reported in `errors`.
        """
        return self._read(values, keys, Allowance(self._most))

    def parts(self, values: Values, keys: Any, explain: Explain) -> Iterator[EventColumns]:
        """`decode` in parts, each with the whole size limit; message numbers continue from part to part.

        Args:
            explain: called for each part that has errors, with its messages.

        A file that several events point to counts towards the limit once per event, since the decoded rows hold its
        bytes once for each.
        """
        if not counted(values, keys) or (self._packing.name == NONE and self._files is None):
            columns = self.decode(values, keys)
            yield explain(columns, values, keys) if columns.errors else columns
            return
        start = 0
        stop = most = len(values)
        while start < most:
            stop = min(stop, start + MOST_OF_PART)
            allowance = Allowance(self._most, divides=stop - start > 1)
            own, own_keys = values[start:stop], None if keys is None else keys[start:stop]
            try:
                part = self._read(own, own_keys, allowance)
            except Divide as found:
                stop = start + max(1, found.message)
                continue
            if allowance.stop is not None:
                stop = start + allowance.stop
                own, own_keys = values[start:stop], None if keys is None else keys[start:stop]
            yield _numbered(explain(part, own, own_keys) if part.errors else part, start)
            start, stop = stop, most

    def _read(self, values: Values, keys: Any, allowance: Allowance) -> EventColumns:
        columns = self._plain(values, keys, allowance)
        if self._files is None:
            return columns
        pointers = columns.events.column(self._roles[LOCATION])
        if pointers.null_count == len(pointers):
            return columns
        rows = pc.indices_nonzero(pc.is_valid(pointers)).to_pylist()
        return self._resolve(self._files, columns, rows, allowance)

    def _plain(self, values: Values, keys: Any, allowance: Allowance) -> EventColumns:
        """Decodes messages that may be compressed."""
        if self._packing.name == NONE:
            columns: EventColumns = self._wire.decode(values, keys) if self._keyed else self._wire.decode(values)
            if self._option and columns.errors:
                columns.errors = [self._hinted(error, values) for error in columns.errors]
            return columns
        errors: list[DecodeError] = []
        pieces = unpack(self._protocol, self._packing, paired(values, keys), allowance, errors, keyed=self._keyed)
        return _with_errors(self._decoded(pieces), errors)

    def _decoded(self, pieces: Iterable[Piece]) -> EventColumns:
        """Decodes messages that are given as several arrays."""
        plain = pieces if self._keyed else (values for values, _ in pieces)
        columns: EventColumns = self._wire.decode_pieces(plain)
        return columns

    def _hinted(self, error: DecodeError, values: Values) -> DecodeError:
        """The error, with a hint about compression when that may be the reason."""
        if error.message is None or error.part == "key" or (error.offset and not self._packing.prefix):
            return error
        value = image_of(values[error.message])
        seems = guess_packing(value, self._packing.prefix, None) if value else None
        if seems in (None, NONE):
            return error
        return error.with_detail(f"{error.detail}; it looks like {seems}: set {self._option}={seems}")

    def _resolve(self, files: ClaimFiles, columns: EventColumns, rows: list[int], allowance: Allowance) -> EventColumns:
        """The events, in which those that point to a file are replaced by the events in the file."""
        events = columns.events
        message = events.column("message").to_pylist()
        locations = events.column(self._roles[LOCATION]).take(column_of(rows, pa.int64())).to_pylist()
        pointing: dict[str, dict[int, list[int]]] = {}
        for row, location in zip(rows, locations, strict=True):
            pointing.setdefault(location, {}).setdefault(message[row], []).append(row)
        inner, reasons = self._contents(files, pointing, allowance)
        lying: list[list[int]] = [[] for _ in pointing]
        for at, number in enumerate(inner.events.column("message").to_pylist()):
            lying[number].append(at)
        failed: dict[int, str] = {}
        found: list[int] = []
        source: list[int] = []
        for number, by_message in enumerate(pointing.values()):
            own = lying[number]
            for those in by_message.values():
                reason = reasons.get(number)
                if reason is None and len(own) != len(those):
                    reason = f"it has {len(own)} events instead of {len(those)}" if own else "it has no event"
                if reason is None:
                    found += own
                    source += those
                else:
                    failed |= dict.fromkeys(those, reason)
        inner = inner.take(found)
        for row, reason in self._strangers(columns, inner, source).items():
            failed.setdefault(row, reason)
        errors = [self._error(columns, row, reason) for row, reason in sorted(failed.items())]
        # when one event of a message cannot be fetched, all of the message's events are dropped
        lost = {error.message for error in errors}
        gone = [row for row in range(events.num_rows) if message[row] in lost]
        bad = [at for at, row in enumerate(source) if message[row] in lost]
        kept = [row for row in source if message[row] not in lost]
        columns.errors = sorted([*columns.errors, *errors], key=lambda error: error.message or 0)
        return splice(columns, sorted({*rows, *gone}), inner.without(bad), kept, described(self._roles))

    def _contents(
        self, files: ClaimFiles, pointing: dict[str, dict[int, list[int]]], allowance: Allowance
    ) -> tuple[EventColumns, dict[int, str]]:
        """The events in files, with the number of the file as message number, and errors for files that cannot be
        fetched.

        Args:
            files: where to fetch them.
            pointing: locations, each with the messages that point to it.
            allowance: the size limit for all of them.

        Raises:
            Divide: the limit is too small for the batch, which can be divided.
        """
        reasons: dict[int, str] = {}
        over: list[int] = []
        errors: list[DecodeError] = []
        by_number = list(pointing.values())

        def contents() -> Iterator[tuple[bytes | None, bytes | None]]:
            for number, got in enumerate(files.each(list(pointing), allowance)):
                if isinstance(got, Unclaimed):
                    reasons[number] = str(got)
                    if got.too_long:
                        over.append(number)
                elif allowance.divides:
                    # other messages that point to the same file
                    for again in sorted(by_number[number])[1:]:
                        if not allowance.take(len(got.value)):
                            raise Divide(again)
                if over and allowance.divides:
                    raise Divide(min(by_number[over[0]]))
                yield (None, None) if isinstance(got, Unclaimed) else (got.value, got.key)

        pieces = unpack(self._protocol, self._packing, contents(), allowance, errors, over, self._keyed)
        inner = self._decoded(pieces)
        if over and allowance.divides:
            raise Divide(min(by_number[over[0]]))
        for error in _with_errors(inner, errors).errors:
            reasons.setdefault(error.message or 0, f"what lies there cannot be read: {error}")
        return inner, reasons

    def _strangers(self, outer: EventColumns, inner: EventColumns, source: Sequence[int]) -> dict[int, str]:
        """Rows whose file contains a different event than the message that points to it, with the difference."""
        found: dict[int, str] = {}
        if not source:
            return found
        at = column_of(source, pa.int64())
        pointers = inner.events.column(self._roles[LOCATION])
        if pointers.null_count < len(source):
            found |= self._where(pc.is_valid(pointers), source, "it points to another file")
        partial = pc.equal(inner.events.column(self._roles[PARTIAL]), constant(1, pa.int64()))
        found |= self._where(partial, source, "it has the row's handle key only")
        for name in ("kind", self._roles[TSO]):
            own, theirs = outer.events.column(name).take(at), inner.events.column(name)
            wrong = pc.not_equal(own, theirs)
            if name == "kind":  # an update with an unchanged handle key may be sent without its old row
                wrong = pc.and_(wrong, pc.invert(_without_old(outer.events.take(at), inner.events)))
            found |= self._where(wrong, source, f"it is another event: its {name} differs")
        tables = inner.events.column("table").to_pylist()
        for row, table, other in zip(source, outer.events.column("table").take(at).to_pylist(), tables, strict=True):
            if outer.tables[table] != inner.tables[other]:
                found[row] = "it is another event: its table differs"
        return found

    def _where(self, wrong: pa.Array, source: Sequence[int], reason: str) -> dict[int, str]:
        return {source[at]: reason for at in pc.indices_nonzero(filled(wrong, False)).to_pylist()}

    def _error(self, columns: EventColumns, row: int, reason: str) -> ClaimError:
        names = ("table", "message", self._roles[TSO], self._roles[LOCATION])
        table, message, commit_ts, location = (columns.events.column(name)[row].as_py() for name in names)
        schema, name = columns.tables[table]
        values: dict[str, object] = {}
        for layout, image_row in columns.images(row)[:1]:
            for column, array in zip(layout.columns, layout.arrays, strict=True):
                values[column.name] = array[image_row].as_py()
        return ClaimError(self._protocol, message, location, reason, schema, name, commit_ts, values)


def _without_old(outer: pa.RecordBatch, inner: pa.RecordBatch) -> pa.Array:
    """Which events have a new row image only while the events in their files have both images."""
    images = [events.column(side) for events in (outer, inner) for side in ("new_layout", "old_layout")]
    new, old, both, other = (pc.greater_equal(image, 0) for image in images)
    return pc.and_(pc.and_(new, pc.invert(old)), pc.and_(both, other))


def _with_errors(columns: EventColumns, errors: list[DecodeError]) -> EventColumns:
    """Adds errors for messages that could not be decompressed; they were decoded as null values."""
    if errors:
        bad = {error.message for error in errors}
        columns.tombstones = [message for message in columns.tombstones if message not in bad]
        errors += [error for error in columns.errors if error.message not in bad]
        columns.errors = sorted(errors, key=lambda error: error.message or 0)
    return columns


def _numbered(columns: EventColumns, first: int) -> EventColumns:
    """The columns with message numbers shifted to begin with `first`."""
    if first:
        message = pc.add(columns.events.column("message"), constant(first, pa.int64()))
        columns.events = with_column(columns.events, "message", message)
        columns.tombstones = [one + first for one in columns.tombstones]
        for error in columns.errors:
            error.message = (error.message or 0) + first
    return columns
