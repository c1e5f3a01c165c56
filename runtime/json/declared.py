"""Declared types of columns, by their texts: what a text says is found out once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime.errors import VALUE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    import cython

    from tidewire.runtime.catalog import Catalog
    from tidewire.runtime.json.text import JsonText

    class TypeText(Protocol):
        """What a declared type's text says."""

        @property
        def type(self) -> int: ...
        @property
        def flags(self) -> int: ...
        @property
        def members(self) -> tuple[str, ...]: ...


class Declared:
    """A declared type: its text, what that says, and for types with labels the number of each."""

    def __init__(self, number: cython.int, text: str, type: int, flags: int, labels: Mapping[str, int] | None) -> None:
        self.number = number
        self.text = text
        self.type = type
        self.flags = flags
        self.labels = labels


class DeclaredTypes:
    """The declared types that a decoder has seen."""

    def __init__(self, catalog: Catalog, declared: Callable[[str], TypeText]) -> None:
        """
        Args:
            catalog: counts what is remembered.
            declared: takes a declared type apart; ValueError when it is none.
        """
        self.catalog = catalog
        self.declared = declared
        self.known: dict[bytes, Declared] = {}
        self.numbers: list[Declared] = []

    def of(self, r: JsonText, start: cython.Py_ssize_t, end: cython.Py_ssize_t, field: cython.int) -> Declared:
        """The declared type that the string message[start:end] is."""
        image = r.copy(start, end)
        known = self.known.get(image)
        if known is None:
            text = r.content(start + 1, end - 1, field)
            try:
                declared = self.declared(text)
            except ValueError:
                r.fail(VALUE, field, start, end - start, 0)
            members = declared.members
            labels = {label: place for place, label in enumerate(members)} if members else None
            known = Declared(len(self.numbers), text, declared.type, declared.flags, labels)
            self.known[image] = known
            self.numbers.append(known)
            self.catalog.bytes += 512 + 4 * len(image)
        return known
