"""Checks that readers will understand the column types of a message before it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tidewire.runtime.errors import EncodeError
from tidewire.runtime.shortened import shown

if TYPE_CHECKING:
    from tidewire.runtime.batch import Column
    from tidewire.runtime.column_types import Declared, MappedName


class SaidTypes:
    """The column types as messages of one protocol state them."""

    def __init__(
        self,
        protocol: str,
        takes: Callable[[str], Declared],
        spells: Callable[[int, int, bool], str],
        maps: Callable[[str, int, int], MappedName],
        values: Callable[[int, int], Any],
        full_option: str | None = None,
    ) -> None:
        """
        Args:
            protocol: name of the protocol, for errors.
            takes: parses a declared type such as `int unsigned`, as readers do.
            spells: TiDB's name of a type, by its code, its flags and whether it is ZEROFILL.
            maps: a named type mapping of protocols, by its name, the type's code and its flags.
            values: the codec, by type code and flags.
            full_option: the option with which types are declared in full; None: there is none.
        """
        self.protocol = protocol
        self.takes = takes
        self.spells = spells
        self.maps = maps
        self.values = values
        self.full_option = full_option

    def declared(self, column: Column, full: bool) -> str:
        """The declared type of a column: the event's own text if `full`, else TiDB's name.

        Raises:
            EncodeError: it is not known, or a reader would take it for another type.
        """
        try:
            return self._declared(column, full)
        except ValueError as error:
            raise EncodeError(self.protocol, None, column.name, str(error)) from None

    def _declared(self, column: Column, full: bool) -> str:
        _, code, flags, declared = column
        given = None if declared is None else self.takes(declared)
        text = declared if full else self.spells(code, flags, given is not None and given.zerofill)
        if text is None:
            raise ValueError(f"{self.full_option} needs its declared type, and the event does not say it (mysql_type)")
        codec = self.values(code, flags)
        for said in (given, self.takes(text)):
            if said is not None and (said.type != code or self.values(said.type, said.flags) != codec):
                wrong = shown(text if said is not given else declared)
                raise ValueError(
                    f"a reader takes the declared type {wrong} for another one than type {code} with flags {flags}"
                )
        return text

    def mapped(self, column: Column, kind: str) -> MappedName:
        """The name of a column's type in a mapping.

        Args:
            kind: name of the mapping, such as `java_sql`.

        Raises:
            EncodeError: the type has no such name.
        """
        try:
            return self.maps(kind, column.type, column.flags)
        except LookupError as error:
            raise EncodeError(self.protocol, None, column.name, str(error)) from None
