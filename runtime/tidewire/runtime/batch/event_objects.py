"""Events as objects: the base of all event classes, and a sequence of events over columns.

The event classes and their fields are printed; a printed class sets the attributes of `EventObject`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar, Optional, Self, TypeAlias, TypeVar

from tidewire.runtime import cython
from tidewire.runtime.batch import Column
from tidewire.runtime.batch.building import EventBuilder
from tidewire.runtime.batch.event_columns import EventColumns
from tidewire.runtime.batch.rows import Row, RowSet
from tidewire.runtime.errors import ArgumentError, DecodeError
from tidewire.runtime.shortened import shown
from tidewire.runtime.tables import DescribedTable
from tidewire.runtime.tso import EPOCH, TSO_SHIFT

MOST_EVENTS = 3
"""The most events that the text of a sequence shows."""
MOST_TEXT = 500
"""The most characters of each shown event."""
_Given = TypeVar("_Given")
Given: TypeAlias = Optional[_Given]  # noqa: UP045 - of `_Given | None` Cython makes C that gcc warns about
"""The type of an event attribute's value. Cython does not know this name and passes any object unchecked until the
event is encoded; for a plain `int` it would convert to a C number, and 1.5 to 1.
"""


def remade(cls: Any, positional: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Restores a pickled event."""
    return cls(*positional, **named)


class EventObject:
    """The base class of events.

    Attributes:
        KIND: the kind, if all events of the class are of one kind.
        TIMES: the attributes with the commit time: the TSO, and the milliseconds that may replace it.
        POSITIONAL: the attributes that are positional arguments, in order.
        NAMED: the keyword-only attributes, at most 64; `said_by_name` returns which of them an event has.
        IMAGES: the row images among `POSITIONAL`.
        IDENTITY: the attributes by which events are compared.
    """

    KIND: ClassVar[str] = ""
    TIMES: ClassVar[tuple[str, str]] = ("", "")
    POSITIONAL: ClassVar[tuple[str, ...]] = ()
    NAMED: ClassVar[tuple[str, ...]] = ()
    IMAGES: ClassVar[tuple[str, ...]] = ()
    IDENTITY: ClassVar[tuple[str, ...]] = ()

    @property
    def kind(self) -> str:
        """The kind of the event: one of `KINDS`."""
        return self.KIND

    @property
    def commit_time(self) -> datetime | None:
        """The commit time in UTC, with milliseconds: from the commit ts, otherwise from the milliseconds; None if the
        event has neither.
        """
        tso, physical = self.TIMES
        whole = getattr(self, tso, None)
        milliseconds = getattr(self, physical, None) if whole is None else whole >> TSO_SHIFT
        return None if milliseconds is None else EPOCH + timedelta(milliseconds=milliseconds)

    def listed(self, given: object) -> tuple[Any, ...]:
        """The columns passed to an event as a tuple; they are checked when the event is written.

        Raises:
            ArgumentError: they are not a sequence.
        """
        if type(given) is tuple:
            return given
        if not isinstance(given, Iterable):
            raise ArgumentError(f"columns are a sequence of Column, not {shown(given)}")
        return tuple(given)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return _values(self, self.IDENTITY) == _values(other, self.IDENTITY)

    def __hash__(self) -> int:
        return hash(_values(self, self.IDENTITY[:2]))

    def __reduce__(self) -> tuple[object, ...]:
        positional = {name: getattr(self, name) for name in self.POSITIONAL}
        for name in self.IMAGES:
            if positional[name] is not None:
                positional[name] = dict(positional[name].items())
        return remade, (type(self), tuple(positional.values()), _given(self))

    def __repr__(self) -> str:
        names = [
            name for name in self.POSITIONAL if name not in self.IMAGES and not (self.IMAGES and name == "columns")
        ]
        values = {name: getattr(self, name) for name in (*names, *self.IMAGES)}
        parts = [f"{name}={value!r}" for name, value in {**values, **_given(self)}.items()]
        return f"{type(self).__name__}({', '.join(parts)})"


def _values(event: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    """The values of these attributes."""
    return tuple([getattr(event, name) for name in names])


def _given(event: Any) -> dict[str, Any]:
    """The keyword-only attributes of an event that are not None."""
    return {name: value for name in event.NAMED if (value := getattr(event, name)) is not None}


def columns_of_rows(given: tuple[Column, ...], images: Iterable[Any]) -> tuple[Column, ...]:
    """The columns of an event with rows: those passed, otherwise those of its first row image that has columns."""
    return given or next((image.columns for image in images if isinstance(image, Row)), ())


def lacks_of_rows(images: Iterable[Any]) -> tuple[str, ...]:
    """Columns that the table is known to have and the first image lacks."""
    first = next((image for image in images if image is not None), None)
    return getattr(first, "lacks", ())


def described_columns(given: tuple[Column, ...], description: DescribedTable | None) -> tuple[Column, ...]:
    """The columns of an event without rows: those passed, otherwise those of its table's description."""
    return given or (tuple(description.row_columns()) if isinstance(description, DescribedTable) else ())


class EventView:
    """A sequence of events over columns; event objects are made on demand.

    Attributes:
        BUILDER: makes columns of event objects. Rare columns that are null throughout a batch are not read again.
        columns: the events as columns.
    """

    BUILDER: ClassVar[EventBuilder]

    def __init__(self, columns: EventColumns) -> None:
        builder: EventBuilder = self.BUILDER
        self.columns = columns
        self.source = columns.source(builder.names, builder.storages)
        self.rows = self.source.rows
        self.rare = 0
        for column in builder.rare:
            if self.source.has_values(column):
                self.rare |= cython.cast(cython.ulonglong, 1) << (column & 63)
        self.tables = columns.tables
        self.row_sets: list[RowSet | None] = [None] * len(columns.layouts)

    @classmethod
    def of(cls, events: Iterable[EventObject]) -> Self:
        """Event objects as columns.

        Raises:
            EncodeError: an event lacks something, or has a value that its column's type cannot hold.
        """
        return events if isinstance(events, cls) else cls(cls.BUILDER.build(events))

    @classmethod
    def columns_of(cls, events: Iterable[EventObject]) -> EventColumns:
        """The columns of events; those of event objects are made.

        Raises:
            EncodeError: as above.
        """
        return events.columns if isinstance(events, EventView) else cls.BUILDER.build(events)

    @property
    def errors(self) -> list[DecodeError]:
        """The messages that could not be decoded."""
        return self.columns.errors

    @property
    def tombstones(self) -> list[int]:
        """The indexes of messages without a value (null): they have no events, and are no errors."""
        return self.columns.tombstones

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self.event(k) for k in range(*index.indices(self.rows))]
        position = index + self.rows if index < 0 else index
        if not 0 <= position < self.rows:
            raise IndexError(f"there are {self.rows} events, no number {index}")
        return self.event(position)

    def __repr__(self) -> str:
        texts = [repr(self.event(k)) for k in range(min(self.rows, MOST_EVENTS))]
        shown = ", ".join(text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 1]}…" for text in texts)
        more = f", and {self.rows - MOST_EVENTS:,} more" if self.rows > MOST_EVENTS else ""
        others = [(len(self.errors), "error"), (len(self.tombstones), "tombstone")]
        beside = "".join(f", {count:,} {what}{'s' * (count != 1)}" for count, what in others if count)
        return f"<{self.rows:,} event{'s' * (self.rows != 1)}: [{shown}{more}]{beside}>"

    def event(self, k: cython.Py_ssize_t) -> object:
        """The event at a valid position."""
        raise NotImplementedError

    def image(self, layout: cython.Py_ssize_t, row: cython.Py_ssize_t) -> Any:
        """A row image; None for the layout -1."""
        if layout < 0 or row < 0:
            return None
        rows: RowSet | None = self.row_sets[layout]
        if rows is None:
            rows = self.row_set(layout)
        image: Row = Row.__new__(Row)
        image.rows = rows
        image.row = row
        return image

    def row_set(self, number: cython.Py_ssize_t) -> RowSet:
        """The row images of a layout, made on first use: there may be as many layouts as rows."""
        builder: EventBuilder = self.BUILDER
        rows = RowSet(self.columns.layouts[number], builder.storage)
        self.row_sets[number] = rows
        return rows

    def truth(self, c: cython.int, k: cython.Py_ssize_t) -> bool | None:
        """A boolean of an event; None if it is absent."""
        if self.source.null_at(c, k):
            return None
        return self.source.int_at(c, k) != 0

    def said(self, c: cython.int) -> cython.bint:
        """Whether some event may have a value in this rare column: a bit for each, shared by columns that are 64
        apart.
        """
        return (self.rare >> (c & 63)) & 1 != 0

    def description(self, c: cython.int, k: cython.Py_ssize_t) -> Any:
        """A table description of an event; None if it is absent."""
        if self.source.null_at(c, k):
            return None
        return self.columns.descriptions[self.source.int_at(c, k)]

    def layout_columns(self, layout: cython.Py_ssize_t) -> tuple[Column, ...]:
        """The columns of a layout."""
        return () if layout < 0 else self.columns.layouts[layout].columns


Sequence.register(EventView)
