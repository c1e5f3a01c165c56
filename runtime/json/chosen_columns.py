"""The columns of a layout that messages carry, each with what writes its values, and whether two images of an event
have the same ones.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.json.codecs import NOTHING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.batch import Column
    from tidewire.runtime.json.codec import JsonCodec

_MOST_AGREEING = 64
"""Other images' columns above which those that agree are found out anew."""
_numbers = count()
"""What images' columns are told apart by: those that agree with others keep their numbers, not them."""


class ChosenColumns:
    """The columns of row images that are written."""

    def choose(
        self, protocol: str, columns: Sequence[Column], chosen: Sequence[int], codecs: Sequence[JsonCodec | None]
    ) -> None:
        """Takes the columns that are written; the arguments and errors are those of the class."""
        k: cython.Py_ssize_t
        self.protocol = protocol
        self.chosen = tuple(chosen)
        self.columns = tuple([columns[c] for c in chosen])
        self.codecs: list[JsonCodec] = []
        self.descriptions: tuple[object, ...] = ()
        self.width = len(self.columns)
        self.number = next(_numbers)
        self.agreeing: set[int] = set()
        """Columns of other row images that have been found to be described alike."""
        self.covering: set[int] = set()
        """Those that have been found to be no more than these."""
        self.positions = {column.name: k for k, column in enumerate(self.columns)}
        for k in range(self.width):
            codec = codecs[self.chosen[k]]
            if codec is None:
                name, kind, _, _ = self.columns[k]
                raise EncodeError(protocol, None, name, f"the protocol has no values of type {kind}")
            self.codecs.append(codec if codec.writes else NOTHING)

    def check_described(self, other: ChosenColumns, name: str, main: str) -> cython.int:
        """Whether what a message tells of these columns is true of another row image in it as well.

        Args:
            other: the columns of the other image.
            name: of the other image.
            main: of the image of these columns, whose types the message tells.

        Raises:
            EncodeError: the other image has a column that is not described, or described otherwise.
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
        """Whether the other row image of an event has no columns but those of this one: a block has these alone.

        Args:
            other: the columns of the other image.
            name: of the other image.
            main: of this one.

        Raises:
            EncodeError: it has one more.
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
        """Whether the columns that both row images of an event have are the same columns: one description has them.

        Args:
            other: the columns of the other image.
            name: of the other image.

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
