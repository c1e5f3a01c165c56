"""Values that are not records, such as DDL statements: they begin with a marker byte."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from tidewire.runtime import cython
from tidewire.runtime.decoding.message_decoder import KeyedDecoder
from tidewire.runtime.errors import OUTSIDE, StatedError
from tidewire.runtime.record.cursor import RecordCursor
from tidewire.runtime.registered.statements import StatementError, StatementMember, read_statement


class ControlDecoder(KeyedDecoder):
    """A decoder of records, and of values that are not records.

    Attributes:
        path: path of the statement's member being read.
    """

    def __init__(
        self,
        protocol: str,
        fields: tuple[str, ...],
        schema: pa.Schema,
        positions: Sequence[int],
        storages: Sequence[int],
        replace_invalid: cython.bint,
    ) -> None:
        """
        Args:
            protocol, fields, schema, positions, storages, replace_invalid: as in `BatchDecoder`.
        """
        super().__init__(protocol, fields, schema, positions, storages, replace_invalid)
        self.path = ""

    def said_table(self, schema: Any, name: Any) -> cython.Py_ssize_t:
        """Position of a table in the batch."""
        return self.cache.position(self.cache.table(schema, name))

    def put_said_text(self, c: cython.int, row: cython.Py_ssize_t, said: Any) -> cython.int:
        """Puts a text of a statement into column `c` of an event; `put_said_uint` and `put_said_int` put numbers."""
        return self.events.put_text(c, row, said)

    def put_said_uint(self, c: cython.int, row: cython.Py_ssize_t, said: Any) -> cython.int:
        if said is None:
            return self.events.put_null(c, row)
        return self.events.put_uint(c, row, said)

    def put_said_int(
        self,
        c: cython.int,
        row: cython.Py_ssize_t,
        said: Any,
        least: cython.longlong,
        most: cython.longlong,
        field: cython.int,
        path: str,
    ) -> cython.int:
        if said is None:
            return self.events.put_null(c, row)
        if said < least or said > most:
            self.path = path
            raise StatedError(OUTSIDE, field, 1, f"{said} is out of range: {least} to {most}")
        return self.events.put_int(c, row, said)

    def members(self, r: RecordCursor, members: Sequence[StatementMember], field: cython.int) -> list[Any]:
        """The values of a statement's members; None: absent.

        Args:
            r: cursor, at the first byte of the object.
        """
        self.path = ""
        try:
            found = read_statement(r.copy(r.pos, r.end), members)
        except StatementError as error:
            self.path = error.path
            raise error.stated(field, r.pos) from None
        r.pos = r.end
        return found

    def marked_number(self, r: RecordCursor, field: cython.int) -> cython.ulonglong:
        """A number of eight bytes, big-endian, at the end of the message."""
        number: cython.ulonglong = r.u64be(field)
        r.consumed(field)
        return number
