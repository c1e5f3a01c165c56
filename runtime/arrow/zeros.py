"""Zero bytes that all columns share that are null in every row: read-only, and mostly never even paged in."""

from __future__ import annotations


class _Zeros:
    """The most that have been asked for so far."""

    def __init__(self) -> None:
        self.kept = bytes(1 << 12)

    def of(self, size: int) -> bytes:
        """At least that many."""
        kept = self.kept  # once: threads share this
        if len(kept) < size:
            self.kept = kept = bytes(max(size, 2 * len(kept)))
        return kept


_zeros = _Zeros()


def zeros_of(rows: int) -> bytes:
    """Enough for so many values, or for their bitmap, or for where they end."""
    return _zeros.of(8 * rows + 8)
