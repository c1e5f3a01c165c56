"""Messages in columnar files: Parquet and Arrow, and Arrow record batches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from tidewire.reading.files.formats import RECORD, Format, Input

BEGINS = {b"PAR1": Format.parquet, b"ARROW1": Format.arrow}
"""Magic bytes at the beginning of such files."""
_STREAM = re.compile(rb"\xff{4}[\x08-\xf8].{2}\x00", re.DOTALL)
"""The beginning of an Arrow IPC stream: a continuation marker, and the length of the schema (below 16 MiB)."""
MOST_ROWS = 1024
"""Rows that are read from a file at once."""
_BYTES = ("key", "value")


class NoMessagesError(ValueError):
    """The columns are not those of messages; the text lists them and the expected ones."""


def of_batch(name: str, batch: pa.RecordBatch, before: int) -> list[Input]:
    """The messages of a batch, one per row.

    Args:
        batch: batch with the column `value`, and optionally `key`, `topic`, `partition`, `offset` and `timestamp`.
        before: number of rows before the batch.

    Raises:
        NoMessagesError: there is no usable column `value`.
    """
    names = {one.lower(): at for at, one in reversed([*enumerate(batch.schema.names)])}
    kinds = ", ".join(f"{field.name} {field.type}" for field in batch.schema)
    for column in _BYTES:
        kind = batch.schema.field(names[column]).type if column in names else None
        if (kind is None and column == "value") or not (kind is None or _holds_bytes(kind)):
            raise NoMessagesError(
                f"messages lie in a column `value` of binary or string, and `key`, topic, partition, offset and "
                f"timestamp beside it where there are such; these columns are {kinds}"
            )
    found: dict[str, list[Any]] = {
        column: batch.column(names[column]).to_pylist() for column in (*_BYTES, *RECORD) if column in names
    }
    keys = found.pop("key", [None] * batch.num_rows)
    values = found.pop("value")
    made = []
    for at, (key, value) in enumerate(zip(keys, values, strict=True)):
        record = {column: _plain(those[at]) for column, those in found.items() if those[at] is not None}
        made.append(Input(f"{name}:{before + at + 1}", _bytes(key), _bytes(value), None, record or None))
    return made


def _holds_bytes(kind: pa.DataType) -> bool:
    kinds = pa.types
    return bool(
        kinds.is_binary(kind)
        or kinds.is_large_binary(kind)
        or kinds.is_string(kind)
        or kinds.is_large_string(kind)
        or kinds.is_null(kind)
    )


def _bytes(given: bytes | str | None) -> bytes | None:
    return given.encode() if isinstance(given, str) else given


def _plain(value: Any) -> Any:
    """The value as JSON can represent it."""
    return value.isoformat() if hasattr(value, "isoformat") else value


def in_columns(head: bytes) -> Format | None:
    """The columnar format of a file with these first bytes; None if it is not columnar."""
    if _STREAM.match(head):
        return Format.arrow
    return next((form for begins, form in BEGINS.items() if head.startswith(begins)), None)


def of_file(name: str, file: Any, form: Format) -> Iterator[list[Input]]:
    """The messages of a Parquet or Arrow file.

    Args:
        file: open binary file at its beginning; seekable for Parquet and the Arrow file format.
        form: Parquet or Arrow.

    Raises:
        NoMessagesError: the file has other columns, or is truncated or damaged.
    """
    before = 0
    try:
        for batch in _batches(file, form):
            yield of_batch(name, batch, before)
            before += batch.num_rows
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else "it is damaged"
        raise NoMessagesError(f"{form} that cannot be read: {first}") from None


def _batches(file: Any, form: Format) -> Iterable[pa.RecordBatch]:
    if form is Format.parquet:
        from pyarrow.parquet import ParquetFile

        yield from ParquetFile(file).iter_batches(MOST_ROWS)
        return
    if file.read(6) == b"ARROW1":
        opened = pa.ipc.open_file(file)
        batches = (opened.get_batch(at) for at in range(opened.num_record_batches))
    else:
        file.seek(0)
        batches = iter(pa.ipc.open_stream(file))
    for batch in batches:
        for start in range(0, batch.num_rows, MOST_ROWS):
            yield batch.slice(start, MOST_ROWS)
