"""Texts of schema blocks, as a spec says them: what is the same in all of them is spelled out before."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

SCHEMA, TABLE, COLUMNS, KEY_COLUMNS = "schema", "table", "columns", "key_columns"
"""What is filled in."""
OPTION = "option "
"""What stands before the name of an option that is filled in."""


class BlockPart(NamedTuple):
    """A part of a block."""

    pieces: tuple[str, ...]
    """Texts of JSON, and between them what is filled in: schema, table, columns, key_columns, or an option's name."""
    when: str | None = None
    """The option without which the part is left out."""
    producers: tuple[str, ...] = ()
    """Who writes it; none: all do."""


class BlockText:
    """The text of the blocks of one kind, as one producer writes it with its options."""

    def __init__(self, parts: Sequence[BlockPart], producer: str, options: Mapping[str, object]) -> None:
        """
        Args:
            parts: of the block.
            producer: who writes.
            options: of the protocol, by name.
        """
        pieces = [""]
        for part in parts:
            if (part.when is None or options[part.when]) and (not part.producers or producer in part.producers):
                pieces[-1] += part.pieces[0]
                for slot, text in zip(part.pieces[1::2], part.pieces[2::2], strict=True):
                    if slot.startswith(OPTION):
                        pieces[-1] += adjusted(str(options[slot.removeprefix(OPTION)])) + text
                    else:
                        pieces += [slot, text]
        self._pieces = tuple(pieces)

    def has(self, slot: str) -> bool:
        """Whether something is filled in there."""
        return slot in self._pieces[1::2]

    def filled(self, values: Mapping[str, str]) -> bytes:
        """The block.

        Args:
            values: what is filled in, as JSON has it.
        """
        pieces = list(self._pieces)
        pieces[1::2] = [values[slot] for slot in pieces[1::2]]
        return "".join(pieces).encode()


def adjusted(name: str) -> str:
    """A name as Avro allows it."""
    found = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"_{found}" if found[:1].isdigit() else found


def adjusted_table(name: str) -> str:
    """The name of a table: with points, and with a digit before it, as TiCDC has it."""
    return re.sub(r"[^A-Za-z0-9_.]", "_", name)
