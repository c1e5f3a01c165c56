"""Lines of a spec that say how the values of columns of some types are written, wherever a schema calls the columns."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace

from ..facts import ColumnType
from ..words import Located, Word


@dataclass(frozen=True, kw_only=True, eq=False)
class LineOfColumns(Located):
    """A line of a spec: which columns have a schema type, and how their values are written."""

    types: tuple[Word, ...]
    schema: Word
    """The schema type."""
    codecs: Mapping[str, Word]
    """By wire; the line does not apply to wires that are missing here."""
    flagged: Word | None
    """The flag that the columns have."""
    unflagged: Word | None
    """The flag that the columns must not have."""
    length: tuple[int, int] | None
    """The lengths of the columns; None: any. The same holds for `fraction`, the fractional digits of seconds."""
    fraction: tuple[int, int] | None
    unscaled: bool
    """Whether it is for columns declared without fractional digits."""
    default: str | None
    """How the default of such columns is written; None: as for the schema type."""
    reads: bool
    """Whether only readers use it."""
    writes: tuple[Word, ...]
    """The wires whose encoders use it; empty: all that have it."""
    bare: bool
    """Whether readers prefer it if no schema gives the type."""
    mode: tuple[Word, Word] | None
    """The option and choice with which readers prefer it."""
    when: tuple[Word, Word] | None
    """The option and choice with which encoders use it."""
    producers: tuple[Word, ...]
    """The producers that write it; none: all do."""
    wire: str = ""
    """The wire of the protocol."""

    @property
    def is_narrowed(self) -> bool:
        """Whether it is for only some columns of its types, regardless of flags."""
        return self.length is not None or self.fraction is not None or self.unscaled

    def storage(self, kind: ColumnType) -> str:
        """How values of the type are stored in columns with only the line's flag."""
        return kind.storage if self.flagged is None else kind.storage_with(self.flagged)

    @property
    def codec(self) -> Word:
        """How values are written on the wire of the protocol."""
        return self.codecs[self.wire]

    def on(self, wire: str, options: Container[str]) -> LineOfColumns:
        """The line as a protocol has it whose messages are on a wire that the line has codecs for.

        Args:
            wire: the protocol's.
            options: the protocol's; those of others choose nothing there.
        """
        return replace(
            self,
            wire=wire,
            reads=self.reads or bool(self.writes and wire not in self.writes),
            mode=self.mode if self.mode is not None and self.mode[0] in options else None,
            when=self.when if self.when is not None and self.when[0] in options else None,
        )
