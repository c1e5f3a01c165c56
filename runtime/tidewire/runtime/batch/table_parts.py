"""The parts of a table description in messages: its name and its columns."""

from __future__ import annotations

from typing import NamedTuple

TableName = tuple[str | None, str | None]
"""Schema and name of a table; None where it has none."""


class Column(NamedTuple):
    """A column of a row image, as the wire describes it."""

    name: str
    """Its name."""
    type: int
    """MySQL type code, 0 to 255 (`tidewire.mysql.ColumnType`)."""
    flags: int
    """TiCDC column flags, 64 bits (`tidewire.mysql.ColumnFlag`)."""
    mysql_type: str | None = None
    """The declared type as written on the wire, with its parameters (``int(10) unsigned``) or without; None if the
    protocol does not carry it. `tidewire.mysql.declared` parses it.
    """
