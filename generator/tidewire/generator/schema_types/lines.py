"""Lines of a spec that assign a schema type and codecs to columns of some types."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace

from ..facts import ColumnType
from ..words import Located, Word


@dataclass(frozen=True, kw_only=True, eq=False)
class LineOfColumns(Located):
    """A line of a spec: the schema type of some columns, and the codecs of their values."""

    types: tuple[Word, ...]
    schema: Word
    """The schema type."""
    codecs: Mapping[str, Word]
    """Codecs by wire; the line does not apply to wires that are absent."""
    flagged: Word | None
    """A flag that the columns must have."""
    unflagged: Word | None
    """A flag that the columns must not have."""
    length: tuple[int, int] | None
    """Range of column lengths; None: any. `fraction` is the range of fractional digits of seconds."""
    fraction: tuple[int, int] | None
    unscaled: bool
    """Whether it applies only to columns declared without fractional digits."""
    default: str | None
    """How the default of such columns is written; None: as for the schema type."""
    reads: bool
    """Whether only readers use it."""
    reads_on: tuple[Word, ...]
    """The wires on which only readers use it."""
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
        """The storage of values in columns that have only the line's flag."""
        return kind.storage if self.flagged is None else kind.storage_with(self.flagged)

    @property
    def codec(self) -> Word:
        """The codec for the protocol's wire."""
        return self.codecs[self.wire]

    def on(self, wire: str, options: Container[str]) -> LineOfColumns:
        """The line reduced to one protocol, for whose wire it has codecs.

        Args:
            options: the protocol's options; choices by other options are dropped.
        """
        return replace(
            self,
            wire=wire,
            reads=self.reads or wire in self.reads_on,
            mode=self.mode if self.mode is not None and self.mode[0] in options else None,
            when=self.when if self.when is not None and self.when[0] in options else None,
        )
