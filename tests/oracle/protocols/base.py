"""A protocol's interface for the differential test: what it can carry, options, comparison of messages."""

from __future__ import annotations

import importlib
import random
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from ..cases import STRINGS, Case, Column, Happening, Options, Row, Statement, Table, Value

Text = str | None


class Cell(NamedTuple):
    """A column of a row image with its value, in comparable form: floats as their bits, strings of bytes as bytes."""

    name: str
    type: int
    flags: int
    mysql_type: Text
    value: Any


Cells = tuple[Cell, ...] | None


class Found(NamedTuple):
    """An event as a reader finds it."""

    kind: str
    when: tuple[str, int | None]
    """Which time the message tells, and the time."""
    schema: str = ""
    table: str = ""
    partition: int | None = None
    new: Cells = None
    old: Cells = None
    more: tuple[tuple[str, Any], ...] = ()
    """What else: names of fields with what is in them; what is absent is not there."""

    def cells(self) -> tuple[Cell, ...]:
        """All cells, new before old."""
        return tuple(cell for image in (self.new, self.old) for cell in image or ())


class Sent(NamedTuple):
    """A message: what is compared besides the bytes."""

    key: bytes | None
    value: bytes
    events: list[int]


@dataclass(frozen=True)
class Reader:
    """One way in which TiCDC reads.

    Attributes:
        title: what it is called in a difference.
        arguments: of the oracle's decode request.
        whole: it takes a case as a whole or not at all.
    """

    title: str
    arguments: Mapping[str, bool] = field(default_factory=dict)
    whole: bool = False

    def takes(self, event: Happening, found: Found, options: Options) -> bool:
        """Whether it can read this event."""
        return True

    def sees(self, found: Found, options: Options) -> Found:
        """What it makes of an event, and what of its answer is compared: applied to both."""
        return found


class PublicReader(Reader):
    """TiCDC's public decoder: it derives flags anew, from indexes that it guesses, and panics on flags of no table."""

    def takes(self, event: Happening, found: Found, options: Options) -> bool:
        """Tables that TiDB can have."""
        return not isinstance(event, Row) or event.table.sane

    def sees(self, found: Found, options: Options) -> Found:
        """All but the flags."""
        new, old = (image and tuple(cell._replace(flags=0) for cell in image) for image in (found.new, found.old))
        return found._replace(new=new, old=old)


class Protocol:
    """A protocol under test; by default one that carries everything."""

    name: ClassVar[str]
    protocol: ClassVar[str] = ""
    """TiCDC's name of the protocol, where that is another one."""
    types: ClassVar[tuple[int, ...]]
    """Types with values."""
    valueless: ClassVar[tuple[int, ...]]
    """Types of which only null is written."""
    damaged: ClassVar[tuple[int, ...]] = ()
    """Types whose values TiCDC damages: `excuse` names it."""
    differences: ClassVar[tuple[str, ...]] = ()
    """Names, which the spec has too, of what is known of TiCDC's codec."""
    any_flags: ClassVar[bool] = False
    """Column flags are 64 bits that nobody looks at."""
    wide: ClassVar[bool] = False
    """Numbers may be wider than their type."""
    finite: ClassVar[bool] = True
    """Neither infinities nor NaN."""
    empty_texts: ClassVar[bool] = True
    """A date or a number that is an empty text is carried, though no database has it."""
    empty_statements: ClassVar[bool] = True
    """A statement that is an empty text is carried, though no database has it."""
    declares: ClassVar[bool] = False
    """Columns have declared types."""
    describes: ClassVar[bool] = False
    """Tables are described apart from rows."""
    fitting: ClassVar[bool] = False
    """Values are taken apart, so that they have to be such as their columns can hold; and defaults are told."""
    partitions: ClassVar[bool] = False
    defaults: ClassVar[bool] = False
    """Defaults are told, as with `fitting`; those of a BIT may begin with bytes that are zero."""
    version_bits: ClassVar[int] = 64
    """Those of the version of a table's description."""
    commit_bits: ClassVar[int] = 64
    """Those of a commit ts; TiDB's has fewer than 63."""
    row_ids: ClassVar[bool] = False
    takes_shapes: ClassVar[frozenset[str]] = frozenset()
    """Names of those in refusals.py that both take."""
    stricter: ClassVar[frozenset[str]] = frozenset()
    """Names of those that TiCDC takes and ours refuses, as no database has them."""
    laxer: ClassVar[frozenset[str]] = frozenset()
    """Names of those that TiCDC refuses and ours takes, as a message can say them."""
    wrong_refused: ClassVar[bool] = False
    """TiCDC refuses values of a wrong type, too."""
    readers: ClassVar[Sequence[Reader]] = (Reader("TiCDC"),)
    row_facts: ClassVar[tuple[str, ...]] = ()
    """Fields of a row's event that are compared as they are."""
    ddl_facts: ClassVar[tuple[str, ...]] = ("ddl_type", "query")
    bootstrap_facts: ClassVar[tuple[str, ...]] = ()
    mark_facts: ClassVar[tuple[str, ...]] = ()
    sent_ms: ClassVar[int | None] = None
    """What the clock inside messages is set to; None: they have none."""

    @property
    def protocol_name(self) -> str:
        """TiCDC's name of the protocol."""
        return self.protocol or self.name

    @property
    def codec(self) -> Any:
        """The generated package."""
        return importlib.import_module("tidewire." + self.protocol_name.replace("-", "_"))

    # ---- options

    def options(self, r: random.Random) -> dict[str, Any]:
        """Options at random, as the oracle takes them."""
        raise NotImplementedError

    def ours(self, options: Options) -> Any:
        """The same as our codec takes them."""
        return self.codec.Options(**{name.replace("-", "_"): value for name, value in options.items()})

    def asked(self, options: Options) -> dict[str, Any]:
        """What the oracle is asked with, clock and all."""
        return dict(options) if self.sent_ms is None else {**options, "now_ms": self.sent_ms}

    def received(self, answer: Mapping[str, Any]) -> None:
        """Puts what TiCDC stored beside its messages where our decoder looks for it."""

    def encoded(self, events: Any, options: Options, case: Case) -> Any:
        """Our messages of events.

        Args:
            events: those of the case, or what was read of its messages.
            options: of the messages.
            case: what else is known of their tables.
        """
        return self.codec.encode(events, self.ours(options))

    def decoded(self, values: Sequence[bytes | None], keys: Sequence[bytes | None] | None, options: Options) -> Any:
        """What we read in messages."""
        return self.codec.decode_batch(values, keys, self.ours(options))

    def value(self, sent: Sent) -> bytes | None:
        """The value of a message."""
        return sent.value

    def registered(self) -> list[dict[str, Any]]:
        """The schemas that our messages name, for TiCDC's decoder."""
        return []

    def differs(self) -> str:
        """What lies beside our messages and is not what lies beside TiCDC's; empty where all of it is."""
        return ""

    def beside(self, options: Options) -> list[dict[str, str]]:
        """What our encoder stored beside its messages, name and content, for TiCDC's decoder."""
        return []

    def reading(self, options: Options) -> dict[str, Any]:
        """What TiCDC's decoder is configured with."""
        return dict(options)

    def flush(self, options: Options) -> str:
        """When the oracle builds messages."""
        return "run"

    def wants_key(self, options: Options) -> bool:
        """Whether every table needs a handle key."""
        return False

    def has_others(self, options: Options) -> bool:
        """Whether there may be DDL statements and watermarks among the rows."""
        return True

    # ---- where tables are described apart from their rows

    def prepared(self, case: Case) -> Case:
        """The case with what describes its tables."""
        return case

    def description(self, table: Table) -> Any:
        """A table as our encoder takes it."""
        raise NotImplementedError

    def told(self, row: Row, options: Options) -> dict[str, Any]:
        """What an event of a row says besides."""
        return {}

    # ---- what a reader finds of an event that was sent

    def fact(self, name: str, value: Any) -> Any:
        """A field of an event as it is compared."""
        return value

    def each(self, sent: Sent, plain: bytes) -> list[bytes]:
        """For each event of a message the part that says what became of it: by default the whole.

        Args:
            sent: the message.
            plain: its value without compression.
        """
        return [plain] * len(sent.events)

    def found(self, event: Happening, options: Options, message: bytes) -> Found | None:
        """What a reader of its message has to find of an event; None when it has none."""
        when, more = self.when(event.commit_ts, options), self.more(event, options, message)
        if isinstance(event, Row):
            images = [self._image(event, side, options, message) for side in ("new", "old")]
            table = event.table
            partition = event.partition if self.partitions else None
            return Found(event.kind, when, table.schema, table.name, partition, images[0], images[1], more)
        if isinstance(event, Statement):
            return Found("ddl", when, event.schema, event.table, more=more)
        return Found("watermark", when, more=more)

    def when(self, commit_ts: int, options: Options) -> tuple[str, int | None]:
        """Which time a message tells."""
        return "commit_ts", commit_ts

    def more(self, event: Happening, options: Options, message: bytes) -> tuple[tuple[str, Any], ...]:
        """What else a message tells of an event."""
        if isinstance(event, Statement):
            return ("ddl_type", event.type), ("query", event.query)
        return ()

    def _image(self, row: Row, side: str, options: Options, message: bytes) -> Cells:
        values: tuple[Value, ...] | None = getattr(row, side)
        if values is None:
            return None
        return tuple(
            Cell(
                column.name,
                *self.described_of(row.table, column, options),
                comparable(column.type, self.carried(column, value, options)),
            )
            for position, (column, value) in enumerate(zip(row.table.columns, values, strict=True))
            if self.has(row, side, position, options, message)
        )

    def described_of(self, table: Table, column: Column, options: Options) -> tuple[int, int, Text]:
        """Type, flags and declared type of a table's column as messages tell them."""
        return self.described(column, options)

    def described(self, column: Column, options: Options) -> tuple[int, int, Text]:
        """The same where nothing else of the table matters."""
        return column.type, column.flags, None

    def carried(self, column: Column, value: Value, options: Options) -> Value:
        """What becomes of a value on the way."""
        return value

    def has(self, row: Row, side: str, position: int, options: Options, message: bytes) -> bool:
        """Whether an image in a message has a column."""
        return True

    # ---- messages

    def plain(self, oracle: Any, values: Sequence[bytes], options: Options) -> list[bytes]:
        """Messages without their compression."""
        return list(values)

    def same_key(self, theirs: bytes | None, ours: bytes | None, case: Case) -> bool:
        """Whether two keys are the same."""
        return theirs == ours

    def same(self, theirs: bytes, ours: bytes, case: Case) -> str | None:
        """Under which name two messages that are not identical are the same; None when they are not."""
        return None

    def rewriting(self, case: Case) -> Options | None:
        """The options with which what is read of TiCDC's messages becomes the same messages again; None: with none."""
        return None if case.types() & set(self.damaged) else case.options

    def readable(self, value: bytes) -> bytes:
        """A message as it is written again by who read it, where that differs."""
        return value

    def refused(self, error: str) -> bool:
        """Whether TiCDC may refuse an event in this way: then ours has to, too, unless `taken` names the difference.

        Args:
            error: what it says; behind `panic: ` where it crashed.
        """
        return False

    # ---- differences that have a name

    def declined(self, event: Happening) -> str | None:
        """The name of the reason for which ours may refuse an event that TiCDC takes: None when it must not."""
        return None

    def taken(self, options: Options, error: str) -> str | None:
        """The name of the difference when ours takes an event that TiCDC refuses; None when it must not.

        Args:
            options: of the messages.
            error: what TiCDC says, as `refused` gets it.
        """
        return None

    def excuse(self, stage: str, wanted: Cell, got: Cell) -> str | None:
        """The name of the difference between a cell and what was read.

        Args:
            stage: "theirs" (we read TiCDC's messages), "ours" (we read ours), or a reader's title.
            wanted: what was sent.
            got: what was read.
        """
        return None


def comparable(kind: int, value: Any) -> Any:
    """A value so that equal means the same: floats as their bits, text of string types as bytes."""
    if isinstance(value, float):
        return bits(value)
    if isinstance(value, str) and kind in STRINGS:
        return value.encode()
    return value


def bits(value: float) -> tuple[str, bytes]:
    """A double as its eight bytes."""
    return "f64", struct.pack("<d", value)
