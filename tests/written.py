"""Messages that a test has written, as encoders give them."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

Message = tuple[bytes | None, bytes | None, int, int]
"""Key, value, first event, number of events."""


class Written:
    """The same of plain values as `WrittenMessages` of memory."""

    def __init__(self, messages: Sequence[Message], longest_event: int = 0) -> None:
        self.messages = list(messages)
        self.longest_event = longest_event

    def longest(self) -> int:
        """Bytes of the longest message."""
        return max((len(key or b"") + len(value or b"") for key, value, _, _ in self.messages), default=0)

    def rows(self) -> list[Message]:
        """They themselves."""
        return self.messages

    def batch(self) -> pa.RecordBatch:
        """They as columns."""
        kinds = {"key": pa.binary(), "value": pa.binary(), "first_event": pa.int64(), "events": pa.int64()}
        columns = list(zip(*self.messages, strict=True)) or [()] * len(kinds)
        return pa.record_batch(
            {name: pa.array(values, kind) for (name, kind), values in zip(kinds.items(), columns, strict=True)}
        )
