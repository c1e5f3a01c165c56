"""Lines of a spec that say how the values of columns of some types are written, wherever a schema calls the columns."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace

from ..facts import ColumnType
from ..words import Located, Word


@dataclass(frozen=True, kw_only=True, eq=False)
class LineOfColumns(Located):
    """Which columns are said in a schema type, and how their values are written."""

    types: tuple[Word, ...]
    schema: Word
    """The schema type."""
    codecs: Mapping[str, Word]
    """By wire; a wire that is not there does not have the line."""
    flagged: Word | None
    """The flag that the columns have."""
    unflagged: Word | None
    """The flag that they do not have."""
    length: tuple[int, int] | None
    """The lengths of the columns; None: any. So it is with the digits of parts of a second."""
    fraction: tuple[int, int] | None
    unscaled: bool
    """Whether it is for columns without digits behind the point that are declared."""
    default: str | None
    """As what the default of such columns is written; None: as that of others of the schema type."""
    reads: bool
    """Whether readers take it, and no writer."""
    writes: tuple[Word, ...]
    """The wires whose writers take it; none: all that have it."""
    bare: bool
    """Whether a reader takes it before others where no schema says the type."""
    mode: tuple[Word, Word] | None
    """The option, and its choice, with which a reader takes it before others."""
    when: tuple[Word, Word] | None
    """The option, and its choice, with which a writer takes it."""
    producers: tuple[Word, ...]
    """The producers that write it; none: all do."""
    wire: str = ""
    """That of the protocol."""

    @property
    def is_narrowed(self) -> bool:
        """Whether it is for some columns of its types only, whatever their flags."""
        return self.length is not None or self.fraction is not None or self.unscaled

    def storage(self, kind: ColumnType) -> str:
        """How values of the type are stored, of columns that have no other flag than the line says."""
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
