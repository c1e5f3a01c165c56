"""Events as objects: what all classes of events have, and a sequence of events over the columns that hold them.

Which classes there are, and what fields they have, is printed; a printed class says it in the attributes of
`EventObject`.
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
"""Events that the text of a sequence of them shows."""
MOST_TEXT = 500
"""Characters of one of them."""
_Given = TypeVar("_Given")
Given: TypeAlias = Optional[_Given]  # noqa: UP045 - of `_Given | None` Cython makes C that gcc warns about
"""What an event may be given. Cython, which does not know this name, takes whatever is given as it is, to be looked at
when the event is written: of a plain `int` it would make a number of C's, and of 1.5 the number 1."""


def remade(cls: Any, positional: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """An event that was pickled."""
    return cls(*positional, **named)


class EventObject:
    """What every event has.

    Attributes:
        KIND: what happened, where the events of a class are all of one kind.
        TIMES: the attributes that say when an event was committed: its TSO, and the milliseconds that can stand in.
        POSITIONAL: the attributes that are given by position when an event is made, in order.
        NAMED: those that are given by name, at most 64; a class that has some says by `said_by_name` which are there.
        IMAGES: those of `POSITIONAL` that are row images; the columns of an event with rows are shown with the rows.
        IDENTITY: the attributes in which equal events agree.
    """

    KIND: ClassVar[str] = ""
    TIMES: ClassVar[tuple[str, str]] = ("", "")
    POSITIONAL: ClassVar[tuple[str, ...]] = ()
    NAMED: ClassVar[tuple[str, ...]] = ()
    IMAGES: ClassVar[tuple[str, ...]] = ()
    IDENTITY: ClassVar[tuple[str, ...]] = ()

    @property
    def kind(self) -> str:
        """What happened: one of `KINDS`."""
        return self.KIND

    @property
    def commit_time(self) -> datetime | None:
        """When the event was committed, in UTC, with milliseconds: what the commit ts says, else its milliseconds
        alone; None when the event has neither.
        """
        tso, physical = self.TIMES
        whole = getattr(self, tso, None)
        milliseconds = getattr(self, physical, None) if whole is None else whole >> TSO_SHIFT
        return None if milliseconds is None else EPOCH + timedelta(milliseconds=milliseconds)

    def listed(self, given: object) -> tuple[Any, ...]:
        """The columns that an event is given, which are looked at when it is written.

        Raises:
            ArgumentError: they are no sequence.
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
    """These attributes of an event."""
    return tuple([getattr(event, name) for name in names])


def _given(event: Any) -> dict[str, Any]:
    """Those of the attributes of an event that are given by name, and are not None."""
    return {name: value for name in event.NAMED if (value := getattr(event, name)) is not None}


def columns_of_rows(given: tuple[Column, ...], images: Iterable[Any]) -> tuple[Column, ...]:
    """The columns of an event with rows: those given, else those of its first row image that says them."""
    return given or next((image.columns for image in images if isinstance(image, Row)), ())


def lacks_of_rows(images: Iterable[Any]) -> tuple[str, ...]:
    """The columns that the table of row images is known to have and the first of them has not."""
    first = next((image for image in images if image is not None), None)
    return getattr(first, "lacks", ())


def described_columns(given: tuple[Column, ...], description: DescribedTable | None) -> tuple[Column, ...]:
    """The columns of an event without rows: those given, else those of its table's description."""
    return given or (tuple(description.row_columns()) if isinstance(description, DescribedTable) else ())


class EventView:
    """A sequence of events over the columns that hold them; an event is made when it is asked for.

    Attributes:
        BUILDER: makes columns of event objects. A batch where a rare column is null throughout does not look into it
            again.
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
        """The messages, by number, that had no value (null): they have no events, and are no errors."""
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
        """The event at a position that is known to be there."""
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
        """The row images of a layout, made when the first of them is asked for: there may be as many layouts as
        rows.
        """
        builder: EventBuilder = self.BUILDER
        rows = RowSet(self.columns.layouts[number], builder.storage)
        self.row_sets[number] = rows
        return rows

    def truth(self, c: cython.int, k: cython.Py_ssize_t) -> bool | None:
        """A truth value of an event; None when it does not say."""
        if self.source.null_at(c, k):
            return None
        return self.source.int_at(c, k) != 0

    def said(self, c: cython.int) -> cython.bint:
        """Whether some event may have a value in this rare column: a bit for each, which columns share that are 64
        apart.
        """
        return (self.rare >> (c & 63)) & 1 != 0

    def description(self, c: cython.int, k: cython.Py_ssize_t) -> Any:
        """What an event says a table is; None when it does not say."""
        if self.source.null_at(c, k):
            return None
        return self.columns.descriptions[self.source.int_at(c, k)]

    def layout_columns(self, layout: cython.Py_ssize_t) -> tuple[Column, ...]:
        """The columns of a layout."""
        return () if layout < 0 else self.columns.layouts[layout].columns


Sequence.register(EventView)
