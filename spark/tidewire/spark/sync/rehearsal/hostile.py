"""A topic with damaged and late messages for the tables that a user keeps, made from a seed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from string import ascii_lowercase
from typing import NamedTuple

from tidewire.reading.table_names import split
from tidewire.runtime.errors import OptionError
from tidewire.spark.sync.changelog import Hold, Statement, table_name
from tidewire.spark.sync.choices import Chosen
from tidewire.spark.sync.rehearsal.encoded import OPTIONS, Files
from tidewire.spark.sync.rehearsal.histories import Asked, History
from tidewire.spark.sync.rehearsal.source import Message

MOST_TABLES = 6
"""The most tables of a rehearsal."""
_WILD = re.compile(r"\[[^\]]*\]|[*?]")
_OF_NUMBERS = {"craft"}
"""Protocols that write numbers in binary, so that letters cannot replace a number."""


class Place(NamedTuple):
    """Where a message is."""

    topic: str
    partition: int
    offset: int


class Hostile:
    """A topic, and what is in it.

    Attributes:
        history: the log of the source and its messages.
        damaged: by place of an unreadable message, its micro-batch; known once the topic is written.
        late: table and micro-batch of a row below the resolved ts.
        sent: the number of messages; known once the topic is written.
        names: the first tables that are kept.
        skipped: a table of the source that is not kept; empty for none.
    """

    def __init__(self, seed: int, events: int, protocol: str, choice: Chosen) -> None:
        """
        Args:
            seed: every choice follows from it.
            events: how many rows and statements the source has.
            protocol: name of a protocol.
            choice: the user's choices.

        Raises:
            OptionError: there is no such topic in this protocol, or for these tables.
        """
        if choice.by_key:
            raise OptionError(
                "consistency=key publishes nothing that could be compared with the source at a TSO: only"
                " consistency=tables can be rehearsed"
            )
        if protocol not in OPTIONS:
            raise OptionError(
                f"messages of {protocol} cannot be rehearsed, as their schemas are in a registry; of"
                f" {', '.join(OPTIONS)} they can"
            )
        names, self.skipped = tables_for(choice)
        self.names = names
        asked = Asked(
            (*names, *([self.skipped] if self.skipped else [])),
            None if self.skipped else _new(names, choice),
            protocol not in _OF_NUMBERS,
        )
        self.history = History(seed, events, asked)
        self.late = self._add_late(names, choice.rules.hold)
        self.protocol = protocol
        self.damaged: dict[Place, int] = {}
        self.sent = 0

    def write(self, folder: Path) -> None:
        """Writes the topic into a new folder, a file for each micro-batch."""
        files = Files(self.history, self.protocol, folder)
        for number in range(len(self.history.batches)):
            files.write(number)
            self.sent += files.written
            self.damaged |= {Place(*one): number for one in files.spoiled}

    @property
    def statements(self) -> list[Statement]:
        """The source's DDL, in its order."""
        return [one for one in self.history.log if isinstance(one, Statement)]

    def _add_late(self, names: tuple[str, ...], hold: Hold | None) -> tuple[str, int] | None:
        """Adds a row that breaks the promise of a watermark, in the second half; older than all that waits, as a table
        that waits would take it.
        """
        history = self.history
        every = [0]
        marks = {(topic, one): 0 for topic, each in history.partitions.items() for one in each}
        for number, batch in enumerate(history.batches):
            resolved = min(marks.values())
            every.append(resolved)
            # what waits came after the last batch that is this old, or with the one behind it
            applied = max(one for one in every if one <= max(0, resolved - (hold.age if hold else 0)))
            if number * 2 >= len(history.batches) and applied > 1:
                moved = {one.table for one in self.statements if one.actions[0].kind in ("RenameTable", "DropTable")}
                for one in reversed(history.log):
                    if not isinstance(one, Message) or not one.changes or one.ts >= applied or one.lost or one.dead:
                        continue
                    change = one.changes[-1]
                    if change.row is not None and change.table in {*names} - moved:
                        # with the columns that the table has at this commit ts
                        late = change._replace(key="late", row={**change.row, "id": "late"})
                        topic = "t1" if "t1" in history.partitions and late.table == history.far else "t0"
                        batch.setdefault((topic, 0), []).append(Message(one.ts, (late,), 0))
                        return late.table, number
            for place, items in batch.items():
                marks[place] = max([marks[place], *(one for one in items if isinstance(one, int))])
        return None


def tables_for(choice: Chosen) -> tuple[tuple[str, ...], str]:
    """Names of tables for a user's patterns, and of one that is skipped (or an empty text).

    There is one for each pattern, and there are at least three where patterns have wildcards.

    Raises:
        OptionError: no table matches.
    """
    found: list[str] = []
    for pattern in choice.wanted.only[:MOST_TABLES]:
        found += [one for one in _matching(pattern, choice)[:1] if one not in found]
    for pattern in choice.wanted.only:
        found += [one for one in _matching(pattern, choice) if one not in found][: max(0, 3 - len(found))]
    if not found:
        raise OptionError("no table matches the patterns in tables, so that nothing can be rehearsed")
    skipped = [name for pattern in choice.wanted.skip for name in _names(pattern) if not choice.wanted.named(name)]
    return tuple(found), next(iter(skipped), "")


def _matching(pattern: str, choice: Chosen) -> list[str]:
    return [one for one in _names(pattern) if choice.wanted.named(one)]


def _names(pattern: str, words: str | tuple[str, ...] = ascii_lowercase) -> Iterator[str]:
    """Names that may match a pattern."""
    schema, table = split(pattern)
    for word in words if _WILD.search(table) else words[:1]:
        yield table_name(_WILD.sub("shop", schema), _WILD.sub(word, table))


def _new(names: tuple[str, ...], choice: Chosen) -> _Named | None:
    """Names for tables that come later, where all tables are kept in one way, and a pattern has room for more."""
    kinds = {(choice.rules.mode(one), choice.rules.history(one)) for one in names}
    if len(kinds) > 1 or not kinds <= {("evolve", False), ("lenient", False)}:
        return None
    for pattern in choice.wanted.only:
        found = _Named(pattern)
        if "*" in split(pattern)[1] and all(choice.wanted.named(found(one)) for one in ("n1", "m1", "t")):
            return found
    return None


class _Named:
    """Names by a pattern."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    def __call__(self, word: str) -> str:
        return next(_names(self.pattern, (word,)))
