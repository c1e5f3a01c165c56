"""The columns of a layout that messages carry, with the codec that writes each; and whether the two row images of an
event have the same columns.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.errors import EncodeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.batch import Column
    from tidewire.runtime.wire.value_codec import ValueCodec

_MOST_AGREEING = 64
"""Size at which the sets of compatible column lists are cleared."""
_numbers = count()
"""Numbers that identify column lists; the sets of compatible lists hold these numbers instead of references."""


class ChosenColumns:
    """The columns of row images that are written."""

    def choose(
        self,
        protocol: str,
        columns: Sequence[Column],
        chosen: Sequence[int],
        codecs: Sequence[ValueCodec | None],
        nothing: ValueCodec,
    ) -> None:
        """Selects the columns that are written.

        Args:
            protocol: name of the protocol, for errors.
            columns: all columns of the row images.
            chosen: indexes of those that are written.
            codecs: codecs of all columns; None: the protocol has no values of the column's type.
            nothing: codec that writes null, used for columns whose codec can only read.
        """
        k: cython.Py_ssize_t
        self.protocol = protocol
        self.chosen = tuple(chosen)
        self.columns = tuple([columns[c] for c in chosen])
        self.codecs: list[ValueCodec] = []
        self.descriptions: tuple[object, ...] = ()
        self.width = len(self.columns)
        self.number = next(_numbers)
        self.agreeing: set[int] = set()
        """Numbers of column lists already found to have the same descriptions."""
        self.covering: set[int] = set()
        """Numbers of column lists already found to be a subset of this one."""
        self.positions = {column.name: k for k, column in enumerate(self.columns)}
        for k in range(self.width):
            codec = codecs[self.chosen[k]]
            if codec is None:
                name, kind, _, _ = self.columns[k]
                raise EncodeError(protocol, None, name, f"the protocol has no values of type {kind}")
            self.codecs.append(codec if codec.writes else nothing)

    def check_described(self, other: ChosenColumns, name: str, main: str) -> cython.int:
        """Checks that the types that a message states for these columns also hold for the event's other row image.

        Args:
            other: columns of the other image.
            name: name of the other image.
            main: name of the image of these columns, whose types the message states.

        Raises:
            EncodeError: the other image has a column that this one lacks, or with another description.
        """
        k: cython.Py_ssize_t
        if other.number in self.agreeing:
            return 0
        for k in range(other.width):
            column = other.columns[k]
            position = self.positions.get(column.name)
            if position is None:
                reason = (
                    f"the row image `{name}` has it and `{main}` has not: a message tells the types of `{main}` alone"
                )
                raise EncodeError(self.protocol, None, column.name, reason)
            if other.descriptions[k] != self.descriptions[position]:
                reason = f"it is another one in the row image `{name}` than in `{main}`: a message tells one type of it"
                raise EncodeError(self.protocol, None, column.name, reason)
        if len(self.agreeing) >= _MOST_AGREEING:
            self.agreeing.clear()
        self.agreeing.add(other.number)
        return 0

    def check_covers(self, other: ChosenColumns, name: str, main: str) -> cython.int:
        """Checks that the event's other row image has no column that this one lacks: the schema block lists these only.

        Args:
            other: columns of the other image.
            name: name of the other image.
            main: name of this image.

        Raises:
            EncodeError: the other image has an additional column.
        """
        k: cython.Py_ssize_t
        if other.number in self.covering:
            return 0
        for k in range(other.width):
            column = other.columns[k]
            if column.name not in self.positions:
                reason = (
                    f"the row image `{name}` has it and `{main}` has not: the schema block has the columns of `{main}` "
                    "alone, and no reader could tell what this one is"
                )
                raise EncodeError(self.protocol, None, column.name, reason)
        if len(self.covering) >= _MOST_AGREEING:
            self.covering.clear()
        self.covering.add(other.number)
        return 0

    def check_alike(self, other: ChosenColumns, name: str) -> cython.int:
        """Checks that columns of the same name have the same type in both row images of an event.

        Args:
            other: columns of the other image.
            name: name of the other image.

        Raises:
            EncodeError: a column has another type there, or another flag that changes how its values are written.
        """
        k: cython.Py_ssize_t
        if other.number in self.agreeing:
            return 0
        for k in range(other.width):
            column = other.columns[k]
            position = self.positions.get(column.name)
            if position is not None:
                own = self.columns[position]
                if own.type != column.type or self.codecs[position] is not other.codecs[k]:
                    reason = (
                        f"it has type {column.type} and flags {column.flags} in the row image `{name}`, "
                        f"type {own.type} and flags {own.flags} in the other one: both are rows of one table"
                    )
                    raise EncodeError(self.protocol, None, column.name, reason)
        if len(self.agreeing) >= _MOST_AGREEING:
            self.agreeing.clear()
        self.agreeing.add(other.number)
        return 0
