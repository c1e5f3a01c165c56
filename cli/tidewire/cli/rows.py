"""`tidewire decode --to`: writes the typed rows of one table to a columnar file."""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import tidewire
from tidewire.cli.inputs import batches
from tidewire.cli.rows_format import RowsFormat
from tidewire.cli.shell import CommandError, complain, many, say_waiting
from tidewire.cli.which import undetected
from tidewire.reading.described_tables import KnownTables
from tidewire.reading.files.formats import Format
from tidewire.reading.files.streams import PIECE
from tidewire.reading.table_reader import MixedWarning
from tidewire.reading.undetected import UndetectedError
from tidewire.runtime.whole_files import bytes_written_whole
from tidewire.tables import TableStore


class OptionTables(KnownTables):
    """Table descriptions from the files that an option names."""

    advice = "give its CREATE TABLE with --tables FILE, or the message that describes it"


def write_rows(
    files: Sequence[str],
    form: Format,
    given: tuple[Sequence[str], Sequence[str]],
    protocol: str | None,
    options: Mapping[str, str],
    tables: TableStore | None,
    table: str,
    to: RowsFormat,
    out: Path | None,
) -> int:
    """Writes the rows of one table in batches and reports their number; returns the number of bad messages.

    Args:
        files: paths of messages; - is standard input. A pipe is copied to a file first, since it is read twice.
        form: file format of the messages.
        given: messages of the command line, and keys for messages without one.
        protocol: name of the protocol; None: detect it.
        options: options of typed rows and of the protocol, as strings.
        tables: descriptions of tables that the messages themselves do not describe.
        table: name of the table.
        to: output format.
        out: output file; None: standard output.

    Raises:
        CommandError: the output would go to a terminal, or there is no input.
    """
    if out is None and sys.stdout.isatty():
        raise CommandError(f"--to {to}: this is no text for a terminal; --out names a file")
    hexes, keys = given
    rows = bad = 0
    with ExitStack() as stack:
        found = stack.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter("always")
        if not files and not hexes and sys.stdin.isatty():
            raise CommandError("nothing to read: name files, give --hex, or pipe messages in")
        source: Any = [stack.enter_context(_as_file(path)) for path in files or ([] if hexes else ["-"])]
        if hexes or keys:
            source = [one for batch in batches(source, form, hexes, "decode", keys) for one in batch]
        made = tidewire.rows(source, table, protocol, options=options, tables=OptionTables(tables or ()), form=form)
        try:
            first = next(made, None)
        except UndetectedError as error:
            raise undetected(error) from None
        assert first is not None, "a table without a row is an error"
        sink = sys.stdout.buffer if out is None else stack.enter_context(bytes_written_whole(out))
        writer = stack.enter_context(_writer(to, sink, first.schema))
        for batch in _all(first, made):
            writer.write_batch(batch)
            rows += batch.num_rows
            bad += batch.column("_change_type").null_count
    told = [one.message.mixed.said("-p ") if isinstance(one.message, MixedWarning) else one.message for one in found]
    for text in dict.fromkeys(map(str, told)):
        complain(text)
    where = f" to {out}" if out is not None else ""
    unread = f": {rows - bad:,} of {table}, and {bad:,} of what could not be read, with the reason" if bad else ""
    complain(f"{many(rows, 'row')}{'' if bad else f' of {table}'} written{where}{unread}")
    return bad


def _all(first: Any, others: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from others


def _writer(to: RowsFormat, sink: Any, schema: Any) -> Any:
    import pyarrow as pa

    if to is RowsFormat.parquet:
        from pyarrow.parquet import ParquetWriter

        return ParquetWriter(sink, schema, compression="zstd")
    return pa.ipc.new_file(sink, schema)


@contextmanager
def _as_file(path: str) -> Iterator[str]:
    """A path that can be read twice; a pipe is copied to a file."""
    if path != "-" and not Path(path).is_fifo():
        yield path
        return
    say_waiting(path)
    with tempfile.NamedTemporaryFile() as copy, sys.stdin.buffer if path == "-" else Path(path).open("rb") as pipe:
        while piece := pipe.read(PIECE):
            copy.write(piece)
        copy.flush()
        yield copy.name
