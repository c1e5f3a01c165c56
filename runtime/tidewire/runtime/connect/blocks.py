"""Templates of schema blocks, generated from a spec: constant text with slots."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

SCHEMA, TABLE, COLUMNS, KEY_COLUMNS = "schema", "table", "columns", "key_columns"
"""Names of slots."""
OPTION = "option "
"""Prefix of slots that are filled with an option's value."""


class BlockPart(NamedTuple):
    """A part of a template."""

    pieces: tuple[str, ...]
    """JSON text, alternating with slots: schema, table, columns, key_columns, or an option."""
    when: str | None = None
    """The option that enables the part; None: always present."""
    producers: tuple[str, ...] = ()
    """Producers that write it; empty: all."""


class BlockText:
    """The template of one kind of block, for one producer and its options."""

    def __init__(self, parts: Sequence[BlockPart], producer: str, options: Mapping[str, object]) -> None:
        """
        Args:
            parts: parts of the template.
            producer: producer whose blocks are imitated.
            options: options of the protocol by name.
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
        """Whether the template has this slot."""
        return slot in self._pieces[1::2]

    def filled(self, values: Mapping[str, str]) -> bytes:
        """The block with its slots filled.

        Args:
            values: JSON text for each slot.
        """
        pieces = list(self._pieces)
        pieces[1::2] = [values[slot] for slot in pieces[1::2]]
        return "".join(pieces).encode()


def adjusted(name: str) -> str:
    """A name in which characters that Avro does not allow are replaced."""
    found = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"_{found}" if found[:1].isdigit() else found


def adjusted_table(name: str) -> str:
    """A table name as TiCDC adjusts it: points and a leading digit are kept."""
    return re.sub(r"[^A-Za-z0-9_.]", "_", name)
