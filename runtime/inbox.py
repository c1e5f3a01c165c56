"""From messages as they come to those that a protocol's decoder reads: decompressed, and fetched where they lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import pyarrow as pa

from tidewire.runtime import compute as pc
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.claims import Claimed, ClaimError, ClaimFiles, Unclaimed
from tidewire.runtime.compression import NONE, decompress_all, guess
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.literals import column_of, constant, filled
from tidewire.runtime.splicing import images, splice, without

Values: TypeAlias = "pa.Array | pa.ChunkedArray | Sequence[bytes | None]"
Decode = Callable[[Any, Any], EventColumns]
"""Values and keys of messages -> their events."""
IDENTITY = ("kind", "commit_ts")
"""Fields that an event and the one that points to it have alike, besides their table."""


class Inbox:
    """A protocol's decoder, with what lies around its messages.

    Args:
        protocol: for errors.
        decode: the protocol's own.
        compression: what the messages are compressed with, `none` for nothing.
        option: name of the option that says so, for errors.
        files: where messages lie that were too long to send; None: events stay as they were sent, marked as not whole.
    """

    def __init__(
        self, protocol: str, decode: Decode, compression: str = NONE, option: str = "", files: ClaimFiles | None = None
    ) -> None:
        self._protocol = protocol
        self._decode = decode
        self._compression = compression
        self._option = option
        self._files = files

    def decode(self, values: Values, keys: Any = None) -> EventColumns:
        """A batch of messages as columns; messages that cannot be read are in its `errors`."""
        columns = self._plain(values, keys)
        if self._files is None:
            return columns
        pointers = columns.events.column("claim_check")
        if pointers.null_count == len(pointers):
            return columns
        return self._resolve(self._files, columns, pc.indices_nonzero(pc.is_valid(pointers)).to_pylist())

    def _plain(self, values: Values, keys: Any) -> EventColumns:
        """The events of messages that may be compressed."""
        if self._compression == NONE:
            columns = self._decode(values, keys)
            if self._option and columns.errors:
                columns.errors = [self._hinted(error, values) for error in columns.errors]
            return columns
        plain, errors = decompress_all(self._protocol, self._compression, values)
        columns = self._decode(plain, keys)
        if errors:
            bad = {error.message for error in errors}
            columns.tombstones = [message for message in columns.tombstones if message not in bad]
            errors += [error for error in columns.errors if error.message not in bad]
            columns.errors = sorted(errors, key=lambda error: error.message or 0)
        return columns

    def _hinted(self, error: DecodeError, values: Values) -> DecodeError:
        """The error, with a word on compression when that may be the reason."""
        value = None if error.offset or error.message is None else values[error.message]
        value = value.as_py() if isinstance(value, pa.Scalar) else value
        seems = guess(value) if value else None
        if seems in (None, NONE):
            return error
        detail = f"{error.detail}; it looks like {seems}: set {self._option}={seems}"
        return DecodeError(
            error.protocol,
            error.field,
            error.offset,
            error.code,
            detail,
            error.needed,
            error.available,
            error.message,
        )

    def _resolve(self, files: ClaimFiles, columns: EventColumns, rows: list[int]) -> EventColumns:
        """The events, with those that point to a file replaced by what lies in it."""
        events = columns.events
        locations = events.column("claim_check").take(column_of(rows, pa.int64())).to_pylist()
        found = files.fetch(locations)
        whole = [(row, got) for row, got in zip(rows, found, strict=True) if isinstance(got, Claimed)]
        inner = self._plain([got.value for _, got in whole], [got.key for _, got in whole])
        failed = {row: str(got) for row, got in zip(rows, found, strict=True) if isinstance(got, Unclaimed)}
        for error in inner.errors:
            failed[whole[error.message or 0][0]] = f"what lies there cannot be read: {error}"
        source = [whole[message][0] for message in inner.events.column("message").to_pylist()]
        for row, reason in self._strangers(columns, inner, [row for row, _ in whole], source).items():
            failed.setdefault(row, reason)
        errors = [self._error(columns, row, reason) for row, reason in failed.items()]
        # a message of which one event cannot be had is undone whole
        lost = {error.message for error in errors}
        message = events.column("message").to_pylist()
        gone = [row for row in range(events.num_rows) if message[row] in lost]
        bad = [at for at, row in enumerate(source) if message[row] in lost]
        kept = [row for row in source if message[row] not in lost]
        columns.errors = sorted([*columns.errors, *errors], key=lambda error: error.message or 0)
        return splice(columns, sorted({*rows, *gone}), without(inner, bad), kept)

    def _strangers(
        self, outer: EventColumns, inner: EventColumns, rows: Sequence[int], source: Sequence[int]
    ) -> dict[int, str]:
        """Rows whose file holds something else than the event that points to it, with the reason."""
        found = dict.fromkeys(set(rows) - set(source), "it has no event")
        if not source:
            return found
        at = column_of(source, pa.int64())
        if inner.events.column("claim_check").null_count < len(source):
            found |= self._where(pc.is_valid(inner.events.column("claim_check")), source, "it points to another file")
        partial = pc.equal(inner.events.column("handle_key_only"), constant(1, pa.int64()))
        found |= self._where(partial, source, "it has the row's handle key only")
        for name in IDENTITY:
            own, theirs = outer.events.column(name).take(at), inner.events.column(name)
            found |= self._where(pc.not_equal(own, theirs), source, f"it is another event: its {name} differs")
        tables = inner.events.column("table").to_pylist()
        for row, table, other in zip(source, outer.events.column("table").take(at).to_pylist(), tables, strict=True):
            if outer.tables[table] != inner.tables[other]:
                found[row] = "it is another event: its table differs"
        return found

    def _where(self, wrong: pa.Array, source: Sequence[int], reason: str) -> dict[int, str]:
        return {source[at]: reason for at in pc.indices_nonzero(filled(wrong, False)).to_pylist()}

    def _error(self, columns: EventColumns, row: int, reason: str) -> ClaimError:
        table, message, commit_ts, location = (
            columns.events.column(name)[row].as_py() for name in ("table", "message", "commit_ts", "claim_check")
        )
        schema, name = columns.tables[table]
        return ClaimError(self._protocol, message, location, reason, schema, name, commit_ts, images(columns, row))
