"""What messages say of the types of columns, looked at from the reader's side before it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tidewire.runtime.errors import EncodeError
from tidewire.runtime.shortened import shown

if TYPE_CHECKING:
    from tidewire.runtime.batch import Column
    from tidewire.runtime.column_types import Declared, MappedName


class SaidTypes:
    """The types of columns as messages of one protocol say them."""

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
            protocol: for errors.
            takes: what a reader takes a declared type for, such as `int unsigned`.
            spells: TiDB's name of a type, by its code, its flags and whether it is ZEROFILL.
            maps: what protocols call a type, by the kind of the name, the type's code and its flags.
            values: the value table, by type code and flags.
            full_option: the option with which types are declared in full; None: there is none.
        """
        self.protocol = protocol
        self.takes = takes
        self.spells = spells
        self.maps = maps
        self.values = values
        self.full_option = full_option

    def declared(self, column: Column, full: bool) -> str:
        """The type of a column: as the event declares it in full, or TiDB's name of it.

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
        """What protocols call the type of a column.

        Args:
            column: whose type it is.
            kind: whose name it is, such as `java_sql`.

        Raises:
            EncodeError: the type has no such name.
        """
        try:
            return self.maps(kind, column.type, column.flags)
        except LookupError as error:
            raise EncodeError(self.protocol, None, column.name, str(error)) from None
