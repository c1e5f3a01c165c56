"""The table whose rows a task makes, and the warning if a task does not meet it."""

from __future__ import annotations

import logging

from tidewire.reading.tables import MOST_KEPT, MOST_LETTERS, MOST_LISTED, absent, asked, dotted, positions, same
from tidewire.runtime.batch import EventColumns, TableName

_log = logging.getLogger("tidewire.spark")
_met: set[TableName] = set()
"""Tables that a task of this process has met, or has warned about as missing."""
_spelled: set[TableName] = set()
"""Tables for which a task of this process has warned of several spellings of their names."""


class Sought:
    """The table whose rows a task makes, and the other tables that it met."""

    def __init__(self, wanted: TableName | None) -> None:
        """`wanted`: the table; None for all."""
        self.wanted = wanted
        self._found = wanted is None
        self._others: dict[TableName, TableName] = {}
        self._spelled: set[str] = set()
        self._messages = 0

    def positions(self, decoded: EventColumns, messages: int) -> set[int]:
        """The indexes of the table in a batch of `messages` messages; a table has several if its name has several
        spellings.
        """
        found = positions(decoded.tables, self.wanted)
        self._found = self._found or bool(found)
        if self.wanted is not None and len(self._spelled) < MOST_LISTED:
            self._spelled.update(asked(decoded.tables[at]) for at in found)
        if not self._found:
            self._messages += messages
            for at in {layout.table for layout in decoded.layouts}:
                name = decoded.tables[at]
                if len(self._others) < MOST_KEPT and len(dotted(name)) <= MOST_LETTERS:
                    self._others.setdefault(same(name), name)
        return found

    def report(self) -> None:
        """Warns, once in a process, if a task met only changes of other tables, or several spellings of its own."""
        if self.wanted is None:
            return
        if len(self._spelled) > 1 and same(self.wanted) not in _spelled:
            _spelled.add(same(self.wanted))
            _log.warning(
                "tidewire: %s are one table for TiDB, and rows of all were read; where they are several, `schema` and "
                "`table` of from_ticdc tell them apart",
                " and ".join(sorted(self._spelled)),
            )
        if same(self.wanted) in _met:
            return
        if self._found or self._others:
            _met.add(same(self.wanted))
        if not self._found and self._others:
            where = "the one message" if self._messages == 1 else f"the {self._messages:,} messages"
            _log.warning("tidewire: %s", absent(self.wanted, self._others.values(), f"{where} of a task"))
