"""Base class of encoders of JSON objects whose messages describe tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.json.described_parts import DescriptionWriter
from tidewire.runtime.json.encoders import ObjectEncoder

if TYPE_CHECKING:
    from tidewire.runtime.batch import EventColumns
    from tidewire.runtime.encoding.message_encoder import Carried
    from tidewire.runtime.json.described_parts import DescribedPart
    from tidewire.runtime.json.sink import Spelling
    from tidewire.runtime.tables.description import DescribedTable


class DescribedEncoder(ObjectEncoder):
    """An encoder that writes descriptions of tables."""

    def __init__(
        self,
        carried: Carried,
        spelling: Spelling,
        absent: tuple[bytes, bytes],
        part: DescribedPart,
        producer: str,
        terminated: bytes = b"",
    ) -> None:
        """
        Args:
            carried, spelling, absent, terminated: as in `ObjectEncoder`.
            part: the object that describes a table.
            producer: producer whose messages are imitated.
        """
        super().__init__(carried, spelling, absent, terminated)
        self.writer = DescriptionWriter(self.protocol, part, spelling, producer)
        self.descriptions: list[DescribedTable] = []

    def bind(self, columns: EventColumns) -> None:
        super().bind(columns)
        self.descriptions = list(columns.descriptions)

    def described(self, event: cython.Py_ssize_t, column: cython.int) -> bytes:
        """The JSON object of an event's table description.

        Args:
            event: row of the event.
            column: column of events with the description's position.
        """
        position: cython.longlong = self.events.int_at(column, event)
        if position < 0 or position >= len(self.descriptions):
            self.refuse(f"its description of a table is number {position}, but there are {len(self.descriptions)}")
        return self.writer.write(self.descriptions[position])
