"""What every peer has: its name, what it measures, and how."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from benchmarks.cases import Change, ColumnDef

_HTML = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def as_go_escapes(text: str) -> str:
    """JSON as Go's encoders print it: brackets of HTML, ampersands and line separators are escapes."""
    return text.translate(_HTML)


class Message(NamedTuple):
    """A Kafka message."""

    key: bytes | None
    value: bytes


Truth: TypeAlias = tuple[object, ...]


class Peer(ABC):
    """A format and the library that reads and writes it.

    ``decode`` ends where every value is a typed Python object, in whatever shape is the library's cheapest (structs,
    dicts): no peer is charged for turning its shape into another one. ``encode`` starts from :class:`Change` objects
    with dict rows.
    """

    name: str
    """Short, for tables."""
    result: str = ""
    """What a decode ends in, where that is not typed Python values."""
    decodes: str
    """What a decode figure contains, in one sentence."""
    encodes: str
    """What an encode figure contains, in one sentence; empty when there is no writer."""
    tells_old: bool = True
    """Whether its messages have the row before an update."""

    def __init__(self, rows: Sequence[Change]) -> None:
        """Prepare for the tables of ``rows``: outside of every measurement."""
        self.tables: dict[tuple[str, str], tuple[ColumnDef, ...]] = {
            (row.schema, row.table): row.columns for row in rows
        }

    @abstractmethod
    def encode(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """The messages for these batches of rows. Timed."""

    @abstractmethod
    def decode(self, messages: Sequence[Message]) -> Sequence[object]:
        """Typed values of all rows. Timed."""

    @abstractmethod
    def truth(self, decoded: Sequence[object]) -> list[Truth]:
        """What was decoded, in the form of :meth:`Change.truth`. Not timed."""

    def sample(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """The messages to time ``decode`` with: the original producer's, where they differ from those of ``encode``."""
        return self.encode(batches)
