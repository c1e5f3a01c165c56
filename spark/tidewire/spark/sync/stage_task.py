"""The task that stages messages: it decodes them once, writes files for all tables, and returns only facts."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.events import KINDS
from tidewire.reading.images import text_where_possible
from tidewire.reading.message_batch import MessageBatch
from tidewire.reading.types import MOST_VERSION, SchemaError
from tidewire.reading.whole import incomplete
from tidewire.runtime.arrow.literals import column_of, constant
from tidewire.runtime.batch import EventColumns, Layout, TableName
from tidewire.runtime.errors import DecodeError, MissingTableError
from tidewire.runtime.registered.errors import MissingSchemaError
from tidewire.runtime.tso import TSO_SHIFT
from tidewire.spark.decoding import DecodeTask
from tidewire.spark.known_tables import TaskTables, task_decoder
from tidewire.spark.registries import said_nothing
from tidewire.spark.sync.began import first_offsets
from tidewire.spark.sync.by_key import by_offset
from tidewire.spark.sync.by_table import Runs, by_table, runs
from tidewire.spark.sync.changed_rows import NO_KEY, ChangedRows, Failed, unmergeable
from tidewire.spark.sync.changelog import DeadLetter, StagedRows, table_name
from tidewire.spark.sync.equal_rows import NTH, nth_of_equals
from tidewire.spark.sync.facts import SeenStatement
from tidewire.spark.sync.misfits import misfits
from tidewire.spark.sync.mixed import FEW, GROUP, MANY, kept_messages
from tidewire.spark.sync.rules import MOST_KEYS
from tidewire.spark.sync.shapes import METADATA, Shape, shape_of
from tidewire.spark.sync.staged_files import LETTERS, MESSAGES, ROWS, WAITING, StagedFiles
from tidewire.spark.sync.unreadable_rows import unreadable_rows
from tidewire.spark.sync.wanted import EVERYTHING, Wanted

BATCH_BYTES = 64 << 20
"""Messages of a task are decoded together up to this size, because each table in a batch has a fixed cost."""
HELD_BYTES = 256 << 20
"""The most bytes of rows that a task buffers before writing them."""
AHEAD_SECONDS = 600
"""How far the source's clock may be ahead of this machine's and of the broker's."""
SENT = "timestamp"
"""The column with Kafka's timestamp of a message, if a frame has it."""
MOST_REASON = 500
"""The most characters of a reason in a manifest; the file of dead letters has the whole text."""
_DDL, _WATERMARK = KINDS["ddl"], KINDS["watermark"]
_DESCRIBED = "described"
"""The value of `types_from` for rows that are read with the description valid at their commit ts."""
_NO_SHAPE = Shape(())


@dataclass(frozen=True)
class StageTask(DecodeTask):
    """`mapInArrow`: messages -> files, and the facts about them.

    Attributes:
        state: the state's location, a path or a URL that fsspec supports.
        part: the folder for the files of this micro-batch.
        wanted: which tables are staged.
        resolved: R of the previous manifest: rows below it are late.
        few: a table with fewer rows in a batch is stored as messages; None: `FEW`, if more than `MANY` tables are that
            small.
        again: whether these messages waited for descriptions: one that still lacks its description is a dead letter.
        by_offset: whether changes are ordered by message offset.
        latest: the greatest plausible commit ts of a watermark; a later one is a dead letter.
        new: partitions that no earlier batch had: their rows below `resolved` are no replays.
        firsts: whether to report the smallest offset and the smallest watermark of each partition.
    """

    state: str
    part: str
    wanted: Wanted = EVERYTHING
    resolved: int = 0
    few: int | None = None
    again: bool = False
    by_offset: bool = False
    latest: int = MOST_VERSION
    new: frozenset[tuple[str, int]] = frozenset()
    firsts: bool = False
    batch_bytes: int = BATCH_BYTES

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with task_decoder(self.protocol, self.options, self.tables) as (decoder, known):
            staging = Staging(self, StagedFiles(self.state, self.part), decoder)
            lost = 0
            for batch in gathered(batches, self.batch_bytes):
                messages = MessageBatch(batch)
                staging.messages += batch.num_rows
                if self.firsts:
                    staging.take_first(batch)
                for decoded in decoder.parts(messages.values, messages.keys):
                    lost += len(decoded.tombstones)
                    text_where_possible(decoded.layouts)
                    staging.take(messages, decoded)
                if known is not None:
                    known.batch_done()
            said_nothing(decoder.FACTS, lost)
            yield from staging.finish(known)


def gathered(batches: Iterable[pa.RecordBatch], most: int) -> Iterator[pa.RecordBatch]:
    """The batches joined, up to `most` bytes each."""
    held: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        held.append(batch)
        size += batch.nbytes
        if size >= most:
            yield pa.concat_batches(held) if len(held) > 1 else held[0]
            held, size = [], 0
    if held:
        yield pa.concat_batches(held) if len(held) > 1 else held[0]


class Staging:
    """What a task has staged so far."""

    def __init__(self, task: StageTask, files: StagedFiles, decoder: Any) -> None:
        self.messages = 0
        self._task = task
        self._decoder = decoder
        self._files = files
        self._rows = ChangedRows(task.protocol, task.options)
        self._held: dict[tuple[str, Shape], list[pa.RecordBatch]] = {}
        self._held_bytes = 0
        self._mixed: list[pa.Table] = []
        self._mixed_rows: dict[tuple[str, Shape], list[int]] = {}
        self._bad: list[tuple[int, DeadLetter]] = []
        self._letters: list[tuple[pa.Table, list[DeadLetter]]] = []
        self._told: dict[str, dict[tuple[int, str], DeadLetter]] = {}
        """By table, the unreadable messages of the smallest commit timestamps: with more keys the whole table waits."""
        self._no_shape: dict[str, str] = {}
        self._waiting: list[pa.Table] = []
        self._away = ""
        self._watermarks: dict[tuple[str, int], int] = {}
        self._least: dict[tuple[str, int], int] = {}
        self._missed: dict[str, tuple[str, int]] = {}
        self._unmergeable: dict[str, tuple[int, str]] = {}
        self._facts: list[tuple[str, str]] = []
        self._wanted: dict[TableName, bool] = {}
        self._shapes: dict[int, Shape] = {}

    def take_first(self, batch: pa.RecordBatch) -> None:
        """Notes the first offsets that were read."""
        for one in first_offsets(batch):
            self._fact("first", one)

    def take(self, messages: MessageBatch, decoded: EventColumns) -> None:
        """Stages the events of a batch, or of a part of it."""
        if self._task.by_offset:
            decoded = by_offset(messages, decoded)
        self._take_errors(messages, decoded)
        self._take_other_events(messages, decoded)
        self._take_changes(messages, decoded)
        if self._bad:
            bad = _as_messages(messages, column_of([at for at, _ in self._bad], pa.int32()))
            self._letters.append((bad, [letter for _, letter in self._bad]))
            self._held_bytes += bad.nbytes
            self._bad = []
        if self._held_bytes > HELD_BYTES:
            self._write()

    def _take_changes(self, messages: MessageBatch, decoded: EventColumns) -> None:
        """Makes rows of the changes of tables with many, and stores the messages of small tables."""
        found = runs(decoded)
        counts = {table: count for table, count in found.counted().items() if self._is_wanted(decoded.tables[table])}
        if not counts:
            return
        self._shapes = {}
        if self._task.new and self._task.resolved:
            self._take_missed(messages, decoded, counts)
        lacking = incomplete(decoded)
        parts = bool(pc.any(lacking).as_py())
        late = self._later(decoded)
        bad = self._out_of_order(decoded)
        few = {table for table, count in counts.items() if count < (FEW if self._task.few is None else self._task.few)}
        if self._task.few is None and len(few) <= MANY:
            few.clear()
        small = {table for table in counts if (table in few or table in late) and table not in bad}
        checked = small - late
        if checked:
            small -= misfits(decoded.layouts, checked, partial(self._shape_in, decoded), self._task.options)
        for table, changes in by_table(decoded, found, [table for table in counts if table not in small]):
            name = decoded.tables[table]
            try:
                made = self._rows.of((name[0] or "", name[1] or ""), table, changes, parts)
            except SchemaError as error:
                if table in bad:
                    for message in pc.unique(changes.events.column("message")).to_pylist():
                        self._letter(messages, message, str(error), _named(name))
                else:
                    small.add(table)  # its messages are stored, and the reason for having no rows is noted
                continue
            for one in made:
                self._failed(messages, _named(name), one.failed)
                if not one.rows.num_rows:
                    continue
                self._held.setdefault((_named(name), one.shape), []).append(one.rows)
                self._held_bytes += one.rows.nbytes
                why = unmergeable(one)
                if why is not None:
                    self._cannot(_named(name), *why)
        if small:
            self._keep(messages, decoded, found, small, lacking if parts else None)

    def _take_missed(self, messages: MessageBatch, decoded: EventColumns, tables: Collection[int]) -> None:
        """Notes tables with rows below R in new partitions."""
        column = decoded.events.column("commit_ts")
        late = pc.fill_null(pc.less(column, constant(self._task.resolved, column.type)), False)
        events = decoded.events.select(["message", "table"]).filter(late)
        places = (messages.column(name, events.column("message")).to_pylist() for name in ("topic", "partition"))
        for table, topic, partition in zip(events.column("table").to_pylist(), *places, strict=True):
            place = topic or "", partition or 0
            if table in tables and place in self._task.new:
                self._missed.setdefault(_named(decoded.tables[table]), place)

    def _is_wanted(self, name: TableName) -> bool:
        found = self._wanted.get(name)
        if found is None:
            found = self._wanted[name] = name in self._task.wanted
        return found

    def _later(self, decoded: EventColumns) -> set[int]:
        """Tables with rows that are read with the description valid at their commit ts. When rows are applied all
        descriptions are known, but not yet here: another partition may have one.
        """
        column = decoded.events.column("types_from")
        if column.null_count == len(column):
            return set()
        rows = pc.indices_nonzero(pc.equal(column, constant(_DESCRIBED, column.type)))
        return set(pc.unique(decoded.events.column("table").take(rows)).to_pylist())

    def _out_of_order(self, decoded: EventColumns) -> set[int]:
        """Tables with changes that have no commit ts, or one too large for BIGINT: these rows are dead letters."""
        column = decoded.events.column("commit_ts")
        most = pc.max(column).as_py()
        if not column.null_count and (most is None or most <= MOST_VERSION):
            return set()
        good = pc.fill_null(pc.less_equal(column, constant(MOST_VERSION, column.type)), False)
        rows = pc.indices_nonzero(pc.invert(good))
        return set(pc.unique(decoded.events.column("table").take(rows)).to_pylist())

    def _keep(
        self,
        messages: MessageBatch,
        decoded: EventColumns,
        found: Runs,
        tables: Collection[int],
        lacking: pa.Array | None,
    ) -> None:
        """Stores the messages of these tables."""
        rows = found.rows
        parts = [rows.slice(start, end - start) for table, start, end in found.parts() if table in tables]
        rows = rows if len(parts) == len(found.tables) else pa.concat_arrays(parts)
        kept = kept_messages(
            messages,
            decoded,
            rows,
            lambda table: _named(decoded.tables[table]),
            partial(self._shape_in, decoded),
            lacking,
            self._task.resolved,
        )
        self._mixed.append(kept.table)
        self._held_bytes += kept.table.nbytes
        for one in kept.rows:
            name = _named(decoded.tables[one.table])
            before = self._mixed_rows.get((name, one.shape), [0, one.lo, one.hi, 0])
            self._mixed_rows[name, one.shape] = [
                before[0] + one.rows,
                min(before[1], one.lo),
                max(before[2], one.hi),
                before[3] + one.late,
            ]
            if one.shape.lacks or not one.shape.keys:
                self._cannot(name, one.lo, self._no_shape.get(name) or one.shape.lacks or NO_KEY)

    def _shape_in(self, decoded: EventColumns, layout: Layout) -> Shape:
        """The shape of a layout's rows, computed once in a batch."""
        found = self._shapes.get(id(layout))
        if found is None:
            found = self._shapes[id(layout)] = self._shape(decoded.tables[layout.table], layout)
        return found

    def _shape(self, name: TableName, layout: Layout) -> Shape:
        try:
            return shape_of(name, layout, self._task.options, self._rows.scales)
        except SchemaError as error:
            self._no_shape[_named(name)] = str(error)
            return _NO_SHAPE

    def _cannot(self, name: str, ts: int, lacks: str) -> None:
        """Notes rows that cannot be merged; the smallest commit ts counts."""
        before = self._unmergeable.get(name)
        if before is None or ts < before[0]:
            self._unmergeable[name] = ts, lacks

    def _take_errors(self, messages: MessageBatch, decoded: EventColumns) -> None:
        waiting = []
        others: dict[int, DecodeError] = {}
        for error in decoded.errors:
            at = int(error.message or 0)
            if isinstance(error, MissingSchemaError) and error.later:
                self._away = self._away or str(error)
                continue
            if not isinstance(error, MissingTableError):
                others[at] = error
            elif not self._task.again:
                waiting.append(at)
            else:
                self._letter(messages, at, str(error), _named((error.schema, error.table)) if error.table else "")
        if others:
            self._take_unreadable(messages, others)
        if waiting:
            kept = _as_messages(messages, column_of(waiting, pa.int32()))
            self._waiting.append(kept)
            self._held_bytes += kept.nbytes

    def _take_unreadable(self, messages: MessageBatch, errors: Mapping[int, DecodeError]) -> None:
        """Makes dead letters of messages that could not be decoded, with the tables and keys of their rows if these can
        be found out.
        """
        ordered = partial(by_offset, messages) if self._task.by_offset else lambda events: events
        found = unreadable_rows(self._decoder, messages, errors.values(), self._rows, ordered)
        for at, error in errors.items():
            for one in found.get(at, ()):
                if self._is_wanted(one.table):
                    self._letter(messages, at, str(error), table_name(*one.table), one.key, one.ts)
            if at not in found:
                self._letter(messages, at, str(error))

    def _failed(self, messages: MessageBatch, name: str, failed: Iterable[Failed]) -> None:
        for one in failed:
            self._letter(messages, one.message, one.reason, name, one.key, one.ts)

    def _letter(
        self, messages: MessageBatch, at: int, reason: str, table: str = "", key: str = "", ts: int = 0
    ) -> None:
        topic, partition, offset = messages.place(at)
        self._bad.append((at, DeadLetter("", reason, topic, partition, offset, table, key, ts)))

    def _take_other_events(self, messages: MessageBatch, decoded: EventColumns) -> None:
        """Stages watermarks and statements."""
        events = decoded.events
        kind = events.column("kind")
        rows = pc.indices_nonzero(pc.equal(kind, constant(_WATERMARK, kind.type)))
        if len(rows):
            marks = events.select(["message", "commit_ts"]).take(rows)
            for at, ts in zip(*(column.to_pylist() for column in marks.columns), strict=True):
                topic, partition, _ = messages.place(at)
                if ts is not None and (than := self._later_than(messages, at, ts)):
                    self._letter(messages, at, _too_late(ts, than))
                elif ts is not None:
                    place = topic, partition
                    self._watermarks[place] = max(ts, self._watermarks.get(place, ts))
                    self._least[place] = min(ts, self._least.get(place, ts))
        rows = pc.indices_nonzero(pc.equal(kind, constant(_DDL, kind.type)))
        if not len(rows):
            return
        wanted = ["message", "table", "commit_ts", "query", "ddl_type", "ddl_class"]
        for one in events.select(wanted).take(rows).to_pylist():
            schema, table = (None, None) if one["table"] is None else decoded.tables[one["table"]]
            if one["commit_ts"] is None:
                self._letter(messages, one["message"], "a statement has no commit ts, by which it is put in order")
                continue
            seen = SeenStatement(
                one["commit_ts"],
                schema or "",
                table or "",
                one["query"] or "",
                one["ddl_type"],
                one["ddl_class"],
                *messages.place(one["message"]),
            )
            self._fact("statement", seen)

    def _later_than(self, messages: MessageBatch, at: int, ts: int) -> str:
        """Which clock a watermark is too far ahead of; empty if it is plausible."""
        if ts > self._task.latest:
            return "the clock of this machine"
        sent = messages.kept(SENT, SENT, column_of([at], pa.int32())) if messages.has(SENT) else None
        if sent is None or not sent.is_valid()[0].as_py():
            return ""
        time = int(sent.cast(pa.timestamp("ms", sent.type.tz), safe=False).cast(pa.int64())[0].as_py())
        # a message without a time has one before all others
        return "Kafka's timestamp of its message" if 0 < time < (ts >> TSO_SHIFT) - AHEAD_SECONDS * 1000 else ""

    def _fact(self, kind: str, fact: Any) -> None:
        self._facts.append((kind, json.dumps(fact, ensure_ascii=False, separators=(",", ":"))))

    def _write(self) -> None:
        """Writes the buffered rows."""
        for (name, shape), batches in self._held.items():
            table = pa.Table.from_batches(batches)
            if not shape.keys:
                table = table.append_column(NTH, nth_of_equals(table, METADATA[1]))
            version = table.column("_commit_version")
            path = self._files.write(ROWS, table, [METADATA[0]])
            span = pc.min_max(version)
            late = pc.sum(pc.less(version, constant(self._task.resolved, pa.int64()))).as_py() or 0
            rows = StagedRows(
                name, path, table.num_rows, span["min"].as_py(), span["max"].as_py(), int(late), shape.text()
            )
            self._fact("rows", rows)
        if self._mixed:
            mixed = pa.concat_tables(self._mixed).unify_dictionaries()
            path = self._files.write(MESSAGES, mixed, ["table"], GROUP)
            for (name, shape), (rows_there, lo, hi, late) in self._mixed_rows.items():
                self._fact("rows", StagedRows(name, path, rows_there, lo, hi, late, shape.text()))
        if self._letters:
            self._write_letters()
        if self._waiting:
            waiting = pa.concat_tables(self._waiting)
            self._fact("waiting", self._files.write(WAITING, waiting))
        self._held.clear()
        self._held_bytes = 0
        self._mixed.clear()
        self._mixed_rows.clear()
        self._letters.clear()
        self._waiting.clear()

    def _write_letters(self) -> None:
        letters = [letter for _, some in self._letters for letter in some]
        found = pa.concat_tables([table for table, _ in self._letters])
        for name, texts in (
            ("reason", [one.reason for one in letters]),
            ("table", [one.table for one in letters]),
            ("row_key", [one.key for one in letters]),
        ):
            found = found.append_column(name, column_of(texts, pa.utf8()))
        found = found.append_column("commit_ts", column_of([one.ts for one in letters], pa.int64()))
        path = self._files.write(LETTERS, found)
        self._fact("letters", [path, len(letters)])
        for one in letters:
            self._told.setdefault(one.table, {})[one.ts, one.key] = one._replace(path=path)
        for table, each in self._told.items():
            if len(each) > MOST_KEYS:
                self._told[table] = dict(sorted(each.items(), key=lambda one: one[0])[: MOST_KEYS + 1])

    def finish(self, known: TaskTables | None) -> Iterator[pa.RecordBatch]:
        """Writes everything that is left, and returns the facts."""
        self._write()
        self._files.done()
        for (topic, partition), ts in self._watermarks.items():
            self._fact("watermark", [topic, partition, ts])
        for (topic, partition), ts in self._least.items() if self._task.firsts else ():
            self._fact("least", [topic, partition, ts])
        for name, (ts, lacks) in self._unmergeable.items():
            self._fact("unmergeable", [name, ts, lacks])
        for name, (topic, partition) in self._missed.items():
            self._fact("missed", [name, topic, partition])
        for letters in self._told.values():
            for letter in letters.values():
                self._fact("dead", letter._replace(reason=letter.reason[:MOST_REASON]))
        given = self._task.tables
        for one in known or ():
            if given is None or (one.schema, one.table, one.version) not in given:
                self._fact("description", one.to_json())
        if self._away:
            self._fact("away", self._away)
        self._fact("messages", self.messages)
        kinds, facts = zip(*self._facts, strict=True)
        yield pa.RecordBatch.from_arrays(
            [column_of(list(kinds), pa.utf8()), column_of(list(facts), pa.utf8())], schema=self._task.schema
        )


def _too_late(ts: int, than: str) -> str:
    """Why a watermark is refused."""
    return (
        f"a watermark of commit ts {ts} is later than {than}: something else than the changefeed"
        " wrote it, or one of the clocks is wrong; nothing is resolved by it"
    )


def _named(name: TableName) -> str:
    return table_name(name[0] or "", name[1] or "")


def _as_messages(messages: MessageBatch, at: pa.Array) -> pa.Table:
    """Some messages in the columns of Kafka's source."""
    keys = pa.nulls(len(at), pa.binary()) if messages.keys is None else messages.keys.cast(pa.binary()).take(at)
    columns = {"key": keys, "value": messages.values.cast(pa.binary()).take(at)}
    for name in ("topic", "partition", "offset"):
        columns[name] = messages.column(name, at)
    return pa.table(columns)
