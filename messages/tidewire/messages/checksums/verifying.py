"""Verifies the checksums of decoded rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tidewire.messages.checksums.checking import Checked, Plans, RowChecks
from tidewire.runtime.errors import ChecksumError

if TYPE_CHECKING:
    from tidewire.runtime.batch.event_columns import EventColumns

MOST_REASONS = 256
"""The most reasons that are counted separately."""
OTHERS = "other reasons"
"""Replaces further reasons."""


class UnverifiedWarning(UserWarning):
    """Checksums of rows could not be verified; the text gives the reason."""


def verify(columns: EventColumns, plans: Plans, pointers: bool = True) -> Checked:
    """Verifies the checksums of a batch of events. Events without checksums, or with 0, are skipped.

    Args:
        plans: the checksum plans.
        pointers: whether to include events that point to the complete message.
    """
    return RowChecks(columns, plans).check(pointers)


class VerifyingDecoder:
    """The decoder generated for a protocol, followed by verification.

    Attributes:
        unverified: why checksums could not be verified, with the number of row images.
    """

    def __init__(self, protocol: str, wire: Any, plans: Plans, pointers: bool) -> None:
        """Args:
            protocol: name for errors.
            wire: the decoder generated for the protocol.
            plans: the checksum plans.
            pointers: as in `verify`.
        """
        self.unverified: dict[str, int] = {}
        self._protocol = protocol
        self._wire = wire
        self._plans = plans
        self._pointers = pointers

    def decode(self, *messages: Any) -> EventColumns:
        """Decodes messages; a message is an error if a row does not match its checksum."""
        return self._verified(self._wire.decode(*messages))

    def decode_pieces(self, pieces: Iterable[Any]) -> EventColumns:
        """Like `decode`, for messages that are given as several arrays."""
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
        # a message with one wrong row gives no events
        found = columns.without([row for row, number in enumerate(message) if number in errors])
        found.errors = sorted([*columns.errors, *errors.values()], key=lambda error: error.message or 0)
        return found

    def _tell(self, reason: str) -> None:
        """Counts a row image that could not be verified, and warns once per reason."""
        if reason not in self.unverified and len(self.unverified) >= MOST_REASONS:
            reason = OTHERS
        if reason not in self.unverified:
            text = f"{self._protocol}: the checksums of some rows are not verified: {reason}"
            warnings.warn(text, UnverifiedWarning, stacklevel=6)
        self.unverified[reason] = self.unverified.get(reason, 0) + 1
