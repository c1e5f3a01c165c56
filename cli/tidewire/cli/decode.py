"""`tidewire decode`: messages in, events as JSON lines out."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from tidewire.cli.eventjson import kind_of, to_json
from tidewire.cli.inputs import FilesFormat, Hexes, Keys, batches, read_again
from tidewire.cli.protocols import OptionPairs, options, pairs
from tidewire.cli.rows_format import RowsFormat
from tidewire.cli.seen_tables import SeenTables, TablesFiles, described
from tidewire.cli.selection import Kinds, Limit, Selection, Tables
from tidewire.cli.shell import FOUND_BAD, CommandError, complain, console, json_text, many
from tidewire.cli.shortjson import to_short
from tidewire.cli.troubles import Troubles
from tidewire.cli.which import Named, Sources, settle, split
from tidewire.events import KINDS, Event, Events
from tidewire.messages.checksums.verifying import UnverifiedWarning
from tidewire.reading.files.formats import Format, Input

if TYPE_CHECKING:
    from tidewire.runtime.batch import TableName
    from tidewire.tables import TableStore


def decode(
    sources: Sources = None,
    protocol: Named = None,
    form: FilesFormat = Format.auto,
    hexes: Hexes = None,
    key: Keys = None,
    option: OptionPairs = None,
    tables: TablesFiles = None,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Print all that an event has, with the types of columns; encode takes it."),
    ] = False,
    table: Tables = None,
    kind: Kinds = None,
    limit: Limit = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="Print no events but a table: how many of each table and kind, and when.")
    ] = False,
    to: Annotated[
        RowsFormat | None,
        typer.Option(
            help="Write the rows of one --table, typed, to --out: as tidewire.read_table gives them, in the order of "
            "the messages. -o takes its options, too, such as -o timezone=Asia/Shanghai."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Of --to: the file; else they go to standard output.")
    ] = None,
    errors: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep messages that cannot be decoded here, with the reason, as JSON lines."),
    ] = None,
) -> None:
    """Turn messages into change events, one JSON object a line.

    A line has op, table, message (the number of its message), what Kafka said of that (topic, partition, offset,
    timestamp), commit_ts, time, key (the names of the key's columns), new and old; what an event does not have is
    left out. --exact prints lines of which encode makes the same messages again.

    Numbers: integers are JSON numbers with all their digits, up to 64 bits; jq keeps them from 1.7 on and rounds them
    beyond 2^53 before. DECIMAL, dates and times are text, NaN and the infinities too. Bytes are {"base64": "..."}:
    .new.c.base64 | @base64d.

    A message that cannot be decoded is reported and costs its neighbours nothing; the exit code is then 1. Messages
    without a value (tombstones) have no events; they are counted. What comes from a pipe is printed as soon as it is
    there.
    """
    named, files = split(sources or [], protocol)
    if to is not None or out is not None:
        others = {"--kind": kind, "--limit": limit, "--exact": exact, "--summary": summary, "--errors": errors}
        alone = [name for name, value in others.items() if value not in (None, False)]
        wrong = "--out goes with --to" if to is None else "--to goes with one --table"
        if alone or to is None or table is None or len(table) != 1:
            raise CommandError(
                f"{f'{alone[0]} does not go with --to' if alone else wrong}: tidewire decode FILE --table shop.orders "
                "--to parquet --out orders.parquet"
            )
        from tidewire.cli.rows import write_rows  # here, since it is slow to import

        given = (hexes or [], key or [])
        if write_rows(files, form, given, named, pairs(option or []), described(tables), table[0], to, out):
            raise typer.Exit(FOUND_BAD)
        return
    chosen = Selection(table or [], kind or [], list(KINDS))
    counted = None
    if summary:
        from tidewire.cli.summary import Summary  # here: it imports rich, which takes 0.1 s

        counted = Summary(list(KINDS))
    left = limit
    with ExitStack() as stack:
        # reported at the end, by reason with the number of rows
        stack.enter_context(warnings.catch_warnings(action="ignore", category=UnverifiedWarning))
        store = described(tables)
        known = settle(named, batches(files, form, hexes or [], "decode", key or []), pairs(option or []), store)
        opts = options(known.module, known.options, invalid_text="bytes")
        if table and read_again(files, hexes or []):
            again = batches(files, form, hexes or [], "decode", key or [])
            with warnings.catch_warnings(action="ignore"):  # these warnings are issued when the events are decoded
                chosen.choose(tables_of(known.module, opts, store, again))
        kept = None if errors is None else stack.enter_context(errors.open("w", encoding="utf-8"))
        reader = BatchReader(known.module, opts, kept, SeenTables(known.module, tables=store), known.options)
        for batch in known.batches:
            for number, event in reader.read(batch):
                if left == 0:
                    break
                event_kind = kind_of(event)
                if not chosen.wants(event_kind, getattr(event, "schema", None), getattr(event, "table", None)):
                    continue
                if left is not None:
                    left -= 1
                if counted is not None:
                    counted.add(event, event_kind)
                else:
                    print_event(event, number, batch[number - reader.before].record, exact)
            sys.stdout.flush()
            if left == 0:
                break
    if counted is not None:
        counted.show(console(), reader.messages)
    for remark in chosen.remarks():
        complain(remark)
    problem = None if left == 0 else chosen.problem()
    if problem is not None:
        complain(problem)
    if reader.finish() or problem is not None:
        raise typer.Exit(FOUND_BAD)


def print_event(event: Event, message: int, record: Mapping[str, Any] | None, exact: bool) -> None:
    """Prints the line of an event, with the number of its message and the Kafka metadata of that message."""
    origin = {"message": message, **(record or {})}
    if exact:
        line = {**to_json(event), **origin}
    else:
        line = to_short(event)
        # the origin comes after operation and table, and before the values
        head = [name for name in ("op", "schema", "table") if name in line]
        line = {**{name: line.pop(name) for name in head}, **origin, **line}
    sys.stdout.write(json_text(line, compact=True) + "\n")


def tables_of(
    module: Any, opts: Any, store: TableStore | None, found: Iterator[Sequence[Input]]
) -> Iterator[list[TableName]]:
    """The tables of which messages have events, list by list."""
    from tidewire.tables import TableStore  # here, since few commands need it

    decoder = module.Decoder(opts, **SeenTables(module, tables=TableStore(store or ())).given)
    for batch in found:
        readable = [one for one in batch if one.problem is None]
        for columns in decoder.parts([m.value for m in readable], [m.key for m in readable]):
            yield columns.tables


class BatchReader:
    """Decodes batches of messages, and reports those that cannot be decoded.

    Attributes:
        messages: number of messages so far.
        before: number of messages before the current batch.
    """

    def __init__(
        self, module: Any, opts: Any, kept: IO[str] | None, tables: SeenTables, given: Mapping[str, str]
    ) -> None:
        self.messages = self.before = 0
        self._decoder = module.Decoder(opts, **tables.given)
        self._tombstones = 0
        self._troubles = Troubles(module.NAME, kept, given)

    def read(self, batch: Sequence[Input]) -> Iterator[tuple[int, Event]]:
        """The events of a batch, each with the number of its message in the whole input."""
        self.before = self.messages
        self.messages += len(batch)
        decoded = [at for at, message in enumerate(batch) if message.problem is None]
        readable = self._troubles.unreadable(batch)
        for columns in self._decoder.parts([m.value for m in readable], [m.key for m in readable]):
            self._tombstones += len(columns.tombstones)
            numbers = columns.events.column("message").to_pylist()
            for event, number in zip(Events(columns), numbers, strict=True):
                yield self.before + decoded[number], event
            self._troubles.errors(readable, columns.errors)

    def finish(self) -> int:
        """Reports the checksums that could not be verified and the number of tombstones and of bad messages; returns
        the latter.
        """
        for reason, rows in self._decoder.unverified.items():
            complain(f"the checksums of {many(rows, 'row')} are not verified: {reason}")
        if self._tombstones:
            complain(f"{many(self._tombstones, 'message')} without a value (tombstones): no events")
        return self._troubles.finish()
