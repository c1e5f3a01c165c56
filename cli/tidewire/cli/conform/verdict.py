"""Verdicts on messages: identical, equivalent for a reason that the protocol's spec lists, or different."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tidewire.cli.conform.alike import Alike
from tidewire.cli.conform.claims import Files, MemoryStore, memory_store
from tidewire.cli.conform.compare import CarriedByProtocol, EventDifference, events, show
from tidewire.cli.conform.cover import WHAT
from tidewire.cli.conform.damage import Nameless, Overwritten, explains
from tidewire.cli.conform.lost import FirstSchemas, LostDefaults
from tidewire.cli.conform.plain import plain
from tidewire.cli.conform.recording import RecordedLine, RecordedStream
from tidewire.cli.conform.refused import TABLES, VALUES, TableCheck
from tidewire.cli.conform.registered import ToldByRecords, with_told_names
from tidewire.cli.conform.respelled import differ_in_columns_only
from tidewire.cli.conform.schemas import recorded_schemas
from tidewire.cli.eventjson import columns_of
from tidewire.cli.seen_tables import SeenTables
from tidewire.events import Ddl, Event, RowChange
from tidewire.messages.delivery.compression import CompressionError
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import TidewireError
from tidewire.runtime.tables.versions_by_time import described_at, learned

CONTEXT = 8
NULL = show(None)


DEFAULTS = "defaults"
"""The value of a defect's `lost` for defaults of columns in table descriptions."""
RE_ENCODE = "re-encode"
GATHERED = "gathered-otherwise"
"""Name in `REASONS`: the rows of a statement are distributed over messages differently than in the recording."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference and its place in the recording, for the report."""

    stream: str
    line: int | None
    """Line of the stream's file, from 1; None if it concerns no single line."""
    message: int | None
    """Number of the message (member `m`)."""
    event: int | None
    """Number of the event (member `n`); None if it concerns the whole message."""
    what: str
    """The comparison: cover (lines match events), decode, re-encode, encode from truth."""
    where: str
    wanted: str
    got: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a message: `reasons` for accepted differences, `findings` for all others."""

    reasons: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def state(self) -> str:
        """`identical`, `equivalent` or `different`."""
        return "different" if self.findings else "equivalent" if self.reasons else "identical"


SAME = Verdict()


class Judge:
    """Judges the messages of one stream."""

    def __init__(self, stream: RecordedStream, protocol: Any, options: Any) -> None:
        self._name = f"{stream.producer}/{stream.scenario}/{stream.path.name}"
        self._protocol = protocol
        self._options = options
        self._alike = Alike(protocol, options)
        schemas = recorded_schemas(stream.path, protocol)
        self._tables = SeenTables(protocol, schemas)
        self._happened = SeenTables(protocol, schemas)
        facts = protocol.FACTS.told
        self._registered = facts is not None
        self.told: ToldByRecords | None = None
        if facts is not None and options is not None and not protocol.FACTS.blocks:
            self.told = ToldByRecords(facts, stream.producer, options, self._happened.given["tables"])
        self._elsewhere = {} if schemas is None else {"schemas": schemas}
        self._files = (
            Files(protocol, options, self._alike, self._tables)
            if stream.claims.is_dir() and options is not None
            else None
        )
        ordered = stream.producer not in protocol.FACTS.sorted
        self._carried = CarriedByProtocol(
            protocol.CARRIES,
            protocol.CARRIED_FLAGS,
            ordered,
            protocol.FACTS.described,
            protocol.FACTS.blocks,
            tuple(protocol.FACTS.classed.get(stream.producer, {}).items()),
        )
        # A patched producer has no known defects, so none can explain a difference in its recordings.
        known = {} if stream.mended else protocol.FACTS.defects
        own = {name: one for name, one in known.items() if stream.producer in one.producers}
        self._defects: dict[str, tuple[tuple[int, ...], Overwritten]] = {
            name: (one.types, Overwritten(one.keeps, one.by)) for name, one in own.items() if one.by
        }
        self._unsaid: dict[int, tuple[set[str], tuple[str, ...]]] = {}
        """By message number: columns that are null in a message because their values are lost, and the reasons."""
        self._refused: dict[str, tuple[tuple[int, ...], str]] = {
            name: (one.types, one.refused) for name, one in own.items() if one.refused
        }
        self._respelled: dict[str, tuple[int, ...]] = {name: one.types for name, one in own.items() if one.respelled}
        lost = {name: one.types for name, one in own.items() if one.lost == DEFAULTS}
        self._lost_defaults = LostDefaults(lost, protocol)
        first = {name: one.first_schema for name, one in own.items() if one.first_schema}
        self._first_schemas = FirstSchemas(first, schemas)
        # table descriptions from messages, completed with what messages omit; used to encode rows again
        self._whole = SeenTables(protocol, schemas) if protocol.FACTS.blocks else self._tables
        self._nameless: dict[str, Nameless] = {
            name: Nameless(*one.nameless)
            for name, one in protocol.FACTS.differences.items()
            if one.nameless is not None and stream.producer in one.producers and not stream.mended
        }

    def known(self, what: str) -> Mapping[str, Any]:
        """The encoder arguments with table descriptions: from messages for re-encoding, otherwise from the recorded
        events.
        """
        return self._whole.given if what == RE_ENCODE else self._happened.given

    def learn(self, happened: Iterable[Event], told: bool) -> None:
        """Adds table descriptions from recorded events, for protocols with registered schemas.

        Args:
            happened: recorded events.
            told: whether messages of the stream describe tables.
        """
        if not self._registered:
            return
        for event in happened:
            described = getattr(event, "table_after", None)
            if described is not None:
                learned(self._happened.given["tables"], described, event.commit_ts)
                named = described if self.told is None else with_told_names(described)
                if named is not None and not told:
                    for known in (self._tables, self._whole):
                        learned(known.given["tables"], named, event.commit_ts)

    def timed(self, got: Sequence[Event], happened: Sequence[Event]) -> list[Event]:
        """The decoded events with what re-encoding needs and messages omit: the commit time of rows, by which their
        table description is chosen, and missing parts of table descriptions.
        """
        if self._whole is not self._tables:
            for read, event in zip(got, happened, strict=False):
                if isinstance(read, Ddl) and isinstance(event, Ddl) and read.table_after is not None:
                    read.table_after = self._lost_defaults.completed(read.table_after, event.table_after)
                    learned(self._whole.given["tables"], read.table_after, read.commit_ts)
        if self.told is not None:
            for read, event in zip(got, happened, strict=False):
                if read.commit_ts is None:
                    read.commit_ts = event.commit_ts
        return list(got)

    def silent(self, line: RecordedLine, happened: Sequence[Event]) -> Verdict | None:
        """The verdict on a message without data about its row (a delete without a key); None for other messages."""
        if self.told is None or line.key is not None or len(happened) != 1:
            return None
        (event,) = happened
        if not isinstance(event, RowChange) or not self.told.says_nothing(event):
            return None
        name = self._protocol.FACTS.told.keyless
        return Verdict(reasons=(name,)) if not self.decode(line) else None

    def decode(self, line: RecordedLine) -> list[Event]:
        """Decodes a recorded message.

        Raises:
            DecodeError: the message cannot be decoded.
        """
        return list(self._decode(line.value, line.key))

    def _decode(self, value: bytes | None, key: bytes | None) -> Any:
        return self._protocol.decode(value, key, self._options, **self._tables.given)

    def decoded(self, line: RecordedLine, wanted: Sequence[Event], got: Sequence[Event], uncut: Any) -> Verdict:
        """Compares decoded events with the recorded ones; `uncut` are the options with which these are encoded in full.
        """
        differences = events(wanted, got, self._carried)
        if differences and self._defects:
            try:
                ours = [message.value for message in self._protocol.encode(wanted, uncut, **self._elsewhere)]
            except Exception:  # events that cannot be encoded explain no difference
                ours = []
            name = self._excuse(line, differences, ours[0]) if len(ours) == 1 else None
            if name is not None:
                return Verdict(reasons=(name,))
        lost = self._lost(line, wanted, got, differences, uncut) if differences and self._protocol.FACTS.losses else ()
        return Verdict(reasons=lost) if lost else self._of_events("decode", line, differences)

    def _lost(
        self,
        line: RecordedLine,
        wanted: Sequence[Event],
        got: Sequence[Event],
        differences: Sequence[EventDifference],
        uncut: Any,
    ) -> tuple[str, ...]:
        """Names of the known losses that explain the differences between recorded and decoded events: every differing
        value has a loss, and both events are encoded as the recorded message. Empty if they do not explain all.
        """
        losses = self._protocol.FACTS.losses.items()
        names = [
            next((name for name, one in losses if d.column_type in one.types and one.nulls == (d.wanted == NULL)), None)
            for d in differences
        ]
        if any(name is None for name in names):
            return ()
        # for a column with a default, null means a lost value: NULL would have been written as the default
        unsaid = {d.where.partition(" ")[2] for d in differences if d.got == NULL}
        more: list[str] = []
        for said, known in ((wanted, self._happened.given), (got, self._whole.given)):
            try:
                (ours,) = self._protocol.encode(said, uncut, **known)
            except Exception:  # events that cannot be encoded explain no difference
                return ()
            found = self._of_bytes(RE_ENCODE, line, ours.key, ours.value)
            if found.findings and not (said is got and self._differ_in(line, ours.value, unsaid, nulls=True)):
                return ()
            more += found.reasons
        reasons = tuple(dict.fromkeys([*(str(name) for name in names), *more]))
        if unsaid:
            self._unsaid[line.number] = unsaid, reasons
        return reasons

    def _differ_in(self, line: RecordedLine, value: bytes | None, columns: set[str], nulls: bool = False) -> bool:
        """Whether a message differs from the recorded one in these columns only; with `nulls`, only where that one has
        null.
        """
        try:
            return differ_in_columns_only(self._json(line.value), self._json(value), columns, nulls)
        except (CompressionError, ValueError):
            return False

    def _json(self, value: bytes | None) -> bytes:
        """A message as JSON.

        Raises:
            CompressionError, ValueError: the message cannot be unpacked, or is a record with an unknown schema.
        """
        if not self._registered:
            return self._alike.unpacked(value or b"")
        found = plain(value or b"", self._elsewhere["schemas"])
        return b'{"schema":%d,"record":%b}' % found

    def _loses(self, line: RecordedLine, value: bytes) -> str | None:
        """The defect by which the recorded message lost data that ours contains, if the messages are otherwise equal;
        None if there is none.
        """
        try:
            theirs = self.decode(line)
            found = self._lost_defaults.explains(theirs, self._json(line.value), self._json(value))
        except (TidewireError, CompressionError, ValueError):  # an unreadable message is not explained
            return None
        return found or self._first_schemas.explains(theirs, line.value or b"", value)

    def refused(self, event: Event) -> str | None:
        """The defect because of which the producer refuses an event; None if there is none."""
        for name, (types, what) in self._refused.items():
            if what in TABLES:
                wrong = isinstance(event, RowChange) and self._is_of_table(TABLES[what], event, types)
            else:
                wrong = any(column.type in types and VALUES[what](value) for column, value in _cells(event))
            if wrong:
                return name
        return None

    def _is_of_table(self, wrong: TableCheck, event: RowChange, types: Sequence[int]) -> bool:
        """Whether a check fails for the table of a row, with the description valid at the row's commit time."""
        names = (event.schema or "", event.table or "")
        described = described_at(self._happened.given["tables"], names, event.commit_ts)
        return described is not None and wrong(described, event, types)

    def unreadable(self, line: RecordedLine, happened: Sequence[Event]) -> tuple[str, list[Event]] | None:
        """The producer's defect that makes a recorded message undecodable, and the events that the message would have
        without it. None if no defect explains the message: ours with the defect applied must be identical to it.
        """
        if not self._nameless:
            return None
        try:
            (ours,) = self._protocol.encode(happened, self._options, **self._elsewhere)
            name = self._lost_names(line, ours.key, ours.value)
            return None if name is None else (name, list(self._decode(ours.value, ours.key)))
        except Exception:  # a message that cannot be encoded, or differs, is not explained
            return None

    def _lost_names(self, line: RecordedLine, key: bytes | None, value: bytes | None) -> str | None:
        """The defect that turns our message into the recorded one by omitting column names; None if there is none."""
        if value is None or line.value is None or key != line.key:
            return None
        wanted, got = (self._alike.unpacked(data) for data in (line.value, value))
        for name, rule in self._nameless.items():
            if wanted != got and rule.without(self._protocol, got, key) == wanted:
                return name
        return None

    def failed(self, what: str, line: RecordedLine, wanted: str, got: str) -> Verdict:
        """The verdict on a message that could not be compared."""
        return Verdict(findings=(self._finding(line, what, "message", wanted, got),))

    def gap(self, line: RecordedLine | None, event: int | None, where: str, wanted: str, got: str) -> Finding:
        """A finding that the lines of the stream do not match the recorded events."""
        line_number, number = (None, None) if line is None else (line.line_number, line.number)
        return Finding(self._name, line_number, number, event, WHAT, where, wanted, got)

    def header(self, where: str, wanted: str, got: str) -> Finding:
        """A finding about the header line of the stream."""
        return Finding(self._name, 1, None, None, WHAT, where, wanted, got)

    def _finding(
        self, line: RecordedLine, what: str, where: str, wanted: str, got: str, event: int | None = None
    ) -> Finding:
        return Finding(self._name, line.line_number, line.number, event, what, where, wanted, got)

    def place_for_files(self) -> MemoryStore | None:
        """The store for files that encoding writes; None if it writes none."""
        return None if self._options is None else memory_store(self._protocol, self._options)

    def encoded(
        self, what: str, lines: Sequence[RecordedLine], messages: Sequence[Any], kept: MemoryStore | None = None
    ) -> list[Verdict]:
        """Compares encoded messages, and the files they point to, with recorded ones; one verdict per recorded message.
        """
        gathered = self._gathered(lines, messages) if what == RE_ENCODE else None
        if gathered is not None:
            return [Verdict(reasons=gathered)] * len(lines)
        verdicts = [
            self._with_files(what, line, message, kept, self._of_bytes(what, line, message.key, message.value))
            for line, message in zip(lines, messages, strict=False)
        ]
        verdicts += [
            self.failed(what, line, f"{len(lines)} messages", f"{len(messages)} messages")
            for line in lines[len(messages) :]
        ]
        if len(messages) > len(lines):
            extra = self.failed(what, lines[-1], f"{len(lines)} messages", f"{len(messages)} messages")
            verdicts[-1] = Verdict(findings=verdicts[-1].findings + extra.findings)
        return verdicts

    def _gathered(self, lines: Sequence[RecordedLine], messages: Sequence[Any]) -> tuple[str, ...] | None:
        """The reasons why a statement's messages are equivalent to the recorded ones although their number differs;
        None if it does not differ, or they are not. How rows are distributed over messages can depend on data that
        messages do not contain.
        """
        if len(lines) == len(messages) or not getattr(self._options, "terminator", ""):
            return None
        wanted = b"".join(line.value or b"" for line in lines)
        got = b"".join(message.value or b"" for message in messages)
        reasons = self._alike.reasons(wanted, got)
        return None if reasons is None else (GATHERED, *reasons)

    def _with_files(
        self, what: str, line: RecordedLine, message: Any, kept: MemoryStore | None, verdict: Verdict
    ) -> Verdict:
        if kept is None or self._files is None or verdict.findings:
            return verdict
        found = self._files.compare(line, message, kept)
        if found.difference is not None:
            return Verdict(findings=(self._finding(line, what, *found.difference),))
        return Verdict(reasons=tuple(dict.fromkeys(verdict.reasons + found.reasons)))

    def _excuse(self, line: RecordedLine, differences: Sequence[EventDifference], ours: bytes | None) -> str | None:
        """The defect that explains all differences between the recorded message and ours; None if there is none."""
        for name, (types, rule) in self._defects.items():
            if all(d.column_type in types for d in differences) and explains(rule, self._protocol, line.value, ours):
                return name
        return None

    def _spelled_otherwise(self, line: RecordedLine, value: bytes) -> tuple[str, ...]:
        """The defects by which the recorded message formats values differently than ours; empty if the events differ,
        or something else does.
        """
        try:
            theirs, ours = self.decode(line), list(self._decode(value, line.key))
        except TidewireError:  # an unreadable message is not explained
            return ()
        if events(theirs, ours, self._carried):
            return ()
        columns = {column for one in theirs for column, _ in _cells(one)}
        found = {
            name: {column.name for column in columns if column.type in types} for name, types in self._respelled.items()
        }
        every = set().union(*found.values())
        if not self._differ_in(line, value, every):
            return ()
        return tuple(name for name, own in found.items() if not self._differ_in(line, value, every - own))

    def _of_events(self, what: str, line: RecordedLine, differences: Sequence[EventDifference]) -> Verdict:
        number = dict(enumerate(line.events))
        found = [self._finding(line, what, d.where, d.wanted, d.got, number.get(d.event)) for d in differences]
        return Verdict(findings=tuple(found))

    def _of_bytes(self, what: str, line: RecordedLine, key: bytes | None, value: bytes | None) -> Verdict:
        if (key, value) == (line.key, line.value):
            return SAME
        if what == RE_ENCODE and line.number in self._unsaid:
            columns, lost = self._unsaid[line.number]
            if self._differ_in(line, value, columns, nulls=True):
                return Verdict(reasons=lost)
        of_key = self._alike.key_reasons(line.key, key)
        if of_key is not None and value is not None and line.value is not None:
            reasons = self._alike.reasons(line.value, value)
            if reasons is not None:
                return Verdict(reasons=(*of_key, *reasons))
        if self._defects and key == line.key and value is not None:
            try:
                ours = list(self._decode(value, key))
                name = self._excuse(line, events(self.decode(line), ours, self._carried), value)
            except Exception:  # an undecodable message is not explained
                name = None
            if name is not None:
                return Verdict(reasons=(name,))
        if self._respelled and of_key is not None and value is not None:
            names = self._spelled_otherwise(line, value)
            if names:
                return Verdict(reasons=names)
        forgetful = bool(self._lost_defaults or self._first_schemas) and of_key is not None
        forgotten = self._loses(line, value) if forgetful and value is not None else None
        if forgotten is not None:
            return Verdict(reasons=(forgotten,))
        nameless = self._lost_names(line, key, value) if self._nameless else None
        if nameless is not None:
            return Verdict(reasons=(nameless,))
        part, wanted, got = ("value", line.value, value) if of_key is not None else ("key", line.key, key)
        where = part
        if part == "value" or self._protocol.FACTS.has_keys:
            where = self._field(line, part, wanted or b"", got or b"")
        return Verdict(findings=(self._finding(line, what, where, *_window(wanted, got)),))

    def _field(self, line: RecordedLine, part: str, wanted: bytes, got: bytes) -> str:
        """Path of the field with the first differing byte of the recorded key or value."""
        offset = first_difference(wanted, got)
        try:
            spans = self._protocol.dissect(line.value or b"", line.key, **self._elsewhere)
        except Exception:  # if the dissector fails, the finding shows the offset instead of a field
            spans = []
        inside = [span for span in spans if span.part == part and span.start <= offset < span.end]
        if not inside:
            return f"{part} at {offset}"
        before = f"{part} " if self._protocol.FACTS.has_keys else ""
        return f"{before}{max(inside, key=lambda s: s.depth).path} at {offset}"


def _cells(event: Event) -> Iterator[tuple[Column, Any]]:
    """The columns of an event's row images, with their values."""
    if isinstance(event, RowChange):
        for image in (event.new, event.old):
            if image is not None:
                yield from ((column, image[column.name]) for column in columns_of(event, image))


def first_difference(wanted: bytes, got: bytes) -> int:
    """Offset of the first differing byte; the length of the shorter value if it is a prefix of the longer one."""
    for offset, (w, g) in enumerate(zip(wanted, got, strict=False)):
        if w != g:
            return offset
    return min(len(wanted), len(got))


def _window(wanted: bytes | None, got: bytes | None) -> tuple[str, str]:
    """Both values in hex around the first difference, with their lengths."""
    if wanted is None or got is None:
        return tuple("null" if data is None else f"{len(data)} bytes" for data in (wanted, got))  # type: ignore[return-value]
    start = max(first_difference(wanted, got) - CONTEXT // 2, 0)
    shown = [f"{'…' if start else ''}{d[start : start + CONTEXT].hex(' ')}… of {len(d)}" for d in (wanted, got)]
    return shown[0], shown[1]
