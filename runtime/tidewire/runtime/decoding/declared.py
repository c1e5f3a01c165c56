"""A cache of declared column types, by their text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tidewire.runtime import cython
from tidewire.runtime.shortened import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    from tidewire.runtime.decoding.layout_cache import LayoutCache
    from tidewire.runtime.wire.value_codec import ValueCodec

    class TypeText(Protocol):
        """A parsed declared type."""

        @property
        def type(self) -> int: ...
        @property
        def flags(self) -> int: ...
        @property
        def members(self) -> tuple[str, ...]: ...


class DeclaredType:
    """A declared type: its text (None if unknown), its type code and flags, and the indexes of its labels; with a codec
    if the type alone does not select it.
    """

    def __init__(
        self,
        number: cython.int,
        text: str | None,
        type: int,
        flags: int,
        labels: Mapping[str, int] | None,
        codec: ValueCodec | None = None,
    ) -> None:
        self.number = number
        self.text = text
        self.type = type
        self.flags = flags
        self.labels = labels
        self.codec = codec


class DeclaredTypes:
    """A decoder's cache of declared types."""

    def __init__(self, cache: LayoutCache, declared: Callable[[str], TypeText], undeclared: int) -> None:
        """
        Args:
            cache: counts the memory that is used.
            declared: parses a declared type; raises ValueError if it is malformed.
            undeclared: type code of columns whose type is not stated; -1: none.
        """
        self.cache = cache
        self.declared = declared
        self.undeclared = undeclared
        self.others: dict[str | None, DeclaredType] = {}
        self.known: dict[bytes, DeclaredType] = {}
        self.written: dict[tuple[str | None, ValueCodec], DeclaredType] = {}
        self.numbers: list[DeclaredType] = []
        self.bytes = 0

    def given(self, text: str | None) -> DeclaredType:
        """The type of a column whose type the message does not declare: the one given by the user, else `undeclared`.
        """
        known = self.others.get(text)
        if known is None:
            known = self.add(text, None if text is None else self.declared(text))
            self.others[text] = known
        return known

    def written_by(self, text: str | None, codec: ValueCodec) -> DeclaredType:
        """The declared type for columns whose values are written by this codec."""
        known = self.written.get((text, codec))
        if known is None:
            known = self.add(text, None if text is None else self.declared(text), codec)
            self.written[text, codec] = known
            self.bytes += 512 + 4 * len(text or "")
            self.cache.bytes += 512 + 4 * len(text or "")
        return known

    def add(self, text: str | None, declared: TypeText | None, codec: ValueCodec | None = None) -> DeclaredType:
        """Adds a type to the cache."""
        members = () if declared is None else declared.members
        # if a label occurs twice, the first one counts, as in MySQL
        labels = (
            {label: len(members) - 1 - position for position, label in enumerate(reversed(members))}
            if members
            else None
        )
        type, flags = (self.undeclared, 0) if declared is None else (declared.type, declared.flags)
        known = DeclaredType(len(self.numbers), text, type, flags, labels, codec)
        self.numbers.append(known)
        return known


FLAGS_MISSING: Final = 256
"""Added to the type code of a column that has no flags."""

_CODES: Final = tuple(
    DeclaredType(number, None, number % FLAGS_MISSING, 0, None) for number in range(2 * FLAGS_MISSING)
)
"""One type per type code, shared by all decoders: they never change, and a decoder made for a single message should not
cost 512 objects.
"""


def type_codes(cache: LayoutCache) -> DeclaredTypes:
    """Types of tables whose columns state type codes only: the number of a type is its code, plus `FLAGS_MISSING` where
    a column has no flags.
    """
    types = DeclaredTypes(cache, _no_text, -1)
    types.numbers = list(_CODES)
    return types


def _no_text(text: str) -> TypeText:
    raise ValueError(f"types are told by their codes, not as {shown(text)}")
