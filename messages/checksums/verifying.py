"""Verifies the checksums of the rows that a protocol's decoder gives."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tidewire.messages.checksums.checking import Checked, Plans, RowChecks
from tidewire.runtime.errors import ChecksumError

if TYPE_CHECKING:
    from tidewire.runtime.batch.event_columns import EventColumns

MOST_REASONS = 256
"""Reasons that are counted apart from one another."""
OTHERS = "other reasons"
"""Stands for the reasons behind so many."""


class UnverifiedWarning(UserWarning):
    """Checksums of rows could not be verified; the text says why."""


def verify(columns: EventColumns, plans: Plans, pointers: bool = True) -> Checked:
    """What is wrong with the checksums of a batch of events. Events without checksums, or with 0, are skipped.

    Args:
        plans: how their checksums are made.
        pointers: whether events count that point to the whole message.
    """
    return RowChecks(columns, plans).check(pointers)


class VerifyingDecoder:
    """A protocol's own decoder, and behind it the verification.

    Attributes:
        unverified: why checksums could not be verified, and of how many row images.
    """

    def __init__(self, protocol: str, wire: Any, plans: Plans, pointers: bool) -> None:
        """
        Args:
            protocol: for errors.
            wire: the protocol's own decoder.
            plans: how the checksums of its rows are made.
            pointers: as that of `verify`.
        """
        self.unverified: dict[str, int] = {}
        self._protocol = protocol
        self._wire = wire
        self._plans = plans
        self._pointers = pointers

    def decode(self, *messages: Any) -> EventColumns:
        """The events of messages; the messages of rows that differ from their checksums are errors."""
        return self._verified(self._wire.decode(*messages))

    def decode_pieces(self, pieces: Iterable[Any]) -> EventColumns:
        """The same of messages that come in pieces."""
        return self._verified(self._wire.decode_pieces(pieces))

    def _verified(self, columns: EventColumns) -> EventColumns:
        checked = verify(columns, self._plans, self._pointers)
        for one in checked.open:
            self._tell(one.reason)
        if not checked.wrong:
            return columns
        message = columns.events.column("message").to_pylist()
        table = columns.events.column("table").to_pylist()
        errors: dict[int, ChecksumError] = {}
        for one in checked.wrong:
            number = message[one.event]
            if number not in errors:
                schema, name = columns.tables[table[one.event]]
                errors[number] = ChecksumError(
                    self._protocol, number, schema, name, one.image, one.expected, one.computed, one.reason
                )
        # a message of which a row is wrong gives no events at all
        found = columns.without([row for row, number in enumerate(message) if number in errors])
        found.errors = sorted([*columns.errors, *errors.values()], key=lambda error: error.message or 0)
        return found

    def _tell(self, reason: str) -> None:
        """Counts a row image that could not be verified, and warns of the first one for each reason."""
        if reason not in self.unverified and len(self.unverified) >= MOST_REASONS:
            reason = OTHERS
        if reason not in self.unverified:
            text = f"{self._protocol}: the checksums of some rows are not verified: {reason}"
            warnings.warn(text, UnverifiedWarning, stacklevel=6)
        self.unverified[reason] = self.unverified.get(reason, 0) + 1
