"""Computes the row checksums of events before they are encoded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.messages.checksums.checking import Plans, RowChecks
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.batch.roles import (
    CHECKSUM,
    CHECKSUM_BEFORE,
    CHECKSUM_CORRUPTED,
    CHECKSUM_VERSION,
    described,
)
from tidewire.runtime.errors import ContradictionError, EncodeError

if TYPE_CHECKING:
    from tidewire.runtime.batch.event_columns import EventColumns

VERSION = 2
"""The version that producers write with checksums of a current TiDB: TiDB's number for checksums over the stored bytes.
The checksums in messages are over column values nevertheless, for any version (pingcap/tiflow cdc/entry/mounter.go).
"""


class ChecksumComputer:
    """Computes checksums for events that have none."""

    def __init__(self, protocol: str, plans: Plans) -> None:
        """Args:
            protocol: name for errors.
            plans: the checksum plans; descriptions in events are added to their tables.
        """
        self._protocol = protocol
        self._plans = plans

    def compute(self, columns: EventColumns) -> EventColumns:
        """The events, all rows with checksums: existing ones, or computed ones; 0 for a missing image.

        Raises:
            EncodeError: the checksum of a row cannot be computed; the text says why.
        """
        self._learn(columns)
        names = [self._plans.roles[role] for role in (CHECKSUM, CHECKSUM_BEFORE, CHECKSUM_VERSION, CHECKSUM_CORRUPTED)]
        checks = RowChecks(columns, self._plans)
        values = checks.fill(VERSION)
        if values is None:
            todo = "leave compute-checksum out"
            if checks.undescribed:
                todo = "have an event in front of it describe the table, or give the description in `tables`"
            reason = f"its checksum cannot be computed: {checks.reason}; {todo}"
            raise EncodeError(self._protocol, checks.failed, None, reason)
        kinds = columns.events.schema
        filled = {name: column_of(given, kinds.field(name).type) for name, given in zip(names, values, strict=True)}
        return columns.with_columns(filled)

    def _learn(self, columns: EventColumns) -> None:
        """Adds the descriptions in events.

        Raises:
            EncodeError: one contradicts another.
        """
        if not columns.descriptions:
            return
        for name in described(self._plans.roles):
            numbers = columns.events.column(name)
            for number in numbers.drop_null().unique().to_pylist():
                try:
                    self._plans.tables.add(columns.descriptions[number])
                except ContradictionError as error:
                    event = numbers.to_pylist().index(number)
                    raise EncodeError(self._protocol, event, None, str(error)) from None
